"""
A GPU, by CuPy 13 or 14.

Memory comes from CuPy's pool. Kernels are compiled by NVRTC (see `cupy_nvrtc.py` for why
not by `cupy.RawKernel`) and launched by the driver: CuPy's own launch makes a cooperative
grid smaller that does not fit, with no more than a warning, and results would be wrong.
"""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from typing_extensions import override

from vyre.runtime.backend import Bytes
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.cuda.device import Capture, CudaDevice, DeviceLimits, Extent, StopWord
from vyre.runtime.cuda.presence import OLDEST
from vyre.runtime.errors import InvalidArgument, UnsupportedFeature
from vyre.runtime.kernel_cache import KernelCache, key_of

try:
    import cupy
    from cupy.cuda import Event, ExternalStream, Graph, Stream, driver, runtime
    from cupy.cuda.function import Function, Module

    from vyre.runtime.cuda.cupy_errors import NOT_READY, refusing, translated
    from vyre.runtime.cuda.cupy_nvrtc import architectures, compile_text, nvrtc_version
except ImportError as error:
    raise UnsupportedFeature(
        f"engine 'cupy' needs CuPy: {error}",
        "pip install 'vyre[cuda12]', or vyre[cuda13] for CUDA 13; "
        "engine 'cpu' needs no GPU",
    ) from error

_DLPACK_DEVICES = (2, 13)
"""CUDA memory, and managed memory."""


