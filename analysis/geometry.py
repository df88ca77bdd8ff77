"""
Numbers about the grid, as far as they are known before a dispatch.

Ids and extents are symbols (see `vyre.analysis.facts`), the same one for every operation
that asks for it. The size of a workgroup is the one written in the program.
"""

from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from vyre.analysis.facts import Facts, GridNumber, Term
from vyre.analysis.ranges import Range
from vyre.dialects.vyre import (
    InvocationIdOp,
    LinearIdOp,
    LocalIdOp,
    SubgroupLocalIdOp,
    SubgroupSizeOp,
    WorkgroupCountOp,
    WorkgroupIdOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.attributes import Axis

MAX_INVOCATIONS = 2**40
"""Larger grids are refused when a program is dispatched."""

SUBGROUP_SIZE = 32

INVOCATIONS = GridNumber("invocations")
WORKGROUPS = GridNumber("workgroups")

Grid = tuple[int, int, int]

_ASKING = frozenset[type[Operation]](
    (
        InvocationIdOp,
        LocalIdOp,
        WorkgroupIdOp,
        WorkgroupCountOp,
        WorkgroupSizeOp,
        LinearIdOp,
        SubgroupLocalIdOp,
        SubgroupSizeOp,
    )
)


@dataclass(frozen=True)
class Geometry:
    """The size of a workgroup, and of the grid in workgroups if it is known."""

    workgroup: tuple[int, ...]
    grid: Grid | None = None
    most: int = MAX_INVOCATIONS
    """More invocations than these there are not."""

    def declare(self, facts: Facts) -> None:
        """Make the numbers about the grid known."""
        size = prod(self.workgroup)
        for axis, width in zip(Axis, self.workgroup, strict=True):
            groups = self._groups(None if self.grid is None else self.grid[axis.position])
            facts.define(GridNumber(f"workgroup_count {axis}"), groups)
            _declare_id(
                facts, f"workgroup_id {axis}", GridNumber(f"workgroup_count {axis}")
            )
            invocations = Range(0, groups.hi * width - 1)
            facts.define(GridNumber(f"invocation_id {axis}"), invocations)
            facts.define(GridNumber(f"local_id {axis}"), Range(0, width - 1))
        groups = self._groups(None if self.grid is None else prod(self.grid))
        facts.define(WORKGROUPS, groups)
        facts.define(INVOCATIONS, Range(groups.lo * size, groups.hi * size))
        _declare_id(facts, "linear_id workgroup", WORKGROUPS)
        _declare_id(facts, "linear_id invocation", INVOCATIONS)
        facts.define(GridNumber("linear_id local"), Range(0, size - 1))
        lanes = min(SUBGROUP_SIZE, size)
        facts.define(GridNumber("subgroup_local_id"), Range(0, lanes - 1))

    def _groups(self, known: int | None) -> Range:
        if known is not None:
            return Range(known, known)
        return Range(1, max(1, self.most // prod(self.workgroup)))

    def term(self, op: Operation) -> Term | None:
        """What an operation that asks about the grid gives; None for other operations."""
        if type(op) not in _ASKING:
            return None
        match op:
            case InvocationIdOp() | LocalIdOp() | WorkgroupIdOp() | WorkgroupCountOp():
                name = op.name.removeprefix("vyre.")
                return Term(GridNumber(f"{name} {op.axis.data}"))
            case WorkgroupSizeOp():
                return Term(None, self.workgroup[op.axis.data.position])
            case LinearIdOp():
                return Term(GridNumber(f"linear_id {op.scope.data}"))
            case SubgroupLocalIdOp():
                return Term(GridNumber("subgroup_local_id"))
            case SubgroupSizeOp():
                return Term(None, SUBGROUP_SIZE)
            case _:
                return None


def _declare_id(facts: Facts, name: str, extent: GridNumber) -> None:
    """An id counts from zero and stays below its extent."""
    facts.define(GridNumber(name), Range(0, facts.range(Term(extent)).hi - 1))
    facts.limit(Term(GridNumber(name)), Term(extent), 1)
