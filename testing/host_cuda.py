"""
A CUDA device that is the host, for tests of the CUDA engine where there is no GPU.

It compiles the very text that NVRTC would get with the system's C++ compiler, and runs it.
Blocks and threads take turns as the caller says, so that missing barriers show; barriers
that some threads never reach are errors, and so are writes outside of device memory. Work
is done behind the caller's back, on streams; limits are pretended, and faults are made when
asked for. Where a driver would block because its queue is full, that is an error.
"""

import weakref
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from math import prod
from typing import Any

import numpy as np
from typing_extensions import override

from vyre.runtime.backend import Bytes
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.cuda.device import Capture, CudaDevice, DeviceLimits, Extent, StopWord
from vyre.runtime.errors import (
    CompileFailed,
    DispatchFailed,
    DoesNotFit,
    InvalidArgument,
    OutOfMemory,
)
from vyre.testing.host_cuda_compiler import HostFunction, compiled
from vyre.testing.host_cuda_memory import HostMemory
from vyre.testing.host_cuda_queue import Event, Operation, Stream, Wait, WorkQueue
from vyre.testing.host_cuda_runner import KernelRun, Runner, Turns

PRETENDED = DeviceLimits(
    "host harness",
    multiprocessors=4,
    max_grid=(2**31 - 1, 65535, 65535),
    max_block=(1024, 1024, 64),
    max_threads=1024,
    shared_bytes=48 * 1024,
    cooperative=True,
)
"""The limits of a small device."""

THREADS_PER_MULTIPROCESSOR = 2048

QUEUE = 1000
"""What fits in a stream's queue before a driver blocks."""

_DLPACK_CUDA = 2


