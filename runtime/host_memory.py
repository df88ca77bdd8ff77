"""
Engines that work on the host: their memory is NumPy arrays, the caller's in place. Any
function is such an engine.

```python
def launch(program, arguments, geometry):
    # Run `program` on `arguments`, by name: arrays to be changed in place, and numbers.
    ...


vyre.compile(file, engine=launch)(x=array)
```

The function never sees a grid barrier: programs are split before. It is called once per
segment, in order, with the same arrays.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from vyre.dialects.vyre import ProgramOp
from vyre.runtime.backend import (
    Backend,
    Buffer,
    Bytes,
    Capabilities,
    Launch,
    is_buffer,
    same_elements,
)
from vyre.runtime.device_array import AnyArray
from vyre.runtime.geometry import Geometry

Launcher = Callable[[ProgramOp, Mapping[str, NDArray[Any] | np.generic], Geometry], None]


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


class ClosureBackend(HostBackend):
    """
    Calls a function for each launch.

    Example: `ClosureBackend(lambda program, arguments, geometry: None)`
    """

    name = "closure"

    def __init__(self, launcher: Launcher):
        self._launcher = launcher

    @override
    def launch(self, launch: Launch) -> None:
        names = [entry.entry_name.data for entry in launch.program.launch_table]
        values = [as_array(a) if is_buffer(a) else a for a in launch.arguments]
        self._launcher(launch.program, dict(zip(names, values)), launch.geometry)
