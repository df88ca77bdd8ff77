"""Named mutable variables: what front ends emit before values are in SSA form."""

from collections.abc import Set as AbstractSet
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    ParamAttrConstraint,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import EffectInstance, MemoryEffectKind

from vyre.dialects.refusal import Refusal, name_of
from vyre.dialects.vyre.attributes import CellType, Scalar
from vyre.dialects.vyre.effects import EffectfulOp, ListedEffects, reads, writes
from vyre.dialects.vyre.placement import Inside


@irdl_op_definition
class LetOp(EffectfulOp):
    """
    Makes a variable of this invocation with an initial value. It is read by `vyre.get`
    and written by `vyre.assign`, also from nested regions, and used by nothing else. The
    name is for people; two variables may have the same.

    Example:

    ```mlir
    %sum = vyre.let "sum" = %zero : f32
    ```
    """

    name = "vyre.let"

    T: ClassVar = VarConstraint("T", Scalar)

    variable_name = prop_def(StringAttr, prop_name="name")
    initial = operand_def(T)
    cell = result_def(ParamAttrConstraint(CellType, (T,)))

    traits = traits_def(Inside("vyre.program"), ListedEffects())
    assembly_format = "$name `=` $initial attr-dict `:` type($initial)"

    def __init__(self, name: str, initial: SSAValue | Operation):
        super().__init__(
            operands=[initial],
            properties={"name": StringAttr(name)},
            result_types=[CellType(SSAValue.get(initial).type)],
        )
        self.cell.name_hint = name if self.cell.is_valid_name(name) else None

    def effects(self) -> AbstractSet[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.ALLOC, self.cell)}

    def verify_(self) -> None:
        for use in self.cell.uses:
            if not isinstance(use.operation, GetOp | AssignOp):
                raise Refusal(
                    f"'{name_of(use.operation)}' uses the variable "
                    f'"{self.variable_name.data}" itself instead of its value',
                    fix="read the variable with 'vyre.get' and use what it gives",
                    at=use.operation,
                )


@irdl_op_definition
class GetOp(EffectfulOp):
    """
    The value a variable has now.

    Example:

    ```mlir
    %v = vyre.get %sum : !vyre.cell<f32>
    ```
    """

    name = "vyre.get"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cell = operand_def(ParamAttrConstraint(CellType, (T,)))
    value = result_def(T)

    traits = traits_def(Inside("vyre.program"), ListedEffects())
    assembly_format = "$cell attr-dict `:` type($cell)"

    def __init__(self, cell: SSAValue):
        assert isinstance(cell.type, CellType)
        super().__init__(operands=[cell], result_types=[cell.type.value_type])

    def effects(self) -> AbstractSet[EffectInstance]:
        return {reads(self.cell)}


@irdl_op_definition
class AssignOp(EffectfulOp):
    """
    Gives a variable a new value.

    Example:

    ```mlir
    vyre.assign %v, %sum : !vyre.cell<f32>
    ```
    """

    name = "vyre.assign"

    T: ClassVar = VarConstraint("T", AnyAttr())

    value = operand_def(T)
    cell = operand_def(ParamAttrConstraint(CellType, (T,)))

    traits = traits_def(Inside("vyre.program"), ListedEffects())
    assembly_format = "$value `,` $cell attr-dict `:` type($cell)"

    def __init__(self, value: SSAValue | Operation, cell: SSAValue):
        super().__init__(operands=[value, cell])

    def effects(self) -> AbstractSet[EffectInstance]:
        return {writes(self.cell)}