class HostCudaDevice(CudaDevice):
    """
    Runs kernels on the host. Blocks and threads take turns `forward`, `reversed` or at
    `random`. If work is `deferred`, it begins when somebody waits for it. There is memory
    for `capacity` bytes, and room for `blocks_at_once` on each multiprocessor. Kernels that
    take longer than `patience` seconds are errors.

    Example: `CudaBackend(HostCudaDevice(thread_order="random", seed=3))`
    """

    kind = "host"

    def __init__(
        self,
        limits: DeviceLimits = PRETENDED,
        *,
        block_order: Turns = "forward",
        thread_order: Turns = "forward",
        seed: int = 0,
        deferred: bool = False,
        blocks_at_once: int = 16,
        capacity: int | None = None,
        patience: float = 60.0,
    ):
        self.limits = limits
        self._again = partial(
            HostCudaDevice,
            limits,
            block_order=block_order,
            thread_order=thread_order,
            seed=seed,
            deferred=deferred,
            blocks_at_once=blocks_at_once,
            capacity=capacity,
            patience=patience,
        )
        self.memory = HostMemory(capacity)
        runner = Runner(self.memory, block_order, thread_order, seed, patience)
        self._queue = WorkQueue(runner.run, is_deferred=deferred)
        self._blocks_at_once = blocks_at_once
        self._stream_of: dict[int, Stream] = {}
        """Whom memory was allocated for."""
        self.calls: list[str] = []
        """What was asked of the device since it was armed, or ever."""
        self._fails: tuple[int | str, Exception, bool] | None = None
        weakref.finalize(self, self._queue.close)

    def arm(
        self,
        fail_at: int | str | None,
        error: Exception | None = None,
        *,
        for_good: bool = False,
    ) -> None:
        """
        Count calls from 0 again and raise an error at that one, or at the first of a name;
        with `for_good` at all later ones too, as on a device that is gone. None never
        fails.
        """
        self.calls.clear()
        error = error or DispatchFailed("told to fail", "tell it nothing")
        self._fails = None if fail_at is None else (fail_at, error, for_good)

    @property
    def live_bytes(self) -> int:
        """Memory that was not given back, when all work is done."""
        for stream in self._queue.streams():
            self._queue.drain(stream)
        return self.memory.live_bytes

    def _noted(self, call: str) -> None:
        number = len(self.calls)
        self.calls.append(call)
        if self._fails is not None:
            at, error, for_good = self._fails
            if at == call:
                self._fails = number, error, for_good
                raise error
            if isinstance(at, int) and (number == at or (for_good and number > at)):
                raise error

    @override
    def reopened(self) -> "HostCudaDevice":
        return self._again()

    @override
    def compile(self, source: str, name: str, options: Sequence[str]) -> HostFunction:
        self._noted("compile")
        function = compiled(source, name, options)
        if function.shared_bytes > self.limits.shared_bytes:
            raise CompileFailed(
                f"{name} uses {function.shared_bytes} bytes of shared memory, there are "
                f"{self.limits.shared_bytes}",
                "use less workgroup memory",
            )
        return function

    @override
    def blocks_per_multiprocessor(self, function: HostFunction, threads: int) -> int:
        self._noted("blocks_per_multiprocessor")
        return min(self._blocks_at_once, THREADS_PER_MULTIPROCESSOR // threads)

    @override
    def launch(
        self,
        function: HostFunction,
        grid: Extent,
        block: Extent,
        arguments: PackedArguments,
        stream: Stream,
        *,
        cooperative: bool = False,
    ) -> None:
        self._noted("launch")
        self._check_launch(function, grid, block, arguments)
        if cooperative:
            self._check_fit(function, grid, block)
        if len(stream.waiting) >= QUEUE:
            raise DispatchFailed(
                f"{QUEUE} operations wait on a stream, a driver would block now",
                "wait for the device before more is enqueued",
            )
        launch = KernelRun(function, grid, block, arguments, cooperative)
        self._queue.put(stream, launch)

    def _check_launch(
        self, function: HostFunction, grid: Extent, block: Extent, given: PackedArguments
    ) -> None:
        """Raise what CUDA would, or what it would not notice."""
        limits = self.limits
        sizes = zip((*grid, *block), (*limits.max_grid, *limits.max_block), strict=True)
        threads = prod(block)
        most = min(limits.max_threads, function.max_threads or limits.max_threads)
        if threads > most or not all(1 <= size <= limit for size, limit in sizes):
            raise DispatchFailed(
                f"{function.name} cannot be launched as {grid} blocks of {block}",
                "keep to the device's limits, and to __launch_bounds__",
            )
        if given.sizes != function.sizes:
            raise DispatchFailed(
                f"{function.name} takes arguments of {function.sizes} bytes, not "
                f"{given.sizes}",
                "pass what the kernel declares",
            )

    def _check_fit(self, function: HostFunction, grid: Extent, block: Extent) -> None:
        at_once = min(self._blocks_at_once, THREADS_PER_MULTIPROCESSOR // prod(block))
        limit = at_once * self.limits.multiprocessors if self.limits.cooperative else 0
        if prod(grid) > limit:
            raise DoesNotFit(
                f"{prod(grid)} blocks of {function.name} cannot wait for each other",
                "launch fewer",
                needed=prod(grid),
                limit=limit,
            )

    @override
    def allocate(self, size: int, stream: Stream) -> int:
        self._noted("allocate")
        try:
            address = self.memory.allocate(size)
        except OutOfMemory:
            self._queue.drain(stream)  # Memory that is freed may be had again at once.
            address = self.memory.allocate(size)
        self._stream_of[address] = stream
        return address

    @override
    def free(self, address: int) -> None:
        self._noted("free")
        stream = self._stream_of.pop(address)
        self._queue.put(stream, partial(self.memory.free, address))

    @override
    def upload(self, address: int, data: Bytes, stream: Stream) -> None:
        self._noted("upload")
        self._transfer(
            stream, partial(self.memory.store, address, data.copy()), is_captured=False
        )

    @override
    def download(self, address: int, data: Bytes, stream: Stream) -> None:
        self._noted("download")
        self._transfer(stream, partial(self.memory.fetch, address, data), is_captured=False)
        self._queue.drain(stream)

    @override
    def copy(self, source: int, target: int, size: int, stream: Stream) -> None:
        self._noted("copy")
        self._transfer(stream, partial(self.memory.copy, source, target, size))

    @override
    def clear(self, address: int, size: int, stream: Stream) -> None:
        self._noted("clear")
        zeros = np.zeros(size, np.uint8)
        self._transfer(stream, partial(self.memory.store, address, zeros))

    def call(self, function: Callable[[], None], stream: Stream) -> None:
        """Call a function of the host when all work before on the stream has ended."""
        self._queue.put(stream, function)

    def _transfer(
        self, stream: Stream, operation: Operation, *, is_captured: bool = True
    ) -> None:
        if stream.recorded is not None and not is_captured:
            raise DispatchFailed(
                "the host's memory is no part of a graph", "capture work of the device only"
            )
        self._queue.put(stream, operation)

    @override
    def new_stream(self) -> Stream:
        self._noted("new_stream")
        return self._queue.new_stream()

    @override
    def given_stream(self, stream: object) -> Stream:
        if not isinstance(stream, Stream) or stream not in self._queue.streams():
            raise InvalidArgument(
                f"a {type(stream).__name__} is no stream of this device",
                "pass what its `new_stream()` gave",
            )
        return stream

    @override
    def synchronize(self, stream: Stream) -> None:
        self._noted("synchronize")
        self._transfer(stream, lambda: None, is_captured=False)
        self._queue.drain(stream)

    @override
    def record(self, stream: Stream) -> Event:
        self._noted("record")
        return self._queue.record(stream)

    @override
    def wait(self, event: Event, stream: Stream) -> None:
        self._noted("wait")
        self._queue.put(stream, Wait(event))

    @override
    def is_done(self, event: Event) -> bool:
        self._noted("is_done")
        return self._queue.is_done(event)

    @override
    def nanoseconds(self, start: Event, end: Event) -> int:
        self._noted("nanoseconds")
        if start.time is None or end.time is None:
            raise DispatchFailed("an event has not happened", "wait for it first")
        return end.time - start.time

    @override
    @contextmanager
    def capture(self) -> Generator[Capture]:
        self._noted("capture")
        stream = Stream(recorded=[])
        capture = Capture(stream)
        yield capture
        capture.graph = stream.recorded

    @override
    def launch_graph(self, graph: list[Operation], stream: Stream) -> None:
        self._noted("launch_graph")
        for operation in graph:
            self._queue.put(stream, operation)

    @override
    def stop_word(self) -> StopWord:
        self._noted("stop_word")
        return _HostWord()

    @override
    def new_array(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], stream: Stream
    ) -> "HostArray":
        self._noted("new_array")
        return HostArray(self.memory, shape, dtype)

    @override
    def imported(self, value: object, stream: Stream) -> object | None:
        """Harness arrays export themselves; there are no capsules."""
        self._noted("imported")
        exporter: Any = value
        kind, _ = exporter.__dlpack_device__()
        return exporter.__dlpack__(stream=stream.number) if kind == _DLPACK_CUDA else None

    @override
    def wait_for(self, stream_number: int, stream: Stream) -> None:
        for other in self._queue.streams():
            if other.number == stream_number and other is not stream:
                self.wait(self.record(other), stream)

    @override
    def owns(self, address: int) -> bool:
        return self.memory.owns(address)


class HostArray:
    """
    An array in the memory of a harness.

    Example: `HostArray.of(device, np.arange(4)).get()`
    """

    def __init__(self, memory: HostMemory, shape: tuple[int, ...], dtype: np.dtype[Any]):
        self.shape = shape
        self.dtype = dtype
        self._memory = memory
        self._size = prod(shape) * dtype.itemsize
        self.address = memory.allocate(max(1, self._size))
        self.stream: Stream | None = None
        """Where it is worked on, which others have to wait for."""
        weakref.finalize(self, memory.free, self.address)

    @staticmethod
    def of(device: HostCudaDevice, values: np.ndarray[Any, Any]) -> "HostArray":
        """A copy of an array of the host."""
        made = HostArray(device.memory, values.shape, values.dtype)
        made.set(values)
        return made

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address if self._size else 0, False),
            "strides": None,
            "stream": None if self.stream is None else self.stream.number,
            "version": 3,
        }

    def set(self, values: np.ndarray[Any, Any]) -> None:
        """Change all elements at once, whatever the device does."""
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        self._memory.view(self.address, self._size)[:] = data

    def get(self) -> np.ndarray[Any, Any]:
        """A copy for the host."""
        data = self._memory.view(self.address, self._size).copy()
        return data.view(self.dtype).reshape(self.shape)


class _HostWord(StopWord):
    """A word of the host, which kernels read where it is."""

    def __init__(self) -> None:
        self._word = np.zeros(1, np.uint32)
        self.address = int(self._word.ctypes.data)

    @override
    def set(self, value: int) -> None:
        self._word[0] = value
