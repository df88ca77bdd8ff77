"""Dispatches that are made many times: what they enqueue is always the same."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np
from typing_extensions import override

from vyre.diagnostics import VyreError
from vyre.runtime.backend import (
    Buffer,
    Outcome,
    Prepared,
    Repeatable,
    Whole,
    is_buffer,
)
from vyre.runtime.cuda.device import CudaDevice, Handle
from vyre.runtime.cuda.dispatch import Dispatch
from vyre.runtime.cuda.engine import CudaEngine
from vyre.runtime.cuda.memory import CudaMemory
from vyre.runtime.cuda.stopwatch import outcome
from vyre.runtime.cuda.tape import ClearStep
from vyre.runtime.cuda.unit import CudaUnit
from vyre.runtime.cuda.workspace import Workspace
from vyre.runtime.deadline import Deadline


class PreparedDispatch(Prepared):
    """
    A dispatch with memory of its own. Buffers named in `zeros` are cleared first.

    Example: `PreparedDispatch(engine, whole, ["out"]).run(Deadline())`
    """

    def __init__(self, engine: CudaEngine, whole: Whole, zeros: Sequence[str]):
        self._engine = engine
        self._whole = whole
        self._zeros = frozenset(zeros)
        self._unit: CudaUnit = whole.kernel
        self._space: Workspace | None = self._unit.workspace()
        self._latest: tuple[int, Dispatch] | None = None

    @override
    def run(self, deadline: Deadline) -> tuple[int, int]:
        return Together([self]).run(deadline)

    def dispatch(self, deadline: Deadline) -> Dispatch:
        """The next dispatch, of which nothing is enqueued yet."""
        if self._space is None:
            self._space = self._unit.workspace()
        return Dispatch(self._engine, self._unit, self._whole, self._space, deadline)

    def enqueue(self, dispatch: Dispatch) -> int:
        """
        Make all passes; they may not have ended yet. The next dispatch begins with what
        this one became, if the device refused it first.
        """
        passes = dispatch.enqueue(self._cleared())
        self._whole, self._unit = dispatch.whole, dispatch.unit
        self._latest = passes, dispatch
        return passes

    @override
    def outcome(self, wall: int) -> Outcome:
        assert self._latest is not None
        passes, dispatch = self._latest
        return outcome(passes, dispatch.reports())

    @override
    def close(self) -> None:
        if self._space is not None:
            self._unit.give_back(self._space)
        self._space = self._latest = None

    def _cleared(self) -> list[ClearStep]:
        """What comes before it."""
        return [
            ClearStep(value.memory.address, value.size)
            for value in self._whole.arguments
            if is_buffer(value) and value.name in self._zeros and value.size
        ]

    def drop_workspace(self) -> None:
        """Take other memory next time, after a dispatch that did not end well."""
        if self._space is not None:
            self._space.close()
        self._space = self._latest = None

    @override
    def rebind(self, arguments: Sequence[int | np.generic]) -> None:
        pairs = zip(self._whole.arguments, arguments, strict=True)
        self._whole = replace(self._whole, arguments=[_rebound(*pair) for pair in pairs])


class Together(Repeatable):
    """
    Dispatches that are enqueued one after the other; the host waits when all are.

    Example: `Together([one, other]).run(Deadline())`
    """

    def __init__(self, batch: Sequence[PreparedDispatch]):
        self._batch = batch

    @override
    def run(self, deadline: Deadline) -> tuple[int, int]:
        self.ended = counts = list[tuple[int, int]]()
        dispatches = [each.dispatch(deadline) for each in self._batch]
        device, stream = dispatches[0].engine.device, dispatches[0].engine.stream
        ends: list[Handle] = []
        try:
            for prepared, dispatch in zip(self._batch, dispatches):
                passes = prepared.enqueue(dispatch)
                counts.append((passes, sum(dispatch.launches.values())))
                if len(dispatches) > 1 and deadline.end_ns:
                    ends.append(device.record(stream))
            dispatches[-1].wait()
        except BaseException as error:
            self.ended = _ended(device, counts, ends, len(dispatches))
            number = len(counts) if self.ended is None else len(self.ended)
            dispatches[min(number, len(dispatches) - 1)].blame(error)
            for dispatch in dispatches:
                dispatch.space.stop.set(1)  # All, before one is waited for.
            for prepared, dispatch in zip(self._batch, dispatches):
                dispatch.stop()
                prepared.drop_workspace()
            raise
        return sum(passes for passes, _ in counts), sum(n for _, n in counts)


def _ended(
    device: CudaDevice,
    counts: Sequence[tuple[int, int]],
    ends: Sequence[Handle],
    count: int,
) -> Sequence[tuple[int, int]] | None:
    """
    What those of `count` dispatches did that had ended before one failed. If one failed
    when it was enqueued, all before had ended, unless their `ends` tell otherwise.
    """
    if ends:
        with suppress(VyreError):  # The device may be gone.
            return [each for each, _ in zip(counts, takewhile(device.is_done, ends))]
    return counts if len(counts) < count else None


def _rebound(before: Any, value: int | np.generic) -> Buffer | np.generic:
    if isinstance(value, int):
        return replace(before, memory=CudaMemory(value))
    return value
