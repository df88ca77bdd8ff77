"""
An engine that remembers what was asked of it.

```python
from vyre.interpreter.backend import ReferenceBackend
from vyre.testing import RecordingBackend

recording = RecordingBackend(ReferenceBackend())
vyre.compile(file, engine=recording)(x=array)
print(recording.uploaded_bytes, len(recording.launches))
```
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from typing_extensions import override

from vyre.dialects.vyre import ProgramOp
from vyre.runtime.backend import (
    Backend,
    Bytes,
    Kernel,
    Launch,
    Memory,
    Outcome,
    Prepared,
    Whole,
)
from vyre.runtime.device_array import AnyArray, DeviceArray
from vyre.runtime.times import Times
from vyre.testing.wrapped import WrappedBackend

DIRT = 0xFF
"""What every byte of fresh memory is, to show who takes it for zero."""


class RecordingBackend(WrappedBackend):
    """
    Counts calls and bytes, keeps every launch, and fills fresh memory with 0xFF.

    It works on memory of its own, so that transfers can be seen, also if the engine inside
    could use the caller's arrays; `in_place=True` lets it do that. With `times` every
    launch reports these instead of what the engine measured.

    Example: `RecordingBackend(ReferenceBackend(), times=Times(device=2))`
    """

    name = "recording"

    def __init__(
        self, inner: Backend, *, in_place: bool = False, times: Times | None = None
    ):
        super().__init__(inner)
        in_place = in_place and inner.capabilities.in_place
        self.capabilities = replace(inner.capabilities, in_place=in_place)
        self.times = times
        self.forget()

    def forget(self) -> None:
        """Start counting again; memory that is in use stays known."""
        self.calls: Counter[str] = Counter()
        """How often each method was called."""
        self.launches: list[Launch] = []
        self.compiled: list[ProgramOp] = []
        self.runs: list[Whole] = []
        """Dispatches that the engine was asked to prepare as a whole."""
        self.uploaded_bytes = 0
        self.downloaded_bytes = 0
        self.allocated_bytes = 0
        self.peak_bytes = self.live_bytes
        """The most memory that was in use at once."""

    @property
    def launched(self) -> list[str]:
        """The names of the programs that were launched, in order."""
        return [launch.program.sym_name.data for launch in self.launches]

    @override
    def noted(self, call: str) -> None:
        with self.lock:
            self.calls[call] += 1

    @override
    def allocate(self, size: int, alignment: int) -> Memory:
        memory = super().allocate(size, alignment)
        with self.lock:
            self.allocated_bytes += size
            self.peak_bytes = max(self.peak_bytes, self.live_bytes)
        self.inner.upload(memory, 0, np.full(size, DIRT, np.uint8))
        return memory

    @override
    def upload(self, memory: Memory, offset: int, data: Bytes) -> None:
        super().upload(memory, offset, data)
        with self.lock:
            self.uploaded_bytes += data.size

    @override
    def download(self, memory: Memory, offset: int, data: Bytes) -> None:
        super().download(memory, offset, data)
        with self.lock:
            self.downloaded_bytes += data.size

    @override
    def compile(self, program: ProgramOp) -> Kernel:
        with self.lock:
            self.compiled.append(program)
        return super().compile(program)

    @override
    def launch(self, launch: Launch) -> Times | None:
        with self.lock:
            self.launches.append(launch)
        found = super().launch(launch)
        return found if self.times is None else self.times

    @override
    def prepare(self, whole: Whole, zeros: Sequence[str] = ()) -> Prepared:
        with self.lock:
            self.runs.append(whole)
        return super().prepare(whole, zeros)

    @override
    def reported(self, outcome: Outcome) -> Outcome:
        return outcome if self.times is None else replace(outcome, times=self.times)

    @override
    def adopt(self, array: AnyArray) -> Memory | None:
        may_adopt = self.capabilities.in_place or isinstance(array, DeviceArray)
        return super().adopt(array) if may_adopt else None
