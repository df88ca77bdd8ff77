"""
Streams of work, and the thread that does it, as a device does behind the host's back.

Work on a stream is done in order. Between streams there is no order but that of events:
kernels that are next on several streams run together, in turns. If work is deferred, none
is begun before somebody waits for it, so that a missing synchronisation shows.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from vyre.diagnostics import VyreError
from vyre.runtime.errors import DispatchFailed
from vyre.testing.host_cuda_runner import KernelRun


class Event:
    """A moment on a stream: when `time` is known, it has happened."""

    def __init__(self) -> None:
        self.time: int | None = None
        self.error: VyreError | None = None
        self.stream: Stream | None = None


@dataclass(frozen=True, eq=False)
class Wait:
    """Holds its stream up until an event."""

    event: Event


Operation = KernelRun | Wait | Event | Callable[[], None]


@dataclass(eq=False)
class Stream:
    """Work in order. `recorded` is what is captured instead of being done."""

    waiting: deque[Operation] = field(default_factory=deque[Operation])
    is_wanted: bool = False
    """Whether somebody waits for it."""
    error: VyreError | None = None
    recorded: list[Operation] | None = None
    number: int = field(default_factory=count(3).__next__)
    """What others call it."""


class WorkQueue:
    """
    The streams of a device. `run` runs kernels together.

    Example: `queue.put(stream, operation)`, then `queue.drain(stream)`
    """

    def __init__(self, run: Callable[[Sequence[KernelRun]], None], *, is_deferred: bool):
        self._run = run
        self._is_deferred = is_deferred
        self._changed = threading.Condition()
        self._streams: list[Stream] = []
        self._worker: threading.Thread | None = None
        self._is_closed = False

    def new_stream(self) -> Stream:
        """A stream without work."""
        made = Stream()
        with self._changed:
            self._streams.append(made)
        return made

    def streams(self) -> list[Stream]:
        """All streams that were made."""
        with self._changed:
            return list(self._streams)

    def put(self, stream: Stream, operation: Operation) -> None:
        """Enqueue, or record if the stream is captured."""
        with self._changed:
            if stream.recorded is not None:
                stream.recorded.append(operation)
                return
            stream.waiting.append(operation)
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, daemon=True)
                self._worker.start()
            self._changed.notify_all()

    def record(self, stream: Stream) -> Event:
        """The moment when all that was enqueued before is done."""
        event = Event()
        event.stream = stream
        self.put(stream, event)
        return event

    def drain(self, stream: Stream) -> None:
        """Wait for a stream, and raise what went wrong in it."""
        event = self.record(stream)
        with self._changed:
            self._want(stream)
            while event.time is None and not self._is_closed:
                self._changed.wait()
        self._raise(stream)

    def is_done(self, event: Event) -> bool:
        """Whether an event has happened."""
        stream = event.stream
        assert stream is not None
        with self._changed:
            if event.time is None:
                self._want(stream)
                return False
        self._raise(stream)
        return True

    def close(self) -> None:
        """Begin nothing any more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _want(self, stream: Stream) -> None:
        stream.is_wanted = True
        self._changed.notify_all()

    def _raise(self, stream: Stream) -> None:
        error, stream.error = stream.error, None
        if error is not None:
            raise error

    def _work(self) -> None:
        while self._step():
            pass

    def _step(self) -> bool:
        """
        Do what comes next, when there is something; False if nothing comes any more. What
        was done is forgotten at once: it may be all that keeps the device alive.
        """
        with self._changed:
            chosen = self._choice()
            while not chosen and not self._is_closed:
                self._changed.wait()
                chosen = self._choice()
            if self._is_closed:
                return False
            operations = [stream.waiting[0] for stream in chosen]
        self._do(chosen, operations)
        return True

    def _choice(self) -> list[Stream]:
        """Streams whose next operations can be done now: kernels together, others alone."""
        while any([self._wants_more(stream) for stream in self._streams]):
            pass
        ready = [stream for stream in self._streams if self._is_ready(stream)]
        kernels = [stream for stream in ready if isinstance(stream.waiting[0], KernelRun)]
        others = [stream for stream in ready if stream not in kernels]
        return others[:1] or kernels

    def _is_ready(self, stream: Stream) -> bool:
        if not stream.waiting:
            stream.is_wanted = False
            return False
        if self._is_deferred and not stream.is_wanted:
            return False
        first = stream.waiting[0]
        return not isinstance(first, Wait) or first.event.time is not None

    def _wants_more(self, stream: Stream) -> bool:
        """Whether somebody waits for a stream that waits for one nobody waited for yet."""
        first = stream.waiting[0] if stream.waiting else None
        if not isinstance(first, Wait) or first.event.time is not None:
            return False
        other = first.event.stream
        assert other is not None
        is_new = stream.is_wanted and not other.is_wanted
        other.is_wanted |= is_new
        return is_new

    def _do(self, streams: Sequence[Stream], operations: Sequence[Operation]) -> None:
        error: VyreError | None = None
        try:
            self._perform(operations)
        except VyreError as found:
            error = found
        except Exception as found:
            error = DispatchFailed(
                f"{type(found).__name__}: {found}", "this is a fault of the harness"
            )
        with self._changed:
            for stream, operation in zip(streams, operations):
                stream.waiting.popleft()
                stream.error = stream.error or error
                if isinstance(operation, Event):
                    operation.time = time.perf_counter_ns()
            self._changed.notify_all()

    def _perform(self, operations: Sequence[Operation]) -> None:
        kernels = [each for each in operations if isinstance(each, KernelRun)]
        if kernels:
            self._run(kernels)
        for operation in operations:
            if not isinstance(operation, KernelRun | Wait | Event):
                operation()
