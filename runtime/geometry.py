"""How many workgroups a dispatch has, if the caller does not say."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from vyre.analysis.cooperation import cooperates
from vyre.dialects.vyre import BufferOp, LaunchOp, ProgramOp, ScheduleOp
from vyre.dialects.vyre.host import programs_in
from vyre.runtime.errors import InvalidArgument

Extent = tuple[int, int, int]

MAX_INVOCATIONS = 2**40
"""More than any engine can number; a larger grid is a mistake."""


def programs_of(program: ProgramOp | ScheduleOp) -> list[ProgramOp]:
    """The program itself, or the programs that a schedule launches."""
    if isinstance(program, ProgramOp):
        return [program]
    assert program.parent is not None
    beside = programs_in(program.parent)
    launches = (op for op in program.body.walk() if isinstance(op, LaunchOp))
    names = dict.fromkeys(launch.segment.string_value() for launch in launches)
    return [beside[name] for name in names]


def workgroup_of(program: ProgramOp | ScheduleOp) -> Extent:
    """The size of a workgroup, which is the same for all programs of a schedule."""
    programs = programs_of(program)
    x, y, z = programs[0].workgroup if programs else (1, 1, 1)
    return x, y, z


def infer_grid(
    program: ProgramOp | ScheduleOp, element_counts: Mapping[BufferOp, int]
) -> Extent:
    """
    Enough workgroups for one invocation per element.

    The elements are those of the largest buffer that is written; of the largest buffer at
    all if none is, or if invocations work together (workgroup memory and barriers, atomics
    or subgroup operations), because then inputs may have more elements than results. The
    whole program counts, also after it is split.
    """
    size = workgroup_of(program)
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
    counted = element_counts if not written or _cooperates(program) else written
    elements = max(counted.values(), default=1)
    return max(1, -(-elements // size[0])), 1, 1


def _cooperates(program: ProgramOp | ScheduleOp) -> bool:
    if isinstance(program, ScheduleOp) and program.cooperates is not None:
        return True
    return any(map(cooperates, programs_of(program)))


def checked_grid(grid: Any) -> Extent:
    """The grid that a caller passed: a number, or up to three."""
    if isinstance(grid, np.ndarray):
        grid = cast(Any, grid).tolist()
    given = list(cast(Sequence[Any], grid) if isinstance(grid, Sequence) else [grid])
    numbers = [operator.index(n) for n in given if hasattr(n, "__index__") and n >= 1]
    if not 1 <= len(given) <= 3 or len(numbers) != len(given):
        raise InvalidArgument(
            f"the grid is {grid!r}", "pass one to three positive numbers of workgroups"
        )
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def check_size(grid: Extent, workgroup: Extent) -> None:
    """Refuse grids that no machine could run."""
    invocations = 1
    for extent in (*grid, *workgroup):
        invocations *= extent
    if invocations > MAX_INVOCATIONS:
        raise InvalidArgument(
            f"the grid has {invocations} invocations, more than 2**40",
            "use a smaller grid, with a loop in the program",
        )
