"""A program's table: buffers and parameters."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.utils.bitwise_casts import is_power_of_two

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import (
    SCALAR_NAMES,
    Access,
    AccessAttr,
    LocalityAttr,
    MemoryKind,
    MemoryKindAttr,
    byte_width,
    is_scalar,
)
from vyre.dialects.vyre.effects import DeclaresInterface
from vyre.dialects.vyre.placement import TopLevelOf

_KIND_OF_ACCESS = {
    Access.READ_ONLY: MemoryKind.READONLY,
    Access.READ_WRITE: MemoryKind.GLOBAL,
    Access.WRITE_ONLY: MemoryKind.GLOBAL,
    Access.UNIFORM: MemoryKind.UNIFORM,
    Access.WORKGROUP: MemoryKind.SHARED,
}
_NEVER_WRITTEN_KINDS = (MemoryKind.READONLY, MemoryKind.UNIFORM, MemoryKind.PUSH)


@irdl_op_definition
class BufferOp(IRDLOperation):
    """
    Declares a buffer. Callers pass it and get it back by its name; `binding` is its slot
    in the launch interface. A `?` size comes from the array that the caller passes.

    | clause | meaning |
    |---|---|
    | `output` | the caller receives the buffer and need not pass it: it starts as zeros |
    | `live_out` | contents are observed after the program although it is no `output` |
    | `range [a, b]` | only bytes a to b are given back |
    | `kind` | placement, where it differs from what the access implies |
    | `may_alias` | numbers of storage; buffers that share one may be the same |
    | `align` | preferred alignment in bytes, a power of two |
    | `coalesce` | the dimension along which neighbouring invocations access |
    | `cache` | `temporal` or `streaming` |

    The last three are hints and never change a result. A `workgroup` buffer exists once
    per workgroup, starts as zeros, has a fixed size and no binding.

    Example:

    ```mlir
    %out = vyre.buffer "out" write_only binding 2 output range [0, 64] : memref<1024xi32>
    %tile = vyre.buffer "tile" workgroup align 16 : memref<16x16xf32>
    ```
    """

    name = "vyre.buffer"

    entry_name = prop_def(StringAttr, prop_name="name")
    access = prop_def(AccessAttr)
    binding = opt_prop_def(IntegerAttr.constr(i64))
    output = opt_prop_def(UnitAttr)
    live_out = opt_prop_def(UnitAttr)
    output_range = opt_prop_def(DenseArrayBase[IntegerType].constr(i64))
    may_alias = opt_prop_def(DenseArrayBase[IntegerType].constr(i64))
    kind = opt_prop_def(MemoryKindAttr)
    align = opt_prop_def(IntegerAttr.constr(i64))
    coalesce = opt_prop_def(IntegerAttr.constr(i64))
    cache = opt_prop_def(LocalityAttr)
    memref = result_def(MemRefType)

    traits = traits_def(TopLevelOf(("vyre.program", "vyre.schedule")), DeclaresInterface())
    assembly_format = (
        "$name $access (`binding` $binding^)? (`output` $output^)? "
        "(`live_out` $live_out^)? (`range` $output_range^)? (`kind` $kind^)? "
        "(`may_alias` $may_alias^)? "
        "(`align` $align^)? (`coalesce` $coalesce^)? (`cache` $cache^)? attr-dict "
        "`:` type($memref)"
    )

    def __init__(
        self,
        name: str,
        access: Access,
        type: MemRefType,
        *,
        binding: int | None = None,
        output: bool = False,
        live_out: bool = False,
        output_range: Sequence[int] | None = None,
        kind: MemoryKind | None = None,
        may_alias: Sequence[int] | None = None,
    ):
        super().__init__(
            properties={
                "name": StringAttr(name),
                "access": AccessAttr(access),
                "binding": None if binding is None else IntegerAttr(binding, i64),
                "output": UnitAttr() if output else None,
                "live_out": UnitAttr() if live_out else None,
                "output_range": None
                if output_range is None
                else DenseArrayBase.from_list(i64, output_range),
                "kind": None if kind is None else MemoryKindAttr(kind),
                "may_alias": None
                if may_alias is None
                else DenseArrayBase.from_list(i64, may_alias),
            },
            result_types=[type],
        )
        self.memref.name_hint = name if self.memref.is_valid_name(name) else None

    @property
    def type(self) -> MemRefType:
        """Shape and element type."""
        return self.memref.type

    @property
    def memory_kind(self) -> MemoryKind:
        """Placement: the one written, or the one that the access implies."""
        return _KIND_OF_ACCESS[self.access.data] if self.kind is None else self.kind.data

    @property
    def static_bytes(self) -> int | None:
        """Size in bytes, or None if a dimension is known only at dispatch."""
        shape = self.type.get_shape()
        element = self.type.element_type
        if DYNAMIC_INDEX in shape or not is_scalar(element):
            return None
        return prod(shape) * byte_width(element)

    def verify_(self) -> None:
        if not self.entry_name.data:
            raise Refusal("the buffer has no name", fix="name it, it is an argument")
        verify_buffer_type(self.type)
        verify_size(self.type, f'buffer "{self.entry_name.data}"')
        self._verify_binding()
        self._verify_kind()
        self._verify_output_range()
        self._verify_hints()

    def _verify_binding(self) -> None:
        if self.access.data is Access.WORKGROUP:
            self._verify_workgroup()
        elif self.binding is None:
            raise Refusal(
                f'buffer "{self.entry_name.data}" has no binding',
                fix="write `binding N` after the access, with a number not used yet",
            )
        elif self.binding.value.data < 0:
            raise Refusal(
                f"binding {self.binding.value.data} is negative",
                fix="number bindings from 0",
            )

    def _verify_workgroup(self) -> None:
        name = self.entry_name.data
        parent = self.parent_op()
        if parent is not None and parent.name == "vyre.schedule":
            raise Refusal(
                f'a schedule cannot hold the workgroup buffer "{name}"',
                fix="declare it in the programs that use it",
            )
        if DYNAMIC_INDEX in self.type.get_shape() or self.static_bytes == 0:
            raise Refusal(
                f'workgroup buffer "{name}" has no fixed positive size',
                fix="write every size of its type as a positive number",
            )
        shared = (
            self.binding,
            self.output,
            self.live_out,
            self.output_range,
            self.may_alias,
        )
        if any(clause is not None for clause in shared):
            raise Refusal(
                f'workgroup buffer "{name}" cannot be passed to or from the caller',
                fix="remove `binding`, `output`, `live_out`, `range` and `may_alias`",
            )

    def _verify_kind(self) -> None:
        kind, access = self.memory_kind, self.access.data
        if (kind is MemoryKind.SHARED) != (access is Access.WORKGROUP):
            raise Refusal(
                f"kind {kind} does not go with access {access}",
                fix="use `shared` for workgroup buffers and for no others",
            )
        if kind in _NEVER_WRITTEN_KINDS and access.writable:
            raise Refusal(
                f"kind {kind} holds data that is never written, but access is {access}",
                fix="declare the buffer read_only, or remove the kind",
            )
        if self.output and not access.writable:
            raise Refusal(
                f'the output "{self.entry_name.data}" is {access}',
                fix="declare it write_only or read_write",
            )

    def _verify_output_range(self) -> None:
        if self.output_range is None:
            return
        bounds = self.output_range.get_values()
        if len(bounds) != 2 or not 0 <= bounds[0] <= bounds[1]:
            raise Refusal(
                f"output range {list(bounds)} is not [begin, end] with begin <= end",
                fix="write the first byte and the byte after the last",
            )
        if not self.access.data.writable:
            raise Refusal(
                f"an output range on a {self.access.data} buffer, which is never "
                "given back",
                fix="remove the range, or make the buffer writable",
            )
        element = self.type.element_type
        assert is_scalar(element)
        width = byte_width(element)
        if bounds[0] % width or bounds[1] % width:
            raise Refusal(
                f"output range {list(bounds)} cuts through an element of {width} bytes",
                fix=f"use multiples of {width}",
            )
        size = self.static_bytes
        if size is not None and bounds[1] > size:
            raise Refusal(
                f"output range {list(bounds)} ends after the buffer's {size} bytes",
                fix=f"end it at {size} or before",
            )

    def _verify_hints(self) -> None:
        if self.align is not None and not _is_alignment(self.align.value.data):
            raise Refusal(
                f"alignment {self.align.value.data} is not a power of two",
                fix="use 1, 2, 4, 8, ...",
            )
        rank = self.type.get_num_dims()
        if self.coalesce is not None and not 0 <= self.coalesce.value.data < rank:
            raise Refusal(
                f"coalesce dimension {self.coalesce.value.data} does not exist",
                fix=f"name one of the {rank} dimensions, counted from 0"
                if rank
                else "remove the clause: the buffer has no dimensions",
            )


def _is_alignment(value: int) -> bool:
    return value > 0 and is_power_of_two(value)


def memref_type(buffer: SSAValue) -> MemRefType:
    """The type of a value that stands for a buffer."""
    return SSAValue.get(buffer, type=MemRefType).type


MAX_BYTES = 2**63 - 1
"""Of a buffer."""


def verify_buffer_type(type: MemRefType) -> None:
    """That elements are scalars in row-major order, in no special memory space."""
    if not is_scalar(type.element_type):
        raise Refusal(
            f"a buffer cannot hold elements of type {type.element_type}",
            fix=f"use {SCALAR_NAMES}",
        )
    if not _is_identity_layout(type.layout):
        raise Refusal(
            f"{type} has a layout; buffers are stored in row-major order",
            fix="remove the layout and compute the index",
        )
    if not isinstance(type.memory_space, NoneAttr):
        raise Refusal(
            f"{type} has a memory space; the access says where a buffer lives",
            fix="remove the memory space from the type",
        )


def verify_size(type: MemRefType, name: str) -> None:
    """
    Refuse what no memory can hold: bytes are counted in 63 bits. Sizes that are known only
    at dispatch are looked at then.

    Example: `verify_size(buffer.type, 'buffer "x"')`
    """
    element = type.element_type
    assert is_scalar(element)
    known = [size for size in type.get_shape() if size != DYNAMIC_INDEX]
    largest = max(prod(known) * byte_width(element), *known, 0)
    if largest > MAX_BYTES:
        raise Refusal(
            f"{name} of type {type} is larger than 2**63 - 1 bytes",
            fix="use a smaller buffer, with a loop in the program",
        )


def _is_identity_layout(layout: Attribute) -> bool:
    if isinstance(layout, AffineMapAttr):
        affine_map = layout.data
        return affine_map == affine_map.identity(affine_map.num_dims)
    return isinstance(layout, NoneAttr)


@irdl_op_definition
class ParamOp(IRDLOperation):
    """
    Declares a scalar argument. It has the same value in every invocation.

    Example:

    ```mlir
    %n = vyre.param "n" : index
    ```
    """

    name = "vyre.param"

    entry_name = prop_def(StringAttr, prop_name="name")
    value = result_def()

    traits = traits_def(TopLevelOf(("vyre.program", "vyre.schedule")), DeclaresInterface())
    assembly_format = "$name attr-dict `:` type($value)"

    def __init__(self, name: str, type: Attribute):
        super().__init__(properties={"name": StringAttr(name)}, result_types=[type])
        self.value.name_hint = name if self.value.is_valid_name(name) else None

    def verify_(self) -> None:
        if not self.entry_name.data:
            raise Refusal("the parameter has no name", fix="name it, it is an argument")
        if not is_scalar(self.value.type):
            raise Refusal(
                f"a parameter cannot have type {self.value.type}",
                fix=f"use {SCALAR_NAMES}, or declare a buffer",
            )
