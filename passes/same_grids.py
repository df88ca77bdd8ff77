"""Programs keep the grids that are inferred for them, whatever passes do to indices."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vyre.analysis.grid_lengths import grid_from, grid_lengths
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp

_Apply = TypeVar("_Apply", bound=Callable[..., None])


def same_grids(apply: _Apply) -> _Apply:
    """
    Make a pass, which may replace programs by schedules of their names, say in `grid_from`
    what decided about grids before, where something else would now.

    Example: `@same_grids` above `def apply(self, ctx, op)`
    """

    @wraps(apply)
    def wrapped(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
        before = {
            (unit.parent, unit.sym_name.data): grid_lengths(unit)
            for unit in units_in(op, ProgramOp, ScheduleOp)
        }
        apply(self, ctx, op)
        for unit in units_in(op, ProgramOp, ScheduleOp):
            name = unit.parent, unit.sym_name.data
            if name in before and grid_lengths(unit) != before[name]:
                unit.grid_from = grid_from(before[name])

    return cast(_Apply, wrapped)
