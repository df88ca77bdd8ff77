"""An engine that checks what the runtime asks of it: the other side of the contract."""

from typing import Any

import numpy as np
from typing_extensions import override
from xdsl.dialects.builtin import DYNAMIC_INDEX

from vyre.dialects.vyre import BufferOp, ProgramOp
from vyre.runtime.backend import Backend, Buffer, Bytes, Kernel, Launch, Memory, is_buffer
from vyre.runtime.scalars import dtype_of
from vyre.runtime.times import Times
from vyre.testing import RecordingBackend


class StrictBackend(RecordingBackend):
    """Nothing is empty, outside its memory, misaligned, or not what it should be."""

    name = "strict"

    def __init__(self, inner: Backend):
        super().__init__(inner)
        self._sizes: dict[int, tuple[Memory, int]] = {}
        self._kernels: list[tuple[ProgramOp, Kernel]] = []

    def _size(self, memory: Memory) -> int:
        found, size = self._sizes[id(memory)]
        assert found is memory
        return size

    @override
    def allocate(self, size: int, alignment: int) -> Memory:
        assert size >= 1
        assert alignment >= 1
        assert alignment & (alignment - 1) == 0
        memory = super().allocate(size, alignment)
        self._sizes[id(memory)] = (memory, size)
        return memory

    @override
    def free(self, memory: Memory) -> None:
        del self._sizes[id(memory)]
        super().free(memory)

    @override
    def upload(self, memory: Memory, offset: int, data: Bytes) -> None:
        self._check_transfer(memory, offset, data)
        super().upload(memory, offset, data)

    @override
    def download(self, memory: Memory, offset: int, data: Bytes) -> None:
        self._check_transfer(memory, offset, data)
        assert data.flags.writeable
        super().download(memory, offset, data)

    def _check_transfer(self, memory: Memory, offset: int, data: Bytes) -> None:
        assert data.dtype == np.uint8
        assert data.ndim == 1
        assert data.flags.c_contiguous
        assert data.size >= 1
        assert 0 <= offset <= self._size(memory) - data.size

    @override
    def clear(self, memory: Memory, size: int) -> None:
        assert 1 <= size <= self._size(memory)
        super().clear(memory, size)

    @override
    def copy(self, source: Memory, target: Memory, size: int) -> None:
        assert source is not target
        assert 1 <= size <= min(self._size(source), self._size(target))
        super().copy(source, target, size)

    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        assert one.memory is not other.memory
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert 1 <= one.size <= min(self._size(one.memory), self._size(other.memory))
        return super().equal(one, other)

    @override
    def compile(self, program: ProgramOp) -> Kernel:
        self._kernels.append((program, super().compile(program)))
        return self._kernels[-1][1]

    @override
    def launch(self, launch: Launch) -> Times | None:
        made_for = [program for program, kernel in self._kernels if kernel is launch.kernel]
        assert launch.program in made_for
        assert launch.geometry.size == tuple(launch.program.workgroup)
        entries = list(launch.program.launch_table)
        for entry, value in zip(entries, launch.arguments, strict=True):
            if isinstance(entry, BufferOp):
                self._check_buffer(entry, value)
            else:
                assert not is_buffer(value)
                assert value.dtype == dtype_of(entry.value.type)
        return super().launch(launch)

    def _check_buffer(self, entry: BufferOp, buffer: Any) -> None:
        assert isinstance(buffer, Buffer)
        assert buffer.dtype == dtype_of(entry.type.element_type)
        assert len(buffer.shape) == len(entry.type.get_shape())
        for size, declared in zip(buffer.shape, entry.type.get_shape()):
            assert declared in (DYNAMIC_INDEX, size)
        assert buffer.size <= self._size(buffer.memory)
