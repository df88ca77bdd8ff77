"""Memory of engines that work on the host: NumPy arrays, the caller's in place."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from vyre.runtime.backend import Backend, Buffer, Bytes, Capabilities, same_elements
from vyre.runtime.device_array import AnyArray


class HostBackend(Backend):
    """
    An engine on the host. Memory is an array of bytes; what remains to be written is how
    a program is launched.

    Example: `docs/runtime.md` has a complete engine.
    """

    capabilities = Capabilities(in_place=True)

    @override
    def allocate(self, size: int, alignment: int) -> Bytes:
        room = np.empty(size + alignment - 1, np.uint8)
        begin = -room.ctypes.data % alignment
        return room[begin : begin + size]

    @override
    def free(self, memory: Bytes) -> None:
        """Nothing to do: Python frees it when nobody refers to it."""

    @override
    def upload(self, memory: Bytes, offset: int, data: Bytes) -> None:
        memory[offset : offset + data.size] = data

    @override
    def download(self, memory: Bytes, offset: int, data: Bytes) -> None:
        data[:] = memory[offset : offset + data.size]

    @override
    def adopt(self, array: AnyArray) -> Bytes:
        assert isinstance(array, np.ndarray)  # No other is imported.
        return array.reshape(-1).view(np.uint8)

    @override
    def part(self, memory: Bytes, offset: int) -> Bytes:
        return memory[offset:]

    @override
    def host_array(self, buffer: Buffer) -> NDArray[Any]:
        return as_array(buffer)

    @override
    def clear(self, memory: Bytes, size: int) -> None:
        memory[:size] = 0

    @override
    def copy(self, source: Bytes, target: Bytes, size: int) -> None:
        target[:size] = source[:size]

    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        return same_elements(as_array(one), as_array(other))


def as_array(buffer: Buffer) -> NDArray[Any]:
    """A buffer of an engine on the host as the array that it is."""
    return buffer.memory[: buffer.size].view(buffer.dtype).reshape(buffer.shape)
