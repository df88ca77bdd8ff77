"""What the operations of a program do, for a set of lanes in lockstep."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override
from xdsl.ir import Operation, SSAValue

from vyre.dialects import vyre
from vyre.dialects.refusal import name_of
from vyre.dialects.vyre.attributes import LinearScope
from vyre.interpreter import atomics
from vyre.interpreter.control import ControlFlow
from vyre.interpreter.frames import Frame, Lanes, Value, narrowed, widened
from vyre.interpreter.grid import SUBGROUP_SIZE, Grid
from vyre.interpreter.memory import Memory, Place, chosen_lanes
from vyre.interpreter.subgroups import Subgroups
from vyre.runtime.errors import DivergentBarrier


class Observer(Protocol):
    """Watches a dispatch without changing it; see `vyre.interpreter.checker`."""

    def read(self, op: Operation, memory: Memory, lanes: Lanes, elements: Any) -> None: ...
    def write(
        self, op: Operation, memory: Memory, lanes: Lanes, elements: Any, values: Any
    ) -> None: ...
    def atomic(
        self, op: Operation, memory: Memory, lanes: Lanes, elements: Any
    ) -> None: ...
    def outside(self, op: Operation, memory: Memory, lanes: Lanes) -> None: ...
    def filled(self, memory: Memory, count: int) -> None: ...
    def started(self, op: Operation) -> None: ...
    def landed(self, op: Operation, lanes: Lanes) -> None: ...
    def workgroup_barrier(self, lanes: Lanes) -> None: ...
    def grid_barrier(self) -> None: ...


@dataclass(eq=False)
class Cell:
    """A variable: one value for every lane of the grid."""

    values: NDArray[Any]


@dataclass(eq=False)
class Launch:
    """What all lanes of a launch share."""

    grid: Grid
    entries: dict[SSAValue, Value]
    """Buffers and parameters."""
    tick: Callable[[], None] = lambda: None
    """Called now and then; raises to end the launch."""
    observer: Observer | None = None
    ended: NDArray[np.bool_] = field(init=False)
    traps: list[tuple[int, vyre.TrapOp, Any]] = field(
        default_factory=list[tuple[int, vyre.TrapOp, Any]]
    )

    def __post_init__(self) -> None:
        self.ended = np.zeros(self.grid.lane_count, np.bool_)
        self.any_ended = False
        self.gangs: list[Gang] = []


class Gang(ControlFlow):
    """Lanes that run in lockstep from one grid barrier to the next."""

    def __init__(self, launch: Launch, lanes: Lanes):
        self.launch = launch
        self.grid = launch.grid
        self.lanes = lanes
        self.meeting: list[Value] = []
        """Operands of the barrier or collective at which the gang waits."""

    def run(self, program: vyre.ProgramOp) -> Generator[Operation, None, None]:
        """Execute the program, yielding each grid barrier and collective."""
        frame = Frame(self.lanes)
        for key, value in self.launch.entries.items():
            frame[key] = value
        yield from self.block(program.body.block, frame)

    @override
    def tick(self) -> None:
        self.launch.tick()

    @override
    def live(self, frame: Frame) -> NDArray[np.bool_] | None:
        return ~self.launch.ended[frame.lanes] if self.launch.any_ended else None

    def is_finished(self) -> bool:
        """Whether every lane has ended by itself."""
        return bool(self.launch.ended[self.lanes].all())

    @override
    def effect(self, op: Operation, frame: Frame) -> Generator[Operation, None, None]:
        match op:
            case vyre.BarrierOp() if op.is_grid_sync:
                self._meet(op, frame, self.lanes)
                yield op
            case vyre.BarrierOp():
                self._workgroup_barrier(op, frame)
            case (
                vyre.AllReduceOp()
                | vyre.BroadcastOp()
                | vyre.AllGatherOp()
                | vyre.ReduceScatterOp()
            ):
                self._meet(op, frame, self.lanes)
                self.meeting = [frame[operand] for operand in op.operands]
                yield op
            case _:
                handler = _HANDLERS.get(type(op))
                if handler is None:
                    yield from FOREIGN[name_of(op)](self, op, frame)
                else:
                    handler(self, op, frame)

    # Meeting points

    def _meet(self, op: Operation, frame: Frame, expected: Lanes) -> None:
        """Refuse a barrier that some of the lanes that should come do not reach."""
        ended = self.launch.ended
        if np.count_nonzero(~ended[frame.lanes]) != np.count_nonzero(~ended[expected]):
            missing = np.setdiff1d(expected[~ended[expected]], frame.lanes)
            raise DivergentBarrier(
                f"invocation {self.grid.describe(int(missing[0]))} does not come to this "
                f"barrier, invocation {self.grid.describe(int(frame.lanes[0]))} does",
                "move the barrier to where all invocations come",
                at=op,
            )

    def _workgroup_barrier(self, op: vyre.BarrierOp, frame: Frame) -> None:
        # Lanes that have ended may come along from workgroups that do not come here.
        lanes = narrowed(frame.lanes, self.live(frame))
        groups = np.unique(self.grid.group(lanes))
        size = self.grid.group_size
        members = (groups[:, None] * size + np.arange(size)).reshape(-1)
        self._meet(op, frame, members)
        if self.launch.observer is not None:
            self.launch.observer.workgroup_barrier(lanes)

    # Ids and sizes

    def invocation_id(self, op: vyre.InvocationIdOp, frame: Frame) -> None:
        frame[op.id] = self.grid.invocation_id(frame.lanes, op.axis.data)

    def workgroup_id(self, op: vyre.WorkgroupIdOp, frame: Frame) -> None:
        frame[op.id] = self.grid.group_id(frame.lanes, op.axis.data)

    def local_id(self, op: vyre.LocalIdOp, frame: Frame) -> None:
        frame[op.id] = self.grid.local_id(frame.lanes, op.axis.data)

    def workgroup_count(self, op: vyre.WorkgroupCountOp, frame: Frame) -> None:
        frame[op.id] = np.int64(self.grid.groups[op.axis.data.position])

    def workgroup_size(self, op: vyre.WorkgroupSizeOp, frame: Frame) -> None:
        frame[op.id] = np.int64(self.grid.size[op.axis.data.position])

    def linear_id(self, op: vyre.LinearIdOp, frame: Frame) -> None:
        numbering = {
            LinearScope.INVOCATION: self.grid.linear_id,
            LinearScope.WORKGROUP: self.grid.group,
            LinearScope.LOCAL: self.grid.linear_local_id,
        }
        frame[op.id] = numbering[op.scope.data](frame.lanes)

    def subgroup_local_id(self, op: vyre.SubgroupLocalIdOp, frame: Frame) -> None:
        frame[op.id] = self.grid.subgroup_local_id(frame.lanes)

    def subgroup_size(self, op: vyre.SubgroupSizeOp, frame: Frame) -> None:
        frame[op.id] = np.int64(SUBGROUP_SIZE)

    def length(self, op: vyre.LengthOp, frame: Frame) -> None:
        memory: Memory = frame[op.buffer]
        frame[op.length] = np.int64(memory.shape[op.dim.value.data])

    # Accesses

    def _place(
        self,
        op: Operation,
        memory: Memory,
        indices: Sequence[Value],
        frame: Frame,
        concerned: NDArray[np.bool_] | None = None,
    ) -> tuple[Place, NDArray[Any]]:
        """Where lanes access a buffer, and which of them are inside and have not ended."""
        groups = self.grid.group(frame.lanes) if memory.per_group else frame.lanes
        place = memory.place(list(indices), groups)
        live = self.live(frame)
        if concerned is not None:
            live = concerned if live is None else live & concerned
        chosen = chosen_lanes(place, live, len(frame.lanes))
        observer = self.launch.observer
        if observer is not None and place.inside is not True:
            outside = ~np.broadcast_to(place.inside, len(frame.lanes))
            missed = np.flatnonzero(outside if live is None else outside & live)
            if len(missed):
                observer.outside(op, memory, frame.lanes[missed])
        return place, chosen

    def _load(
        self,
        op: Operation,
        buffer: SSAValue,
        indices: Sequence[Value],
        frame: Frame,
        concerned: NDArray[np.bool_] | None = None,
    ) -> Value:
        memory: Memory = frame[buffer]
        place, chosen = self._place(op, memory, indices, frame, concerned)
        if self.launch.observer is not None and len(chosen):
            elements = widened(place.element, len(frame.lanes))[chosen]
            self.launch.observer.read(op, memory, frame.lanes[chosen], elements)
        return memory.load(place)

    def _store(
        self,
        op: Operation,
        value: Value,
        buffer: SSAValue,
        indices: Sequence[Value],
        frame: Frame,
        concerned: NDArray[np.bool_] | None = None,
    ) -> None:
        memory: Memory = frame[buffer]
        place, chosen = self._place(op, memory, indices, frame, concerned)
        if not len(chosen):
            return
        elements = widened(place.element, len(frame.lanes))[chosen]
        values = widened(value, len(frame.lanes))[chosen]
        if self.launch.observer is not None:
            lanes = frame.lanes[chosen]
            self.launch.observer.write(op, memory, lanes, elements, values)
        memory.store(elements, values)

    def load(self, op: vyre.LoadOp, frame: Frame) -> None:
        frame[op.value] = self._load(op, op.buffer, _values(op.indices, frame), frame)

    def store(self, op: vyre.StoreOp, frame: Frame) -> None:
        self._store(op, frame[op.value], op.buffer, _values(op.indices, frame), frame)

    def _atomic(
        self,
        op: vyre.AtomicOp | vyre.AtomicCasOp,
        frame: Frame,
        change: Callable[[Memory, NDArray[Any], NDArray[Any]], NDArray[Any]],
    ) -> None:
        """`change` gets the buffer, the elements and the positions of the lanes."""
        memory: Memory = frame[op.buffer]
        place, chosen = self._place(op, memory, _values(op.indices, frame), frame)
        old = np.zeros(len(frame.lanes), memory.data.dtype)
        if len(chosen):
            elements = widened(place.element, len(frame.lanes))[chosen]
            if self.launch.observer is not None:
                self.launch.observer.atomic(op, memory, frame.lanes[chosen], elements)
            old[chosen] = change(memory, elements, chosen)
        frame[op.old] = old

    def atomic(self, op: vyre.AtomicOp, frame: Frame) -> None:
        values = widened(frame[op.value], len(frame.lanes))
        self._atomic(
            op,
            frame,
            lambda memory, elements, lanes: atomics.update(
                op.kind.data, memory.data, elements, values[lanes]
            ),
        )

    def atomic_cas(self, op: vyre.AtomicCasOp, frame: Frame) -> None:
        expected = widened(frame[op.expected], len(frame.lanes))
        desired = widened(frame[op.desired], len(frame.lanes))
        self._atomic(
            op,
            frame,
            lambda memory, elements, lanes: atomics.compare_and_swap(
                memory.data, elements, expected[lanes], desired[lanes]
            ),
        )

    def async_copy(self, op: vyre.AsyncLoadOp | vyre.AsyncStoreOp, frame: Frame) -> None:
        """The copy happens now, which is one of the moments when it may."""
        source = _values(op.source_indices, frame)
        destination = _values(op.destination_indices, frame)
        start = destination[-1] if destination else np.int64(0)
        memory: Memory = frame[op.destination]
        first, end = _copied(start, frame[op.count], (memory.shape or (1,))[-1])
        for step in range(int(np.max(end - first, initial=0))):
            self.tick()
            offset = first + step
            concerned = np.broadcast_to(offset < end, len(frame.lanes))
            value = self._load(op, op.source, _moved(source, offset), frame, concerned)
            target = _moved(destination, offset)
            self._store(op, value, op.destination, target, frame, concerned)
        frame[op.token] = op
        if self.launch.observer is not None:
            self.launch.observer.started(op)

    def async_wait(self, op: vyre.AsyncWaitOp, frame: Frame) -> None:
        """Copies are done already; only whoever watches wants to know."""
        if self.launch.observer is not None:
            for token in op.tokens:
                copies: list[Operation] = np.atleast_1d(frame[token]).tolist()
                for copy in set(copies):
                    self.launch.observer.landed(copy, frame.lanes)

    # Variables

    def let(self, op: vyre.LetOp, frame: Frame) -> None:
        initial = frame[op.initial]
        cell = Cell(np.zeros(self.grid.lane_count, initial.dtype))
        cell.values[frame.lanes] = initial
        frame[op.cell] = cell

    def get(self, op: vyre.GetOp, frame: Frame) -> None:
        cell: Cell = frame[op.cell]
        frame[op.value] = cell.values[frame.lanes]

    def assign(self, op: vyre.AssignOp, frame: Frame) -> None:
        cell: Cell = frame[op.cell]
        cell.values[frame.lanes] = frame[op.value]

    # Subgroups

    def _subgroups(self, frame: Frame) -> Subgroups:
        return Subgroups(self.grid, frame.lanes, self.live(frame))

    def ballot(self, op: vyre.SubgroupBallotOp, frame: Frame) -> None:
        frame[op.mask] = self._subgroups(frame).ballot(frame[op.predicate])

    def shuffle(self, op: vyre.SubgroupShuffleOp, frame: Frame) -> None:
        subgroups = self._subgroups(frame)
        frame[op.shuffled] = subgroups.shuffle(frame[op.value], frame[op.lane])

    def reduce(self, op: vyre.SubgroupReduceOp, frame: Frame) -> None:
        subgroups = self._subgroups(frame)
        frame[op.reduced] = subgroups.reduce(op.kind.data, frame[op.value])

    # Ends

    def end(self, op: vyre.ReturnOp, frame: Frame) -> None:
        self.launch.ended[frame.lanes] = True
        self.launch.any_ended = True

    def trap(self, op: vyre.TrapOp, frame: Frame) -> None:
        live = self.live(frame)
        lanes = narrowed(frame.lanes, live)
        if len(lanes):
            linear = self.grid.linear_id(lanes)
            if op.invocation is not None:
                linear = narrowed(widened(frame[op.invocation], len(frame.lanes)), live)
            first = int(np.argmin(linear))
            value = None
            if op.value is not None:
                values = widened(frame[op.value], len(frame.lanes))
                value = narrowed(values, live)[first]
            self.launch.traps.append((int(linear[first]), op, value))
        self.launch.ended[frame.lanes] = True
        self.launch.any_ended = True


def _values(operands: Sequence[SSAValue], frame: Frame) -> list[Value]:
    return [frame[operand] for operand in operands]


def _moved(indices: list[Value], offset: Value) -> list[Value]:
    """The indices of an element further along the last dimension."""
    return [*indices[:-1], indices[-1] + offset] if indices else []


def _copied(start: Value, count: Value, size: int) -> tuple[Any, Any]:
    """Which of a copy's elements lie inside a destination of this size."""
    number = np.where(count < 0, np.iinfo(np.int64).max, count)
    first = np.where(start < 0, -np.maximum(start, -np.iinfo(np.int64).max), 0)
    room = np.where(start < 0, first + size, size - start)
    return first, np.maximum(np.minimum(number, room), first)


