"""Which segment of a schedule the device is at, by events behind launches."""

from collections import deque
from contextlib import suppress

from vyre.diagnostics import Segment, VyreError
from vyre.runtime.cuda.device import CudaDevice, Handle

_KEPT = 512
"""Events after which those that have happened are forgotten."""


class Progress:
    """
    The launches of a dispatch in order. What a graph launches has one event, so nobody
    knows how far it is, unless it is all of one segment.

    Example: `progress.went(segment)` after each launch, `progress.segment()` in the end
    """

    def __init__(self, device: CudaDevice, stream: Handle):
        self._device = device
        self._stream = stream
        self._marks: deque[tuple[Handle, Segment | None]] = deque()

    def went(self, segment: Segment | None) -> None:
        """A launch was enqueued."""
        self._marks.append((self._device.record(self._stream), segment))
        if len(self._marks) > _KEPT:
            self._forget()

    def segment(self) -> Segment | None:
        """The segment of the first launch that has not ended, or of the last one."""
        with suppress(VyreError):  # The device may be gone.
            self._forget()
        return self._marks[0][1] if self._marks else None

    def _forget(self) -> None:
        """Drop what has ended, but for the last."""
        while len(self._marks) > 1 and self._device.is_done(self._marks[0][0]):
            self._marks.popleft()
