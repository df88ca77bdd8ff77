"""
One dispatch on a device: all its passes.

Work is enqueued in sections, and the host waits only where it has to know something: what a
schedule reads back, whether a pass has changed anything, whether a launch has trapped.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from vyre.diagnostics import Segment, VyreError
from vyre.dialects.vyre import BufferOp, ProgramOp
from vyre.runtime.backend import Buffer, Bytes, SegmentReport, Whole, is_buffer
from vyre.runtime.cuda.arrays import wait_for_owner
from vyre.runtime.cuda.comparing import FLAG_BYTES
from vyre.runtime.cuda.engine import CudaEngine
from vyre.runtime.cuda.fixpoints import Snapshots
from vyre.runtime.cuda.launching import add_launch
from vyre.runtime.cuda.progress import Progress
from vyre.runtime.cuda.schedule import CudaHost
from vyre.runtime.cuda.sections import Section, SectionBuilder
from vyre.runtime.cuda.stopwatch import Stopwatch
from vyre.runtime.cuda.tape import Step, Tape
from vyre.runtime.cuda.traps import NEW_RECORDS, RECORD_BYTES, RECORD_WORDS, first_trap
from vyre.runtime.cuda.unit import CudaUnit
from vyre.runtime.cuda.waiting import wait_for
from vyre.runtime.cuda.watchdog import WatchedLaunch, stuck
from vyre.runtime.cuda.workspace import GRID_BYTES, Workspace
from vyre.runtime.deadline import Deadline
from vyre.runtime.errors import DoesNotFit, Timeout
from vyre.runtime.fixpoints import passes_until_stable
from vyre.runtime.geometry import Geometry
from vyre.runtime.times import Times

MOST_REMEMBERED = 4096
"""Steps of a pass that is kept for the next time."""

_ONE = Geometry((1, 1, 1), (1, 1, 1))


class Dispatch:
    """
    Runs a program or schedule on its buffers.

    Example: `Dispatch(engine, unit, whole, unit.workspace(), Deadline(2.5)).enqueue()`
    """

    def __init__(
        self,
        engine: CudaEngine,
        unit: CudaUnit,
        whole: Whole,
        space: Workspace,
        deadline: Deadline,
    ):
        self.engine = engine
        self.unit = unit
        self.whole = whole
        self.space = space
        self.deadline = deadline
        self.launches: Counter[str] = Counter()
        """How often each program was launched."""
        self._builder = SectionBuilder()
        self._sections: list[Section] = []
        self._watch = Stopwatch(engine.device, engine.stream)
        self._progress = Progress(engine.device, engine.stream)
        self._snapshots = Snapshots(engine, space, _written(whole))

    def enqueue(self, before: Sequence[Step] = ()) -> int:
        """Make all passes, after some other work; the last may not have ended yet."""
        for value in self.whole.arguments:
            if is_buffer(value) and value.memory.owner is not None:
                wait_for_owner(self.engine, value.memory.owner)
        self._play_tape(tuple(before))
        return self._all_passes()

    def reports(self) -> tuple[SegmentReport, ...]:
        """What the launches of each program took, when all have ended."""
        if self.whole.timed:
            return self._watch.segments(self.launches)
        nothing = Times()
        counts = self.launches.items()
        return tuple(SegmentReport(name, count, 0, nothing) for name, count in counts)

    def blame(self, error: BaseException) -> None:
        """Say where it was if it took too long."""
        if isinstance(error, Timeout) and error.segment is None:
            error.segment = self._progress.segment()

    def stop(self) -> None:
        """Tell everything that still runs to end, and wait for that."""
        device = self.engine.device
        self.space.stop.set(1)
        with suppress(VyreError):  # What went wrong first is what counts.
            device.synchronize(self.engine.stream)

    # ---- Passes

    def _all_passes(self) -> int:
        most, interval = self.whole.passes, self.whole.check_interval
        return passes_until_stable(
            most, interval, self._make_pass, self._is_same_as_before, self._remember
        )

    def _is_same_as_before(self) -> bool:
        self._play_tape(self._snapshots.compare())
        return not self.read(self._snapshots.flag, FLAG_BYTES).any()

    def _remember(self) -> None:
        self._play_tape(self._snapshots.take())

    def _make_pass(self) -> None:
        """Make a pass; split the program if the device refuses to launch it at once."""
        try:
            self._try_pass()
        except DoesNotFit as error:
            if self.whole.split is None:
                raise
            self.whole = self.whole.split(error)
            self.unit = self.whole.kernel
            self._builder = SectionBuilder()
            self.space.passes.clear()
            self._try_pass()

    def _try_pass(self) -> None:
        key = None if self.unit.decides else self._key()
        known = None if key is None else self.space.passes.get(key)
        if known is not None:
            for section in known:
                self._play(section)
            return
        self._sections = []
        self._enqueue_pass()
        self.flush()
        steps = sum(len(section.tape) for section in self._sections)
        if key is not None and steps <= MOST_REMEMBERED:
            self.space.remember(key, tuple(self._sections))

    def _key(self) -> Hashable:
        """All that a pass depends on, if the host decides nothing."""
        arguments = (
            (value.memory.address, value.shape) if is_buffer(value) else value.tobytes()
            for value in self.whole.arguments
        )
        return self.whole.geometry, tuple(arguments)

    def _enqueue_pass(self) -> None:
        whole, unit = self.whole, self.whole.unit.op
        if isinstance(unit, ProgramOp):
            self.launch(unit, whole.arguments)
            return
        names = [entry.results[0] for entry in unit.table]
        host = CudaHost(self, unit)
        host.run(dict(zip(names, whole.arguments, strict=True)))

    # ---- Work

    def launch(
        self,
        program: ProgramOp,
        values: Sequence[Buffer | np.generic],
        *,
        guard: int | None = None,
        segment: Segment | None = None,
    ) -> None:
        """
        Enqueue a program. One with a guard does nothing if the byte there is zero; nobody
        knows yet, so it is not counted.
        """
        name = program.sym_name.data
        self._launch(program, values, self.whole.geometry, name, guard, segment)
        if guard is None:
            self._builder.launches[name] += 1

    def decide(self, condition: ProgramOp, values: Sequence[Buffer | np.generic]) -> None:
        """Enqueue a program of one invocation that is no part of the schedule."""
        self._launch(condition, values, _ONE, None, None)

    def _launch(
        self,
        program: ProgramOp,
        values: Sequence[Buffer | np.generic],
        geometry: Geometry,
        name: str | None,
        guard: int | None,
        segment: Segment | None = None,
    ) -> None:
        loaded = self.unit.kernel(program, geometry, is_guarded=guard is not None)
        if self._builder.is_full:
            self.flush()
        add_launch(
            self._builder, self.space, loaded, name, values, geometry, guard or 0, segment
        )

    def add(self, step: Step) -> None:
        """Enqueue something else."""
        self._builder.steps.append(step)

    def flush(self) -> None:
        """Hand over what is enqueued."""
        section = self._builder.section()
        self._builder = SectionBuilder()
        self._sections.append(section)
        self._play(section)

    def _play(self, section: Section) -> None:
        self.deadline.check()
        self._play_tape(section.tape)
        self.launches += section.launches
        if section.trapping:
            self._check_traps(section)
        if section.watched is not None:
            self._check_watchdog(section.watched)

    def _play_tape(self, tape: Tape) -> None:
        enqueued = len(tape)
        if self.whole.timed:
            enqueued += self._watch.enqueue(tape)
        else:
            may_time_out = self.deadline.end_ns and self.unit.segments
            progress = self._progress if may_time_out else None
            self.engine.player.play(tape, self.engine.stream, progress)
        self.engine.pace.went(enqueued, self.deadline)

    def _check_traps(self, section: Section) -> None:
        address = self.space.filled("records", NEW_RECORDS)
        records = self.read(address, RECORD_BYTES * len(section.trapping))
        words: Any = records.view(np.uint64).reshape(-1, RECORD_WORDS)
        trapped = first_trap(words, section.trapping)
        if trapped is not None:
            raise trapped

    def _check_watchdog(self, launch: WatchedLaunch) -> None:
        words: Any = self.read(launch.words, GRID_BYTES).view(np.uint32)
        found = stuck(words, launch)
        if found is not None:
            raise found

    def read(self, address: int, size: int) -> Bytes:
        """Bytes of the device, when all that was handed over has ended."""
        self.wait()
        data = np.zeros(size, np.uint8)
        self.engine.device.download(address, data, self.engine.stream)
        return data

    def wait(self) -> None:
        """Wait for all that was handed over."""
        device = self.engine.device
        with self._watch.waiting():
            wait_for(device, device.record(self.engine.stream), self.deadline)


def _written(whole: Whole) -> list[Buffer]:
    """The buffers that a pass may change."""
    unit = whole.unit.op
    table = unit.launch_table if isinstance(unit, ProgramOp) else unit.table
    return [
        value
        for entry, value in zip(table, whole.arguments, strict=True)
        if is_buffer(value) and isinstance(entry, BufferOp) and entry.access.data.writable
    ]
