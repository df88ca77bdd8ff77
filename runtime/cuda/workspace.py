"""Memory of a dispatch beside its buffers: scratch, records of traps, words of barriers."""

import weakref
from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from vyre.diagnostics import VyreError
from vyre.lowering.cuda.grid_protocol import GRID_WORDS
from vyre.runtime.backend import Buffer
from vyre.runtime.cuda.device import CudaDevice, Handle
from vyre.runtime.cuda.memory import CudaMemory
from vyre.runtime.cuda.sections import Section

GRID_BYTES = 4 * GRID_WORDS
"""Of the words of a grid barrier."""

KEPT_PASSES = 8
"""Passes that are remembered, with the arguments that they are for."""


@dataclass(frozen=True)
class _Piece:
    address: int
    size: int


class Workspace:
    """
    Memory for one dispatch at a time, and for others after it. It grows as it is needed,
    and is given back by `close`, or when nobody refers to it.

    `passes` are the sections of passes without decisions of the host, by all that they
    depend on. They are forgotten when memory that they mention may have moved.

    Example: `Workspace(device, stream).memory("flag", 4)`
    """

    def __init__(self, device: CudaDevice, stream: Handle):
        self._device = device
        self._stream = stream
        self._pieces: dict[Hashable, _Piece] = {}
        self.stop = device.stop_word()
        self.passes: OrderedDict[Hashable, tuple[Section, ...]] = OrderedDict()
        self.close = weakref.finalize(self, _give_back, device, self._pieces)
        """Give all memory back, which nobody uses any more."""

    def memory(self, key: Hashable, size: int) -> int:
        """The address of so many bytes or more, of any contents, always the same."""
        found = self._pieces.get(key)
        if found is not None and found.size >= size:
            return found.address
        if found is not None:
            self.passes.clear()
            del self._pieces[key]
            self._device.free(found.address)
        address = self._device.allocate(max(1, size), self._stream)
        self._pieces[key] = _Piece(address, size)
        return address

    def filled(self, key: Hashable, content: bytes) -> int:
        """The address of so many bytes, which had this content when they were made."""
        if key in self._pieces:
            return self._pieces[key].address
        address = self.memory(key, len(content))
        self._device.upload(address, np.frombuffer(content, np.uint8), self._stream)
        return address

    def remember(self, key: Hashable, sections: tuple[Section, ...]) -> None:
        """Keep what a pass does."""
        self.passes[key] = sections
        while len(self.passes) > KEPT_PASSES:
            self.passes.popitem(last=False)


def _give_back(device: CudaDevice, pieces: dict[Hashable, _Piece]) -> None:
    for piece in pieces.values():
        with suppress(VyreError):  # The device may be gone.
            device.free(piece.address)


def scratch_buffer(
    space: Workspace, key: Hashable, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Buffer:
    """Memory of any contents as an array."""
    address = space.memory(key, prod(shape) * dtype.itemsize)
    return Buffer("scratch", CudaMemory(address), shape, dtype)
