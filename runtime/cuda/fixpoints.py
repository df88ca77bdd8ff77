"""Comparing a pass with the pass immediately before it, on the device."""

from collections.abc import Sequence
from dataclasses import dataclass

from vyre.runtime.backend import Buffer
from vyre.runtime.cuda.comparing import FLAG_BYTES, comparison
from vyre.runtime.cuda.engine import CudaEngine
from vyre.runtime.cuda.memory import CudaMemory
from vyre.runtime.cuda.tape import ClearStep, CopyStep, Tape
from vyre.runtime.cuda.workspace import Workspace


@dataclass(frozen=True)
class Snapshots:
    """
    Copies of the buffers that a pass may change.

    Example: `engine.player.play(snapshots.take(), engine.stream)`
    """

    engine: CudaEngine
    space: Workspace
    buffers: Sequence[Buffer]

    @property
    def flag(self) -> int:
        """The address of the word that says that something differs."""
        return self.space.memory("differs", FLAG_BYTES)

    def take(self) -> Tape:
        """Copy all buffers."""
        return tuple(
            CopyStep(buffer.memory.address, self._copy(buffer), buffer.size)
            for buffer in self.buffers
            if buffer.size
        )

    def compare(self) -> Tape:
        """Set the flag if a buffer differs from its copy, clear it if none does."""
        device, loader = self.engine.device, self.engine.loader
        copies = [
            Buffer(each.name, CudaMemory(self._copy(each)), each.shape, each.dtype)
            for each in self.buffers
        ]
        return (
            ClearStep(self.flag, FLAG_BYTES),
            *(
                comparison(device, loader, buffer, copy, self.flag)
                for buffer, copy in zip(self.buffers, copies, strict=True)
                if buffer.size
            ),
        )

    def _copy(self, buffer: Buffer) -> int:
        return self.space.memory(("copy", buffer.name), buffer.size)