class CupyDevice(CudaDevice):
    """
    A GPU: CuPy's current one, or that of a number. Other threads and the rest of the
    program may use it too.

    Example: `CudaBackend(CupyDevice(1))`
    """

    kind = "cupy"

    def __init__(self, number: int | None = None):
        self._number = _checked_number(number)
        self._device = cupy.cuda.Device(self._number)
        self._of_thread = threading.local()
        with translated():
            self._architecture = _checked_architecture(self._device.compute_capability)
            self.limits = self._limits()
            self._reads_host_memory = bool(
                self._attribute(runtime.cudaDevAttrPageableMemoryAccess)
            )
            """Whether it can read any memory of the host, also by itself and later."""
        self._cache = KernelCache.default()
        self._memory: dict[int, cupy.cuda.MemoryPointer] = {}
        """What CuPy's pool gave, by address."""
        self._capturing = threading.Lock()
        with self._working():
            self._capture_stream = Stream(non_blocking=True)

    def _limits(self) -> DeviceLimits:
        of = self._attribute
        name: bytes = runtime.getDeviceProperties(self._number)["name"]
        return DeviceLimits(
            name.decode(),
            of(runtime.cudaDevAttrMultiProcessorCount),
            (
                of(runtime.cudaDevAttrMaxGridDimX),
                of(runtime.cudaDevAttrMaxGridDimY),
                of(runtime.cudaDevAttrMaxGridDimZ),
            ),
            (
                of(runtime.cudaDevAttrMaxBlockDimX),
                of(runtime.cudaDevAttrMaxBlockDimY),
                of(runtime.cudaDevAttrMaxBlockDimZ),
            ),
            of(runtime.cudaDevAttrMaxThreadsPerBlock),
            of(runtime.cudaDevAttrMaxSharedMemoryPerBlock),
            bool(of(runtime.cudaDevAttrCooperativeLaunch)),
        )

    def _attribute(self, attribute: int) -> int:
        return runtime.deviceGetAttribute(attribute, self._number)

    @contextmanager
    def _working(self) -> Generator[None]:
        """Calls of CUDA for this device, in a thread that may never have made one."""
        with translated(), self._device:
            if not hasattr(self._of_thread, "is_ready"):
                runtime.free(0)  # Makes the context that the driver needs.
                self._of_thread.is_ready = True
            yield

    @override
    def reopened(self) -> "CupyDevice":
        with self._working():
            runtime.free(0)  # Raises if nothing works any more.
        return CupyDevice(self._number)

    @override
    def compile(self, source: str, name: str, options: Sequence[str]) -> Function:
        code = self._code(source, options)
        with self._working():
            module = Module()
            module.load(code)
            return module.get_function(name)

    def _code(self, source: str, options: Sequence[str]) -> bytes:
        """Machine code, or PTX for a GPU that is newer than the compiler."""
        target = _target(self._architecture)
        version = str(nvrtc_version())
        key = key_of("cuda", target, version, source, *options)
        code = None if self._cache is None else self._cache.find(key)
        if code is None:
            code = compile_text(source, target, options).code
            if self._cache is not None:
                self._cache.keep(key, code)
        return code

    @override
    def blocks_per_multiprocessor(self, function: Function, threads: int) -> int:
        with self._working():
            return driver.occupancyMaxActiveBlocksPerMultiprocessor(
                function.ptr, threads, 0
            )

    @override
    def launch(
        self,
        function: Function,
        grid: Extent,
        block: Extent,
        arguments: PackedArguments,
        stream: Stream,
        *,
        cooperative: bool = False,
    ) -> None:
        place = (stream.ptr, arguments.address)
        with self._working():
            if cooperative:
                with refusing(grid):
                    driver.launchCooperativeKernel(function.ptr, *grid, *block, 0, *place)
            else:
                driver.launchKernel(function.ptr, *grid, *block, 0, *place, 0)

    @override
    def allocate(self, size: int, stream: Stream) -> int:
        # The pool hands out again what was freed on the same stream only.
        with self._working(), stream:
            memory = cupy.cuda.alloc(size)
        self._memory[memory.ptr] = memory
        return memory.ptr

    @override
    def free(self, address: int) -> None:
        with self._working():
            del self._memory[address]

    @override
    def upload(self, address: int, data: Bytes, stream: Stream) -> None:
        source = data.ctypes.data
        kind = runtime.memcpyHostToDevice
        with self._working():
            runtime.memcpyAsync(address, source, data.size, kind, stream.ptr)
            # What is neither pinned nor within reach was copied before this returned.
            pinned = runtime.pointerGetAttributes(source).type
            if self._reads_host_memory or pinned != runtime.memoryTypeUnregistered:
                runtime.streamSynchronize(stream.ptr)

    @override
    def download(self, address: int, data: Bytes, stream: Stream) -> None:
        kind = runtime.memcpyDeviceToHost
        with self._working():
            runtime.memcpyAsync(data.ctypes.data, address, data.size, kind, stream.ptr)
            runtime.streamSynchronize(stream.ptr)

    @override
    def copy(self, source: int, target: int, size: int, stream: Stream) -> None:
        kind = runtime.memcpyDeviceToDevice
        with self._working():
            runtime.memcpyAsync(target, source, size, kind, stream.ptr)

    @override
    def clear(self, address: int, size: int, stream: Stream) -> None:
        with self._working():
            runtime.memsetAsync(address, 0, size, stream.ptr)

    @override
    def new_stream(self) -> Stream:
        with self._working():
            return Stream(non_blocking=True)

    @override
    def given_stream(self, stream: Any) -> Stream:
        number = getattr(stream, "device_id", -1)
        if number not in (-1, self._number):
            raise InvalidArgument(
                f"the stream is one of device {number}, the engine works on device "
                f"{self._number}",
                "make the stream with this device as the current one",
            )
        if isinstance(stream, Stream | ExternalStream):
            return stream
        if not hasattr(stream, "__cuda_stream__") and not hasattr(stream, "ptr"):
            raise InvalidArgument(
                f"a {type(stream).__name__} is no stream",
                "pass a cupy.cuda.Stream, or what has `__cuda_stream__`",
            )
        foreign = _ForeignStream(stream)
        with self._working():
            if hasattr(Stream, "from_external"):
                return Stream.from_external(foreign)
            _, address = foreign.__cuda_stream__()
            return ExternalStream(address, self._number)

    @override
    def synchronize(self, stream: Stream) -> None:
        with self._working():
            runtime.streamSynchronize(stream.ptr)

    @override
    def record(self, stream: Stream) -> Event:
        with self._working():
            event = Event()
            runtime.eventRecord(event.ptr, stream.ptr)
            return event

    @override
    def wait(self, event: Event, stream: Stream) -> None:
        with self._working():
            runtime.streamWaitEvent(stream.ptr, event.ptr)

    @override
    def is_done(self, event: Event) -> bool:
        # `event.done` is false for ever if something went wrong.
        with self._working():
            status = runtime.eventQuery(event.ptr)
            if status == NOT_READY:
                return False
            runtime.check_status(status)
            return True

    @override
    def nanoseconds(self, start: Event, end: Event) -> int:
        with self._working():
            return int(1e6 * cupy.cuda.get_elapsed_time(start, end))

    @override
    @contextmanager
    def capture(self) -> Generator[Capture]:
        stream = self._capture_stream
        with self._capturing, self._working():
            stream.begin_capture()
            capture = Capture(stream)
            try:
                yield capture
            except BaseException:
                with suppress(Exception):  # It is not captured any more, either way.
                    stream.end_capture()
                raise
            capture.graph = stream.end_capture()

    @override
    def launch_graph(self, graph: Graph, stream: Stream) -> None:
        with self._working():
            graph.launch(stream=stream)

    @override
    def stop_word(self) -> StopWord:
        with self._working():
            return _PinnedWord()

    @override
    def new_array(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], stream: Stream
    ) -> "cupy.ndarray":
        # It belongs to the caller's stream, where it will be freed one day.
        with self._working():
            array = cupy.empty(shape, dtype)
            self.wait(self.record(cupy.cuda.get_current_stream()), stream)
            return array

    @override
    def imported(self, value: Any, stream: Stream) -> "cupy.ndarray | None":
        kind, number = value.__dlpack_device__()
        if kind not in _DLPACK_DEVICES:
            return None
        if number != self._number:
            raise InvalidArgument(
                f"an array is on device {number}, the engine works on device "
                f"{self._number}",
                "copy it to that device, or make an engine for the other one",
            )
        with self._working(), stream:
            return cupy.from_dlpack(value)

    @override
    def wait_for(self, stream_number: int, stream: Stream) -> None:
        if stream_number == stream.ptr:
            return
        with self._working():
            event = Event(disable_timing=True)
            runtime.eventRecord(event.ptr, stream_number)
            runtime.streamWaitEvent(stream.ptr, event.ptr)

    @override
    def owns(self, address: int) -> bool:
        with self._working():
            found = runtime.pointerGetAttributes(address)
            kinds = (runtime.memoryTypeDevice, runtime.memoryTypeManaged)
            return found.type in kinds and found.device == self._number


