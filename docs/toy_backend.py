"""
A complete engine. Its memory is a dictionary of its own; the reference engine runs the
programs, in place of whatever yours has.
"""

from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vyre.interpreter.engine import Dispatch
from vyre.runtime.backend import Backend, Buffer, Bytes, Launch, is_buffer


class ToyBackend(Backend):
    """Memory is a number; what is behind it only this engine knows."""

    name = "toy"

    def __init__(self) -> None:
        self._contents: dict[int, bytearray] = {}
        self._numbers = count()

    def allocate(self, size: int, alignment: int) -> int:
        number = next(self._numbers)
        self._contents[number] = bytearray(size)  # NumPy reads at any address.
        return number

    def free(self, memory: int) -> None:
        del self._contents[memory]

    def upload(self, memory: int, offset: int, data: Bytes) -> None:
        self._contents[memory][offset : offset + data.size] = data.tobytes()

    def download(self, memory: int, offset: int, data: Bytes) -> None:
        data[:] = np.frombuffer(self._contents[memory], np.uint8, data.size, offset)

    def launch(self, launch: Launch) -> None:
        arguments: dict[str, NDArray[Any] | np.generic] = {}
        for entry, value in zip(launch.program.launch_table, launch.arguments):
            array = self._array(value) if is_buffer(value) else value
            arguments[entry.entry_name.data] = array
        dispatch = Dispatch(launch.geometry.groups, deadline=launch.deadline)
        dispatch.run(launch.program, arguments)

    def _array(self, buffer: Buffer) -> NDArray[Any]:
        return np.ndarray(buffer.shape, buffer.dtype, self._contents[buffer.memory])
