"""
Device buffers: arrays in an engine's memory that callers hold as values.

One can be passed wherever a buffer of its dtype and shape is wanted, and is used where it
is: in calls, as storage of results, in bound and resident programs, and in several handles
of a megakernel.
"""

import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from vyre.diagnostics import VyreError
from vyre.runtime.arguments import check_writable, element_range, host_array, zeros
from vyre.runtime.backend import Backend
from vyre.runtime.backends import find_backend
from vyre.runtime.device import Device
from vyre.runtime.device_array import AnyArray, DeviceArray, Importer, is_device_buffer
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.shared_memory import SharedMemory

ALIGNMENT = 256
"""Bytes that a device buffer is aligned to."""

_DTYPES = "?bhilqBHILQefd"
"""Codes of the dtypes that elements of buffers have."""


def device_buffer(
    array: object, *, engine: str | Backend | Callable[..., None] = "auto"
) -> "DeviceBuffer":
    """
    Copies an array to an engine's memory. `engine` is what `vyre.compile` takes, or
    `exe.backend`.

    Example:

    ```python
    facts = vyre.device_buffer(np.arange(1000, dtype=np.int32))
    handles = [megakernel.resident(facts=facts, seed=seed) for seed in seeds]
    ```
    """
    backend = find_backend(engine)
    name = "array"
    if isinstance(array, DeviceBuffer) and not array.is_on(backend):
        array = array.numpy()
    source = importer_of(backend)(array)
    if source is None:
        source = np.ascontiguousarray(host_array(name, array))
        source = source.astype(source.dtype.newbyteorder("="), copy=False)
    elif not source.is_contiguous:
        raise InvalidArgument(
            f"argument '{name}' is strided, not contiguous in row-major order",
            "pass a contiguous copy of it",
        )
    made = empty_device_buffer(backend, name, source.shape, source.dtype)
    made.fill(source)
    return made


def empty_device_buffer(
    backend: Backend, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> "DeviceBuffer":
    """
    Allocates a device buffer of any contents.

    Example: `empty_device_buffer(backend, "x", (4,), np.dtype(np.int32))`
    """
    if dtype.char not in _DTYPES:
        raise InvalidArgument(
            f"argument '{name}' has dtype {dtype}, which no buffer of a program has",
            "use bool, integers of 8 to 64 bits, or floats of 16, 32 or 64 bits",
        )
    device = Device(backend)
    return DeviceBuffer(device.give_away(device.buffer(name, shape, dtype, ALIGNMENT)))


class DeviceBuffer:
    """
    An array in an engine's memory, made by `vyre.device_buffer` or `Resident.buffer`. Calls
    read it in place; bound and resident programs and handles also write it in place. Its
    memory is freed when it was closed, or nobody refers to it, and no program uses it.

    Example: `vyre.device_buffer(array, engine="cpu").numpy()`
    """

    def __init__(self, memory: SharedMemory):
        """Takes the place of a user of the memory."""
        buffer = memory.buffer
        self.shape = buffer.shape
        self.dtype = buffer.dtype
        self.engine = memory.backend.name
        """The name of the engine in whose memory it is."""
        self._memory = memory
        self._device = Device(memory.backend)
        self._release = weakref.finalize(self, _abandon, memory)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self.size * self.dtype.itemsize

    def numpy(self) -> NDArray[Any]:
        """
        Copies all elements to a NumPy array.

        Example: `buffer.numpy().sum()`
        """
        return self.read().reshape(self.shape)

    def __array__(
        self, dtype: np.dtype[Any] | None = None, copy: bool | None = None
    ) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a device buffer has to be copied to the host")
        return self.numpy().astype(dtype or self.dtype, copy=False)

    def read(
        self,
        start: int | None = None,
        stop: int | None = None,
        *,
        into: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """
        Copies elements to the host, in row-major order.

        Example: `buffer.read(16, 32)`
        """
        buffer = self._opened().buffer
        begin, end = element_range("buffer", start, stop, self.size)
        if into is None:
            array = zeros("buffer", (end - begin,), self.dtype)
        else:
            array = self._checked(into, end - begin)
            check_writable("into", array)
        self._device.download(buffer, array, begin * self.dtype.itemsize)
        return array

    def write(self, data: object, start: int = 0) -> None:
        """
        Overwrites elements, in row-major order, from `start` on.

        Example: `buffer.write(np.zeros(16, np.float32), 16)`
        """
        buffer = self._opened().buffer
        array = self._checked(data)
        begin, _ = element_range("buffer", start, None, self.size, array.size)
        self._device.upload(buffer, array, begin * self.dtype.itemsize)

    def fill(self, source: NDArray[Any] | DeviceArray) -> None:
        """Overwrites all elements with an array of the same dtype and shape."""
        self._device.store(self._opened().buffer, source)
        self._device.finish(None)

    def _checked(self, value: object, size: int | None = None) -> NDArray[Any]:
        array = host_array("data", value)
        if array.dtype != self.dtype or not array.flags.c_contiguous:
            raise InvalidArgument(
                f"argument 'data' is no contiguous array of {self.dtype}: {array.dtype}",
                f"pass `np.ascontiguousarray(..., np.{self.dtype.name})` of it",
            )
        if size is not None and array.size != size:
            raise InvalidArgument(
                f"argument 'into' has {array.size} elements, expected {size}",
                "pass an array of that size",
            )
        return array

    def is_on(self, backend: Backend) -> bool:
        """Returns whether the buffer is in the memory of an engine."""
        return self._memory.backend is backend

    def on(self, backend: Backend) -> DeviceArray:
        """Returns the buffer as an argument of programs on its engine."""
        memory = self._opened()
        if not self.is_on(backend):
            its = memory.backend
            other = (
                f"'{backend.name}'" if backend.name != its.name else "another such engine"
            )
            raise InvalidArgument(
                f"it is in the memory of engine '{its.name}', the program runs on {other}",
                "make it by `vyre.device_buffer(array, engine=exe.backend)`",
            )
        return DeviceArray(
            self,
            memory,
            memory.address,
            self.shape,
            self.dtype,
            is_writable=True,
            is_contiguous=True,
            to_host=self.numpy,
            memory=memory,
        )

    def _opened(self) -> SharedMemory:
        if not self._release.alive:
            raise InvalidArgument(
                "the device buffer was closed", "use it before, or make another one"
            )
        return self._memory

    def close(self) -> None:
        """
        Gives the memory up. Programs that were bound to the buffer before go on using it. A
        second time does nothing.
        """
        if self._release.detach() is not None:
            self._memory.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @override
    def __repr__(self) -> str:
        state = "" if self._release.alive else ", closed"
        return f"DeviceBuffer({self.dtype}, {self.shape}, engine '{self.engine}'{state})"


def _abandon(memory: SharedMemory) -> None:
    """Releases memory when nobody is there to hear that it failed."""
    with suppress(VyreError):
        memory.release()


def importer_of(backend: Backend) -> Importer:
    """
    Returns what finds arguments that are in an engine's memory: device buffers, and arrays
    that the engine knows.

    Example: `as_array("x", value, f32, None, importer_of(backend))`
    """

    def imported(value: object) -> DeviceArray | None:
        if isinstance(value, DeviceBuffer):
            return value.on(backend)
        return backend.device_array(value)

    return imported


def held_buffers(arrays: Mapping[str, AnyArray]) -> dict[str, AnyArray]:
    """
    Returns the arguments that are device buffers, which held programs use in place.

    Example: `held_buffers(arguments.arrays).keys()`
    """
    return {name: array for name, array in arrays.items() if is_device_buffer(array)}
