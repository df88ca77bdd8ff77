"""
Jobs: a program's code with memory for dispatches of one kind, filled in; and what goes
wrong in them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from weakref import ref

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override
from xdsl.dialects.builtin import StringAttr

from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp, ScheduleOp, TrapOp
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.locations import place_of
from vyre.lowering.llvm import layout as at
from vyre.lowering.llvm.context import NO_TRAP, TRAP_BITS
from vyre.lowering.llvm.job import (
    DEADLINE,
    ENTRY,
    MAY_BE_ALONE,
    STATUS_DONE,
    STATUS_TIMEOUT,
    STATUS_TRAPPED,
    WORKERS,
    aligned_words,
)
from vyre.lowering.llvm.layout import Layout, Trap
from vyre.runtime.backend import Buffer, Outcome, Prepared, SegmentReport, is_buffer
from vyre.runtime.cpu.machine import Linked
from vyre.runtime.cpu.pool import WorkerPool
from vyre.runtime.deadline import Deadline
from vyre.runtime.errors import DispatchFailed, Trapped
from vyre.runtime.geometry import Geometry, scratch_sizes
from vyre.runtime.schedule_host import segments_of
from vyre.runtime.times import Times
from vyre.runtime.unit import Unit

LINE = 128
"""Bytes that workers keep apart from each other."""

MOST_IDLE = 32
"""Jobs of one size that wait for the next dispatch."""

WORTH_SHARING = 1 << 16
"""Operations of a launch from which on it is faster with more than one worker."""


@dataclass(frozen=True, eq=False)
class Code:
    """Compiled code of a program, and the words of its jobs."""

    linked: Linked
    layout: Layout


@dataclass(frozen=True, eq=False)
class Sized:
    """What there is for dispatches of certain sizes."""

    code: Code
    idle: "list[Job]"
    """Those that wait for the next one."""


class Job(Prepared):
    """
    Words and memory for dispatches of a program with one geometry, one at a time, by
    `most` workers if there are as many workgroups; or by one where that is faster than to
    wake others, if it may be.

    Example: `job.fill(arguments, []); job.run(Deadline())`
    """

    def __init__(
        self,
        unit: Unit,
        sized: Sized,
        pool: WorkerPool,
        geometry: Geometry,
        most: int,
        *,
        may_be_alone: bool,
    ):
        code, layout = sized.code, sized.code.layout
        self.code = code
        self._unit = unit
        self._home = ref(sized)
        self.geometry = geometry
        self._pool = pool
        self._deadline = 0
        self._is_simple = False
        self.words = zero_bytes(8 * layout.words).view(np.uint64)
        self._cells = self.words.data
        self._bytes = self.words.view(np.uint8).data
        self._filled: list[int] = []
        launches = layout.launches if layout.is_schedule else []
        self._launches = [entry.word for entry in launches]
        self._keeps: list[object] = []
        self._copies: dict[str, NDArray[np.uint8]] = {}
        self.workers = min(most, geometry.group_count)
        pool.prepare(self.words)
        self.words[ENTRY] = code.linked.address
        self.words[WORKERS] = self.workers
        self.words[MAY_BE_ALONE] = may_be_alone
        self.words[at.GROUPS : at.GROUPS + 3] = geometry.groups
        self.words[at.PASSES] = 1
        self._make_memory()
        self._make_scratch()
        self.address = int(self.words.ctypes.data)

    def _make_memory(self) -> None:
        stride = -(-self.code.layout.memory_bytes // LINE) * LINE
        memory = zero_bytes(stride * self.workers)
        self._records = memory.view(np.uint64).reshape(self.workers, -1)
        self._records[:, at.TRAP] = NO_TRAP
        self._records[:, at.COUNTER] = at.EXHAUSTED
        self.words[at.MEMORY], self.words[at.STRIDE] = memory.ctypes.data, stride
        self._keeps.append(memory)

    def _make_scratch(self) -> None:
        for entry in self.code.layout.scratch:
            shape = scratch_sizes(ScratchScope(entry.scope), entry.shape, self.geometry)
            size = prod(shape) * entry.item_bytes
            memory = zero_bytes(size)
            self.words[entry.word] = memory.ctypes.data
            self.words[entry.word + 1] = size
            self._keeps.append(memory)

    def fill(
        self, arguments: Sequence[Buffer | np.generic], zeros: Sequence[str] = ()
    ) -> None:
        """
        Set the buffers and parameters of the table, in declaration order, and say which
        buffers shall be zeros at first.
        """
        buffers, params = iter(self.code.layout.buffers), iter(self.code.layout.params)
        sizes: dict[str, int] = {}
        self._filled = []
        values: list[int | np.generic] = []
        for value in arguments:
            entry = next(buffers if is_buffer(value) else params)
            self._filled.append(entry.word)
            if is_buffer(value):
                for number, size in enumerate(value.shape, 1):
                    self._cells[entry.word + number] = size
                sizes[entry.name] = value.size
                values.append(value.memory.ctypes.data)
            else:
                values.append(value)
        self.rebind(values)
        for entry in self.code.layout.written:
            size = sizes[entry.name]
            self.words[entry.word] = size
            self.words[entry.word + 1] = size if entry.name in zeros else 0

    @override
    def rebind(self, arguments: Sequence[int | np.generic]) -> None:
        for word, value in zip(self._filled, arguments, strict=True):
            if isinstance(value, int):
                self._cells[word] = value
            else:
                bits = value.tobytes()
                self._bytes[8 * word : 8 * word + len(bits)] = bits

    def repeat(self, passes: int, interval: int | None, *, timed: bool) -> None:
        """
        Say how often to run, when to compare with the pass before, and whether to measure
        each launch.
        """
        self.words[at.TIMED] = timed
        self._is_simple = passes == 1 and not self.code.layout.is_schedule
        self.words[at.PASSES] = passes
        self.words[at.INTERVAL] = interval or 0
        if interval is None or passes < 3:
            return
        for entry in self.code.layout.written:
            copy = self._copies.get(entry.name)
            size = int(self.words[entry.word])
            if copy is None or copy.size < size:
                copy = self._copies[entry.name] = zero_bytes(size)
            self.words[entry.word + 2] = copy.ctypes.data

    @override
    def run(self, deadline: Deadline) -> tuple[int, int]:
        end = deadline.end_ns
        if end != self._deadline:
            self.words[DEADLINE] = self._deadline = end
        for word in self._launches:
            self._cells[word] = self._cells[word + 1] = 0
        try:
            status = self._pool.dispatch(self.address)
        except BaseException:
            self._reset()
            raise
        if status != STATUS_DONE:
            raise self._failure(status, deadline)
        return self._counts()

    def _counts(self) -> tuple[int, int]:
        """How many passes and launches of programs the last run made."""
        if self._is_simple:
            return 1, 1
        passes = int(self._cells[at.DONE])
        if not self.code.layout.is_schedule:
            return passes, passes
        return passes, sum(self._cells[word] for word in self._launches)

    @override
    def outcome(self, wall: int) -> Outcome:
        layout = self.code.layout
        passes = int(self.words[at.DONE])
        times = Times(wall, 0, 0)
        if not layout.is_schedule:
            report = SegmentReport(layout.name, passes, wall, times)
            return Outcome(times, passes, (report,))
        return Outcome(times, passes, tuple(self._segments(wall)))

    @override
    def close(self) -> None:
        home = self._home()
        if home is not None and len(home.idle) < MOST_IDLE:
            home.idle.append(self)

    def _segments(self, wall: int) -> Iterator[SegmentReport]:
        """How often each program was launched, and its part of the time if it was timed."""
        counts: dict[str, int] = {}
        ticks: dict[str, int] = {}
        for entry in self.code.layout.launches:
            name, word = entry.segment, entry.word
            counts[name] = counts.get(name, 0) + int(self.words[word])
            ticks[name] = ticks.get(name, 0) + int(self.words[word + 1])
        total = sum(ticks.values())
        for name, count in counts.items():
            took = wall * ticks[name] // total if total else None
            if count:
                yield SegmentReport(name, count, took or 0, Times(took, 0, 0))

    def _failure(self, status: int, deadline: Deadline) -> VyreError:
        """What to raise for a status other than success. The job begins anew then."""
        latest = self._latest()
        if status == STATUS_TRAPPED:
            error = self._trapped()
        elif status == STATUS_TIMEOUT:
            error = deadline.error()
        else:
            error = DispatchFailed(
                "the dispatch was stopped because Python exits",
                "wait for it before the end",
            )
        self._reset()
        if latest is not None and isinstance(self._unit.op, ScheduleOp):
            error.segment = list(segments_of(self._unit.op).values())[latest]
        return error

    def _latest(self) -> int | None:
        """Which launch of the schedule was the last one that began, if one has."""
        word = int(self.words[at.LATEST]) // 8 - 1
        launches = self.code.layout.launches if self.code.layout.is_schedule else []
        return next((entry.number for entry in launches if entry.word == word), None)

    def _trapped(self) -> Trapped:
        """The smallest invocation that trapped, by which trap, and with what value."""
        worker = int(self._records[:, at.TRAP].argmin())
        record = int(self._records[worker, at.TRAP])
        value = int(self._records[worker, at.TRAP_VALUE])
        trap = self.code.layout.traps[record & ((1 << TRAP_BITS) - 1)]
        signed = value - 2**64 if value >= 2**63 else value
        op = _trap_op(self._unit.op, trap)
        shown = signed if trap.has_value else None
        return Trapped(op, trap.tag, record >> TRAP_BITS, shown)

    def _reset(self) -> None:
        """Begin anew after a run that did not come to its end."""
        self._records[:, at.TRAP] = NO_TRAP
        for word in (at.TRAPPED, at.DIFFERS):
            self.words[word] = 0


def _trap_op(program: ProgramOp | ScheduleOp, trap: Trap) -> TrapOp:
    """The operation that the code knows by what it says, its wave and its place."""
    module = program.get_toplevel_object()
    wave = None if trap.wave is None else StringAttr(trap.wave)
    traps = [
        op
        for op in module.walk()
        if isinstance(op, TrapOp) and op.tag.data == trap.tag and op.wave == wave
    ]
    return next((op for op in traps if str(place_of(op)) == trap.place), traps[0])


def zero_bytes(size: int) -> NDArray[np.uint8]:
    """
    So many zeros, at least, on cache lines of their own: all memory of jobs.

    Example: `zero_bytes(16).view(np.uint64)`
    """
    return aligned_words(max(1, -(-size // 8))).view(np.uint8)
