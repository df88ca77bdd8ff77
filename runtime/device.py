"""
A backend as dispatches use it: errors are typed, transfers counted and traced, and all
memory is freed, whatever happens.
"""

import time
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vyre.diagnostics import Segment, VyreError
from vyre.runtime import telemetry
from vyre.runtime.arguments import zeros
from vyre.runtime.backend import (
    Backend,
    Buffer,
    Launch,
    Memory,
    Outcome,
    Prepared,
    Whole,
)
from vyre.runtime.deadline import Deadline
from vyre.runtime.device_array import AnyArray, DeviceArray
from vyre.runtime.errors import DoesNotFit, blaming_engine
from vyre.runtime.shared_memory import SharedMemory
from vyre.runtime.times import Times
from vyre.runtime.trace import Trace, Track


class Device:
    """
    Memory of one dispatch, or of many, on a backend.

    Example: `with Device(backend) as device: buffer = device.buffer("a", (4,), dtype)`
    """

    def __init__(self, backend: Backend, trace: Trace | None = None):
        self.backend = backend
        self._trace = trace
        self._owned: list[Memory] = []
        self._used: list[SharedMemory] = []

    def buffer(
        self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], alignment: int = 1
    ) -> Buffer:
        """New memory of any contents, as an array."""
        made = Buffer(name, None, shape, dtype)
        check_buffer_size(self.backend, name, made.size)
        with self._blamed(f"allocate {made.size} bytes for '{name}'"):
            memory = self.backend.allocate(
                max(1, made.size), max(alignment, dtype.itemsize)
            )
            self._owned.append(memory)
        return Buffer(name, memory, shape, dtype)

    def adopted(self, name: str, array: AnyArray, dtype: np.dtype[Any]) -> Buffer | None:
        """The caller's array in place, if the backend works on it."""
        with self._blamed(f"use '{name}' in place"):
            memory = self._memory_of(array)
            if isinstance(array, DeviceArray) and array.memory is not None:
                self._use(array.memory)
        return None if memory is None else Buffer(name, memory, array.shape, dtype)

    def store(self, buffer: Buffer, array: AnyArray, offset: int = 0) -> None:
        """Copy an array to the buffer, from a byte on, from wherever it is."""
        if not isinstance(array, DeviceArray):
            self.upload(buffer, array, offset)
            return
        with _in_use(array):
            part = self._part(buffer, array, offset)
            if part is None:
                self.upload(buffer, array.to_host(), offset)
            else:
                self.copy(self._alien(array), part)

    def fetch(self, buffer: Buffer, array: AnyArray, offset: int = 0) -> None:
        """Fill an array from the buffer, from a byte on, wherever it is."""
        if not isinstance(array, DeviceArray):
            self.download(buffer, array, offset)
            return
        with _in_use(array):
            part = self._part(buffer, array, offset)
            if part is None:
                on_host = zeros(buffer.name, array.shape, array.dtype)
                self.download(buffer, on_host, offset)
                self.upload(self._alien(array), on_host)
            else:
                self.copy(part, self._alien(array))
            self.finish(None)  # It is the caller's, who may use it at once.

    def _alien(self, array: DeviceArray) -> Buffer:
        """An array of the caller, to be copied."""
        return Buffer("array", self._memory_of(array), array.shape, array.dtype)

    def _memory_of(self, array: AnyArray) -> Memory | None:
        if isinstance(array, DeviceArray) and array.memory is not None:
            return array.memory.buffer.memory
        return self.backend.adopt(array)

    def _part(self, buffer: Buffer, array: DeviceArray, offset: int) -> Buffer | None:
        """As much of a buffer as an array has; None if the engine cannot tell."""
        memory = self.backend.part(buffer.memory, offset)
        if memory is None:
            return None
        return Buffer(buffer.name, memory, array.shape, array.dtype)

    def new_array(
        self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> DeviceArray:
        """An array for the caller in the engine's memory, of any contents."""
        with self._blamed(f"make an array for '{name}'"):
            return self.backend.new_device_array(shape, dtype)

    def upload(self, buffer: Buffer, array: NDArray[Any], offset: int = 0) -> None:
        """Copy an array to the buffer, from a byte on."""
        data = _as_bytes(array)
        with (
            self.span("transfers", f"upload {buffer.name}", bytes=data.size),
            self._blamed(f"upload '{buffer.name}'"),
        ):
            if data.size:
                self.backend.upload(buffer.memory, offset, data)
        telemetry.add(uploaded_bytes=data.size)

    def download(self, buffer: Buffer, array: NDArray[Any], offset: int = 0) -> None:
        """Fill an array from the buffer, from a byte on."""
        data = _as_bytes(array)
        with (
            self.span("transfers", f"download {buffer.name}", bytes=data.size),
            self._blamed(f"download '{buffer.name}'"),
        ):
            if data.size:
                self.backend.download(buffer.memory, offset, data)
        telemetry.add(downloaded_bytes=data.size)

    def clear(self, buffer: Buffer) -> None:
        """Fill the buffer with zeros."""
        with self._blamed(f"clear '{buffer.name}'"):
            if buffer.size:
                self.backend.clear(buffer.memory, buffer.size)

    def copy(self, source: Buffer, target: Buffer) -> None:
        """Copy a buffer to another of the same size."""
        with self._blamed(f"copy '{source.name}'"):
            if source.size:
                self.backend.copy(source.memory, target.memory, source.size)

    def equal(self, one: Buffer, other: Buffer) -> bool:
        """Whether two buffers of the same size hold the same."""
        with self._blamed(f"compare '{one.name}'"):
            return not one.size or self.backend.equal(one, other)

    def launch(self, launch: Launch, segment: Segment | None) -> tuple[int, Times]:
        """Run a program; gives the time that the call took, and what the backend says."""
        name = launch.program.sym_name.data
        start = time.perf_counter_ns()
        with (
            self.span("segments", f"@{name}", launch=launch.number),
            self._blamed(f"launch @{name}", segment),
        ):
            launch.deadline.check()
            times = self.backend.launch(launch)
        return time.perf_counter_ns() - start, times or Times()

    def run(self, whole: Whole, deadline: Deadline) -> tuple[Prepared, Outcome]:
        """Let the backend make all passes of a program or schedule."""
        name = whole.unit.name
        counts: dict[str, int] = {}
        with (
            self.span("segments", f"@{name}", launches=counts),
            self._blamed(f"launch @{name}"),
        ):
            deadline.check()
            prepared = self.backend.prepare(whole)
            start = time.perf_counter_ns()
            prepared.run(deadline)
            outcome = prepared.outcome(time.perf_counter_ns() - start)
            counts.update((f"@{each.name}", each.launches) for each in outcome.segments)
            return prepared, outcome

    def prepared(self, whole: Whole, zeros: Sequence[str]) -> Prepared:
        """A dispatch to be made many times."""
        with self._blamed(f"prepare @{whole.unit.name}"):
            return self.backend.prepare(whole, zeros)

    def finish(self, segment: Segment | None) -> None:
        """Wait for all launches."""
        with self._blamed("wait for its launches", segment):
            self.backend.finish()

    def give_away(self, buffer: Buffer) -> SharedMemory:
        """Lets somebody else free a buffer; the caller is its first user."""
        self._owned = [memory for memory in self._owned if memory is not buffer.memory]
        return SharedMemory(self.backend, buffer)

    def share(self, buffer: Buffer) -> SharedMemory:
        """Adds the caller to the users of a buffer, which this is one of."""
        for memory in self._used:
            if memory.buffer.memory is buffer.memory:
                break
        else:
            memory = self.give_away(buffer)
            self._used.append(memory)
        memory.acquire()
        return memory

    def _use(self, memory: SharedMemory) -> None:
        """Uses memory of others, until all is given back."""
        memory.acquire()
        self._used.append(memory)

    def free(self, buffer: Buffer) -> None:
        """Give one buffer back."""
        self._owned = [memory for memory in self._owned if memory is not buffer.memory]
        with self._blamed(f"free '{buffer.name}'"):
            self.backend.free(buffer.memory)

    def close(self) -> None:
        """Give everything back; the first failure is raised when all was tried."""
        failure: BaseException | None = None
        while self._owned or self._used:
            try:
                if self._used:
                    self._used.pop().release()
                else:
                    with self._blamed("free memory"):
                        self.backend.free(self._owned.pop())
            except BaseException as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def abandon(self) -> None:
        """Give everything back when nobody is there to hear that it failed."""
        with suppress(VyreError):
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except VyreError:
            # What went wrong first is what counts.
            if error is None:
                raise

    def span(
        self, track: Track, name: str, **details: object
    ) -> AbstractContextManager[None]:
        """Record the time that a block takes, if someone wants to know."""
        if self._trace is None:
            return nullcontext()
        return self._trace.span(track, name, **details)

    def _blamed(
        self, what: str, segment: Segment | None = None
    ) -> AbstractContextManager[None]:
        return blaming_engine(self.backend.name, what, segment)


@contextmanager
def _in_use(array: DeviceArray) -> Generator[None]:
    """Keeps an argument's memory alive, which another thread may close."""
    memory: SharedMemory | None = array.memory
    if memory is not None:
        memory.acquire()
    try:
        yield
    finally:
        if memory is not None:
            memory.release()


def check_buffer_size(backend: Backend, name: str, size: int) -> None:
    """Refuse a buffer that is larger than the engine can have."""
    limit = backend.capabilities.max_buffer_bytes
    if limit is not None and size > limit:
        raise DoesNotFit(
            f"buffer '{name}' has {size} bytes, engine '{backend.name}' takes {limit}",
            "use smaller buffers or a smaller grid, or another engine",
            needed=size,
            limit=limit,
        )


def _as_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)
