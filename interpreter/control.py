"""
Structured control flow: which lanes execute what.

Lanes that take different ways execute one after the other, each with a frame of its own;
where they come together again, their values are joined. Lanes that all take the same way
keep their frame, so uniform code costs nothing extra. A grid barrier must be reached by
all lanes at once; it is handed to whoever drives the execution by `yield`.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from vyre.dialects.vyre import RegionOp, YieldOp
from vyre.interpreter.frames import (
    Frame,
    Gathered,
    Lanes,
    Value,
    is_array,
    narrowed,
)
from vyre.interpreter.integers import signed, wrapped
from vyre.interpreter.semantics import SEMANTICS

Run: TypeAlias = Generator[Operation, None, list[Value]]
"""Execution of code: yields at meeting points, returns what its terminator passes."""

Deciding: TypeAlias = np.bool_ | NDArray[np.bool_]


class ControlFlow(ABC):
    """Executes blocks; what operations with effects do is up to the subclass."""

    second_arms_first = False
    """Which arm of a divergent `if` goes first: a valid program cannot tell."""

    @abstractmethod
    def effect(self, op: Operation, frame: Frame) -> Generator[Operation, None, None]:
        """Execute an operation that is neither pure nor control flow."""

    @abstractmethod
    def live(self, frame: Frame) -> NDArray[np.bool_] | None:
        """Which lanes have not ended; None if none has."""

    @abstractmethod
    def tick(self) -> None:
        """Called once per trip of every loop."""

    def block(self, block: Block, frame: Frame) -> Run:
        """Execute a block's operations in order."""
        for op in block.ops:
            semantics = SEMANTICS.get(type(op))
            if semantics is not None:
                results = semantics(op, *[frame[operand] for operand in op.operands])
                _bind(frame, op.results, results if type(results) is tuple else (results,))
                continue
            match op:
                case scf.IfOp():
                    _bind(frame, op.output, (yield from self._if(op, frame)))
                case scf.IndexSwitchOp():
                    _bind(frame, op.output, (yield from self._switch(op, frame)))
                case scf.ForOp():
                    _bind(frame, op.res, (yield from self._for(op, frame)))
                case scf.WhileOp():
                    _bind(frame, op.res, (yield from self._while(op, frame)))
                case RegionOp():
                    _bind(frame, op.outputs, (yield from self.block(op.body.block, frame)))
                case scf.YieldOp() | scf.ConditionOp() | YieldOp():
                    pass
                case _:
                    yield from self.effect(op, frame)
        last = block.last_op
        return [] if last is None else [frame[value] for value in last.operands]

    def _if(self, op: scf.IfOp, frame: Frame) -> Run:
        condition: Any = frame[op.cond]
        chosen = np.where(condition, 0, 1) if is_array(condition) else int(not condition)
        return (yield from self._one_of(op.regions, chosen, frame, len(op.output)))

    def _switch(self, op: scf.IndexSwitchOp, frame: Frame) -> Run:
        value: Any = frame[op.arg]
        default, *regions = op.regions
        chosen: Any = np.full(np.shape(value), len(regions))
        for position, case in enumerate(op.cases.get_values()):
            chosen[value == case] = position
        regions.append(default)
        return (yield from self._one_of(regions, chosen[()], frame, len(op.output)))

    def _one_of(
        self, regions: Sequence[Region], chosen: Any, frame: Frame, count: int
    ) -> Run:
        """Execute in each lane the region that it has chosen; they have so many results."""
        if not is_array(chosen):
            return (yield from self._region(regions[int(chosen)], frame))
        live = self.live(frame)
        if live is not None:
            # Lanes that have ended decide nothing: they go along with a lane that lives.
            leader: Any = chosen[int(np.argmax(live))]
            chosen = cast(Any, np.where(live, chosen, leader))
        ways: list[int] = np.flatnonzero(np.bincount(chosen)).tolist()
        if len(ways) == 1:
            return (yield from self._region(regions[ways[0]], frame))
        results = [Gathered(len(frame.lanes)) for _ in range(count)]
        for way in reversed(ways) if self.second_arms_first else ways:
            picks = np.flatnonzero(chosen == way)
            values = yield from self._region(regions[way], frame.pick(picks))
            for result, value in zip(results, values):
                result.put(picks, value)
        return [result.get() for result in results]

    def _region(self, region: Region, frame: Frame) -> Run:
        if region.blocks.first is None:
            return []
        return (yield from self.block(region.block, frame))

    def _for(self, op: scf.ForOp, frame: Frame) -> Run:
        start, step = frame[op.lb], frame[op.step]
        trips = _trip_count(start, frame[op.ub], step)
        induction, *carried = op.body.block.args
        loop = _Loop(self, frame, [frame[value] for value in op.iter_args])
        trip = 0
        while loop.stay(loop.narrowed(trips) > trip):
            self.tick()
            offset = signed(loop.narrowed(step)) * np.array(trip).astype(signed(step).dtype)
            at = wrapped(signed(loop.narrowed(start)) + offset, start.dtype)
            _bind(loop.frame, (induction, *carried), (at, *loop.values))
            loop.values = yield from self.block(op.body.block, loop.frame)
            trip += 1
        return loop.results()

    def _while(self, op: scf.WhileOp, frame: Frame) -> Run:
        before, after = op.before_region.block, op.after_region.block
        loop = _Loop(self, frame, [frame[value] for value in op.arguments])
        while True:
            self.tick()
            _bind(loop.frame, before.args, loop.values)
            go_on, *loop.values = yield from self.block(before, loop.frame)
            if not loop.stay(go_on):
                return loop.results()
            _bind(loop.frame, after.args, loop.values)
            loop.values = yield from self.block(after, loop.frame)


