"""
What each scalar type is in LLVM IR.

| type | in a register | in memory |
|---|---|---|
| `i1` | `i1` | `i8`, 0 or 1 |
| `i8` to `i64` | the same | the same |
| `index` | `i64` | `i64` |
| `f16` | `float`, always a value that half precision has | `i16` |
| `f32`, `f64` | `float`, `double` | `float`, `double` |
"""

from llvmlite import ir
from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import SCALAR_NAMES, is_scalar
from vyre.lowering.llvm import half

BIT = ir.IntType(1)
BYTE = ir.IntType(8)
SINGLE = ir.FloatType()
DOUBLE = ir.DoubleType()


def register_type(type: Attribute) -> ir.Type:
    """
    The type of a value while it is computed with.

    Example: `register_type(f16)` is `float`.
    """
    if is_scalar(type):
        match type:
            case IntegerType():
                return ir.IntType(type.width.data)
            case IndexType():
                return ir.IntType(64)
            case Float16Type() | Float32Type():
                return SINGLE
            case Float64Type():
                return DOUBLE
    raise Refusal(f"computes with {type}", fix=f"use {SCALAR_NAMES}")


def storage_type(type: Attribute) -> ir.Type:
    """
    The type of an element in memory.

    Example: `storage_type(f16)` is `i16`.
    """
    if isinstance(type, Float16Type):
        return half.BITS
    register = register_type(type)
    return BYTE if register == BIT else register


def to_storage(builder: ir.IRBuilder, value: ir.Value, type: Attribute) -> ir.Value:
    """
    A value of a register as it is stored.

    Example: `builder.store(to_storage(builder, value, i1), pointer)`
    """
    if isinstance(type, Float16Type):
        return half.to_bits(builder, value)
    return builder.zext(value, BYTE) if value.type == BIT else value


def from_storage(builder: ir.IRBuilder, stored: ir.Value, type: Attribute) -> ir.Value:
    """
    A value in a register from what was loaded. Of an `i1`, any byte but 0 is true.

    Example: `from_storage(builder, builder.load(pointer, typ=storage_type(i1)), i1)`
    """
    if isinstance(type, Float16Type):
        return half.from_bits(builder, stored)
    if register_type(type) == BIT:
        return builder.icmp_unsigned("!=", stored, ir.Constant(BYTE, 0))
    return stored
