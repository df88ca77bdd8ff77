"""
Which of the values that cross are kept, and which recomputed: minimum cuts.

Each run is looked at by itself, in the order of the text. Take the values that it needs
and, backwards, what they are computed from. Each value is a pair of nodes, one for
"recomputed" and one for "needed":

- the edge inside the pair is cut if the value is kept; it costs the load, and a share of
  the store unless an earlier run has asked for that: the store divided by the number of
  runs that need the value;
- the edge from the source to the pair is cut if the value is recomputed; it costs the
  operation, and is unlimited if that is not sound in this run;
- edges from a value to what is computed from it are unlimited: to recompute a value, one
  needs its operands. So are those from what the run needs to the sink.

The cut with the least capacity is the cheapest choice under the costs of
`vyre.analysis.recomputation`. At most `MOST_RECOMPUTED` operations for each value that a
run needs take part, those nearest to the use; what lies behind them can only be kept. So
the work is linear in the number of values that cross.

A value that the test of a `while` passes on is always kept: what it is computed from is
not there any more after the test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.min_cut import UNLIMITED, FlowGraph
from vyre.analysis.recomputation import (
    access_cost,
    is_exact,
    operation_cost,
    run_weight,
)
from vyre.analysis.spine import through_regions
from vyre.dialects.vyre import BufferOp, LoadOp, ScratchOp

if TYPE_CHECKING:
    from vyre.analysis.crossing import Crossing

MOST_RECOMPUTED = 12
"""Operations behind each value that a run needs which are looked at."""


def is_leaf(value: SSAValue) -> bool:
    """
    Whether every run computes the value for itself: constants, ids, sizes of buffers of
    the table.
    """
    owner = value.owner
    return (
        isinstance(owner, Operation)
        and all(map(_is_declared, owner.operands))
        and is_exact(owner)
    )


def _is_declared(operand: SSAValue) -> bool:
    return isinstance(through_regions(operand).owner, BufferOp | ScratchOp)


class Keeping:
    """Decides run by run what is loaded, and so what is kept."""

    def __init__(self, crossing: Crossing):
        self._crossing = crossing
        self._kept: set[SSAValue] = set()
        self._users = Counter(value for needs in crossing.needs for value in needs)
        self._everywhere: dict[SSAValue, bool] = {}

    def loaded_in(self, run: int) -> list[SSAValue]:
        """The values that a run loads; other values that it needs it recomputes."""
        needed = [
            value
            for value in self._crossing.needs[run]
            if not is_leaf(value) and not self._is_in_variable(value, run)
        ]
        if not needed:
            return []
        loaded = list(_RunCut(self, self._crossing, run, needed).kept())
        self._kept.update(loaded)
        return loaded

    def _is_in_variable(self, value: SSAValue, run: int) -> bool:
        crossing = self._crossing
        return value in crossing.variable_of and crossing.is_readable(value, run)

    def is_everywhere(self, value: SSAValue) -> bool:
        """Whether every run has a value without its being kept or recomputed."""
        found = self._everywhere.get(value)
        if found is None:
            found = is_memref(value) or is_leaf(value) or self._crossing.host.takes(value)
            self._everywhere[value] = found
        return found

    def cost_to_keep(self, value: SSAValue, run: int) -> int:
        """The cost to load a value in a run, and to store it if nobody does yet."""
        crossing = self._crossing
        access = access_cost(value, crossing.facts.level(value))
        cost = access * run_weight(crossing.spine.runs[run])
        if value not in self._kept:
            home = crossing.spine.runs[crossing.home_to_keep(value)]
            cost += access * run_weight(home) // max(1, self._users[value])
        return cost


class _RunCut:
    """What a run needs, what that is computed from, and the cheapest way to get it."""

    def __init__(
        self,
        keeping: Keeping,
        crossing: Crossing,
        run: int,
        needed: list[SSAValue],
    ):
        self.keeping = keeping
        self.crossing = crossing
        self.run = run
        self.needed = [value for value in needed if self._may_repeat(value)]
        self.fixed = dict.fromkeys(needed)
        """What has to be loaded in any case, and so costs others nothing."""
        for value in self.needed:
            del self.fixed[value]
        self.weight = run_weight(crossing.spine.runs[run])
        self.operands: dict[SSAValue, list[SSAValue]] = {}
        self._collect()

    def _collect(self) -> None:
        """Breadth first, so that what is nearest to a use takes part."""
        pending = list(self.needed)
        met = set(pending)
        left = MOST_RECOMPUTED * len(pending)
        for value in pending:
            if not left or not self._may_repeat(value):
                continue
            left -= 1
            operands: list[SSAValue] = []
            self.operands[value] = operands
            assert isinstance(value.owner, Operation)
            for operand in map(self.crossing.origin, value.owner.operands):
                if self._is_free(operand):
                    continue
                operands.append(operand)
                if operand not in met:
                    met.add(operand)
                    pending.append(operand)
        self.values = pending

    def _is_free(self, operand: SSAValue) -> bool:
        """Whether the run has an operand without its being kept or recomputed."""
        crossing = self.crossing
        if operand in self.fixed:
            return True
        if operand in crossing.variable_of:
            return crossing.is_readable(operand, self.run)
        return self.keeping.is_everywhere(operand)

    def _may_repeat(self, value: SSAValue) -> bool:
        """Whether recomputing the value in this run gives the same bits."""
        crossing, owner = self.crossing, value.owner
        if value in crossing.variable_of or value in crossing.passed_on:
            return False
        if isinstance(owner, LoadOp):
            home = crossing.home_of(value)
            end = crossing.spine.end_of_life(home, self.run)
            return crossing.writers.may_reload(owner, home, end)
        if not isinstance(owner, Operation) or not is_exact(owner):
            return False
        return not any(is_memref(o) and crossing.spine.is_local(o) for o in owner.operands)

    def kept(self) -> Iterator[SSAValue]:
        """The values that are loaded at the least cost."""
        yield from self.fixed
        if not self.needed:
            return
        graph = FlowGraph()
        nodes = {value: (graph.node(), graph.node()) for value in self.values}
        for value, (recomputed, needed) in nodes.items():
            graph.edge(0, recomputed, self._cost_to_recompute(value))
            graph.edge(recomputed, needed, self.keeping.cost_to_keep(value, self.run))
            for operand in self.operands.get(value, ()):
                graph.edge(nodes[operand][1], recomputed, UNLIMITED)
        for value in self.needed:
            graph.edge(nodes[value][1], 1, UNLIMITED)
        from_source = graph.source_side()
        for value, (recomputed, needed) in nodes.items():
            if from_source[recomputed] and not from_source[needed]:
                yield value

    def _cost_to_recompute(self, value: SSAValue) -> int:
        if value not in self.operands:
            return UNLIMITED
        assert isinstance(value.owner, Operation)
        cost = operation_cost(value.owner) + sum(map(self._fetching, value.owner.operands))
        return cost * self.weight

    def _fetching(self, operand: SSAValue) -> int:
        """What it takes to get an operand that is neither kept nor recomputed."""
        operand = self.crossing.origin(operand)
        variable = self.crossing.variable_of.get(operand)
        if variable is not None:
            return access_cost(operand, variable.level)
        return 1 if is_leaf(operand) else 0
