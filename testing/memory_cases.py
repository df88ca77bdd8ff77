"""Memory and transfers: the methods of an engine called one by one."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from vyre.analysis.features import Feature
from vyre.runtime.backend import Backend, Buffer, Bytes, Memory
from vyre.testing.case import Cases, Inapplicable, expect, expect_same

MEMORY = Cases("memory")

SIZES = (1, 2, 3, 7, 8, 31, 64, 1000, 4096, 100_001, 1 << 22)
PADDING = 0xA5


@contextmanager
def allocated(backend: Backend, *sizes: int, alignment: int = 8) -> Generator[list[Memory]]:
    """Memory of these sizes, filled with one byte and freed in the end."""
    found: list[Memory] = []
    try:
        for size in sizes:
            found.append(backend.allocate(size, alignment))
            backend.upload(found[-1], 0, np.full(size, PADDING, np.uint8))
        yield found
    finally:
        for memory in found:
            backend.free(memory)


def pattern(size: int, seed: int = 1) -> Bytes:
    """Bytes that look random, other ones for every seed."""
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8)


def read(backend: Backend, memory: Memory, size: int, offset: int = 0) -> Bytes:
    """Some bytes of the memory."""
    data = np.zeros(size, np.uint8)
    backend.download(memory, offset, data)
    return data


def sizes_of(backend: Backend) -> list[int]:
    """The sizes that the engine can have."""
    limit = backend.capabilities.max_buffer_bytes
    return [size for size in SIZES if limit is None or size <= limit]


@MEMORY.case
def sizes(backend: Backend) -> None:
    """What was uploaded is downloaded, whatever its size."""
    for size in sizes_of(backend):
        with allocated(backend, size) as (memory,):
            data = pattern(size)
            backend.upload(memory, 0, data)
            expect_same(f"memory of {size} bytes", read(backend, memory, size), data)


@MEMORY.case
def alignments(backend: Backend) -> None:
    """Memory begins at a multiple of the alignment, as far as addresses can be seen."""
    for alignment in (1, 2, 8, 16, 64, 256, 4096):
        sizes = (1, 40, 1000)
        with allocated(backend, *sizes, alignment=alignment) as memories:
            for size, memory in zip(sizes, memories):
                expect_same("aligned memory", read(backend, memory, size), padding(size))
                address = address_of(memory)
                fits = address is None or address % alignment == 0
                expect(fits, f"memory at {address} is not at a multiple of {alignment}")


def padding(size: int) -> Bytes:
    return np.full(size, PADDING, np.uint8)


def address_of(memory: Any) -> int | None:
    """Where memory is, if it tells in one of the usual ways."""
    for name in ("__array_interface__", "__cuda_array_interface__"):
        interface = getattr(memory, name, None)
        if interface is not None:
            return int(interface["data"][0])
    if isinstance(memory, bytearray | memoryview):
        return np.frombuffer(cast(Any, memory), np.uint8).ctypes.data
    return None


@MEMORY.case
def ranges(backend: Backend) -> None:
    """Transfers touch the bytes that they name, and no others."""
    size = 97
    for offset, count in ((0, 1), (1, 1), (3, 5), (8, 64), (13, 84), (96, 1), (0, 97)):
        with allocated(backend, size) as (memory,):
            data, expected = pattern(count), padding(size)
            backend.upload(memory, offset, data)
            expected[offset : offset + count] = data
            expect_same("the memory", read(backend, memory, size), expected)
            part = np.full(count + 2, 7, np.uint8)
            backend.download(memory, offset, part[1:-1])
            expect_same("the range", part, np.array([7, *data, 7], np.uint8))


@MEMORY.case
def transfers_copy(backend: Backend) -> None:
    """Neither side of a transfer sees what the other one does later."""
    with allocated(backend, 64) as (memory,):
        data = pattern(64)
        kept = data.copy()
        backend.upload(memory, 0, data)
        expect_same("the host's data after the upload", data, kept)
        data[:] = 0
        found = read(backend, memory, 64)
        expect_same("memory after the host changed its data", found, kept)
        found[:] = 1
        expect_same("memory after a copy was changed", read(backend, memory, 64), kept)
        backend.upload(memory, 0, padding(64))
        expect_same("a copy after the memory was changed", found, np.ones(64, np.uint8))


@MEMORY.case
def awkward_host_data(backend: Backend) -> None:
    """The host's bytes may be read-only, and at any address."""
    with allocated(backend, 64) as (memory,):
        room = pattern(67)
        for begin in (1, 2, 3):
            data = room[begin : begin + 64]
            data.flags.writeable = False
            backend.upload(memory, 0, data)
            copy = np.zeros(67, np.uint8)
            backend.download(memory, 0, copy[begin : begin + 64])
            expect_same("the memory", copy[begin : begin + 64], data)


