"""
What the CUDA engine needs of a device: a narrow interface, so that everything above it can
be tested without one.

`vyre.runtime.cuda.cupy_device` does it with CuPy, and is the only file that imports it;
`vyre.testing.host_cuda` compiles the same text for the host and runs it there.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vyre.runtime.backend import Bytes
from vyre.runtime.cuda.arguments import PackedArguments

Handle = Any
"""Something that the device handed out; nobody else looks inside."""

Extent = tuple[int, int, int]


@dataclass(frozen=True)
class DeviceLimits:
    """What the device can hold; triples are for x, y and z."""

    name: str
    multiprocessors: int
    max_grid: Extent
    max_block: Extent
    max_threads: int
    """Of a block."""
    shared_bytes: int
    """Of a block, as kernels declare it; some devices have more, in another way."""
    cooperative: bool
    """Whether blocks can wait for each other."""


class CudaDevice(ABC):
    """
    One device. Addresses are integers, in its memory. Work goes to streams, in order within
    each. Errors are those of `vyre.runtime.errors` where there is one (`DeviceLost`,
    `OutOfMemory`, `CompileFailed`), else `DispatchFailed`; what goes wrong in work that was
    enqueued is raised by a later call.

    Example: `CupyDevice()`, or `HostCudaDevice()` in tests.
    """

    kind: ClassVar[str]
    """Which implementation it is, for messages."""
    limits: DeviceLimits

    @abstractmethod
    def reopened(self) -> "CudaDevice":
        """The same device again, when it was lost; raises if it is still gone."""

    @abstractmethod
    def compile(self, source: str, name: str, options: Sequence[str]) -> Handle:
        """A function of a translation unit."""

    @abstractmethod
    def blocks_per_multiprocessor(self, function: Handle, threads: int) -> int:
        """How many blocks of a compiled function one multiprocessor holds at once."""

    @abstractmethod
    def launch(
        self,
        function: Handle,
        grid: Extent,
        block: Extent,
        arguments: PackedArguments,
        stream: Handle,
        *,
        cooperative: bool = False,
    ) -> None:
        """
        Enqueue a function. A cooperative grid is launched as it is, or refused with
        `DoesNotFit`, whatever the reason.
        """

    @abstractmethod
    def allocate(self, size: int, stream: Handle) -> int:
        """Memory of any contents for work on the stream, at a multiple of 256."""

    @abstractmethod
    def free(self, address: int) -> None:
        """Give memory back. Work that uses it may still be under way on its stream."""

    @abstractmethod
    def upload(self, address: int, data: Bytes, stream: Handle) -> None:
        """Enqueue a copy from the host, whose bytes may change when this returns."""

    @abstractmethod
    def download(self, address: int, data: Bytes, stream: Handle) -> None:
        """Copy to the host, after all work before on the stream; waits for the end."""

    @abstractmethod
    def copy(self, source: int, target: int, size: int, stream: Handle) -> None:
        """Enqueue a copy on the device."""

    @abstractmethod
    def clear(self, address: int, size: int, stream: Handle) -> None:
        """Enqueue zeros."""

    @abstractmethod
    def new_stream(self) -> Handle:
        """A stream of its own, which waits for no other."""

    @abstractmethod
    def given_stream(self, stream: object) -> Handle:
        """
        A stream that the caller made. What is none, or another device's, is refused with
        `InvalidArgument`.
        """

    @abstractmethod
    def synchronize(self, stream: Handle) -> None:
        """Wait for all work on a stream; raises what went wrong in it."""

    @abstractmethod
    def record(self, stream: Handle) -> Handle:
        """An event: the moment when all work before on the stream has ended."""

    @abstractmethod
    def wait(self, event: Handle, stream: Handle) -> None:
        """Work that is enqueued later on the stream begins after the event."""

    @abstractmethod
    def is_done(self, event: Handle) -> bool:
        """Whether an event has happened; raises what went wrong."""

    @abstractmethod
    def nanoseconds(self, start: Handle, end: Handle) -> int:
        """The time between two events that have happened."""

    @abstractmethod
    def capture(self) -> "AbstractContextManager[Capture]":
        """
        Launches, copies and zeros that are enqueued on the capture's stream are recorded
        and not done.
        """

    @abstractmethod
    def launch_graph(self, graph: Handle, stream: Handle) -> None:
        """Enqueue all that was recorded."""

    @abstractmethod
    def stop_word(self) -> "StopWord":
        """A word of the host that kernels can read while they run."""

    @abstractmethod
    def new_array(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], stream: Handle
    ) -> object:
        """
        An array of any contents for a caller, with `__cuda_array_interface__`. Work on the
        stream may use it.
        """

    @abstractmethod
    def imported(self, value: object, stream: Handle) -> object | None:
        """
        An array that exports itself by DLPack, as one with `__cuda_array_interface__`; None
        if it is not in a device's memory. What was done to it before comes before later
        work on the stream.
        """

    @abstractmethod
    def wait_for(self, stream_number: int, stream: Handle) -> None:
        """The same for a stream that `__cuda_array_interface__` names."""

    @abstractmethod
    def owns(self, address: int) -> bool:
        """Whether an address of a caller's array is in this device's memory."""


class Capture:
    """
    What is being recorded; `graph` is there in the end.

    Example: `with device.capture() as capture: device.launch(..., capture.stream)`
    """

    def __init__(self, stream: Handle):
        self.stream = stream
        self.graph: Handle = None


class StopWord(ABC):
    """
    A word that host and kernels share. It belongs to who asked for it, as long as it lives.

    Example: `word = device.stop_word()`, then `word.set(1)`
    """

    address: int
    """As kernels see it."""

    @abstractmethod
    def set(self, value: int) -> None:
        """Tell kernels that look at it; 0 lets them go on."""
