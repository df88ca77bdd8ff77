"""
Who an invocation is in a wave that has a grid of its own.

The invocations of a wave, or its workgroups, are numbered, x fastest, and shared out among
those of the fused program. Operations that ask who they are, or how large the grid is, get
what they would have got if the wave ran alone.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from xdsl.ir import Operation, Region

from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    InvocationIdOp,
    LinearIdOp,
    LocalIdOp,
    WorkgroupCountOp,
    WorkgroupIdOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.attributes import Axis, LinearScope
from vyre.passes.index_code import IndexCode, Number

Triple: TypeAlias = tuple[Number, Number, Number]


def each_axis(make: type[WorkgroupCountOp | WorkgroupSizeOp | LocalIdOp], code: IndexCode):
    """
    A number of the fused program along each axis.

    Example: `each_axis(WorkgroupCountOp, code)`
    """
    x, y, z = (code.code.put(make(axis)) for axis in Axis)
    return x, y, z


@dataclass
class WaveIds:
    """
    Ids in a wave with these workgroups, of this size. `number` is that of an invocation
    of the wave, or of a workgroup if `by_workgroup`.

    Example: `WaveIds(code, number, groups, size, by_workgroup=False).replace_in(body)`
    """

    code: IndexCode
    number: Number
    groups: Triple
    size: Triple
    by_workgroup: bool

    @cached_property
    def _extent(self) -> Triple:
        """Invocations along each axis."""
        x, y, z = map(self.code.times, self.groups, self.size)
        return x, y, z

    @cached_property
    def _workgroup(self) -> Triple:
        if self.by_workgroup:
            return self.code.position(self.number, self.groups)
        x, y, z = map(self.code.over, self._invocation, self.size)
        return x, y, z

    @cached_property
    def _local(self) -> Triple:
        if self.by_workgroup:
            return each_axis(LocalIdOp, self.code)
        x, y, z = map(self.code.modulo, self._invocation, self.size)
        return x, y, z

    @cached_property
    def _invocation(self) -> Triple:
        if not self.by_workgroup:
            return self.code.position(self.number, self._extent)
        starts = map(self.code.times, self._workgroup, self.size)
        x, y, z = map(self.code.plus, starts, self._local)
        return x, y, z

    def replace_in(self, body: Region) -> None:
        """Let the operations of a wave that ask have their answers."""
        for op in list(operations_in(body)):
            found = self._answer(op)
            if found is not None:
                value = self.code.value(found)
                op.results[0].replace_all_uses_with(value)
                op.detach()
                op.erase()

    def count(self, scope: LinearScope) -> Number:
        """How many of a scope there are."""
        match scope:
            case LinearScope.INVOCATION:
                return self.code.product(self._extent)
            case LinearScope.WORKGROUP:
                return self.code.product(self.groups)
            case LinearScope.LOCAL:
                return self.code.product(self.size)

    def _answer(self, op: Operation) -> Number | None:
        match op:
            case InvocationIdOp():
                return self._invocation[op.axis.data.position]
            case WorkgroupIdOp():
                return self._workgroup[op.axis.data.position]
            case LocalIdOp():
                return self._local[op.axis.data.position]
            case WorkgroupCountOp():
                return self.groups[op.axis.data.position]
            case WorkgroupSizeOp():
                return self.size[op.axis.data.position]
            case LinearIdOp():
                return self.linear(op.scope.data)
            case _:
                return None

    def linear(self, scope: LinearScope) -> Number:
        """The number of an invocation or workgroup, x fastest."""
        match scope:
            case LinearScope.INVOCATION:
                return self.code.linear(self._invocation, self._extent)
            case LinearScope.WORKGROUP:
                return self.code.linear(self._workgroup, self.groups)
            case LinearScope.LOCAL:
                return self.code.linear(self._local, self.size)
