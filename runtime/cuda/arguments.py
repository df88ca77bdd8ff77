"""Arguments of a kernel: what it declares, in the form in which the driver takes it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from vyre.lowering.cuda.kernel import (
    BufferArgument,
    CudaKernel,
    Extra,
    ScratchArgument,
    ValueArgument,
)
from vyre.runtime.backend import Buffer


class PackedArguments:
    """
    Values in the sizes that a kernel declares them, and pointers to them. Two with the same
    sizes and bytes are equal.

    Example: `PackedArguments([np.uint64(address), np.int32(5)]).address` is a `void **`.
    """

    def __init__(self, values: Sequence[np.generic]):
        self.sizes = tuple(value.itemsize for value in values)
        self._bytes = b"".join(value.tobytes().ljust(8, b"\0") for value in values)

    @cached_property
    def address(self) -> int:
        """Where pointers to the values are, as long as this object lives."""
        return self._words.ctypes.data

    @cached_property
    def _words(self) -> NDArray[np.uint64]:
        """The pointers, and behind them the values."""
        count = len(self.sizes)
        words = np.zeros(2 * count + 1, np.uint64)
        words[count : 2 * count] = np.frombuffer(self._bytes, np.uint64)
        places = np.arange(count, 2 * count, dtype=np.uint64) * np.uint64(8)
        words[:count] = places + np.uint64(words.ctypes.data)
        return words

    @override
    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PackedArguments)
            and self.sizes == other.sizes
            and self._bytes == other._bytes
        )

    @override
    def __hash__(self) -> int:
        return hash(self._bytes)


def packed(
    kernel: CudaKernel,
    values: Sequence[Buffer | np.generic],
    extras: Mapping[Extra, int],
) -> PackedArguments:
    """
    The arguments of a launch: values for the program's table, and the addresses of what
    else the kernel needs.

    Example: `packed(kernel, [buffer, np.float32(2)], {Extra.STOP: word.address})`
    """
    found = list(_program_arguments(kernel, values))
    found += [np.uint64(extras[extra]) for extra in kernel.extras]
    return PackedArguments(found)


def _program_arguments(kernel: CudaKernel, values: Sequence[Any]) -> Iterator[np.generic]:
    for argument, value in zip(kernel.arguments, values, strict=True):
        match argument:
            case ValueArgument():
                yield value
            case ScratchArgument():
                yield np.uint64(value.memory.address)
            case BufferArgument():
                yield np.uint64(value.memory.address)
                yield from (np.int64(value.shape[axis]) for axis in argument.dynamic)
