"""An engine around another one, which knows what memory is in use."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from vyre.dialects.vyre import ProgramOp
from vyre.runtime.backend import (
    Backend,
    Buffer,
    Bytes,
    Kernel,
    Launch,
    Memory,
    Outcome,
    Prepared,
    Whole,
)
from vyre.runtime.deadline import Deadline
from vyre.runtime.device_array import AnyArray, DeviceArray
from vyre.runtime.geometry import Geometry
from vyre.runtime.times import Times
from vyre.runtime.unit import Unit


class WrappedBackend(Backend):
    """
    Hands every call on to another engine, after it was `noted`, and keeps account of the
    memory. Derive from it to watch an engine, or to change what it does.

    Example:

    ```python
    class Slow(WrappedBackend):
        def noted(self, call: str) -> None:
            time.sleep(0.01)
    ```
    """

    name = "wrapped"

    def __init__(self, inner: Backend):
        self.inner = inner
        self.capabilities = inner.capabilities
        self.lock = threading.RLock()
        self._live: dict[int, tuple[Memory, int]] = {}

    def noted(self, call: str) -> None:
        """Called before every call of the engine, with its name."""

    def reported(self, outcome: Outcome) -> Outcome:
        """Called with what the engine says of a dispatch; gives what its caller hears."""
        return outcome

    @property
    def live_count(self) -> int:
        """How much memory was allocated and not given back, in pieces."""
        return len(self._live)

    @property
    def live_bytes(self) -> int:
        """How much memory was allocated and not given back, in bytes."""
        with self.lock:
            return sum(size for _, size in self._live.values())

    @override
    def allocate(self, size: int, alignment: int) -> Memory:
        self.noted("allocate")
        memory = self.inner.allocate(size, alignment)
        with self.lock:
            # The memory is kept with its id, so that no other object gets the same id.
            self._live[id(memory)] = (memory, size)
        return memory

    @override
    def free(self, memory: Memory) -> None:
        with self.lock:
            if self._live.pop(id(memory), None) is None:
                raise AssertionError("what is freed was never allocated, or freed before")
        self.noted("free")
        self.inner.free(memory)

    @override
    def upload(self, memory: Memory, offset: int, data: Bytes) -> None:
        self.noted("upload")
        self.inner.upload(memory, offset, data)

    @override
    def download(self, memory: Memory, offset: int, data: Bytes) -> None:
        self.noted("download")
        self.inner.download(memory, offset, data)

    @override
    def launch(self, launch: Launch) -> Times | None:
        self.noted("launch")
        return self.inner.launch(launch)

    @override
    def compile(self, program: ProgramOp) -> Kernel:
        self.noted("compile")
        return self.inner.compile(program)

    @override
    def compile_whole(self, unit: Unit) -> Kernel:
        self.noted("compile")
        return self.inner.compile_whole(unit)

    @override
    def prepare(self, whole: Whole, zeros: Sequence[str] = ()) -> Prepared:
        return WrappedDispatch(self, self.inner.prepare(whole, zeros))

    @override
    def resident_groups(self, kernel: Kernel, geometry: Geometry) -> int | None:
        self.noted("resident_groups")
        return self.inner.resident_groups(kernel, geometry)

    @override
    def adopt(self, array: AnyArray) -> Memory | None:
        self.noted("adopt")
        return self.inner.adopt(array)

    @override
    def device_array(self, value: object) -> DeviceArray | None:
        return self.inner.device_array(value)

    @override
    def new_device_array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceArray:
        self.noted("new_device_array")
        return self.inner.new_device_array(shape, dtype)

    @override
    def part(self, memory: Memory, offset: int) -> Memory | None:
        return self.inner.part(memory, offset)

    @override
    def finish(self) -> None:
        self.noted("finish")
        self.inner.finish()

    @override
    def clear(self, memory: Memory, size: int) -> None:
        self.noted("clear")
        self.inner.clear(memory, size)

    @override
    def copy(self, source: Memory, target: Memory, size: int) -> None:
        self.noted("copy")
        self.inner.copy(source, target, size)

    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        self.noted("equal")
        return self.inner.equal(one, other)


class WrappedDispatch(Prepared):
    """A dispatch that another engine has prepared, each run of which is `noted`."""

    def __init__(self, owner: WrappedBackend, inner: Prepared):
        self.owner = owner
        self.inner = inner

    @override
    def run(self, deadline: Deadline) -> tuple[int, int]:
        self.ended = ()
        self.owner.noted("launch")
        try:
            return self.inner.run(deadline)
        finally:
            self.ended = self.inner.ended

    @override
    def outcome(self, wall: int) -> Outcome:
        return self.owner.reported(self.inner.outcome(wall))

    @override
    def close(self) -> None:
        self.inner.close()

    @override
    def rebind(self, arguments: Sequence[int | np.generic]) -> None:
        self.inner.rebind(arguments)
