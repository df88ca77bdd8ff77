"""Attributes and types of the `vyre` dialect, and the scalars it computes with."""

from typing import TypeAlias

from typing_extensions import TypeIs
from xdsl.dialects.builtin import (
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import AttrSetConstraint, irdl_attr_definition, param_def
from xdsl.utils.str_enum import StrEnum

ScalarType: TypeAlias = IntegerType | IndexType | Float16Type | Float32Type | Float64Type

SCALAR_TYPES: tuple[ScalarType, ...] = (
    *(i1, i8, i16, i32, i64),
    IndexType(),
    *(f16, f32, f64),
)
"""Every type that a value, a parameter or a buffer element may have."""

_WIDTHS = frozenset(
    type.width.data for type in SCALAR_TYPES if isinstance(type, IntegerType)
)
SCALAR_NAMES = "i1, i8, i16, i32, i64, index, f16, f32 or f64"

Scalar = AttrSetConstraint.get(*SCALAR_TYPES)
"""The constraint of the same meaning as `SCALAR_TYPES`."""


def is_scalar(type: Attribute) -> TypeIs[ScalarType]:
    """Whether Vyre computes with values of this type."""
    match type:
        case IntegerType():
            is_plain = type.signedness.data is Signedness.SIGNLESS
            return is_plain and type.width.data in _WIDTHS
        case IndexType() | Float16Type() | Float32Type() | Float64Type():
            return True
        case _:
            return False


def byte_width(type: ScalarType) -> int:
    """
    Bytes one element takes in a buffer. An `i1` takes a whole byte, `index` eight.

    Example: `byte_width(f16)` is 2.
    """
    match type:
        case IndexType():
            return 8
        case IntegerType():
            return max(1, type.width.data // 8)
        case _:
            return type.bitwidth // 8


class Access(StrEnum):
    """Who may do what with a buffer's elements."""

    READ_ONLY = "read_only"
    READ_WRITE = "read_write"
    WRITE_ONLY = "write_only"
    UNIFORM = "uniform"
    WORKGROUP = "workgroup"

    @property
    def readable(self) -> bool:
        return self is not Access.WRITE_ONLY

    @property
    def writable(self) -> bool:
        return self not in (Access.READ_ONLY, Access.UNIFORM)


@irdl_attr_definition
class AccessAttr(EnumAttribute[Access], SpacedOpaqueSyntaxAttribute):
    """
    `read_only`, `read_write` and `write_only` buffers belong to the caller and are seen
    by the whole grid; `uniform` is a `read_only` buffer small enough for constant memory;
    a `workgroup` buffer exists once per workgroup.
    """

    name = "vyre.access"


class MemoryKind(StrEnum):
    """Where a buffer's storage should live."""

    GLOBAL = "global"
    READONLY = "readonly"
    UNIFORM = "uniform"
    PUSH = "push"
    PERSISTENT = "persistent"
    SHARED = "shared"


@irdl_attr_definition
class MemoryKindAttr(EnumAttribute[MemoryKind], SpacedOpaqueSyntaxAttribute):
    """
    Placement of a buffer where the access does not already say it: `global`, `readonly`
    (cached, never written), `uniform` (constant memory), `push` (passed with the launch),
    `persistent` (kept by the runtime from one dispatch to the next, not an argument) and
    `shared` (what `workgroup` access implies). Only `persistent` changes the interface;
    the others never change a result.
    """

    name = "vyre.memory_kind"


class Locality(StrEnum):
    """How soon an element will be used again."""

    TEMPORAL = "temporal"
    STREAMING = "streaming"


@irdl_attr_definition
class LocalityAttr(EnumAttribute[Locality], SpacedOpaqueSyntaxAttribute):
    """A hint to caches: `temporal` (used again soon) or `streaming` (used once)."""

    name = "vyre.locality"


class Ordering(StrEnum):
    """Memory orderings of barriers and atomics."""

    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"
    GRID_SYNC = "grid_sync"


@irdl_attr_definition
class OrderingAttr(EnumAttribute[Ordering], SpacedOpaqueSyntaxAttribute):
    """
    `grid_sync` orders the whole grid and belongs to barriers only; the others order one
    workgroup when on a barrier. `relaxed` belongs to atomics only.
    """

    name = "vyre.ordering"


class Axis(StrEnum):
    """An axis of the grid."""

    X = "x"
    Y = "y"
    Z = "z"

    @property
    def position(self) -> int:
        """0 for x, 1 for y, 2 for z."""
        return "xyz".index(self.value)


@irdl_attr_definition
class AxisAttr(EnumAttribute[Axis], SpacedOpaqueSyntaxAttribute):
    """`x`, `y` or `z`; x varies fastest in linear ids."""

    name = "vyre.axis"


class LinearScope(StrEnum):
    """What a linear id numbers, and within what."""

    INVOCATION = "invocation"
    WORKGROUP = "workgroup"
    LOCAL = "local"


@irdl_attr_definition
class LinearScopeAttr(EnumAttribute[LinearScope], SpacedOpaqueSyntaxAttribute):
    """
    `invocation` and `workgroup` number these in the grid, `local` the invocations of a
    workgroup.
    """

    name = "vyre.linear_scope"


class AtomicKind(StrEnum):
    """What an atomic does with the old value."""

    ADD = "add"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MIN = "min"
    MAX = "max"
    UMIN = "umin"
    UMAX = "umax"
    EXCHANGE = "exchange"


@irdl_attr_definition
class AtomicKindAttr(EnumAttribute[AtomicKind], SpacedOpaqueSyntaxAttribute):
    """
    The function of a `vyre.atomic`. As in LLVM, `min` and `max` compare as signed
    integers, `umin` and `umax` as unsigned ones.
    """

    name = "vyre.atomic_kind"


class ReduceKind(StrEnum):
    """How values are combined into one."""

    ADD = "add"
    MUL = "mul"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MIN = "min"
    MAX = "max"
    UMIN = "umin"
    UMAX = "umax"


FLOAT_REDUCE_KINDS = (
    ReduceKind.ADD,
    ReduceKind.MUL,
    ReduceKind.MIN,
    ReduceKind.MAX,
)
"""The reductions that are defined on floats; all are defined on integers."""


@irdl_attr_definition
class ReduceKindAttr(EnumAttribute[ReduceKind], SpacedOpaqueSyntaxAttribute):
    """
    The function of a reduction. `min` and `max` are signed on integers and prefer a
    number to a NaN on floats (as `arith.minnumf` does); `umin` and `umax` are unsigned.
    """

    name = "vyre.reduce_kind"


class ScratchScope(StrEnum):
    """How many copies of a scratch element there are."""

    SINGLE = "single"
    PER_WORKGROUP = "per_workgroup"
    PER_INVOCATION = "per_invocation"

    @property
    def owner(self) -> LinearScope | None:
        """The scope whose linear id is the first index of those whose element it is."""
        return _OWNERS.get(self)


_OWNERS = {
    ScratchScope.PER_INVOCATION: LinearScope.INVOCATION,
    ScratchScope.PER_WORKGROUP: LinearScope.WORKGROUP,
}


@irdl_attr_definition
class ScratchScopeAttr(EnumAttribute[ScratchScope], SpacedOpaqueSyntaxAttribute):
    """`single`, `per_workgroup` or `per_invocation`."""

    name = "vyre.scratch_scope"


@irdl_attr_definition
class CellType(ParametrizedAttribute, TypeAttribute):
    """
    A mutable variable of one invocation, made by `vyre.let`.

    Example: `!vyre.cell<i32>`
    """

    name = "vyre.cell"

    value_type: Attribute = param_def(Scalar)


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """
    An asynchronous copy that has started and must be waited for.

    Example: `!vyre.token`
    """

    name = "vyre.token"
