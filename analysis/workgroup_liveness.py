"""
Which workgroup memory has to survive from one run to another.

Workgroup memory survives a grid barrier, but not the end of a launch: every launch starts
with zeros. So a run must *save* a workgroup buffer that it wrote if a later run may read
what it wrote, and a run must *restore* it if it may read what an earlier run wrote.

A run needs what was there before if it reads the buffer before it has overwritten all of
it, or if it writes only a part and the buffer is saved after it. In a branch or loop that a
workgroup enters as a whole, what comes first in it comes first. Where no earlier run can
have written the buffer it holds zeros, as every launch's does, and nothing is restored.

What overwrites a whole buffer is said in `vyre.analysis.overwriting`. Whoever reads an
element before its owner has stored it would be in a race, unless it is the owner, who
stores first. So nobody can see what was there before.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import MemoryEffectKind

from vyre.analysis.buffer_sources import (
    Declaration,
    buffer_sources,
    is_workgroup_memory,
)
from vyre.analysis.overwriting import overwritten_buffer
from vyre.analysis.purity import PURE_OPS, effects_of, is_known
from vyre.analysis.spine import Run, Spine
from vyre.analysis.uniformity import Level, Uniformity, uniformity
from vyre.analysis.walking import operations_in, operations_of
from vyre.dialects.vyre import BufferOp, ProgramOp, RegionOp, ReturnOp

Buffers = dict[BufferOp, None]
Sources = Mapping[SSAValue, tuple[Declaration, ...]]


@dataclass
class Touches:
    """What a run does to workgroup buffers."""

    reads: Buffers = field(default_factory=Buffers)
    """May read what was there before the run."""
    writes: Buffers = field(default_factory=Buffers)
    overwrites: Buffers = field(default_factory=Buffers)
    """Leaves nothing of what was there before the run."""


@dataclass
class Survival:
    """The workgroup buffers that each run restores and saves."""

    restores: list[Buffers]
    saves: list[Buffers]


def read_at_start(program: ProgramOp) -> Buffers:
    """
    The workgroup buffers of a program of which it may read the zeros that are there at its
    start. Where invocations return, others may read what those would have overwritten.

    Example: `read_at_start(program)` is empty if every tile is filled before it is used.
    """
    buffers = _workgroup_buffers(program)
    if not buffers:
        return {}
    if any(isinstance(op, ReturnOp) for op in operations_in(program.body)):
        return dict.fromkeys(buffers)
    sources, facts = buffer_sources(program), uniformity(program)
    reader = _Reader(buffers, program.workgroup, sources, facts)
    reader.read(program.body.block.ops, set())
    return reader.touches.reads


def used_in_turn(program: ProgramOp, ops: Sequence[Operation]) -> Buffers:
    """
    The workgroup buffers of which none of these operations, which follow each other, reads
    what one before it has left. No invocation may return.

    Example: a tile that each operation but the first one fills with zeros before it is used
    """
    buffers = _workgroup_buffers(program)
    sources, facts = buffer_sources(program), uniformity(program)
    used: set[BufferOp] = set()
    shared: set[BufferOp] = set()
    for op in ops:
        reader = _Reader(buffers, program.workgroup, sources, facts)
        reader.read([op], set())
        shared |= used & reader.touches.reads.keys()
        used |= reader.touches.reads.keys() | reader.touches.writes.keys()
    return {buffer: None for buffer in buffers if buffer not in shared}


def surviving_workgroup_memory(
    spine: Spine, sources: Sources, facts: Uniformity
) -> Survival:
    """
    What runs restore at their start and save at their end.

    Example: `surviving_workgroup_memory(spine, sources, uniformity(program)).saves[0]`
    """
    buffers = lasting_workgroup_buffers(spine, sources)
    workgroup = spine.program.workgroup
    touches = [_touches(r, buffers, workgroup, sources, facts) for r in spine.runs]
    live_after = _live_after(spine, touches)
    written_before = _written_before(spine, touches)
    restores: list[Buffers] = []
    saves: list[Buffers] = []
    for touch, live, written in zip(touches, live_after, written_before):
        needs = [
            b
            for b in buffers
            if b in touch.reads
            or (b in touch.writes and b not in touch.overwrites and b in live)
        ]
        restores.append({b: None for b in needs if b in written})
        saves.append({b: None for b in buffers if b in touch.writes and b in live})
    return Survival(restores, saves)


def lasting_workgroup_buffers(spine: Spine, sources: Sources) -> list[BufferOp]:
    """
    The workgroup buffers that several runs may touch, or one that may run again. No other
    one survives: nobody has written it before its run, and nobody reads it after that.

    Example: `lasting_workgroup_buffers(spine, buffer_sources(spine.program))`
    """
    buffers = _workgroup_buffers(spine.program)
    if not buffers or not all(map(is_known, operations_in(spine.program.body))):
        return buffers
    runs: defaultdict[BufferOp, set[Run | None]] = defaultdict(set)
    for memref, declarations in sources.items():
        for declaration in filter(is_workgroup_memory, declarations):
            runs[declaration].update(spine.run_around(use.operation) for use in memref.uses)
    return [buffer for buffer in buffers if not _is_once(runs[buffer])]


def _is_once(runs: set[Run | None]) -> bool:
    """Whether there is at most one run, which is not in a loop of the spine."""
    return len(runs) < 2 and all(run is not None and run.loop is None for run in runs)


def _workgroup_buffers(program: ProgramOp) -> list[BufferOp]:
    entries = (entry for entry in program.table if isinstance(entry, BufferOp))
    return [entry for entry in entries if is_workgroup_memory(entry)]


def _live_after(spine: Spine, touches: list[Touches]) -> list[set[BufferOp]]:
    """For each run the buffers that a later run may read as it left them."""
    before: list[set[BufferOp]] = [set() for _ in spine.runs]
    after: list[set[BufferOp]] = [set() for _ in spine.runs]
    leading: list[list[int]] = [[] for _ in spine.runs]
    for run in spine.runs:
        for following in run.following:
            leading[following].append(run.index)
    pending = deque(reversed(range(len(spine.runs))))
    while pending:
        run = pending.popleft()
        after[run] = set().union(*(before[f] for f in spine.runs[run].following))
        live = (after[run] - touches[run].overwrites.keys()) | touches[run].reads.keys()
        if live != before[run]:
            before[run] = live
            pending.extend(leading[run])
    return after


def _written_before(spine: Spine, touches: list[Touches]) -> list[set[BufferOp]]:
    """For each run the buffers that an earlier run may have written."""
    before: list[set[BufferOp]] = [set() for _ in spine.runs]
    pending = deque(range(len(spine.runs)))
    while pending:
        run = pending.popleft()
        after = before[run] | touches[run].writes.keys()
        for following in spine.runs[run].following:
            if not after <= before[following]:
                before[following] |= after
                pending.append(following)
    return before


class _Reader:
    """Goes through a run and notes what it does to workgroup buffers."""

    def __init__(
        self,
        buffers: list[BufferOp],
        workgroup: tuple[int, ...],
        sources: Sources,
        facts: Uniformity,
    ):
        self._buffers = buffers
        self._workgroup = workgroup
        self._sources = sources
        self._facts = facts
        self.touches = Touches()

    def read(self, ops: Iterable[Operation], overwritten: set[BufferOp]) -> None:
        """
        Operations that a whole workgroup executes in order, or none of it; `overwritten`
        are the buffers of which nothing old is left, and grows.
        """
        for op in ops:
            if type(op) in PURE_OPS:
                continue
            match op:
                case RegionOp():
                    self.read(op.body.block.ops, overwritten)
                case scf.IfOp() if self._is_uniform(op):
                    ends = [set(overwritten) for _ in op.regions]
                    for region, end in zip(op.regions, ends):
                        self.read(_ops_of(region), end)
                    overwritten.update(ends[0] & ends[1])
                case scf.ForOp() | scf.WhileOp() if self._is_uniform(op):
                    # It may make no trip, so what it overwrites does not count after it.
                    within = set(overwritten)
                    for region in op.regions:
                        self.read(_ops_of(region), within)
                case _:
                    self._other(op, overwritten)

    def _is_uniform(self, op: Operation) -> bool:
        """Whether a whole workgroup goes the same way here."""
        blocks = [block for region in op.regions for block in region.blocks]
        levels = [self._facts.controls.get(block, Level.GRID) for block in blocks]
        return all(level <= Level.WORKGROUP for level in levels)

    def _other(self, op: Operation, overwritten: set[BufferOp]) -> None:
        whole = overwritten_buffer(op, self._workgroup)
        for inner in operations_of(op):
            for kind, buffer in _effects(inner, self._buffers, self._sources):
                if kind is MemoryEffectKind.WRITE:
                    self.touches.writes[buffer] = None
                elif buffer not in overwritten:
                    self.touches.reads[buffer] = None
                if kind is MemoryEffectKind.READ and buffer is whole:
                    whole = None
        if whole is not None:
            overwritten.add(whole)


def _ops_of(region: Region) -> Iterable[Operation]:
    return region.block.ops if region.blocks else ()


def _touches(
    run: Run,
    buffers: list[BufferOp],
    workgroup: tuple[int, ...],
    sources: Sources,
    facts: Uniformity,
) -> Touches:
    reader = _Reader(buffers, workgroup, sources, facts)
    overwritten: set[BufferOp] = set()
    if buffers:
        reader.read(run.ops, overwritten)
    touches = reader.touches
    # What was read first and overwritten later is gone all the same.
    touches.overwrites = {b: None for b in buffers if b in overwritten}
    return touches


def _effects(
    op: Operation,
    buffers: list[BufferOp],
    sources: Sources,
) -> Iterator[tuple[MemoryEffectKind, BufferOp]]:
    if not is_known(op):
        for buffer in buffers:
            yield MemoryEffectKind.READ, buffer
            yield MemoryEffectKind.WRITE, buffer
        return
    for effect in () if op.regions else effects_of(op) or ():
        if isinstance(effect.value, SSAValue):
            for declaration in sources.get(effect.value, ()):
                if is_workgroup_memory(declaration):
                    yield effect.kind, declaration
