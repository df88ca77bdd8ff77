"""
A CuPy without a GPU: the part of it that Vyre uses, on top of the host harness.

It is as strict as CUDA: calls are made with the right device as the current one, kernels
are launched by threads that have a context, errors are numbers, and what was enqueued is
done later. A test compares its functions with those of the real one.
"""

import ctypes
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any, Self

import numpy as np

from vyre.diagnostics import VyreError
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.errors import DoesNotFit, OutOfMemory
from vyre.testing.host_cuda import PRETENDED, HostArray, HostCudaDevice
from vyre.testing.host_cuda_compiler import HostFunction
from vyre.testing.host_cuda_queue import Event as HostEvent
from vyre.testing.host_cuda_queue import Stream as HostStream

DEVICES = 2
OURS = 1
"""The number of the device that there is work for."""

_ATTRIBUTES = {
    "cudaDevAttrMaxThreadsPerBlock": (1, PRETENDED.max_threads),
    "cudaDevAttrMaxBlockDimX": (2, PRETENDED.max_block[0]),
    "cudaDevAttrMaxBlockDimY": (3, PRETENDED.max_block[1]),
    "cudaDevAttrMaxBlockDimZ": (4, PRETENDED.max_block[2]),
    "cudaDevAttrMaxGridDimX": (5, PRETENDED.max_grid[0]),
    "cudaDevAttrMaxGridDimY": (6, PRETENDED.max_grid[1]),
    "cudaDevAttrMaxGridDimZ": (7, PRETENDED.max_grid[2]),
    "cudaDevAttrMaxSharedMemoryPerBlock": (8, PRETENDED.shared_bytes),
    "cudaDevAttrMultiProcessorCount": (16, PRETENDED.multiprocessors),
    "cudaDevAttrCooperativeLaunch": (95, 1),
}
_PAGEABLE_ACCESS = 88


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


class FakeCupy:
    """
    The modules, by name in `modules`, and the harness that does the work.

    Example: `with FakeCupy(HostCudaDevice()).installed(): import cupy`
    """

    def __init__(self, harness: HostCudaDevice, *, version: int = 14):
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
        self.modules = self._modules(version)

    @contextmanager
    def installed(self) -> Generator[None]:
        """The modules are imported instead of CuPy's, and by Vyre anew."""
        before = _forgotten()
        sys.modules.update(self.modules)
        try:
            yield
        finally:
            _forgotten()
            sys.modules.update(before)

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

    # ---- Modules

    def _modules(self, version: int) -> dict[str, ModuleType]:
        self.default = self.new_stream()
        names = ["cupy", "cupy.cuda", "cupy.cuda.function", "cupy.cuda.memory"]
        names += ["cupy_backends", "cupy_backends.cuda", "cupy_backends.cuda.libs"]
        names += ["cupy_backends.cuda.libs.nvrtc"]
        made = {name: ModuleType(name) for name in names}
        cuda = made["cupy.cuda"]
        runtime, driver = ModuleType("runtime"), ModuleType("driver")
        _fill(runtime, _public(_Runtime(self)))
        for name, (number, _) in _ATTRIBUTES.items():
            setattr(runtime, name, number)
        runtime.__dict__["cudaDevAttrPageableMemoryAccess"] = _PAGEABLE_ACCESS
        _fill(driver, _public(_Driver(self)))
        _fill(made["cupy_backends.cuda.libs.nvrtc"], _public(_Nvrtc(self)))
        _fill(cuda, _cuda_names(self, version))
        _fill(made["cupy.cuda.function"], {"Module": _module(self), "Function": object})
        made["cupy.cuda.memory"].__dict__["OutOfMemoryError"] = OutOfMemoryError
        _fill(made["cupy"], _top_names(self))
        _fill(cuda, {"runtime": runtime, "driver": driver})
        for name, module in made.items():
            parent, _, last = name.rpartition(".")
            if parent:
                setattr(made[parent], last, module)
        return made


def _forgotten() -> dict[str, ModuleType]:
    """All modules that are CuPy's, or import it, as if they had never been imported."""
    package = sys.modules.get("vyre.runtime.cuda")
    found: dict[str, ModuleType] = {}
    for name in list(sys.modules):
        is_ours = name.startswith("vyre.runtime.cuda.cupy_")
        if is_ours or name.split(".")[0] in ("cupy", "cupy_backends"):
            found[name] = sys.modules.pop(name)
        if is_ours and package is not None:
            vars(package).pop(name.rpartition(".")[2], None)
    return found


