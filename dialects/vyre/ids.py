"""Which invocation this is, and how large the grid is."""

from abc import ABC

from xdsl.dialects.builtin import IndexType
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from vyre.dialects.vyre.attributes import (
    Axis,
    AxisAttr,
    LinearScope,
    LinearScopeAttr,
)
from vyre.dialects.vyre.placement import Inside, InsideAny


class AxisOp(IRDLOperation, ABC):
    """A number along one axis."""

    axis = prop_def(AxisAttr)
    id = result_def(IndexType())

    assembly_format = "$axis attr-dict"

    def __init__(self, axis: Axis):
        super().__init__(properties={"axis": AxisAttr(axis)}, result_types=[IndexType()])


class IdOp(AxisOp, ABC):
    """A coordinate along one axis."""

    traits = traits_def(Inside("vyre.program"), Pure())


class ExtentOp(AxisOp, ABC):
    """An extent along one axis, which is known to the host as well."""

    traits = traits_def(InsideAny(), Pure())


@irdl_op_definition
class InvocationIdOp(IdOp):
    """
    Position of this invocation in the grid: `workgroup_id * workgroup_size + local_id`.

    Example:

    ```mlir
    %i = vyre.invocation_id x
    ```
    """

    name = "vyre.invocation_id"


@irdl_op_definition
class WorkgroupIdOp(IdOp):
    """
    Position of this invocation's workgroup in the grid, counted in workgroups.

    Example:

    ```mlir
    %g = vyre.workgroup_id x
    ```
    """

    name = "vyre.workgroup_id"


@irdl_op_definition
class LocalIdOp(IdOp):
    """
    Position of this invocation in its workgroup.

    Example:

    ```mlir
    %l = vyre.local_id y
    ```
    """

    name = "vyre.local_id"


@irdl_op_definition
class WorkgroupCountOp(ExtentOp):
    """
    Number of workgroups in the grid. It has the same value in every invocation.

    Example:

    ```mlir
    %groups = vyre.workgroup_count x
    ```
    """

    name = "vyre.workgroup_count"


@irdl_op_definition
class WorkgroupSizeOp(ExtentOp):
    """
    Number of invocations in a workgroup. It has the same value in every invocation, and
    follows the dispatch where that overrides the size written in the program.

    Example:

    ```mlir
    %width = vyre.workgroup_size x
    ```
    """

    name = "vyre.workgroup_size"


@irdl_op_definition
class LinearIdOp(IRDLOperation):
    """
    One number for a position of three coordinates, x fastest: of this invocation in the
    grid (`invocation`), of its workgroup in the grid (`workgroup`), or of the invocation in
    its workgroup (`local`). Scratch of invocations and workgroups is indexed by it.

    Example:

    ```mlir
    %me = vyre.linear_id invocation
    ```
    """

    name = "vyre.linear_id"

    scope = prop_def(LinearScopeAttr)
    id = result_def(IndexType())

    traits = traits_def(Inside("vyre.program"), Pure())
    assembly_format = "$scope attr-dict"

    def __init__(self, scope: LinearScope):
        super().__init__(
            properties={"scope": LinearScopeAttr(scope)}, result_types=[IndexType()]
        )
