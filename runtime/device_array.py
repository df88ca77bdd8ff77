"""Arrays of callers that are in an engine's memory already, and need not be moved there."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class DeviceArray:
    """
    An array of a caller, the `owner`, in the memory of an engine.

    Example: `CudaBackend().device_array(cupy_array).shape`
    """

    owner: Any
    exporter: Any
    """What keeps the memory alive, and tells the engine about it."""
    address: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_writable: bool
    is_contiguous: bool
    to_host: Callable[[], NDArray[Any]]
    """Gives a copy of it."""
    memory: Any = None
    """A `SharedMemory` if it is a device buffer, whose address is none of the engine's."""

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize


AnyArray: TypeAlias = NDArray[Any] | DeviceArray

Importer: TypeAlias = Callable[[object], DeviceArray | None]
"""Finds out whether what a caller passed is in an engine's memory."""


def none_is_there(value: object) -> None:
    """The importer of an engine that works on the host."""


def is_device_buffer(array: "AnyArray | None") -> bool:
    """
    Returns whether an argument is a device buffer.

    Example: `is_device_buffer(np.zeros(4))` is False.
    """
    return isinstance(array, DeviceArray) and array.memory is not None


def as_owned(array: AnyArray) -> NDArray[Any]:
    """
    An array as the caller knows it. One of a device is not NumPy's, but much like it.

    Example: `as_owned(array) is cupy_array`
    """
    return array.owner if isinstance(array, DeviceArray) else array
