"""
Subgroups: 32 invocations with consecutive linear local ids, x fastest.

Subgroup ops stand in workgroup-uniform control only. An invocation that is absent or has
ended contributes nothing to `ballot` and `reduce`; a shuffle from it gives zero.
"""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IndexType, i1, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import (
    FLOAT_REDUCE_KINDS,
    ReduceKind,
    ReduceKindAttr,
    Scalar,
)
from vyre.dialects.vyre.effects import AsksInvocations
from vyre.dialects.vyre.placement import Inside


@irdl_op_definition
class SubgroupBallotOp(IRDLOperation):
    """
    One bit per invocation of the subgroup, bit k from the one with subgroup id k.

    Example:

    ```mlir
    %mask = vyre.subgroup_ballot %active
    ```
    """

    name = "vyre.subgroup_ballot"

    predicate = operand_def(i1)
    mask = result_def(i32)

    traits = traits_def(Inside("vyre.program"), AsksInvocations())
    assembly_format = "$predicate attr-dict"

    def __init__(self, predicate: SSAValue | Operation):
        super().__init__(operands=[predicate], result_types=[i32])


@irdl_op_definition
class SubgroupShuffleOp(IRDLOperation):
    """
    The value that another invocation of the subgroup gives. A lane that is absent, ended
    or not below 32 gives zero.

    Example:

    ```mlir
    %left = vyre.subgroup_shuffle %v, %lane : f32
    ```
    """

    name = "vyre.subgroup_shuffle"

    T: ClassVar = VarConstraint("T", Scalar)

    value = operand_def(T)
    lane = operand_def(IndexType())
    shuffled = result_def(T)

    traits = traits_def(Inside("vyre.program"), AsksInvocations())
    assembly_format = "$value `,` $lane attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation, lane: SSAValue | Operation):
        super().__init__(operands=[value, lane], result_types=[SSAValue.get(value).type])


@irdl_op_definition
class SubgroupReduceOp(IRDLOperation):
    """
    Combines the values of the subgroup's invocations; each receives the result. Floats
    are combined along a fixed tree (distances 16, 8, 4, 2, 1), and only by `add`, `mul`,
    `min` and `max`.

    Example:

    ```mlir
    %sum = vyre.subgroup_reduce add %v : f32
    ```
    """

    name = "vyre.subgroup_reduce"

    T: ClassVar = VarConstraint("T", Scalar)

    kind = prop_def(ReduceKindAttr)
    value = operand_def(T)
    reduced = result_def(T)

    traits = traits_def(Inside("vyre.program"), AsksInvocations())
    assembly_format = "$kind $value attr-dict `:` type($value)"

    def __init__(self, kind: ReduceKind, value: SSAValue | Operation):
        super().__init__(
            operands=[value],
            properties={"kind": ReduceKindAttr(kind)},
            result_types=[SSAValue.get(value).type],
        )

    def verify_(self) -> None:
        kind, type = self.kind.data, self.value.type
        if isinstance(type, AnyFloat) and kind not in FLOAT_REDUCE_KINDS:
            raise Refusal(
                f"subgroup reduction {kind} is not defined on {type}",
                fix=f"use {', '.join(FLOAT_REDUCE_KINDS)}, or an integer",
            )


class SubgroupIdOp(IRDLOperation, ABC):
    """A number about subgroups."""

    id = result_def(IndexType())

    traits = traits_def(Inside("vyre.program"), Pure())
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[IndexType()])


@irdl_op_definition
class SubgroupLocalIdOp(SubgroupIdOp):
    """
    Position of this invocation in its subgroup, 0 to 31.

    Example:

    ```mlir
    %lane = vyre.subgroup_local_id
    ```
    """

    name = "vyre.subgroup_local_id"


@irdl_op_definition
class SubgroupSizeOp(SubgroupIdOp):
    """
    Invocations in a full subgroup: 32.

    Example:

    ```mlir
    %width = vyre.subgroup_size
    ```
    """

    name = "vyre.subgroup_size"
