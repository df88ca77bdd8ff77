"""
What each scalar type is in CUDA C++.

| type | in a register | in memory |
|---|---|---|
| `i1` | `bool` | `unsigned char`, 0 or 1 |
| `i8` | `signed char` or `unsigned char` | the same |
| `i16` | `short` or `unsigned short` | the same |
| `i32` | `int` or `unsigned int` | the same |
| `i64`, `index` | `long long` or `unsigned long long` | the same |
| `f16` | `float`, always a value that half precision has | `unsigned short` |
| `f32`, `f64` | `float`, `double` | the same |

Integers have no sign in the IR. In C++ they have one, and a conversion to the other one
keeps the bits. Sums, differences and products are unsigned wherever they may wrap, because
C++ does not say what becomes of a signed one.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    Float16Type,
    Float64Type,
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import SCALAR_NAMES, is_scalar


@dataclass(frozen=True)
class CType:
    """An arithmetic type of C++."""

    name: str
    bits: int
    is_signed: bool = False
    is_float: bool = False
    pointee: "CType | None" = None
    """Of a pointer, what it points to, without `const`."""

    @property
    def is_bool(self) -> bool:
        return self.bits == 1

    @property
    def is_integer(self) -> bool:
        """Whether it is one, `bool` and pointers not counted."""
        return not self.is_float and not self.is_bool and self.pointee is None


BOOL = CType("bool", 1)
BYTE = CType("unsigned char", 8)
HALF_BITS = CType("unsigned short", 16)
FLOAT = CType("float", 32, is_signed=True, is_float=True)
DOUBLE = CType("double", 64, is_signed=True, is_float=True)
SIGNED = {
    8: CType("signed char", 8, is_signed=True),
    16: CType("short", 16, is_signed=True),
    32: CType("int", 32, is_signed=True),
    64: CType("long long", 64, is_signed=True),
}
UNSIGNED = {
    8: BYTE,
    16: HALF_BITS,
    32: CType("unsigned int", 32),
    64: CType("unsigned long long", 64),
}
INT, UINT = SIGNED[32], UNSIGNED[32]
LONG, ULONG = SIGNED[64], UNSIGNED[64]


def pointer_to(pointee: CType, *, const: bool = False) -> CType:
    """
    A pointer.

    Example: `pointer_to(FLOAT, const=True)` is `const float *`.
    """
    return CType(f"{'const ' if const else ''}{pointee.name} *", 64, pointee=pointee)


def width(type: Attribute) -> int:
    """
    The bits of an integer type.

    Example: `width(IndexType())` is 64.
    """
    match type:
        case IndexType():
            return 64
        case IntegerType():
            return type.width.data
        case _:
            raise Refusal(f"computes with {type} as an integer", fix="use an integer type")


def integer_type(bits: int, *, signed: bool) -> CType:
    """The integer type of a width; of a single bit it is `bool`."""
    return BOOL if bits == 1 else (SIGNED if signed else UNSIGNED)[bits]


def register_type(type: Attribute, *, signed: bool = False) -> CType:
    """
    The type of a value while it is computed with.

    Example: `register_type(f16)` is `float`.
    """
    if not is_scalar(type):
        raise Refusal(f"computes with {type}", fix=f"use {SCALAR_NAMES}")
    match type:
        case IntegerType() | IndexType():
            return integer_type(width(type), signed=signed)
        case Float64Type():
            return DOUBLE
        case _:
            return FLOAT


def storage_type(type: Attribute, *, signed: bool = False) -> CType:
    """
    The type of an element in memory.

    Example: `storage_type(f16)` is `unsigned short`.
    """
    if isinstance(type, Float16Type):
        return HALF_BITS
    register = register_type(type, signed=signed)
    return BYTE if register.is_bool else register