@MEMORY.case
def independence(backend: Backend) -> None:
    """Many allocations at once do not get into each other's way."""
    sizes = [1 + 37 * k % 301 for k in range(60)]
    with allocated(backend, *sizes) as memories:
        _fill_and_compare(backend, memories, sizes)
        freed = [backend.allocate(size, 16) for size in sizes]
        _fill_and_compare(backend, freed, sizes)
        for memory in freed[::2]:
            backend.free(memory)
        with allocated(backend, *sizes) as others:
            for k in range(1, 60, 2):
                found = read(backend, freed[k], sizes[k])
                expect_same(f"allocation {k}", found, pattern(sizes[k], k))
            _fill_and_compare(backend, others, sizes)
        for memory in freed[1::2]:
            backend.free(memory)


def _fill_and_compare(
    backend: Backend, memories: Sequence[Memory], sizes: Sequence[int]
) -> None:
    for k, (memory, size) in enumerate(zip(memories, sizes)):
        backend.upload(memory, 0, pattern(size, k))
    for k, (memory, size) in enumerate(zip(memories, sizes)):
        expect_same(f"allocation {k}", read(backend, memory, size), pattern(size, k))


@MEMORY.case
def free(backend: Backend) -> None:
    """Memory can be had and given back again and again, in any order."""
    for number in range(300):
        memories = [backend.allocate(1 + number % 64, 8) for _ in range(3)]
        for k in (1, 0, 2) if number % 2 else (0, 2, 1):
            backend.free(memories[k])


@MEMORY.case
def clear(backend: Backend) -> None:
    """`clear` makes the first bytes zeros, and leaves the others."""
    for size in (1, 5, 64, 99, 100):
        with allocated(backend, 100) as (memory,):
            backend.clear(memory, size)
            expected = padding(100)
            expected[:size] = 0
            expect_same("the memory", read(backend, memory, 100), expected)


@MEMORY.case
def copy(backend: Backend) -> None:
    """`copy` copies the first bytes once, and leaves the others."""
    for size in (1, 5, 64, 99, 100):
        with allocated(backend, 100, 100) as (source, target):
            data, expected = pattern(100), padding(100)
            expected[:size] = data[:size]
            backend.upload(source, 0, data)
            backend.copy(source, target, size)
            expect_same("the target", read(backend, target, 100), expected)
            expect_same("the source", read(backend, source, 100), data)
            backend.upload(source, 0, padding(100))
            expect_same("the target later", read(backend, target, 100), expected)


@MEMORY.case
def equal(backend: Backend) -> None:
    """`equal` compares all elements of the buffers, to the bit, and nothing else."""
    data = pattern(96)
    for position in (None, 0, 47, 94, 95):
        other = data.copy()
        if position is not None:
            other[position] ^= 1
        for dtype in ("i1", "i4", "i8"):
            expected = position is None
            _expect_equal(backend, data.view(dtype), other.view(dtype), expected)
            shape = (3, -1)
            _expect_equal(
                backend,
                data.view(dtype).reshape(shape),
                other.view(dtype).reshape(shape),
                expected,
            )


