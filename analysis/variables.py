"""
Carried values that live in memory: when they are written, and how long they can be read.

What a loop carries or a branch gives, and the host does not have, becomes a *variable*: a
place in scratch that is written where a value flows into the position, and read wherever
the position's names are used. Within a run all reads come first and all writes last, so a
run may read a variable of its own invocation and write it, and values that loops exchange
are exchanged by reads before writes. A place that several invocations share (of a uniform
value) must not be read and written in one run: a fast invocation would overwrite what a
slow one has still to read.

A write is put into a run that exists anyway, if there is one:

- what enters a loop is written in the last run before it, in the same block, that is not
  empty and not before the value is there;
- what goes round is written as soon as it is there and nothing in the trip reads the old
  value any more. The run stands in the body's own block, so that every trip comes there.
  If there is no such run, it is the loop's tail;
- what a branch gives is written in its arm where it is made. What comes from before the
  branch is written before it, if the other arm overwrites it.

Until a variable is overwritten, its names can be read from it at no further cost; after
that they have to be kept like other values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from vyre.analysis.positions import Position, Role
from vyre.analysis.spine import Run, Spine
from vyre.analysis.uniformity import Level


@dataclass(eq=False)
class Variable:
    """A position in memory, and the runs that write it."""

    position: Position
    level: Level
    inputs: tuple[SSAValue, ...]
    """What flows in, under the name that it has where it is made."""
    writes: list[tuple[SSAValue, int]] = field(default_factory=list[tuple[SSAValue, int]])
    """Values that flow in, and the run that writes each."""
    overwritten: int = -1
    """The run at whose end a carried value is overwritten by the next trip's."""

    @property
    def is_shared(self) -> bool:
        """Whether several invocations share the place."""
        return self.level is not Level.INVOCATION

    @property
    def readable_until(self) -> int:
        """The last run of a trip that can read the carried value from the place."""
        return self.overwritten - 1 if self.is_shared else self.overwritten


class Placing:
    """
    Decides where variables are written. `available` says in which run each value that
    flows into one is there, `last_read` which run in its loop reads each for the last time.
    """

    def __init__(
        self,
        spine: Spine,
        variable_of: dict[SSAValue, Variable],
        available: Callable[[SSAValue], int],
        last_read: Mapping[Variable, int],
    ):
        self._spine = spine
        self._variable_of = variable_of
        self._available = available
        self._last_read = last_read
        variables = list(dict.fromkeys(variable_of.values()))
        self._exchanged = {
            source
            for variable in variables
            if (source := self._neighbour(variable)) is not None
        }

    def _neighbour(self, variable: Variable) -> Variable | None:
        """The other variable of the same loop that goes round into this one, if any."""
        source = self._variable_of.get(variable.inputs[-1])
        if source is None or source is variable or variable.position.role is Role.CHOSEN:
            return None
        return source if source.position.holder is variable.position.holder else None

    def place(self, variable: Variable) -> None:
        """Choose the runs that write a variable."""
        if variable.position.role is Role.CHOSEN:
            self._chosen(variable)
            return
        holder = variable.position.holder
        entering, again = variable.inputs
        gap = self._spine.before[holder]
        variable.writes.append((entering, self._entry(entering, gap)))
        if self._variable_of.get(again) is variable:
            variable.overwritten = self._spine.loops[holder].last + 1
        else:
            variable.overwritten = self._again(variable, again)
            variable.writes.append((again, variable.overwritten))

    def _entry(self, value: SSAValue, gap: Run) -> int:
        """The last run up to `gap` in its block that is not empty and has the value."""
        runs = (r for r in reversed(self._spine.blocks[gap.block]) if r.takes_code)
        last = next((run for run in runs if run.index <= gap.index), gap)
        return last.index if last.index >= self._available(value) else gap.index

    def _again(self, variable: Variable, value: SSAValue) -> int:
        """Where the value of the next trip is written."""
        *runs, tail = self._spine.blocks[variable.position.holder.regions[-1].block]
        end = tail if variable.is_shared else runs[-1]
        if self._neighbour(variable) is not None or variable in self._exchanged:
            # It reads what others overwrite, or they read it: all wait for the end.
            return end.index
        last_read = self._last_read.get(variable, -1)
        earliest = max(self._available(value), last_read + variable.is_shared)
        fitting = (run for run in runs if run.ops and run.index >= earliest)
        return next(fitting, end).index

    def _chosen(self, variable: Variable) -> None:
        holder = variable.position.holder
        gap = self._spine.before[holder]
        is_early = False
        for region, value in zip(holder.regions, variable.inputs, strict=True):
            available = self._available(value)
            if available <= gap.index and not is_early:
                variable.writes.append((value, self._entry(value, gap)))
                is_early = True
                continue
            runs = self._spine.blocks[region.block]
            fitting = (run for run in runs if run.ops and run.index >= available)
            variable.writes.append((value, next(fitting, runs[-1]).index))