class _ForeignStream:
    """Another library's stream, which lives as long as its wrapper."""

    def __init__(self, stream: Any):
        self._stream = stream

    def __cuda_stream__(self) -> tuple[int, int]:
        if hasattr(self._stream, "__cuda_stream__"):
            return self._stream.__cuda_stream__()
        return 0, self._stream.ptr


class _PinnedWord(StopWord):
    """A word of the host that stays where it is, so that the GPU can read it there."""

    def __init__(self) -> None:
        self._memory = cupy.cuda.alloc_pinned_memory(4)
        self._word = np.frombuffer(memoryview(self._memory), np.uint32, 1)
        self._word[0] = 0
        self.address = self._memory.ptr

    @override
    def set(self, value: int) -> None:
        self._word[0] = value


def _checked_number(number: int | None) -> int:
    """The number of a GPU that is there."""
    try:
        count = runtime.getDeviceCount()
        found = runtime.getDevice() if number is None else number
    except RuntimeError as error:
        count, found, cause = 0, 0, str(error)
    else:
        cause = f"there are {count}, and none has number {found}"
    if not 0 <= found < count:
        raise UnsupportedFeature(
            f"engine 'cupy' has no GPU: {cause}",
            "see what `nvidia-smi` says; engine 'cpu' needs no GPU",
        )
    return found


def _checked_architecture(capability: str) -> int:
    """The compute capability as a number, if kernels can be compiled for it."""
    found = int(capability)
    if found < OLDEST:
        raise UnsupportedFeature(
            f"the GPU has compute capability {found / 10}, kernels need {OLDEST / 10}",
            "use a newer GPU, or engine 'cpu'",
        )
    return found


def _target(architecture: int) -> str:
    """What NVRTC shall compile for."""
    known = architectures()
    if architecture in known:
        return f"sm_{architecture}"
    older = [each for each in known if each < architecture]
    if not older:
        raise UnsupportedFeature(
            f"this NVRTC does not know compute capability {architecture / 10} any more",
            "install an older CUDA, as with `pip install 'vyre[cuda12]'`",
        )
    return f"compute_{older[-1]}"
