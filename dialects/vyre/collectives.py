"""
Collectives: exchange between the ranks that run the same program.

A collective stands at the top level of its program and is a phase of its own: the whole
grid meets before it and after it, as at a grid barrier. With one rank it is executed
locally; with more it is refused until there is a communicator.
"""

from abc import ABC
from collections.abc import Set as AbstractSet
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IntegerAttr, MemRefType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
)
from xdsl.traits import EffectInstance

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.accesses import verify_readable, verify_writable
from vyre.dialects.vyre.attributes import (
    FLOAT_REDUCE_KINDS,
    ReduceKind,
    ReduceKindAttr,
)
from vyre.dialects.vyre.buffers import memref_type
from vyre.dialects.vyre.effects import (
    EffectfulOp,
    ListedEffects,
    OrdersMemory,
    reads,
    writes,
)
from vyre.dialects.vyre.placement import TopLevelOf


def _verify_kind(kind: ReduceKind, buffer: SSAValue) -> None:
    type = memref_type(buffer).element_type
    if isinstance(type, AnyFloat) and kind not in FLOAT_REDUCE_KINDS:
        raise Refusal(
            f"reduction {kind} is not defined on {type}",
            fix=f"use {', '.join(FLOAT_REDUCE_KINDS)}, or an integer buffer",
        )


class InPlaceCollectiveOp(EffectfulOp, ABC):
    """A collective that replaces a buffer's elements."""

    buffer = operand_def(MemRefType)

    traits = traits_def(TopLevelOf(("vyre.program",)), ListedEffects(), OrdersMemory())

    def effects(self) -> AbstractSet[EffectInstance]:
        return {reads(self.buffer), writes(self.buffer)}

    def _verify_buffer(self) -> None:
        verify_readable(self.buffer)
        verify_writable(self.buffer)


class CopyingCollectiveOp(EffectfulOp, ABC):
    """A collective from one buffer to another."""

    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(MemRefType.constr(T))
    destination = operand_def(MemRefType.constr(T))

    traits = traits_def(TopLevelOf(("vyre.program",)), ListedEffects(), OrdersMemory())

    def effects(self) -> AbstractSet[EffectInstance]:
        return {reads(self.source), writes(self.destination)}

    def _verify_buffers(self) -> None:
        verify_readable(self.source)
        verify_writable(self.destination)


@irdl_op_definition
class AllReduceOp(InPlaceCollectiveOp):
    """
    Combines each element over all ranks; with one rank nothing changes.

    Example:

    ```mlir
    vyre.all_reduce add %grad : memref<?xf32>
    ```
    """

    name = "vyre.all_reduce"

    kind = prop_def(ReduceKindAttr)
    assembly_format = "$kind $buffer attr-dict `:` type($buffer)"

    def __init__(self, kind: ReduceKind, buffer: SSAValue):
        super().__init__(operands=[buffer], properties={"kind": ReduceKindAttr(kind)})

    def verify_(self) -> None:
        self._verify_buffer()
        _verify_kind(self.kind.data, self.buffer)


@irdl_op_definition
class BroadcastOp(InPlaceCollectiveOp):
    """
    Gives every rank the root's elements; with one rank, which is root 0, nothing changes.

    Example:

    ```mlir
    vyre.broadcast %weights root 0 : memref<?xf32>
    ```
    """

    name = "vyre.broadcast"

    root = prop_def(IntegerAttr.constr(i64))
    assembly_format = "$buffer `root` $root attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, root: int = 0):
        super().__init__(operands=[buffer], properties={"root": IntegerAttr(root, i64)})

    def verify_(self) -> None:
        self._verify_buffer()
        if self.root.value.data < 0:
            raise Refusal(
                f"root {self.root.value.data} is not a rank", fix="count ranks from 0"
            )


@irdl_op_definition
class AllGatherOp(CopyingCollectiveOp):
    """
    Joins the ranks' buffers in rank order; with one rank, a copy of as many elements as
    both buffers have.

    Example:

    ```mlir
    vyre.all_gather %part, %whole : memref<?xf32>, memref<?xf32>
    ```
    """

    name = "vyre.all_gather"

    assembly_format = (
        "$source `,` $destination attr-dict `:` type($source) `,` type($destination)"
    )

    def __init__(self, source: SSAValue, destination: SSAValue):
        super().__init__(operands=[source, destination])

    def verify_(self) -> None:
        self._verify_buffers()


@irdl_op_definition
class ReduceScatterOp(CopyingCollectiveOp):
    """
    Combines each element over all ranks and gives each rank its part; with one rank, a
    copy of as many elements as both buffers have.

    Example:

    ```mlir
    vyre.reduce_scatter add %grad, %mine : memref<?xf32>, memref<?xf32>
    ```
    """

    name = "vyre.reduce_scatter"

    kind = prop_def(ReduceKindAttr)
    assembly_format = (
        "$kind $source `,` $destination attr-dict `:` type($source) `,` type($destination)"
    )

    def __init__(self, kind: ReduceKind, source: SSAValue, destination: SSAValue):
        super().__init__(
            operands=[source, destination], properties={"kind": ReduceKindAttr(kind)}
        )

    def verify_(self) -> None:
        self._verify_buffers()
        _verify_kind(self.kind.data, self.source)
