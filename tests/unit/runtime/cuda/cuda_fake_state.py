"""
What a pretended CUDA knows: devices, streams, events, and who has called before.

It is as strict as CUDA: calls are made with the right device as the current one, kernels
are launched by threads that have a context, and errors are numbers.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from vyre.diagnostics import VyreError
from vyre.runtime.errors import DoesNotFit, OutOfMemory
from vyre.testing.host_cuda import HostCudaDevice
from vyre.testing.host_cuda_compiler import HostFunction
from vyre.testing.host_cuda_queue import Event as HostEvent
from vyre.testing.host_cuda_queue import Stream as HostStream

DEVICES = 2
OURS = 1
"""The number of the device that there is work for."""


class CudaError(RuntimeError):
    """An error by its number."""

    def __init__(self, status: int):
        super().__init__(f"error {status}")
        self.status = status


class CUDARuntimeError(CudaError):
    """Of the runtime."""


class CUDADriverError(CudaError):
    """Of the driver."""


class OutOfMemoryError(MemoryError):
    """Of the memory pool."""


class Pointer:
    """Something with an address, or a number, that is kept."""

    def __init__(self, ptr: int, kept: object = None):
        self.ptr = ptr
        self.kept = kept


class FakeCuda:
    """
    The harness that does the work, and what is known of each thread.

    Example: `FakeCuda(HostCudaDevice()).check()` raises: another device is the current one.
    """

    def __init__(self, harness: HostCudaDevice):
        self.harness = harness
        self.fails_with: int | None = None
        """The number of an error that all calls give from now on."""
        self.capability = "90"
        """The compute capability of all devices."""
        self.reads_host_memory = False
        """Whether copies from memory of the host that is not pinned are made later, too."""
        self.texts: list[tuple[str, tuple[str, ...]]] = []
        """What was compiled, with which options."""
        self.threads = threading.local()
        self.streams: dict[int, HostStream] = {}
        self.events: dict[int, HostEvent] = {}
        self.functions: dict[int, HostFunction] = {}
        self.programs: dict[int, Any] = {}
        self.pinned: list[Any] = []
        self.default = self.new_stream()

    def new_stream(self) -> int:
        """The number of a stream that somebody else made."""
        stream = self.harness.new_stream()
        self.streams[stream.number] = stream
        return stream.number

    # ---- What is asked of the current thread

    @property
    def current_device(self) -> int:
        return getattr(self.threads, "device", 0)

    def check(self, kind: type[CudaError] = CUDARuntimeError) -> None:
        """Raise what CUDA would for a call now."""
        if self.fails_with is not None:
            raise kind(self.fails_with)
        if self.current_device != OURS:
            raise kind(101)
        if kind is CUDADriverError and not hasattr(self.threads, "has_context"):
            raise CUDADriverError(201)

    @contextmanager
    def translated(self, kind: type[CudaError] = CUDARuntimeError) -> Generator[None]:
        self.check(kind)
        try:
            yield
        except OutOfMemory as error:
            raise OutOfMemoryError(str(error)) from error
        except DoesNotFit as error:
            raise kind(720) from error
        except VyreError as error:
            raise kind(719) from error

    @property
    def current_streams(self) -> list[int]:
        """The streams that `with` has made the thread's current ones."""
        if not hasattr(self.threads, "streams"):
            self.threads.streams = [self.default]
        return self.threads.streams

    def is_pinned(self, address: int) -> bool:
        return any(address == memory.ptr for memory in self.pinned)

    def stream(self, number: int) -> HostStream:
        if number in (0, 1):
            number = self.default
        return self.streams[number]
