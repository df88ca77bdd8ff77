"""
Passes over a program on a device: one, or several until nothing changes.

A pass is the whole sequence of launches. All buffers keep their contents from one pass to
the next; scratch starts as zeros in every pass. For a fixpoint a pass is compared with the
pass immediately before it, exactly, in all buffers that the program may write.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from typing_extensions import override
from xdsl.ir import SSAValue

from vyre.diagnostics import Segment, VyreError
from vyre.dialects import vyre
from vyre.runtime import telemetry
from vyre.runtime.backend import Buffer, Launch, Prepared, SegmentReport, Whole
from vyre.runtime.config import DispatchConfig
from vyre.runtime.deadline import Deadline
from vyre.runtime.device import Device
from vyre.runtime.errors import blaming_engine
from vyre.runtime.fixpoints import passes_until_stable
from vyre.runtime.geometry import Geometry
from vyre.runtime.route import Route, split_after
from vyre.runtime.scalars import dtype_of, loaded
from vyre.runtime.schedule_host import ScheduleHost, scratch_shape
from vyre.runtime.times import NO_TIME


@dataclass(frozen=True)
class Report:
    """
    What a dispatch did. Times are nanoseconds; `wall` counts everything, with transfers,
    the others are sums over all launches, and None if the engine cannot tell.
    """

    passes: int
    launches: int
    wall: int
    device: int | None
    enqueue: int | None
    wait: int | None
    segments: tuple[SegmentReport, ...]
    started: int
    """On the clock of `time.perf_counter_ns`."""


@dataclass
class Work:
    """
    What to run on which buffers.

    Example: `Work(device, route, buffers, scalars, geometry, config, deadline).run()`
    """

    device: Device
    route: Route
    buffers: Mapping[str, Buffer]
    scalars: Mapping[str, np.generic]
    geometry: Geometry
    config: DispatchConfig
    deadline: Deadline
    timed: bool = False
    written: Sequence[str] = ()
    """Buffers that a pass may change."""
    kept: dict[object, Buffer] = field(default_factory=dict[object, Buffer])
    """Scratch and copies from earlier runs on the same device, to be used again."""
    may_be_kept: bool = False
    """Whether somebody may want to make the dispatch again."""
    prepared: Prepared | None = None
    """What may be kept, if the engine makes all passes by itself."""
    passes: int = 0
    launches: int = 0
    segments: dict[str, SegmentReport] = field(default_factory=dict[str, SegmentReport])

    def run(self) -> None:
        """Make the passes, and wait for their end."""
        self.enqueue()
        self.device.finish(None)
        self.deadline.check()
        self.count()

    def count(self) -> None:
        """Count passes and launches, which have ended well."""
        telemetry.add(passes=self.passes, launches=self.launches)

    def enqueue(self) -> None:
        """Make the passes; the last launches may not have ended yet."""
        is_whole = self.device.backend.capabilities.whole
        self.passes = self._all_passes() if is_whole else self._passes_one_by_one()

    def _all_passes(self) -> int:
        """Let the engine make all passes."""
        prepared, outcome = self.device.run(self.whole(), self.deadline)
        if self.may_be_kept:
            self.prepared = prepared
        else:
            prepared.close()
        for segment in outcome.segments:
            self.segments[segment.name] = segment
            self.launches += segment.launches
        return outcome.passes

    def whole(self) -> Whole:
        """All passes, for an engine that makes them by itself."""
        unit = self.route.unit
        return Whole(
            unit,
            self.route.variant.whole_kernel(unit),
            [self._entry(name) for name in self.route.table],
            self.geometry,
            self.config.passes,
            self.config.check_interval,
            self.timed,
            self._split_whole if self._may_split else None,
        )

    @property
    def _may_split(self) -> bool:
        is_native = self.route.unit.outline.has_grid_barrier
        return is_native and self.config.mode != "native"

    def _split_whole(self, refusal: VyreError) -> Whole:
        """The same as a schedule, after the device has refused to launch it at once."""
        self.route = split_after(self.route, self.geometry, refusal)
        telemetry.add(**self.route.counts)
        return self.whole()

    def _passes_one_by_one(self) -> int:
        most, interval = self.config.passes, self.config.check_interval
        return passes_until_stable(
            most, interval, self._pass, self._is_same_as_before, self._remember
        )

    def report(self, started: int) -> Report:
        """What was done since `started`, which is over now."""
        times = sum((each.times for each in self.segments.values()), NO_TIME)
        return Report(
            self.passes,
            self.launches,
            time.perf_counter_ns() - started,
            times.device,
            times.enqueue,
            times.wait,
            tuple(self.segments.values()),
            started,
        )

    def _pass(self) -> None:
        unit = self.route.unit.op
        if isinstance(unit, vyre.ProgramOp):
            self.launch(unit, [self._entry(name) for name in self.route.table], None)
            return
        entries: dict[SSAValue, Any] = {}
        for entry in unit.table:
            entries[entry.results[0]] = self._entry(entry.entry_name.data)
        _Host(self, unit).run(entries)

    def _entry(self, name: str) -> Buffer | np.generic:
        return self.buffers[name] if name in self.buffers else self.scalars[name]

    def launch(
        self, program: vyre.ProgramOp, values: Sequence[Any], segment: Segment | None
    ) -> None:
        """Run a program or segment."""
        launch = Launch(
            program,
            self.route.variant.kernel(program, segment),
            values,
            self.geometry,
            self.deadline,
            self.launches,
            self.timed,
            self.config.order,
            self.config.seed,
        )
        wall, times = self.device.launch(launch, segment)
        self.launches += 1
        name = program.sym_name.data
        before = self.segments.get(name, SegmentReport(name))
        self.segments[name] = replace(
            before,
            launches=before.launches + 1,
            wall=before.wall + wall,
            times=before.times + times,
        )

    def scratch(self, key: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Buffer:
        """Memory that outlives a pass; of any contents."""
        found = self.kept.get(key)
        if found is None or found.shape != shape:
            if found is not None:
                del self.kept[key]
                self.device.free(found)
            found = self.kept[key] = self.device.buffer("scratch", shape, dtype)
        return found

    def _is_same_as_before(self) -> bool:
        with self.device.span("host", "compare with the pass before"):
            return all(
                self.device.equal(self.buffers[name], self._copy(name))
                for name in self.written
            )

    def _remember(self) -> None:
        with self.device.span("host", "remember for comparison"):
            for name in self.written:
                self.device.copy(self.buffers[name], self._copy(name))

    def _copy(self, name: str) -> Buffer:
        buffer = self.buffers[name]
        return self.scratch(name, buffer.shape, buffer.dtype)


class _Host(ScheduleHost):
    """Launches the segments of a schedule on the device."""

    def __init__(self, work: Work, schedule: vyre.ScheduleOp):
        super().__init__(schedule, work.geometry)
        self._work = work
        self._segments = work.route.variant.segments(schedule)
        self._latest: Segment | None = None

    @override
    def tick(self) -> None:
        with blaming_engine(self._work.device.backend.name, "go on", self._latest):
            self._work.deadline.check()

    @override
    def launch(self, op: vyre.LaunchOp, segment: vyre.ProgramOp, values: list[Any]) -> None:
        self._latest = self._segments[op]
        self._work.launch(segment, values, self._latest)

    @override
    def scratch(self, op: vyre.ScratchOp) -> Buffer:
        shape = scratch_shape(op, self.geometry)
        buffer = self._work.scratch(op, shape, dtype_of(op.memref.type.element_type))
        self._work.device.clear(buffer)
        return buffer

    @override
    def shape(self, buffer: Buffer) -> tuple[int, ...]:
        return buffer.shape

    @override
    def element(self, buffer: Buffer, position: tuple[int, ...]) -> Any:
        value = np.zeros(1, buffer.dtype)
        if all(index < size for index, size in zip(position, buffer.shape, strict=True)):
            place = int(np.ravel_multi_index(position, buffer.shape)) if position else 0
            name = f"read back {buffer.name}"
            with self._work.device.span("host", name):
                self._work.device.download(buffer, value, place * buffer.dtype.itemsize)
        telemetry.add(read_backs=1)
        return loaded(value)[0]