def _fill(module: ModuleType, names: dict[str, Any]) -> None:
    """Give a module what is in a dictionary."""
    module.__dict__.update(names)


def _public(value: object) -> dict[str, Any]:
    return {name: getattr(value, name) for name in dir(value) if not name.startswith("_")}


class _Runtime:
    """`cupy.cuda.runtime`."""

    CUDARuntimeError = CUDARuntimeError
    memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = 1, 2, 3
    memoryTypeUnregistered, memoryTypeDevice, memoryTypeManaged = 0, 2, 3

    def __init__(self, fake: FakeCupy):
        self._fake = fake

    def check_status(self, status: int) -> None:
        if status != 0:
            raise CUDARuntimeError(status)

    def getDeviceCount(self) -> int:
        return DEVICES

    def getDevice(self) -> int:
        return self._fake.current_device

    def getDeviceProperties(self, device: int) -> dict[str, Any]:
        return {"name": b"fake GPU"}

    def deviceGetAttribute(self, attrib: int, device: int) -> int:
        if attrib == _PAGEABLE_ACCESS:
            return int(self._fake.reads_host_memory)
        return next(value for number, value in _ATTRIBUTES.values() if number == attrib)

    def free(self, ptr: int) -> None:
        self._fake.check()
        self._fake.threads.has_context = True

    def memcpyAsync(self, dst: int, src: int, size: int, kind: int, stream: int) -> None:
        fake, place = self._fake, self._fake.stream(stream)
        with fake.translated():
            if kind == self.memcpyDeviceToDevice:
                fake.harness.copy(src, dst, size, place)
            elif kind == self.memcpyHostToDevice:
                source = _bytes_at(src, size)
                if fake.reads_host_memory or fake.is_pinned(src):
                    fake.harness.call(
                        lambda: np.copyto(fake.harness.memory.view(dst, size), source),
                        place,
                    )
                else:
                    fake.harness.upload(dst, source, place)
            else:
                target = _bytes_at(dst, size)
                fake.harness.call(
                    lambda: np.copyto(target, fake.harness.memory.view(src, size)), place
                )

    def memsetAsync(self, ptr: int, value: int, size: int, stream: int) -> None:
        assert value == 0
        with self._fake.translated():
            self._fake.harness.clear(ptr, size, self._fake.stream(stream))

    def streamSynchronize(self, stream: int) -> None:
        with self._fake.translated():
            self._fake.harness.synchronize(self._fake.stream(stream))

    def streamWaitEvent(self, stream: int, event: int, flags: int = 0) -> None:
        with self._fake.translated():
            self._fake.harness.wait(self._fake.events[event], self._fake.stream(stream))

    def eventRecord(self, event: int, stream: int) -> None:
        with self._fake.translated():
            recorded = self._fake.harness.record(self._fake.stream(stream))
            self._fake.events[event] = recorded

    def eventQuery(self, event: int) -> int:
        if self._fake.fails_with is not None:
            return self._fake.fails_with  # It gives errors and does not raise them.
        self._fake.check()
        try:
            return 0 if self._fake.harness.is_done(self._fake.events[event]) else 600
        except VyreError:
            return 719

    def pointerGetAttributes(self, ptr: int) -> Any:
        self._fake.check()
        if self._fake.harness.owns(ptr):
            return _Attributes(OURS, self.memoryTypeDevice)
        is_pinned = self._fake.is_pinned(ptr)
        return _Attributes(0, 1 if is_pinned else self.memoryTypeUnregistered)


class _Attributes:
    def __init__(self, device: int, type: int):
        self.device = device
        self.type = type


