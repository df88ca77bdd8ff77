"""How many workgroups a dispatch has, if the caller does not say."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np

from vyre.analysis.grid_lengths import Decision
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import LaunchOp, ProgramOp, ScheduleOp
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
    size: Extent, lengths: Decision, shapes: Mapping[str, Sequence[int]]
) -> Extent:
    """
    Enough workgroups of this size for one invocation per element of the buffers that the
    program indexes by its invocations' numbers (`vyre.analysis.grid_lengths`), if these
    need equally many; one if that is enough. `shapes` are those of all buffers, by name.

    Example: `infer_grid((64, 1, 1), [Length("x", 0)], {"x": (1000,)})` is `(16, 1, 1)`.
    """
    if lengths == ():
        return 1, 1, 1
    if size[1] != 1 or size[2] != 1:
        cause = f"workgroups of {list(size)} are not one-dimensional"
        found = {name: _over(size, shape) for name, shape in shapes.items()}
    elif lengths is None:
        cause = "no buffer is indexed by the invocation's number"
        found = {name: _over(size, [prod(shape)]) for name, shape in shapes.items()}
    else:
        cause = "the buffers that are indexed by the invocation's number disagree"
        found = {
            f"{name}" if len(shapes[name]) == 1 else f"{name}[{dim}]": grid
            for name, dim in lengths
            for grid in [_over(size, [shapes[name][dim]])]
        }
        if len(set(found.values())) == 1:
            return next(iter(found.values()))
    raise InvalidArgument(f"the grid is missing, and {cause}", _choices(size, found))


def _over(size: Extent, shape: Sequence[int]) -> Extent:
    """Workgroups for one invocation per element; the last dimension is along x."""
    sizes = [*reversed(shape), 1, 1, 1]
    folded = [*sizes[:2], prod(sizes[2:])]
    x, y, z = (max(1, -(-n // width)) for n, width in zip(folded, size))
    return x, y, z


_SHOWN = 4
"""More grids are not proposed."""


def _choices(size: Extent, found: Mapping[str, Extent]) -> str:
    """Says which grids the caller may mean: those of the largest buffers, if many."""
    names: dict[Extent, list[str]] = {}
    for name, grid in found.items():
        names.setdefault(grid, []).append(name)
    largest = sorted(names, key=prod, reverse=True)[:_SHOWN]
    proposed = [
        f"grid={_short(grid)} for {', '.join(names[grid])}"
        for grid in names
        if grid in largest
    ]
    counted = f"counted in workgroups of {_short(size)}"
    return f"pass {' or '.join(proposed) or 'grid='}, {counted}"


def _short(extent: Extent) -> str:
    """An extent as callers write it: a number if it is along x only."""
    return str(extent[0] if extent[1:] == (1, 1) else extent)


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
    numbers = [operator.index(n) for n in parts if _is_count(n)]
    if not 1 <= len(parts) <= 3 or len(numbers) != len(parts):
        raise InvalidArgument(
            f"the {what} is {given!r}", f"pass one to three positive numbers of {counted}"
        )
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _is_count(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool) and value >= 1


def check_size(geometry: Geometry) -> None:
    """Refuse grids that no machine could run."""
    if geometry.invocation_count > MAX_INVOCATIONS:
        raise InvalidArgument(
            f"the grid has {geometry.invocation_count} invocations, more than 2**40",
            "use a smaller grid, with a loop in the program",
        )
