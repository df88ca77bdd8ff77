"""
Which invocation it is, and how large the grid is.

CUDA's own numbers have 32 bits. Products of them have 64, except where the grid is known to
be so small that they need no more.
"""

from math import prod

from xdsl.ir import Operation

from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import Axis, LinearScope
from vyre.lowering.cuda.expressions import Expression, cast
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.numbers import Numbers
from vyre.lowering.cuda.scalar_code import combined, converted
from vyre.lowering.cuda.types import UINT, ULONG, CType

SUBGROUP_SIZE = 32


class Ids:
    """
    The numbers of an invocation in a grid of workgroups of one size.

    Example: `Ids((256, 1, 1), numbers).number(op)`
    """

    def __init__(self, workgroup: tuple[int, ...], numbers: Numbers):
        self._workgroup = workgroup
        self._numbers = numbers

    def number(self, op: Operation) -> Expression | None:
        """What an operation that asks about the grid gives; None for other operations."""
        match op:
            case vyre.InvocationIdOp():
                return self._invocation(op.axis.data, self._type(op))
            case vyre.WorkgroupIdOp():
                return _built_in("blockIdx", op.axis.data)
            case vyre.LocalIdOp():
                return self._local(op.axis.data)
            case vyre.WorkgroupCountOp():
                return _built_in("gridDim", op.axis.data)
            case vyre.WorkgroupSizeOp():
                return integer_literal(self._workgroup[op.axis.data.position], UINT)
            case vyre.LinearIdOp():
                return self._linear(op.scope.data, self._type(op))
            case vyre.SubgroupLocalIdOp():
                return self.lane()
            case vyre.SubgroupSizeOp():
                return integer_literal(SUBGROUP_SIZE, UINT)
            case _:
                return None

    def _type(self, op: Operation) -> CType:
        return UINT if self._numbers.is_short(op.results[0]) else ULONG

    def _linear(self, scope: LinearScope, type: CType) -> Expression:
        match scope:
            case LinearScope.INVOCATION:
                return self.linear_invocation(type)
            case LinearScope.WORKGROUP:
                return self._linear_workgroup(type)
            case LinearScope.LOCAL:
                return self.linear_local()

    def _local(self, axis: Axis) -> Expression:
        if self._workgroup[axis.position] == 1:
            return integer_literal(0, UINT)
        return _built_in("threadIdx", axis)

    def _invocation(self, axis: Axis, type: CType) -> Expression:
        group = _built_in("blockIdx", axis)
        size = self._workgroup[axis.position]
        if size == 1:
            return group
        return self._row(group, integer_literal(size, UINT), self._local(axis), type)

    def _row(
        self, number: Expression, size: Expression, offset: Expression, type: CType
    ) -> Expression:
        """`number * size + offset`"""
        product = combined(converted(number, type), "*", size, type)
        return combined(product, "+", offset, type)

    def linear_local(self) -> Expression:
        """The number of the invocation in its workgroup, x fastest."""
        found: Expression | None = None
        for axis in reversed(Axis):
            size = self._workgroup[axis.position]
            if found is None:
                found = self._local(axis) if size > 1 else None
            elif size > 1:
                found = self._row(
                    found, integer_literal(size, UINT), self._local(axis), UINT
                )
        return found or integer_literal(0, UINT)

    def lane(self) -> Expression:
        """The number of the invocation in its subgroup."""
        local = self.linear_local()
        if prod(self._workgroup) <= SUBGROUP_SIZE:
            return local
        return combined(local, "%", integer_literal(SUBGROUP_SIZE, UINT), UINT)

    def _linear_workgroup(self, type: CType) -> Expression:
        x, y, z = (_built_in("blockIdx", axis) for axis in Axis)
        width, height, _ = (_built_in("gridDim", axis) for axis in Axis)
        return self._row(self._row(z, height, y, type), width, x, type)

    def linear_invocation(self, type: CType = ULONG) -> Expression:
        """The number of the invocation in the grid, x fastest."""
        x, y, z = (self._invocation(axis, type) for axis in Axis)
        width, height = (self._extent(axis, type) for axis in (Axis.X, Axis.Y))
        return self._row(self._row(z, height, y, type), width, x, type)

    def _extent(self, axis: Axis, type: CType) -> Expression:
        """Invocations of the grid along an axis."""
        count = _built_in("gridDim", axis)
        size = integer_literal(self._workgroup[axis.position], UINT)
        return (
            count if size.number == 1 else combined(converted(count, type), "*", size, type)
        )

    def count(self, *, per_workgroup: bool) -> Expression:
        """How many workgroups or invocations there are."""
        found = cast(_built_in("gridDim", Axis.X), ULONG)
        for axis in (Axis.Y, Axis.Z):
            found = combined(found, "*", _built_in("gridDim", axis), ULONG)
        if not per_workgroup:
            for size in self._workgroup:
                if size > 1:
                    found = combined(found, "*", integer_literal(size, ULONG), ULONG)
        return found


def _built_in(name: str, axis: Axis) -> Expression:
    return Expression(f"{name}.{axis.value}", UINT)
