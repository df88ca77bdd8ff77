"""Reading and writing buffers."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import EffectInstance, Pure

from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre.attributes import (
    AtomicKind,
    AtomicKindAttr,
    Ordering,
    OrderingAttr,
)
from vyre.dialects.vyre.buffers import BufferOp, memref_type
from vyre.dialects.vyre.effects import EffectfulOp, ListedEffects, reads, writes
from vyre.dialects.vyre.placement import Inside, InsideAny

_ATOMIC_INTEGERS: tuple[Attribute, ...] = (i32, i64, IndexType())
_ATOMIC_FLOATS: tuple[Attribute, ...] = (f32, f64)


def verify_indices(buffer: SSAValue, indices: Sequence[SSAValue]) -> None:
    """That there is one index for each dimension."""
    rank = memref_type(buffer).get_num_dims()
    if len(indices) != rank:
        raise Refusal(
            f"{len(indices)} indices for a buffer of {rank} dimensions",
            fix="write one index for each dimension",
        )


def verify_readable(buffer: SSAValue) -> None:
    """That the buffer is not `write_only`, where its declaration can be seen."""
    declaration = buffer.owner
    if isinstance(declaration, BufferOp) and not declaration.access.data.readable:
        raise Refusal(
            f'reads the write_only buffer "{declaration.entry_name.data}"',
            fix="declare the buffer read_write",
            notes=[Note(declaration, "declared here")],
        )


def verify_writable(buffer: SSAValue) -> None:
    """That the buffer is not read-only, where its declaration can be seen."""
    declaration = buffer.owner
    if isinstance(declaration, BufferOp) and not declaration.access.data.writable:
        raise Refusal(
            f'writes the {declaration.access.data} buffer "{declaration.entry_name.data}"',
            fix="declare the buffer read_write",
            notes=[Note(declaration, "declared here")],
        )


@irdl_op_definition
class LoadOp(EffectfulOp):
    """
    Reads an element. Outside the buffer it gives zero, unless `inbounds` promises that
    this does not happen. In a schedule it reads what the launches before it have left.

    Example:

    ```mlir
    %v = vyre.load %edges[%i] : memref<?xi32>
    ```
    """

    name = "vyre.load"

    T: ClassVar = VarConstraint("T", AnyAttr())

    buffer = operand_def(MemRefType.constr(T))
    indices = var_operand_def(IndexType())
    inbounds = opt_prop_def(UnitAttr)
    value = result_def(T)

    traits = traits_def(InsideAny(), ListedEffects())
    assembly_format = (
        "$buffer `[` $indices `]` (`inbounds` $inbounds^)? attr-dict `:` type($buffer)"
    )

    def __init__(self, buffer: SSAValue, indices: Sequence[SSAValue | Operation]):
        element = memref_type(buffer).element_type
        super().__init__(operands=[buffer, indices], result_types=[element])

    def effects(self) -> AbstractSet[EffectInstance]:
        return {reads(self.buffer)}

    def verify_(self) -> None:
        verify_indices(self.buffer, self.indices)
        verify_readable(self.buffer)


@irdl_op_definition
class StoreOp(EffectfulOp):
    """
    Writes an element. Outside the buffer nothing is written, unless `inbounds` promises
    that this does not happen. Several invocations may store to one element in one phase
    only if they store equal values.

    Example:

    ```mlir
    vyre.store %v, %acc[%i] : memref<1024xi32>
    ```
    """

    name = "vyre.store"

    T: ClassVar = VarConstraint("T", AnyAttr())

    value = operand_def(T)
    buffer = operand_def(MemRefType.constr(T))
    indices = var_operand_def(IndexType())
    inbounds = opt_prop_def(UnitAttr)

    traits = traits_def(Inside("vyre.program"), ListedEffects())
    assembly_format = (
        "$value `,` $buffer `[` $indices `]` (`inbounds` $inbounds^)? attr-dict "
        "`:` type($buffer)"
    )

    def __init__(
        self,
        value: SSAValue | Operation,
        buffer: SSAValue,
        indices: Sequence[SSAValue | Operation],
    ):
        super().__init__(operands=[value, buffer, indices])

    def effects(self) -> AbstractSet[EffectInstance]:
        return {writes(self.buffer)}

    def verify_(self) -> None:
        verify_indices(self.buffer, self.indices)
        verify_writable(self.buffer)


def _verify_atomic(
    buffer: SSAValue,
    indices: Sequence[SSAValue],
    ordering: OrderingAttr,
    types: Sequence[Attribute],
    what: str,
) -> None:
    """What holds for every atomic: its place, its ordering and its element type."""
    verify_indices(buffer, indices)
    verify_readable(buffer)
    verify_writable(buffer)
    if ordering.data is Ordering.GRID_SYNC:
        raise Refusal(
            "an atomic cannot order the whole grid",
            fix="use seq_cst, and a `vyre.barrier grid_sync` where the grid must meet",
        )
    element = memref_type(buffer).element_type
    if element not in types:
        names = ", ".join(str(type) for type in types)
        raise Refusal(
            f"{what} is not defined on {element}",
            fix=f"use a buffer of {names}",
        )


@irdl_op_definition
class AtomicOp(EffectfulOp):
    """
    Changes an element indivisibly and gives its old value. Outside the buffer it gives
    zero and writes nothing. All kinds are defined on i32, i64 and index, `add` also on
    f32 and f64; the buffer may be in global or workgroup memory.

    Invocations wait for each other only at barriers, so a valid program cannot tell the
    orderings apart; `seq_cst` is the one that is not written.

    Example:

    ```mlir
    %old = vyre.atomic add %one, %count[%i] : memref<8xi32>
    %min = vyre.atomic umin %d, %dist[%v] ordering relaxed : memref<?xi32>
    ```
    """

    name = "vyre.atomic"

    T: ClassVar = VarConstraint("T", AnyAttr())

    kind = prop_def(AtomicKindAttr)
    value = operand_def(T)
    buffer = operand_def(MemRefType.constr(T))
    indices = var_operand_def(IndexType())
    ordering = prop_def(OrderingAttr, default_value=OrderingAttr(Ordering.SEQ_CST))
    inbounds = opt_prop_def(UnitAttr)
    old = result_def(T)

    traits = traits_def(Inside("vyre.program"), ListedEffects())
    assembly_format = (
        "$kind $value `,` $buffer `[` $indices `]` (`ordering` $ordering^)? "
        "(`inbounds` $inbounds^)? attr-dict `:` type($buffer)"
    )

    def __init__(
        self,
        kind: AtomicKind,
        value: SSAValue | Operation,
        buffer: SSAValue,
        indices: Sequence[SSAValue | Operation],
        ordering: Ordering = Ordering.SEQ_CST,
    ):
        element = memref_type(buffer).element_type
        super().__init__(
            operands=[value, buffer, indices],
            properties={
                "kind": AtomicKindAttr(kind),
                "ordering": OrderingAttr(ordering),
            },
            result_types=[element],
        )

    def effects(self) -> AbstractSet[EffectInstance]:
        return {reads(self.buffer), writes(self.buffer)}

    def verify_(self) -> None:
        kind = self.kind.data
        types = _ATOMIC_INTEGERS
        if kind is AtomicKind.ADD:
            types += _ATOMIC_FLOATS
        _verify_atomic(self.buffer, self.indices, self.ordering, types, f"atomic {kind}")


@irdl_op_definition
class AtomicCasOp(EffectfulOp):
    """
    Writes `desired` if the element equals `expected`, indivisibly, and gives the old
    value. Outside the buffer it gives zero and writes nothing. Defined on i32, i64 and
    index.

    Example:

    ```mlir
    %old = vyre.atomic_cas %free, %mine, %owner[%i] : memref<?xi32>
    ```
    """

    name = "vyre.atomic_cas"

    T: ClassVar = VarConstraint("T", AnyAttr())

    expected = operand_def(T)
    desired = operand_def(T)
    buffer = operand_def(MemRefType.constr(T))
    indices = var_operand_def(IndexType())
    ordering = prop_def(OrderingAttr, default_value=OrderingAttr(Ordering.SEQ_CST))
    inbounds = opt_prop_def(UnitAttr)
    old = result_def(T)

    traits = traits_def(Inside("vyre.program"), ListedEffects())
    assembly_format = (
        "$expected `,` $desired `,` $buffer `[` $indices `]` (`ordering` $ordering^)? "
        "(`inbounds` $inbounds^)? attr-dict `:` type($buffer)"
    )

    def __init__(
        self,
        expected: SSAValue | Operation,
        desired: SSAValue | Operation,
        buffer: SSAValue,
        indices: Sequence[SSAValue | Operation],
        ordering: Ordering = Ordering.SEQ_CST,
    ):
        element = memref_type(buffer).element_type
        super().__init__(
            operands=[expected, desired, buffer, indices],
            properties={"ordering": OrderingAttr(ordering)},
            result_types=[element],
        )

    def effects(self) -> AbstractSet[EffectInstance]:
        return {reads(self.buffer), writes(self.buffer)}

    def verify_(self) -> None:
        _verify_atomic(
            self.buffer,
            self.indices,
            self.ordering,
            _ATOMIC_INTEGERS,
            "compare-and-swap",
        )


@irdl_op_definition
class LengthOp(IRDLOperation):
    """
    The size of a buffer along one dimension. It has the same value in every invocation
    and reads no element.

    Example:

    ```mlir
    %n = vyre.length %edges, 0 : memref<?xi32>
    ```
    """

    name = "vyre.length"

    buffer = operand_def(MemRefType)
    dim = prop_def(IntegerAttr.constr(i64))
    length = result_def(IndexType())

    traits = traits_def(InsideAny(), Pure())
    assembly_format = "$buffer `,` $dim attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, dim: int = 0):
        super().__init__(
            operands=[buffer],
            properties={"dim": IntegerAttr(dim, i64)},
            result_types=[IndexType()],
        )

    def verify_(self) -> None:
        rank = memref_type(self.buffer).get_num_dims()
        if not 0 <= self.dim.value.data < rank:
            raise Refusal(
                f"dimension {self.dim.value.data} of a buffer of {rank} dimensions",
                fix="count dimensions from 0",
            )