class _Driver:
    """`cupy.cuda.driver`."""

    CUDADriverError = CUDADriverError

    def __init__(self, fake: FakeCupy):
        self._fake = fake

    def launchKernel(
        self,
        f: int,
        grid_dim_x: int,
        grid_dim_y: int,
        grid_dim_z: int,
        block_dim_x: int,
        block_dim_y: int,
        block_dim_z: int,
        shared_mem_bytes: int,
        stream: int,
        kernel_params: int,
        extra: int,
    ) -> None:
        assert extra == 0
        grid = (grid_dim_x, grid_dim_y, grid_dim_z)
        block = (block_dim_x, block_dim_y, block_dim_z)
        self._launch(f, grid, block, shared_mem_bytes, stream, kernel_params, False)

    def launchCooperativeKernel(
        self,
        f: int,
        grid_dim_x: int,
        grid_dim_y: int,
        grid_dim_z: int,
        block_dim_x: int,
        block_dim_y: int,
        block_dim_z: int,
        shared_mem_bytes: int,
        stream: int,
        kernel_params: int,
    ) -> None:
        grid = (grid_dim_x, grid_dim_y, grid_dim_z)
        block = (block_dim_x, block_dim_y, block_dim_z)
        self._launch(f, grid, block, shared_mem_bytes, stream, kernel_params, True)

    def _launch(
        self,
        f: int,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        shared: int,
        stream: int,
        params: int,
        cooperative: bool,
    ) -> None:
        assert shared == 0
        fake = self._fake
        function = fake.functions[f]
        values: list[np.generic] = []
        for number, size in enumerate(function.sizes):
            place = int(_bytes_at(params + 8 * number, 8).view(np.uint64)[0])
            values.append(_bytes_at(place, size).copy().view(f"V{size}")[0])
        arguments = PackedArguments(values)
        with fake.translated(CUDADriverError):
            fake.harness.launch(
                function,
                grid,
                block,
                arguments,
                fake.stream(stream),
                cooperative=cooperative,
            )

    def occupancyMaxActiveBlocksPerMultiprocessor(
        self, func: int, blockSize: int, dynamicSMemSize: int
    ) -> int:
        assert dynamicSMemSize == 0
        with self._fake.translated(CUDADriverError):
            function = self._fake.functions[func]
            return self._fake.harness.blocks_per_multiprocessor(function, blockSize)


class _Nvrtc:
    """`cupy_backends.cuda.libs.nvrtc`: what it compiles is the text itself."""

    class NVRTCError(RuntimeError):
        pass

    def __init__(self, fake: FakeCupy):
        self._fake = fake

    def getVersion(self) -> tuple[int, int]:
        return 12, 9

    def getSupportedArchs(self) -> tuple[int, ...]:
        return 70, 80, 90

    def createProgram(self, src: str, name: str, headers: Any, include_names: Any) -> int:
        number = len(self._fake.programs) + 1
        self._fake.programs[number] = [src, ""]
        return number

    def compileProgram(self, prog: int, options: tuple[str, ...]) -> None:
        program = self._fake.programs[prog]
        if "syntax error" in program[0]:
            program[1] = "line 1: nonsense"
            raise self.NVRTCError("NVRTC_ERROR_COMPILATION")
        self._fake.texts.append((program[0], options))
        program[0] = "\n".join([" ".join(options), program[0]])

    def destroyProgram(self, prog: int) -> None:
        del self._fake.programs[prog]

    def getCUBIN(self, prog: int) -> bytes:
        return b"cubin:" + self._fake.programs[prog][0].encode()

    def getPTX(self, prog: int) -> bytes:
        return b"ptx:" + self._fake.programs[prog][0].encode()

    def getProgramLog(self, prog: int) -> str:
        return self._fake.programs[prog][1]


def _module(fake: FakeCupy) -> Any:
    class Module:
        def load(self, cubin: bytes) -> None:
            fake.check()
            options, self._text = cubin.decode().split(":", 1)[1].split("\n", 1)
            self._options = options.split()

        def get_function(self, name: str) -> Any:
            function = fake.harness.compile(self._text, name, self._options)
            fake.functions[id(function)] = function
            return _Pointer(id(function), function)

    return Module


class _Pointer:
    """Something with an address, or a number, that is kept."""

    def __init__(self, ptr: int, kept: object = None):
        self.ptr = ptr
        self.kept = kept


class _External(_Pointer):
    """A stream that somebody else made."""

    device_id = -1

    def __init__(self, fake: FakeCupy, ptr: int, kept: object = None):
        super().__init__(ptr, kept)
        self._fake = fake

    def __enter__(self) -> Self:
        self._fake.current_streams.append(self.ptr)
        return self

    def __exit__(self, *_: object) -> None:
        self._fake.current_streams.pop()


