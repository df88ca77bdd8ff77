"""
`vyre-remove-barriers`: grid barriers that order nothing go.

Before:

```mlir
vyre.store %v, %x[%i] : memref<?xf32>
vyre.barrier grid_sync
vyre.store %v, %y[%i] : memref<?xf32>
vyre.barrier grid_sync
%w = vyre.load %x[%j] : memref<?xf32>
vyre.barrier grid_sync
```

After:

```mlir
vyre.store %v, %x[%i] : memref<?xf32>
vyre.barrier grid_sync
vyre.store %v, %y[%i] : memref<?xf32>
%w = vyre.load %x[%j] : memref<?xf32>
```

A barrier is needed if an effect that can come before it, without another barrier in
between, conflicts with one that can come after it in the same way: if they touch a common
buffer and one of them writes. A grid barrier is a workgroup barrier too, so one that only
conflicts over workgroup memory becomes `vyre.barrier acq_rel`, unless there is a workgroup
barrier on each way already.

Why the meaning stays. All invocations pass the same sequence of barriers, because control
around these is uniform. Take two accesses that a barrier kept apart and none does any more:
one came before, one after, and all barriers in between were removed. The barrier among them
that was decided last was the only one left between the two at that moment, so the two were
in its sets, and it would have stayed had they been in conflict. So barriers are decided one
at a time, from the last to the first, with sets that grow by every barrier that goes. Sets
only grow, so what was needed once stays needed, and a second run finds nothing to do. Loops
need no rule of their own: ways lead around them, and an access in a loop can come both
before and after a barrier in it.

- An invocation may end between the two accesses; ways ignore that (see
  `vyre.analysis.stretches`), and the others still pass the barriers.
- A trap stops the dispatch at the next barrier, and nothing may happen after it that did
  not before: another trap, with a smaller id, or a loop that ends only on data that passed
  the test. So a barrier stays between a trap and accesses, traps or loops.
- A copy that runs beside the program is ordered with others by a barrier before its start
  or after its wait (see `vyre.analysis.conflicts`); one in between orders nothing.
- The grid meets at collectives as at barriers, so a barrier beside one goes.
- Atomics read and write. An operation that Vyre does not know conflicts with everything.

What was uniform stays so, and barriers are still where all invocations come: uniformity
depends on barriers only by loads from buffers that nothing in their phase writes, and a
barrier stays if without it such a load would share a phase with a write, even where no way
leads from one to the other.

Sets have one bit for each buffer and kind of effect, and travel along a way only when they
grow; so the cost is linear in the size of the program for a given number of buffers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from vyre.analysis.conflicts import NOTHING, Buffers, Effects, ProgramEffects
from vyre.analysis.stretches import Stretches, stretches
from vyre.analysis.uniformity import Level, Uniformity, uniformity
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import LoadOp, ProgramOp
from vyre.dialects.vyre.attributes import Ordering, OrderingAttr
from vyre.passes.expand_switches import expand_switches


@dataclass(frozen=True)
class RemoveBarriersPass(ModulePass):
    """Removes grid barriers without conflicts, or makes them barriers of workgroups."""

    name = "vyre-remove-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        for program in units_in(op, ProgramOp):
            _remove(program)


def _remove(program: ProgramOp) -> None:
    division = stretches(program)
    crossings = [c for c in division.crossings if c.barrier.is_grid_sync]
    if not crossings:
        return
    grid, workgroup = _scopes(program, division)
    for barrier, before, after in reversed(crossings):
        if grid.needs_barrier(before, after):
            continue
        grid.open(before, after)
        if workgroup.needs_barrier(before, after):
            barrier.ordering = OrderingAttr(Ordering.ACQ_REL)
        else:
            workgroup.open(before, after)
            Rewriter.erase_op(barrier)


def _scopes(program: ProgramOp, division: Stretches) -> "tuple[_Scope, _Scope]":
    """The program as the grid sees it, and as a workgroup does."""
    effects = ProgramEffects(program)
    contents = _contents(division, effects, uniformity(program))
    local = effects.workgroup_memory
    past_workgroup_barriers = [
        (before, after)
        for barrier, before, after in division.crossings
        if not barrier.is_grid_sync
    ]
    ways = [*division.ways, *past_workgroup_barriers]
    grid = _Scope([content.within(~local) for content in contents], ways)
    workgroup = _Scope([content.within(local) for content in contents], division.ways)
    return grid, workgroup


@dataclass
class _Content:
    """What a stretch does, and which buffers its uniform loads read."""

    begun: Effects = NOTHING
    ended: Effects = NOTHING
    uniform: Buffers = 0

    def within(self, buffers: Buffers) -> "_Content":
        """The part of it that concerns these buffers."""
        return _Content(
            self.begun.within(buffers), self.ended.within(buffers), self.uniform & buffers
        )


def _contents(
    division: Stretches, effects: ProgramEffects, facts: Uniformity
) -> list[_Content]:
    contents = [_Content() for _ in range(division.count)]
    for op, stretch in division.of.items():
        content = contents[stretch]
        content.begun |= effects.begun_by(op)
        content.ended |= effects.ended_by(op)
        if isinstance(op, LoadOp) and facts.level(op.value) is not Level.INVOCATION:
            content.uniform |= effects.buffers(op.buffer)
        if isinstance(op, scf.ForOp | scf.WhileOp):
            # Every trip of a loop is work, also for who has come to a barrier inside.
            for region in op.regions:
                first = region.block.first_op
                assert first is not None
                contents[division.of[first]].begun |= effects.begun_by(op)
    return contents


class _Scope:
    """
    What has ended before each stretch and begins after it without a barrier in between,
    and phases with what they write and what must stay uniform in them.
    """

    def __init__(self, contents: Sequence[_Content], ways: Iterable[tuple[int, int]]):
        count = len(contents)
        self._following: list[list[int]] = [[] for _ in range(count)]
        self._preceding: list[list[int]] = [[] for _ in range(count)]
        self._phase = list(range(count))
        self._written = [c.begun.writes | c.ended.writes for c in contents]
        self._uniform = [c.uniform for c in contents]
        for origin, target in ways:
            self._connect(origin, target)
        self._up_to = [c.ended for c in contents]
        self._from = [c.begun for c in contents]
        self._spread(range(count), range(count))

    def needs_barrier(self, before: int, after: int) -> bool:
        """Whether something is wrong if no barrier stands between the two stretches."""
        if self._up_to[before].must_precede(self._from[after]):
            return True
        one, other = self._find(before), self._find(after)
        return one != other and bool(
            self._written[one] & self._uniform[other]
            or self._written[other] & self._uniform[one]
        )

    def open(self, before: int, after: int) -> None:
        """Let control pass from one stretch to the other without a barrier."""
        self._connect(before, after)
        self._spread([before], [after])

    def _connect(self, origin: int, target: int) -> None:
        self._following[origin].append(target)
        self._preceding[target].append(origin)
        one, other = sorted((self._find(origin), self._find(target)))
        if one != other:
            self._phase[other] = one
            self._written[one] |= self._written[other]
            self._uniform[one] |= self._uniform[other]

    def _find(self, stretch: int) -> int:
        while self._phase[stretch] != stretch:
            self._phase[stretch] = self._phase[self._phase[stretch]]
            stretch = self._phase[stretch]
        return stretch

    def _spread(self, forwards: Iterable[int], backwards: Iterable[int]) -> None:
        """Pass on what these stretches have in their sets, each way in program order."""
        _spread(self._up_to, self._following, forwards, 1)
        _spread(self._from, self._preceding, backwards, -1)


def _spread(
    sets: list[Effects], ways: list[list[int]], origins: Iterable[int], direction: int
) -> None:
    pending = [direction * origin for origin in origins]
    heapify(pending)
    while pending:
        origin = direction * heappop(pending)
        for target in ways[origin]:
            union = sets[target] | sets[origin]
            if union != sets[target]:
                sets[target] = union
                heappush(pending, direction * target)
