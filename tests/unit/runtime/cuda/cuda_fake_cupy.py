"""
A CuPy without a GPU: the part of it that Vyre uses, on top of the host harness. What was
enqueued is done later. A test compares its functions with those of the real one.
"""

import ctypes
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any, Self

import numpy as np
from cuda_fake_functions import (
    ATTRIBUTES,
    PAGEABLE_ACCESS,
    FakeDriver,
    FakeNvrtc,
    FakeRuntime,
    module_class,
)
from cuda_fake_state import OURS, FakeCuda, OutOfMemoryError, Pointer

from vyre.testing.host_cuda import HostArray, HostCudaDevice
from vyre.testing.host_cuda_queue import Stream as HostStream


class FakeCupy(FakeCuda):
    """
    The modules, by name in `modules`.

    Example: `with FakeCupy(HostCudaDevice()).installed(): import cupy`
    """

    def __init__(self, harness: HostCudaDevice, *, version: int = 14):
        super().__init__(harness)
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

    def _modules(self, version: int) -> dict[str, ModuleType]:
        names = ["cupy", "cupy.cuda", "cupy.cuda.function", "cupy.cuda.memory"]
        names += ["cupy_backends", "cupy_backends.cuda", "cupy_backends.cuda.libs"]
        names += ["cupy_backends.cuda.libs.nvrtc"]
        made = {name: ModuleType(name) for name in names}
        cuda = made["cupy.cuda"]
        runtime, driver = ModuleType("runtime"), ModuleType("driver")
        _fill(runtime, _public(FakeRuntime(self)))
        for name, (number, _) in ATTRIBUTES.items():
            setattr(runtime, name, number)
        runtime.__dict__["cudaDevAttrPageableMemoryAccess"] = PAGEABLE_ACCESS
        _fill(driver, _public(FakeDriver(self)))
        _fill(made["cupy_backends.cuda.libs.nvrtc"], _public(FakeNvrtc(self)))
        _fill(cuda, _cuda_names(self, version))
        _fill(
            made["cupy.cuda.function"], {"Module": module_class(self), "Function": object}
        )
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


class _External(Pointer):
    """A stream that somebody else made."""

    device_id = -1

    def __init__(self, fake: FakeCuda, ptr: int, kept: object = None):
        super().__init__(ptr, kept)
        self._fake = fake

    def __enter__(self) -> Self:
        self._fake.current_streams.append(self.ptr)
        return self

    def __exit__(self, *_: object) -> None:
        self._fake.current_streams.pop()


def _external_class(fake: FakeCuda) -> Any:
    class ExternalStream(_External):
        def __init__(self, ptr: int, device_id: int = -1):
            super().__init__(fake, ptr)

    return ExternalStream


def _cuda_names(fake: FakeCuda, version: int) -> dict[str, Any]:
    """What is directly in `cupy.cuda`."""
    names: dict[str, Any] = {
        "Device": partial(_Device, fake),
        "Event": partial(_Event, fake),
        "ExternalStream": _external_class(fake),
        "Graph": _Graph,
        "Stream": _stream_class(fake, version),
        "alloc": partial(_Memory, fake),
        "get_current_stream": lambda: Pointer(fake.current_streams[-1]),
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
    def __init__(self, fake: FakeCuda, device: int):
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
    def __init__(self, fake: FakeCuda, disable_timing: bool = False):
        fake.check()
        self.ptr = id(self)


class _Graph:
    def __init__(self, fake: FakeCuda, recorded: Any):
        self._fake = fake
        self._recorded = recorded

    def launch(self, stream: Any) -> None:
        with self._fake.translated():
            self._fake.harness.launch_graph(self._recorded, self._fake.stream(stream.ptr))


def _stream_class(fake: FakeCuda, version: int) -> Any:
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

    def __init__(self, fake: FakeCuda, size: int):
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


def _top_names(fake: FakeCuda) -> dict[str, Any]:
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