Meaning: TypeAlias = Callable[[Gang, Operation, Frame], Generator[Operation, None, None]]

FOREIGN: dict[str, Meaning] = {}
"""What operations do that Vyre does not know, by name: tests give them a meaning here."""

_HANDLERS: dict[type[Operation], Callable[[Gang, Any, Frame], None]] = {
    vyre.BufferOp: lambda gang, op, frame: None,
    vyre.ParamOp: lambda gang, op, frame: None,
    vyre.ScratchOp: lambda gang, op, frame: None,
    vyre.InvocationIdOp: Gang.invocation_id,
    vyre.WorkgroupIdOp: Gang.workgroup_id,
    vyre.LocalIdOp: Gang.local_id,
    vyre.WorkgroupCountOp: Gang.workgroup_count,
    vyre.WorkgroupSizeOp: Gang.workgroup_size,
    vyre.LinearIdOp: Gang.linear_id,
    vyre.SubgroupLocalIdOp: Gang.subgroup_local_id,
    vyre.SubgroupSizeOp: Gang.subgroup_size,
    vyre.LengthOp: Gang.length,
    vyre.LoadOp: Gang.load,
    vyre.StoreOp: Gang.store,
    vyre.AtomicOp: Gang.atomic,
    vyre.AtomicCasOp: Gang.atomic_cas,
    vyre.AsyncLoadOp: Gang.async_copy,
    vyre.AsyncStoreOp: Gang.async_copy,
    vyre.AsyncWaitOp: Gang.async_wait,
    vyre.LetOp: Gang.let,
    vyre.GetOp: Gang.get,
    vyre.AssignOp: Gang.assign,
    vyre.SubgroupBallotOp: Gang.ballot,
    vyre.SubgroupShuffleOp: Gang.shuffle,
    vyre.SubgroupReduceOp: Gang.reduce,
    vyre.ReturnOp: Gang.end,
    vyre.TrapOp: Gang.trap,
}
