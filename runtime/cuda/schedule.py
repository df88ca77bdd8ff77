"""
The host's side of a schedule on a device: launches are enqueued, and loops that depend on
what they compute run ahead.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import override
from xdsl.dialects import scf
from xdsl.ir import Block

from vyre.dialects import vyre
from vyre.interpreter.control import Run
from vyre.interpreter.frames import Frame, Value
from vyre.runtime import telemetry
from vyre.runtime.backend import Buffer
from vyre.runtime.cuda.loops_ahead import LoopAhead
from vyre.runtime.cuda.memory import CudaMemory
from vyre.runtime.cuda.tape import ClearStep
from vyre.runtime.cuda.workspace import scratch_buffer
from vyre.runtime.scalars import dtype_of, loaded
from vyre.runtime.schedule_host import ScheduleHost, scratch_shape

if TYPE_CHECKING:
    from vyre.runtime.cuda.dispatch import Dispatch

TRIPS_AHEAD = 32
"""Trips of a loop between two looks, if the caller leaves it to the engine."""

MOST_TRIPS_AHEAD = 1024
"""The same if the caller says more: trips that do not take place take time too."""


@dataclass(frozen=True)
class _Trip:
    """A trip that may not take place: what it starts with, and which byte decides."""

    values: list[Value]
    guard: int
    launches: Counter[str] = field(default_factory=Counter[str])


class CudaHost(ScheduleHost):
    """
    Executes a schedule once, by a dispatch.

    Example: `CudaHost(dispatch, schedule).run(entries)`
    """

    def __init__(self, dispatch: "Dispatch", schedule: vyre.ScheduleOp):
        super().__init__(schedule, dispatch.whole.geometry)
        self._dispatch = dispatch
        interval = dispatch.whole.check_interval
        self._trips_ahead = min(interval or TRIPS_AHEAD, MOST_TRIPS_AHEAD)
        self._trip: _Trip | None = None
        """A trip that may not take place, while it is enqueued."""
        self._looks_back = False
        """Whether a trip is only looked at, because it was made already."""

    @override
    def tick(self) -> None:
        self._dispatch.deadline.check()

    @override
    def launch(self, op: vyre.LaunchOp, segment: vyre.ProgramOp, values: list[Any]) -> None:
        if self._looks_back:
            return
        guard = None
        if self._trip is not None:
            self._trip.launches[segment.sym_name.data] += 1
            guard = self._trip.guard
        place = self._dispatch.unit.segments[op]
        self._dispatch.launch(segment, values, guard=guard, segment=place)

    @override
    def scratch(self, op: vyre.ScratchOp) -> Buffer:
        shape = scratch_shape(op, self.geometry)
        dtype = dtype_of(op.memref.type.element_type)
        buffer = scratch_buffer(self._dispatch.space, op, shape, dtype)
        if buffer.size:
            self._dispatch.add(ClearStep(buffer.memory.address, buffer.size))
        return buffer

    @override
    def shape(self, buffer: Buffer) -> tuple[int, ...]:
        return buffer.shape

    @override
    def element(self, buffer: Buffer, position: tuple[int, ...]) -> Any:
        nothing = np.zeros(1, buffer.dtype)[0]
        if self._trip is not None:
            return nothing  # Whatever it is, only the device needs it now.
        telemetry.add(read_backs=1)
        if not all(at < size for at, size in zip(position, buffer.shape, strict=True)):
            return nothing
        place = int(np.ravel_multi_index(position, buffer.shape)) if position else 0
        item = buffer.dtype.itemsize
        self._dispatch.flush()
        data = self._dispatch.read(buffer.memory.address + place * item, item)
        telemetry.add(downloaded_bytes=item)
        return loaded(data.view(buffer.dtype))[0]

    @override
    def _while(self, op: scf.WhileOp, frame: Frame) -> Run:
        ahead = None
        if self._trips_ahead > 1 and self._trip is None:
            ahead = self._dispatch.unit.loop_ahead(op)
        if ahead is None:
            return (yield from super()._while(op, frame))
        values = [frame[value] for value in op.arguments]
        go_on, *values = yield from self._entered(op.before_region.block, frame, values)
        while go_on:
            go_on, *values = yield from self._trips(op, ahead, frame, values)
        return values

    def _trips(
        self, op: scf.WhileOp, ahead: LoopAhead, frame: Frame, values: list[Value]
    ) -> Run:
        """
        Run ahead. Gives whether the loop goes on, and the values that it goes on or ends
        with.
        """
        self.tick()
        guards = self._guards()
        trips: list[_Trip] = []
        for number in range(self._trips_ahead):
            self._trip = _Trip(values, guards.memory.address + number)
            trips.append(self._trip)
            _, *values = yield from self._one_trip(op, frame, values)
            self._trip = None
            self._decide(ahead, frame, guards, number + 1)
        made = self._made_trips(guards)
        for trip in trips[:made]:
            self._dispatch.launches += trip.launches
        if made > len(trips):
            return [True, *values]
        self._looks_back = True
        ended = yield from self._one_trip(op, frame, trips[made - 1].values)
        self._looks_back = False
        return ended

    def _guards(self) -> Buffer:
        """A byte for each trip, of which the first does take place, and for the next."""
        count = self._trips_ahead + 1
        content = b"\1" + bytes(count - 1)
        address = self._dispatch.space.filled(("guards", count), content)
        return Buffer("guards", CudaMemory(address), (count,), np.dtype(np.bool_))

    def _one_trip(self, op: scf.WhileOp, frame: Frame, values: list[Value]) -> Run:
        """A trip up to the condition of the next."""
        values = yield from self._entered(op.after_region.block, frame, values)
        return (yield from self._entered(op.before_region.block, frame, values))

    def _entered(self, block: Block, frame: Frame, values: list[Value]) -> Run:
        """Execute a block with values for its arguments."""
        for argument, value in zip(block.args, values, strict=True):
            frame[argument] = value
        return (yield from self.block(block, frame))

    def _decide(self, ahead: LoopAhead, frame: Frame, guards: Buffer, at: int) -> None:
        """Let the device compute whether a trip takes place."""
        read = [frame[value] for value in ahead.read]
        values = [frame[value] for value in ahead.values]
        self._dispatch.decide(ahead.condition, [*read, guards, np.int64(at), *values])

    def _made_trips(self, guards: Buffer) -> int:
        """How many trips took place; more than were enqueued if the loop goes on."""
        self._dispatch.flush()
        telemetry.add(read_backs=1)
        took_place = self._dispatch.read(guards.memory.address, guards.size)
        return len(took_place) if took_place.all() else int(took_place.argmin())
