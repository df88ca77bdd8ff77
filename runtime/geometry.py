"""How many workgroups a dispatch has, if the caller does not say."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np

from vyre.analysis.cooperation import cooperates
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import BufferOp, LaunchOp, ProgramOp, ScheduleOp
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.dialects.vyre.host import programs_in
from vyre.runtime.errors import InvalidArgument

Extent = tuple[int, int, int]

MAX_INVOCATIONS = 2**40
"""More than any engine can number; a larger grid is a mistake."""


@dataclass(frozen=True)
class Geometry:
    """
    Workgroups along x, y and z, and invocations per workgroup: the same for every launch
    of a dispatch.

    Example: `Geometry(groups=(4, 1, 1), size=(64, 1, 1)).invocation_count` is 256.
    """

    groups: Extent
    size: Extent

    @property
    def group_count(self) -> int:
        return prod(self.groups)

    @property
    def invocation_count(self) -> int:
        return self.group_count * prod(self.size)


def scratch_sizes(
    scope: ScratchScope, declared: Sequence[int], geometry: Geometry
) -> tuple[int, ...]:
    """
    The sizes of scratch: for each invocation or workgroup of a grid, or once.

    Example: `scratch_sizes(ScratchScope.PER_WORKGROUP, [-1, 4], geometry)`
    """
    match scope:
        case ScratchScope.PER_INVOCATION:
            return geometry.invocation_count, *declared[1:]
        case ScratchScope.PER_WORKGROUP:
            return geometry.group_count, *declared[1:]
        case ScratchScope.SINGLE:
            return tuple(declared)


def programs_of(program: ProgramOp | ScheduleOp) -> list[ProgramOp]:
    """The program itself, or the programs that a schedule launches."""
    if isinstance(program, ProgramOp):
        return [program]
    assert program.parent is not None
    beside = programs_in(program.parent)
    launches = (op for op in operations_in(program.body) if isinstance(op, LaunchOp))
    names = dict.fromkeys(launch.segment.string_value() for launch in launches)
    return [beside[name] for name in names]


def workgroup_of(program: ProgramOp | ScheduleOp) -> Extent:
    """The size of a workgroup, which is the same for all programs of a schedule."""
    programs = programs_of(program)
    x, y, z = programs[0].workgroup if programs else (1, 1, 1)
    return x, y, z


def infer_grid(
    size: Extent, element_counts: Mapping[BufferOp, int], *, together: bool
) -> Extent:
    """
    Enough workgroups of this size for one invocation per element.

    The elements are those of the largest buffer that is written; of the largest buffer at
    all if none is, or if invocations work together (workgroup memory and barriers, atomics
    or subgroup operations), because then inputs may have more elements than results. The
    whole program counts, also after it is split.
    """
    if size[1] != 1 or size[2] != 1:
        raise InvalidArgument(
            f"the grid is missing, and workgroups of {list(size)} are not one-dimensional",
            "pass grid=(x, y, z), counted in workgroups",
        )
    written = {
        buffer: count
        for buffer, count in element_counts.items()
        if buffer.access.data.writable
    }
    counted = element_counts if not written or together else written
    elements = max(counted.values(), default=1)
    return max(1, -(-elements // size[0])), 1, 1


def works_together(program: ProgramOp | ScheduleOp) -> bool:
    """Whether invocations work together, or did before the program was split."""
    if isinstance(program, ScheduleOp) and program.cooperates is not None:
        return True
    return any(map(cooperates, programs_of(program)))


def checked_grid(grid: Any) -> Extent:
    """The grid that a caller passed: a number, or up to three."""
    return _extent(grid, "grid", "workgroups")


def checked_workgroup(size: Any) -> Extent:
    """The size of workgroups that a caller passed: a number, or up to three."""
    return _extent(size, "workgroup", "invocations")


def _extent(given: Any, what: str, counted: str) -> Extent:
    if isinstance(given, np.ndarray):
        given = cast(Any, given).tolist()
    parts = list(cast(Sequence[Any], given) if isinstance(given, Sequence) else [given])
    numbers = [operator.index(n) for n in parts if hasattr(n, "__index__") and n >= 1]
    if not 1 <= len(parts) <= 3 or len(numbers) != len(parts):
        raise InvalidArgument(
            f"the {what} is {given!r}", f"pass one to three positive numbers of {counted}"
        )
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def check_size(geometry: Geometry) -> None:
    """Refuse grids that no machine could run."""
    if geometry.invocation_count > MAX_INVOCATIONS:
        raise InvalidArgument(
            f"the grid has {geometry.invocation_count} invocations, more than 2**40",
            "use a smaller grid, with a loop in the program",
        )
