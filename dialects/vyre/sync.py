"""Barriers and asynchronous copies."""

from abc import ABC
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import EffectInstance

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.accesses import (
    verify_indices,
    verify_readable,
    verify_writable,
)
from vyre.dialects.vyre.attributes import Ordering, OrderingAttr, TokenType
from vyre.dialects.vyre.effects import (
    EffectfulOp,
    ListedEffects,
    OrdersMemory,
    reads,
    writes,
)
from vyre.dialects.vyre.placement import Inside


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """
    Waits for the others. `grid_sync` waits for every invocation of the grid that has not
    ended, and makes all their writes visible to all; it stands in grid-uniform control.
    `acquire`, `release`, `acq_rel` and `seq_cst` do the same for one workgroup, and are
    all executed as `acq_rel`; they stand in workgroup-uniform control.

    Example:

    ```mlir
    vyre.barrier grid_sync
    vyre.barrier acq_rel
    ```
    """

    name = "vyre.barrier"

    ordering = prop_def(OrderingAttr)

    traits = traits_def(Inside("vyre.program"), OrdersMemory())
    assembly_format = "$ordering attr-dict"

    def __init__(self, ordering: Ordering):
        super().__init__(properties={"ordering": OrderingAttr(ordering)})

    @property
    def is_grid_sync(self) -> bool:
        """Whether the whole grid meets here, not only a workgroup."""
        return self.ordering.data is Ordering.GRID_SYNC

    def verify_(self) -> None:
        if self.ordering.data is Ordering.RELAXED:
            raise Refusal(
                "a relaxed barrier orders nothing",
                fix="use acq_rel for a workgroup or grid_sync for the grid",
            )


class AsyncCopyOp(EffectfulOp, ABC):
    """A copy that runs beside the program until it is waited for."""

    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(MemRefType.constr(T))
    source_indices = var_operand_def(IndexType())
    destination = operand_def(MemRefType.constr(T))
    destination_indices = var_operand_def(IndexType())
    count = operand_def(IndexType())
    token = result_def(TokenType())

    traits = traits_def(Inside("vyre.program"), ListedEffects())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$source `[` $source_indices `]` `,` $destination `[` $destination_indices `]` "
        "`,` $count attr-dict `:` type($source) `,` type($destination)"
    )

    def __init__(
        self,
        source: SSAValue,
        source_indices: Sequence[SSAValue | Operation],
        destination: SSAValue,
        destination_indices: Sequence[SSAValue | Operation],
        count: SSAValue | Operation,
    ):
        super().__init__(
            operands=[
                source,
                source_indices,
                destination,
                destination_indices,
                count,
            ],
            result_types=[TokenType()],
        )

    def effects(self) -> AbstractSet[EffectInstance]:
        return {reads(self.source), writes(self.destination)}

    def verify_(self) -> None:
        verify_indices(self.source, self.source_indices)
        verify_indices(self.destination, self.destination_indices)
        verify_readable(self.source)
        verify_writable(self.destination)


@irdl_op_definition
class AsyncLoadOp(AsyncCopyOp):
    """
    Starts to copy `count` elements from a buffer of the grid, along the last dimension,
    as that many loads and stores would: what lies outside the source is zero, what lies
    outside the destination is dropped. The copy happens at some moment between here and
    the wait; touching either range in between is a race. Each invocation starts its own.

    Example:

    ```mlir
    %t = vyre.async_load %a[%i], %tile[%l], %n : memref<?xf32>, memref<256xf32>
    ```
    """

    name = "vyre.async_load"


@irdl_op_definition
class AsyncStoreOp(AsyncCopyOp):
    """
    Starts to copy `count` elements to a buffer of the grid; otherwise as
    `vyre.async_load`.

    Example:

    ```mlir
    %t = vyre.async_store %tile[%l], %a[%i], %n : memref<256xf32>, memref<?xf32>
    ```
    """

    name = "vyre.async_store"


@irdl_op_definition
class AsyncWaitOp(IRDLOperation):
    """
    Waits until this invocation's copies are done. Other invocations see what was copied
    after the next barrier.

    Example:

    ```mlir
    vyre.async_wait %t
    ```
    """

    name = "vyre.async_wait"

    tokens = var_operand_def(TokenType())

    traits = traits_def(Inside("vyre.program"), OrdersMemory())
    assembly_format = "$tokens attr-dict"

    def __init__(self, *tokens: SSAValue | Operation):
        super().__init__(operands=[tokens])

    def verify_(self) -> None:
        if not self.tokens:
            raise Refusal("waits for nothing", fix="name the tokens of the copies")
