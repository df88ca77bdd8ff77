"""Functions of CUDA's runtime, driver and compiler, as CuPy has them, on the harness."""

import ctypes
import struct
from typing import Any

import numpy as np
from cuda_fake_state import (
    DEVICES,
    OURS,
    CUDADriverError,
    CUDARuntimeError,
    FakeCuda,
    Pointer,
)

from vyre.diagnostics import VyreError
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.testing.host_cuda import PRETENDED

ATTRIBUTES = {
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
PAGEABLE_ACCESS = 88


class FakeRuntime:
    """`cupy.cuda.runtime`."""

    CUDARuntimeError = CUDARuntimeError
    memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = 1, 2, 3
    memoryTypeUnregistered, memoryTypeDevice, memoryTypeManaged = 0, 2, 3

    def __init__(self, fake: FakeCuda):
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
        if attrib == PAGEABLE_ACCESS:
            return int(self._fake.reads_host_memory)
        return next(value for number, value in ATTRIBUTES.values() if number == attrib)

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


class FakeDriver:
    """`cupy.cuda.driver`."""

    CUDADriverError = CUDADriverError

    def __init__(self, fake: FakeCuda):
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


class FakeNvrtc:
    """`cupy_backends.cuda.libs.nvrtc`: what it compiles is the text itself."""

    class NVRTCError(RuntimeError):
        pass

    def __init__(self, fake: FakeCuda):
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
        return elf_file(self._fake.programs[prog][0])[:-1]  # As CuPy does.

    def getPTX(self, prog: int) -> bytes:
        return b"ptx:" + self._fake.programs[prog][0].encode()

    def getProgramLog(self, prog: int) -> str:
        return self._fake.programs[prog][1]


def elf_file(text: str) -> bytes:
    """A header, the text, and a header of one segment, which comes last."""
    content = text.encode()
    head = bytearray(64)
    head[:4] = b"\x7fELF"
    struct.pack_into("<QQ", head, 32, 64 + len(content), 0)
    struct.pack_into("<HH", head, 54, 56, 1)
    return bytes(head) + content + bytes(56)


def text_of(code: bytes) -> str:
    """What was compiled, of a whole file or of PTX."""
    if code.startswith(b"ptx:"):
        return code[4:].decode()
    text = code[64:-56].decode()
    assert code == elf_file(text), "the file is cut short"
    return text


def module_class(fake: FakeCuda) -> Any:
    class Module:
        def load(self, cubin: bytes) -> None:
            fake.check()
            options, self._text = text_of(cubin).split("\n", 1)
            self._options = options.split()

        def get_function(self, name: str) -> Any:
            function = fake.harness.compile(self._text, name, self._options)
            fake.functions[id(function)] = function
            return Pointer(id(function), function)

    return Module


def _bytes_at(address: int, size: int) -> Any:
    """The host's bytes at an address."""
    room = (ctypes.c_uint8 * size).from_address(address)
    return np.frombuffer(memoryview(room), np.uint8)