class _Loop:
    """The lanes that are still in a loop, what they carry, and what others left with."""

    def __init__(self, control: ControlFlow, outer: Frame, values: list[Value]):
        self._control = control
        self._outer = outer
        self._picks: Lanes | None = None
        self._left: list[Gathered] | None = None
        self.frame = outer
        self.values = values

    def narrowed(self, value: Value) -> Value:
        """A value of the code around the loop, for the lanes that are in it."""
        return narrowed(value, self._picks)

    def stay(self, decision: Deciding) -> bool:
        """Let go of the lanes that leave or have ended; whether any are left."""
        live = self._control.live(self.frame)
        if live is not None:
            decision = decision & live
        if not np.any(decision):
            self._leave(slice(None))
            return False
        if not np.all(decision):
            self._leave(~decision)
            stays = np.flatnonzero(decision)
            self.values = [narrowed(value, stays) for value in self.values]
            self._picks = stays if self._picks is None else self._picks[stays]
            self.frame = self._outer.pick(self._picks)
        return True

    def _leave(self, who: Any) -> None:
        if self._picks is None and isinstance(who, slice):
            return  # All lanes leave at once: the values are the results as they are.
        everyone = self._positions()
        if self._left is None:
            self._left = [Gathered(len(self._outer.lanes)) for _ in self.values]
        for result, value in zip(self._left, self.values):
            result.put(everyone[who], narrowed(value, who))

    def _positions(self) -> Lanes:
        if self._picks is not None:
            return self._picks
        return np.arange(len(self._outer.lanes))

    def results(self) -> list[Value]:
        if self._left is None:
            return self.values
        return [result.get() for result in self._left]


def _bind(frame: Frame, keys: Sequence[SSAValue], values: Sequence[Value]) -> None:
    for key, value in zip(keys, values, strict=True):
        frame[key] = value


def _trip_count(start: Any, end: Any, step: Any) -> Any:
    """
    Trips of an `scf.for`: none unless start < end and step > 0, as signed numbers; else
    the distance by the step, rounded up, without overflow.
    """
    start, end, step = (signed(np.asarray(x)).astype(np.int64) for x in (start, end, step))
    distance = (end - start).view(np.uint64)
    stride = np.where(step > 0, step, 1).astype(np.uint64)
    trips = distance // stride + (distance % stride != 0)
    return np.where((start < end) & (step > 0), trips, np.uint64(0))[()]
