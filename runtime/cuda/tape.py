"""
Work for a device as a list, to be done as often as it is needed.

What a dispatch does between two looks of the host is a *tape*: launches, copies and zeros.
A tape that comes again is captured as a graph, and launched at once from then on.

A graph holds addresses, and so does the tape that it was made of, which is what it is
found by. The same tape again means the same addresses again: whoever made it has memory
there now, so it does not matter whether that was freed in between.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from vyre.diagnostics import Segment
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.cuda.device import CudaDevice, Extent, Handle
from vyre.runtime.cuda.kernels import LoadedFunction
from vyre.runtime.cuda.progress import Progress

WORTH_A_GRAPH = 4
"""Steps from which on a graph is faster than to enqueue one by one."""

KEPT = 256
"""Tapes that are remembered."""


@dataclass(frozen=True)
class LaunchStep:
    """
    A launch; `name` is that of its program, None for Vyre's own kernels, and `segment` its
    place in a schedule.
    """

    name: str | None
    function: LoadedFunction
    grid: Extent
    block: Extent
    arguments: PackedArguments
    cooperative: bool = False
    segment: Segment | None = None

    def enqueue(self, device: CudaDevice, stream: Handle) -> None:
        device.launch(
            self.function.handle,
            self.grid,
            self.block,
            self.arguments,
            stream,
            cooperative=self.cooperative,
        )


@dataclass(frozen=True)
class ClearStep:
    """Zeros."""

    address: int
    size: int

    def enqueue(self, device: CudaDevice, stream: Handle) -> None:
        device.clear(self.address, self.size, stream)


@dataclass(frozen=True)
class CopyStep:
    """A copy on the device."""

    source: int
    target: int
    size: int

    def enqueue(self, device: CudaDevice, stream: Handle) -> None:
        device.copy(self.source, self.target, self.size, stream)


Step = LaunchStep | ClearStep | CopyStep
Tape = tuple[Step, ...]


class TapePlayer:
    """
    Enqueues tapes, as graphs if they come again. Several threads may use it.

    Example: `TapePlayer(device).play(tape, stream)`
    """

    def __init__(self, device: CudaDevice):
        self._device = device
        self._lock = threading.Lock()
        self._known: OrderedDict[Tape, Handle] = OrderedDict()

    def play(self, tape: Tape, stream: Handle, progress: Progress | None = None) -> None:
        """Enqueue all steps, in order, and tell how far that is, if somebody keeps note."""
        graph = self._graph(tape) if _is_worth_a_graph(tape) else None
        if graph is not None:
            self._device.launch_graph(graph, stream)
            if progress is not None:
                progress.went(_only_segment(tape))
            return
        for step in tape:
            step.enqueue(self._device, stream)
            if progress is not None and isinstance(step, LaunchStep):
                progress.went(step.segment)

    def _graph(self, tape: Tape) -> Handle | None:
        """The graph of a tape; None if it comes for the first time."""
        with self._lock:
            if tape not in self._known:
                self._known[tape] = None
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)
                return None
            self._known.move_to_end(tape)
            if self._known[tape] is None:
                self._known[tape] = self._captured(tape)
            return self._known[tape]

    def _captured(self, tape: Tape) -> Handle:
        with self._device.capture() as capture:
            for step in tape:
                step.enqueue(self._device, capture.stream)
        return capture.graph


def _only_segment(tape: Tape) -> Segment | None:
    """The segment of all launches, if it is one."""
    found = {step.segment for step in tape if isinstance(step, LaunchStep)}
    return found.pop() if len(found) == 1 else None


def _is_worth_a_graph(tape: Tape) -> bool:
    is_cooperative = any(isinstance(step, LaunchStep) and step.cooperative for step in tape)
    return len(tape) >= WORTH_A_GRAPH and not is_cooperative