def _external_class(fake: FakeCupy) -> Any:
    class ExternalStream(_External):
        def __init__(self, ptr: int, device_id: int = -1):
            super().__init__(fake, ptr)

    return ExternalStream


def _cuda_names(fake: FakeCupy, version: int) -> dict[str, Any]:
    """What is directly in `cupy.cuda`."""
    names: dict[str, Any] = {
        "Device": partial(_Device, fake),
        "Event": partial(_Event, fake),
        "ExternalStream": _external_class(fake),
        "Graph": _Graph,
        "Stream": _stream_class(fake, version),
        "alloc": partial(_Memory, fake),
        "get_current_stream": lambda: _Pointer(fake.current_streams[-1]),
    }

    def alloc_pinned_memory(size: int) -> Any:
        fake.check()
        fake.pinned.append(_Pinned(size))
        return fake.pinned[-1]

    def get_elapsed_time(start_event: Any, end_event: Any) -> float:
        pair = (fake.events[event.ptr] for event in (start_event, end_event))
        return fake.harness.nanoseconds(*pair) / 1e6

    names["alloc_pinned_memory"] = alloc_pinned_memory
    names["get_elapsed_time"] = get_elapsed_time
    return names


class _Device:
    def __init__(self, fake: FakeCupy, device: int):
        self._fake = fake
        self._id = device
        self.compute_capability = fake.capability

    def __enter__(self) -> Self:
        threads = self._fake.threads
        before: list[int] = getattr(threads, "devices", [])
        threads.devices = [*before, self._fake.current_device]
        threads.device = self._id
        return self

    def __exit__(self, *_: object) -> None:
        self._fake.threads.device = self._fake.threads.devices.pop()


class _Event:
    def __init__(self, fake: FakeCupy, disable_timing: bool = False):
        fake.check()
        self.ptr = id(self)


class _Graph:
    def __init__(self, fake: FakeCupy, recorded: Any):
        self._fake = fake
        self._recorded = recorded

    def launch(self, stream: Any) -> None:
        with self._fake.translated():
            self._fake.harness.launch_graph(self._recorded, self._fake.stream(stream.ptr))


def _stream_class(fake: FakeCupy, version: int) -> Any:
    class Stream:
        device_id = OURS

        def __init__(self, non_blocking: bool = False):
            fake.check()
            assert non_blocking
            self.ptr = fake.new_stream()

        def __enter__(self) -> Self:
            fake.check()
            fake.current_streams.append(self.ptr)
            return self

        def __exit__(self, *_: object) -> None:
            fake.current_streams.pop()

        def begin_capture(self) -> None:
            fake.streams[self.ptr] = HostStream(recorded=[])

        def end_capture(self) -> _Graph:
            captured = fake.streams[self.ptr]
            fake.streams[self.ptr] = fake.harness.new_stream()
            return _Graph(fake, captured.recorded)

    class NewStream(Stream):
        @classmethod
        def from_external(cls, obj: Any) -> "_External":
            _, number = obj.__cuda_stream__()
            return _External(fake, number, obj)

    return NewStream if version >= 14 else Stream


class _Memory:
    """Goes back to the pool when nobody refers to it."""

    def __init__(self, fake: FakeCupy, size: int):
        self._free: Callable[[int], None] = fake.harness.free
        with fake.translated():
            place = fake.stream(fake.current_streams[-1])
            self.ptr = fake.harness.allocate(size, place)

    def __del__(self) -> None:
        if hasattr(self, "ptr"):
            self._free(self.ptr)


class _Pinned(bytearray):
    @property
    def ptr(self) -> int:
        return ctypes.addressof(ctypes.c_char.from_buffer(self))


def _top_names(fake: FakeCupy) -> dict[str, Any]:
    """What is directly in `cupy`."""

    def empty(shape: tuple[int, ...], dtype: Any) -> HostArray:
        fake.check()
        return HostArray(fake.harness.memory, shape, np.dtype(dtype))

    def from_dlpack(array: Any) -> Any:
        fake.check()
        return array.__dlpack__(stream=fake.current_streams[-1])

    return {
        "__version__": "fake",
        "ndarray": HostArray,
        "empty": empty,
        "from_dlpack": from_dlpack,
    }


def _bytes_at(address: int, size: int) -> Any:
    """The host's bytes at an address."""
    room = (ctypes.c_uint8 * size).from_address(address)
    return np.frombuffer(memoryview(room), np.uint8)