@MEMORY.case
def equal_floats(backend: Backend) -> None:
    """Any NaN equals any other; apart from that floats are compared to the bit."""
    for bits, one, other, dtype in (
        ("u4", 0x7FC00000, 0xFFC00001, "f4"),
        ("u4", 0x7F800001, 0x7FC00000, "f4"),
        ("u8", 0x7FF8 << 48, 0xFFF8000000000001, "f8"),
        ("u2", 0x7E00, 0xFE01, "f2"),
    ):
        if not _has_floats(backend, dtype):
            continue
        nans = [np.array([0, number, 0], bits) for number in (one, other)]
        _expect_equal(backend, nans[0].view(dtype), nans[1].view(dtype), True)
        whole = [array.view(f"i{bits[1]}") for array in nans]
        _expect_equal(backend, whole[0], whole[1], False)
        for a, b, same in (
            (0.0, -0.0, False),
            (-0.0, -0.0, True),
            (np.nan, 1.0, False),
            (1.0, np.nan, False),
            (np.inf, np.nan, False),
            (np.inf, np.inf, True),
        ):
            pair = [np.array([1.5, number, np.nan], dtype) for number in (a, b)]
            _expect_equal(backend, pair[0], pair[1], same)


def _has_floats(backend: Backend, dtype: str) -> bool:
    needed = {"f2": Feature.F16, "f8": Feature.F64}.get(dtype)
    return needed not in backend.capabilities.lacks


def _expect_equal(
    backend: Backend, one: NDArray[Any], other: NDArray[Any], expected: bool
) -> None:
    """Compare two arrays on the engine; behind them their memory differs."""
    size = one.nbytes
    with allocated(backend, size + 8, size + 8) as memories:
        backend.upload(memories[0], size, np.zeros(8, np.uint8))
        buffers: list[Buffer] = []
        for memory, array in zip(memories, (one, other)):
            backend.upload(memory, 0, array.reshape(-1).view(np.uint8))
            buffers.append(Buffer("b", memory, array.shape, array.dtype))
        found = backend.equal(*buffers)
    shown = f"{one.reshape(-1)[:4]} and {other.reshape(-1)[:4]} as {one.dtype}"
    expect(bool(found) is expected, f"equal says {found} for {shown}")


@MEMORY.case
def finish(backend: Backend) -> None:
    """There may be nothing to wait for."""
    backend.finish()
    backend.finish()


@MEMORY.case
def adopt(backend: Backend) -> None:
    """Adopted memory is the array itself, and need not be freed."""
    if not backend.capabilities.in_place:
        raise Inapplicable("it does not work in place")
    for dtype, shape in (
        ("i4", (6,)),
        ("f8", (2, 3)),
        ("?", (5,)),
        ("u2", (1, 1)),
        ("i8", ()),
    ):
        array = np.ones(shape, dtype)
        memory = backend.adopt(array)
        if memory is None:
            continue
        size = array.nbytes
        ones = array.reshape(-1).view(np.uint8).copy()
        expect_same("adopted memory", read(backend, memory, size), ones)
        array[...] = 0
        expect_same("adopted memory", read(backend, memory, size), ones * 0)
        backend.upload(memory, 0, ones)
        backend.finish()
        expect_same("the adopted array", array, np.ones(shape, dtype))


@MEMORY.case
def adopt_awkward_arrays(backend: Backend) -> None:
    """Arrays that are empty or read-only are adopted or not, but do no harm."""
    if not backend.capabilities.in_place:
        raise Inapplicable("it does not work in place")
    backend.adopt(np.zeros(0, np.float32))
    array = pattern(16)
    array.flags.writeable = False
    memory = backend.adopt(array)
    if memory is not None:
        expect_same("adopted memory", read(backend, memory, 16), array)
