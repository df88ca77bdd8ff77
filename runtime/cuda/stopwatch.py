"""How long launches took: on the device by events, on the host by its clock."""

import time
from collections import Counter, defaultdict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from vyre.runtime.backend import Outcome, SegmentReport
from vyre.runtime.cuda.device import CudaDevice, Handle
from vyre.runtime.cuda.tape import LaunchStep, Tape
from vyre.runtime.times import NO_TIME, Times, total


@dataclass
class _Taken:
    """By the launches of one program, in nanoseconds."""

    enqueue: int = 0
    events: list[tuple[Handle, Handle]] = field(default_factory=list[tuple[Handle, Handle]])


class Stopwatch:
    """
    Times of a dispatch that somebody wants to know.

    Example: `watch.enqueue(tape)`, then `with watch.waiting(): device.synchronize(stream)`
    """

    def __init__(self, device: CudaDevice, stream: Handle):
        self._device = device
        self._stream = stream
        self._taken: defaultdict[str, _Taken] = defaultdict(_Taken)
        self._waited = 0

    def enqueue(self, tape: Tape) -> int:
        """
        Enqueue the steps one by one, with events around launches of programs; gives how
        many events.
        """
        events = 0
        for step in tape:
            if isinstance(step, LaunchStep) and step.name is not None:
                self._enqueue_timed(step, step.name)
                events += 2
            else:
                step.enqueue(self._device, self._stream)
        return events

    def _enqueue_timed(self, step: LaunchStep, name: str) -> None:
        before = self._device.record(self._stream)
        start = time.perf_counter_ns()
        step.enqueue(self._device, self._stream)
        self._taken[name].enqueue += time.perf_counter_ns() - start
        self._taken[name].events.append((before, self._device.record(self._stream)))

    @contextmanager
    def waiting(self) -> Generator[None]:
        """The time that the host waits for the device."""
        start = time.perf_counter_ns()
        yield
        self._waited += time.perf_counter_ns() - start

    def segments(self, launches: Counter[str]) -> tuple[SegmentReport, ...]:
        """
        What the launches of each program took, when all have ended. The time that the host
        waited is counted with the last one.
        """
        found: list[SegmentReport] = []
        for name, count in launches.items():
            taken = self._taken[name]
            device = sum(self._device.nanoseconds(*pair) for pair in taken.events)
            wait = self._waited if len(found) == len(launches) - 1 else 0
            times = Times(device, taken.enqueue, wait)
            found.append(SegmentReport(name, count, taken.enqueue, times))
        return tuple(found)


def outcome(passes: int, segments: tuple[SegmentReport, ...]) -> Outcome:
    """What a dispatch did."""
    times = total(segment.times for segment in segments) if segments else NO_TIME
    return Outcome(times, passes, segments)
