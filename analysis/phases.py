"""
Phases: which code runs without a barrier in between.

A phase is all code connected by paths without a grid barrier, back edges and zero-trip
paths included. Two accesses in one phase may happen at the same time in different
invocations; accesses in different phases are ordered. The same is computed for workgroup
barriers (a grid barrier is one too): then a phase is what runs between two barriers of one
workgroup.

A straight walk gives every stretch of code between barriers a number, and numbers are
joined (union-find) wherever control can pass from one stretch to another: from both arms
of an `if` to what follows, from the end of a loop's body back to its start, and past a
loop that makes no trip.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import MemoryEffectKind

from vyre.analysis.buffer_sources import Declaration
from vyre.analysis.purity import PURE_OPS, effects_of, is_known
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AllGatherOp,
    AllReduceOp,
    AsyncLoadOp,
    AsyncStoreOp,
    AsyncWaitOp,
    BarrierOp,
    BroadcastOp,
    LoadOp,
    ProgramOp,
    ReduceScatterOp,
    RegionOp,
    ReturnOp,
    TrapOp,
)

SHORT_WAY = 64
"""Operations between a copy and its wait up to which the way between them is looked at."""

COLLECTIVES = (AllReduceOp, AllGatherOp, ReduceScatterOp, BroadcastOp)
"""Operations with a grid barrier before and after them."""

_CUTS = frozenset[type[Operation]]((BarrierOp, *COLLECTIVES))


@dataclass(frozen=True)
class Phases:
    """The phase of every operation of a program, as a number."""

    of: Mapping[Operation, int]


def grid_phases(program: ProgramOp) -> Phases:
    """Phases between grid barriers."""
    return _Numbering(grid_only=True).number(program)


def workgroup_phases(program: ProgramOp) -> Phases:
    """Phases between barriers of any kind, as one workgroup sees them."""
    return _Numbering(grid_only=False).number(program)


class _Numbering:
    def __init__(self, *, grid_only: bool):
        self.grid_only = grid_only
        self.parent: list[int] = [0]
        self.stretch: dict[Operation, int] = {}

    def number(self, program: ProgramOp) -> Phases:
        self._block(program.body.block, 0)
        return Phases({op: self._find(s) for op, s in self.stretch.items()})

    def _block(self, block: Block, current: int) -> int:
        """Number the block's operations from stretch `current`; returns the last."""
        for op in block.ops:
            if not op.regions and type(op) not in _CUTS:
                self.stretch[op] = current
                continue
            if type(op) in COLLECTIVES:
                current = self._new()
            self.stretch[op] = current
            current = self._after(op, current)
        return current

    def _after(self, op: Operation, current: int) -> int:
        match op:
            case BarrierOp():
                crosses = op.is_grid_sync or not self.grid_only
                return self._new() if crosses else current
            case scf.IfOp() | scf.IndexSwitchOp():
                ends = [self._region(region, current) for region in op.regions]
                return self._join(*ends)
            case scf.ForOp():
                return self._join(current, self._region(op.body, current))
            case scf.WhileOp():
                tested = self._region(op.before_region, current)
                self._join(current, self._region(op.after_region, tested))
                return tested
            case RegionOp():
                return self._region(op.body, current)
            case _:
                if isinstance(op, COLLECTIVES):
                    return self._new()
                # Of an operation we do not know, any region may run any number of times.
                for region in op.regions:
                    current = self._join(current, self._region(region, current))
                return current

    def _region(self, region: Region, current: int) -> int:
        """The stretch in which the region ends; blocks may follow each other anyhow."""
        ends = [self._block(block, current) for block in region.blocks]
        if len(ends) > 1:
            ends.append(current)
        return self._join(*ends) if ends else current

    def _new(self) -> int:
        self.parent.append(len(self.parent))
        return len(self.parent) - 1

    def _find(self, stretch: int) -> int:
        while self.parent[stretch] != stretch:
            self.parent[stretch] = self.parent[self.parent[stretch]]
            stretch = self.parent[stretch]
        return stretch

    def _join(self, *stretches: int) -> int:
        roots = [self._find(stretch) for stretch in stretches]
        first = min(roots)
        for root in roots:
            self.parent[root] = first
        return first


@dataclass(frozen=True)
class Writers:
    """Which operations write which buffers, by phase and at times nobody knows."""

    by_phase: Mapping[int, Mapping[Declaration, Operation]]
    anytime: Mapping[Declaration, Operation]

    def writer(self, phase: int, declaration: Declaration) -> Operation | None:
        """An operation that may write the buffer in the phase, if there is one."""
        found = self.by_phase.get(phase, {}).get(declaration)
        return found or self.anytime.get(declaration)


@dataclass(frozen=True)
class Write:
    """An operation and a buffer that it may write."""

    op: Operation
    buffer: Declaration


def writes_of(
    program: ProgramOp, sources: Mapping[SSAValue, tuple[Declaration, ...]]
) -> list[Write]:
    """
    All that a program may write, in the order of its text. An operation that Vyre does not
    know may write everything.
    """
    found: list[Write] = []
    for op in operations_in(program.body):
        if type(op) in PURE_OPS or type(op) is LoadOp:
            continue
        if is_known(op):
            found += [Write(op, buffer) for buffer in written_buffers(op, sources)]
        else:
            everything = {found: None for behind in sources.values() for found in behind}
            found += [Write(op, buffer) for buffer in everything]
    return found


def writers_by_phase(writes: Iterable[Write], phases: Phases) -> Writers:
    """
    Which buffers may be written in each phase, and by what. A copy is in flight until it
    is waited for; unless that is a short way off, it may happen in any phase.
    """
    by_phase: defaultdict[int, dict[Declaration, Operation]] = defaultdict(dict)
    anytime: dict[Declaration, Operation] = {}
    for write in writes:
        op = write.op
        is_copy = isinstance(op, AsyncLoadOp | AsyncStoreOp)
        lingers = is_copy and not _waited_at_once(op, phases)
        writers = anytime if lingers else by_phase[phases.of[op]]
        writers.setdefault(write.buffer, op)
    return Writers(by_phase, anytime)


def _waited_at_once(op: AsyncLoadOp | AsyncStoreOp, phases: Phases) -> bool:
    """Whether only a few plain operations of one phase come before the copy's wait."""
    following = op.next_op
    for _ in range(SHORT_WAY):
        if following is None or phases.of[following] != phases.of[op]:
            return False
        if isinstance(following, AsyncWaitOp) and op.token in following.tokens:
            return True
        if following.regions or isinstance(following, ReturnOp | TrapOp):
            return False
        following = following.next_op
    return False


def written_buffers(
    op: Operation, sources: Mapping[SSAValue, tuple[Declaration, ...]]
) -> Iterable[Declaration]:
    """The buffers that an operation may write itself, if Vyre knows it."""
    for effect in () if op.regions else effects_of(op) or ():
        if effect.kind is MemoryEffectKind.WRITE and isinstance(effect.value, SSAValue):
            yield from sources.get(effect.value, ())
