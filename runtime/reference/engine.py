"""
A dispatch on the reference engine: phases, orders, traps, collectives, schedules.

All lanes run in lockstep by default. With an `order` each workgroup runs on its own, one
after the other from grid barrier to grid barrier, in an order that may change with every
phase: a program whose result depends on it is not valid.
"""

import random
import time
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override
from xdsl.ir import Operation, SSAValue

from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import Access, ScratchScope
from vyre.dialects.vyre.host import programs_in
from vyre.runtime.errors import (
    DivergentBarrier,
    InvalidArgument,
    Timeout,
    Trapped,
    UnsupportedFeature,
)
from vyre.runtime.reference.control import ControlFlow
from vyre.runtime.reference.device import Gang, Launch, Observer
from vyre.runtime.reference.frames import Frame, Value
from vyre.runtime.reference.grid import Extent, Grid
from vyre.runtime.reference.memory import Memory
from vyre.runtime.scalars import dtype_of

Order: TypeAlias = Literal[
    "lockstep", "mirrored", "in_order", "reversed", "random", "delayed"
]
"""
How invocations take turns: all at once, from the first or the last (which only atomics can
tell apart); or workgroup by workgroup, in this order.
"""


@dataclass
class Dispatch:
    """
    How to run: the grid in workgroups, the order of workgroups, limits and a watcher.

    Example: `Dispatch(groups=(4, 1, 1), order="reversed")`
    """

    groups: Extent
    size: Extent | None = None
    order: Order = "lockstep"
    seed: int = 0
    timeout: float | None = None
    observer: Observer | None = None
    _deadline: float | None = field(init=False, default=None)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        if self.order not in get_args(Order):
            raise InvalidArgument(
                f"there is no order '{self.order}'", f"use {', '.join(get_args(Order))}"
            )
        if self.timeout is not None and not self.timeout > 0:
            raise InvalidArgument(
                f"the timeout is {self.timeout}", "pass a positive number of seconds"
            )
        self._random = random.Random(self.seed)
        if self.timeout is not None:
            self._deadline = time.monotonic() + self.timeout

    def run(
        self,
        program: vyre.ProgramOp | vyre.ScheduleOp,
        arguments: Mapping[str, NDArray[Any] | np.generic],
    ) -> None:
        """
        Run a program or schedule in place on arrays and scalars, given by name. Arrays
        are contiguous and have the dtypes of `vyre.runtime.scalars`.
        """
        entries: dict[SSAValue, Value] = {}
        for entry in program.table:
            if isinstance(entry, vyre.BufferOp) and _is_workgroup(entry):
                continue
            value = arguments[entry.entry_name.data]
            is_buffer = isinstance(entry, vyre.BufferOp)
            entries[entry.results[0]] = (
                Memory.of(entry.entry_name.data, np.asarray(value)) if is_buffer else value
            )
        with np.errstate(all="ignore"):
            if isinstance(program, vyre.ProgramOp):
                self.launch(program, entries)
            else:
                _Host(self, program, entries).run()

    def grid(self, program: vyre.ProgramOp) -> Grid:
        x, y, z = self.size or program.workgroup
        return Grid(self.groups, (x, y, z))

    def tick(self) -> None:
        """Give up when the time is over."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise Timeout(
                f"the dispatch took longer than {self.timeout} s",
                "raise the timeout, or find out why the program does not end",
            )

    def launch(self, program: vyre.ProgramOp, entries: dict[SSAValue, Value]) -> None:
        """Run a program over the whole grid, with its buffers and parameters."""
        grid = self.grid(program)
        for entry in program.table:
            if isinstance(entry, vyre.BufferOp) and _is_workgroup(entry):
                dtype = dtype_of(entry.type.element_type)
                entries[entry.memref] = Memory.of_workgroups(
                    entry.entry_name.data, entry.type.get_shape(), dtype, grid.group_count
                )
        for op in program.body.block.ops:
            if isinstance(op, vyre.ScratchOp):
                entries[op.memref] = scratch_memory(op, grid)
        launch = Launch(grid, entries, self.tick, self.observer)
        launch.gangs = [Gang(launch, lanes) for lanes in self._lanes(grid)]
        for gang in launch.gangs:
            gang.second_arms_first = self.order == "mirrored"
        running = {gang: gang.run(program) for gang in launch.gangs}
        while running:
            self._phase(launch, running)
        if self.observer is not None:
            self.observer.grid_barrier()

    def _lanes(self, grid: Grid) -> Iterable[NDArray[np.int64]]:
        if self.order == "lockstep":
            return [grid.all_lanes()]
        if self.order == "mirrored":
            return [np.ascontiguousarray(grid.all_lanes()[::-1])]
        return grid.all_lanes().reshape(grid.group_count, grid.group_size)

    def _phase(
        self, launch: Launch, running: dict[Gang, Generator[Operation, None, None]]
    ) -> None:
        """Run every gang to its next meeting point; then they have met."""
        met: dict[Gang, Operation] = {}
        for gang in self._turns(list(running)):
            point = next(running[gang], None)
            if point is None or gang.is_finished():
                del running[gang]
            else:
                met[gang] = point
        if launch.traps:
            linear, op, value = min(launch.traps, key=lambda trap: trap[0])
            raise Trapped(op, op.tag.data, linear, value)
        if not met:
            return
        first = next(iter(met))
        strays = [gang for gang, op in met.items() if op is not met[first]]
        strays += [
            gang for gang in launch.gangs if gang not in met and not gang.is_finished()
        ]
        if strays:
            raise DivergentBarrier(
                f"workgroup {launch.grid.describe_group(strays[0].lanes)} does not come to "
                f"this barrier, workgroup {launch.grid.describe_group(first.lanes)} does",
                "move the barrier to where all invocations come",
                at=met[first],
            )
        if launch.observer is not None:
            launch.observer.grid_barrier()
        _exchange(met[first], first.meeting, self.observer)

    def _turns(self, gangs: list[Gang]) -> list[Gang]:
        match self.order:
            case "reversed":
                gangs.reverse()
            case "random":
                self._random.shuffle(gangs)
            case "delayed":
                gangs.append(gangs.pop(self._random.randrange(len(gangs))))
            case _:
                pass
        return gangs


def _is_workgroup(entry: vyre.BufferOp) -> bool:
    return entry.access.data is Access.WORKGROUP


def _exchange(op: Operation, operands: list[Value], observer: Observer | None) -> None:
    """A collective among one rank; a barrier exchanges nothing."""
    match op:
        case vyre.AllGatherOp() | vyre.ReduceScatterOp():
            source, destination = operands
            count = min(source.data.size, destination.data.size)
            destination.data[:count] = source.data[:count]
            if observer is not None:
                observer.filled(destination, count)
        case vyre.BroadcastOp() if op.root.value.data != 0:
            raise UnsupportedFeature(
                f"there is no rank {op.root.value.data}: the program runs on one rank",
                "use root 0",
                at=op,
            )
        case _:
            pass


class _Host(ControlFlow):
    """Runs a schedule: one lane, whose operations launch programs."""

    def __init__(
        self, dispatch: Dispatch, schedule: vyre.ScheduleOp, entries: dict[SSAValue, Value]
    ):
        assert schedule.parent is not None
        self._dispatch = dispatch
        self._schedule = schedule
        self._programs = programs_in(schedule.parent)
        self._frame = Frame(np.zeros(1, np.int64))
        for key, value in entries.items():
            self._frame[key] = value

    def run(self) -> None:
        for _ in self.block(self._schedule.body.block, self._frame):
            raise AssertionError("a schedule has no barriers")

    @override
    def live(self, frame: Frame) -> None:
        return None

    @override
    def tick(self) -> None:
        self._dispatch.tick()

    @override
    def effect(self, op: Operation, frame: Frame) -> Generator[Operation, None, None]:
        match op:
            case vyre.BufferOp() | vyre.ParamOp():
                pass
            case vyre.ScratchOp():
                frame[op.memref] = scratch_memory(op, self._grid())
            case vyre.WorkgroupCountOp():
                frame[op.id] = np.int64(self._grid().groups[op.axis.data.position])
            case vyre.WorkgroupSizeOp():
                frame[op.id] = np.int64(self._grid().size[op.axis.data.position])
            case vyre.LengthOp():
                memory: Memory = frame[op.buffer]
                frame[op.length] = np.int64(memory.shape[op.dim.value.data])
            case vyre.LaunchOp():
                segment = self._programs[op.segment.string_value()]
                keys = [entry.results[0] for entry in segment.launch_table]
                values = [frame[argument] for argument in op.arguments]
                self._dispatch.launch(segment, dict(zip(keys, values, strict=True)))
            case vyre.ReadBackOp():
                source: Memory = frame[op.source]
                position = [np.int64(index) for index in op.position.get_values()]
                frame[op.value] = source.load(source.place(position, frame.lanes))
            case _:
                raise UnsupportedFeature(
                    f"the reference engine cannot execute '{op.name}' in a schedule",
                    "lower it to arith, math, scf and vyre operations",
                    at=op,
                )
        yield from ()

    def _grid(self) -> Grid:
        """The grid of every launch; nothing depends on it if there is none."""
        launches = (
            op for op in self._schedule.body.walk() if isinstance(op, vyre.LaunchOp)
        )
        launch = next(launches, None)
        if launch is None:
            return Grid(self._dispatch.groups, self._dispatch.size or (1, 1, 1))
        return self._dispatch.grid(self._programs[launch.segment.string_value()])


def scratch_memory(op: vyre.ScratchOp, grid: Grid) -> Memory:
    """Zeros: for each invocation or workgroup of the grid, or once."""
    shape = list(op.memref.type.get_shape())
    if op.scope.data is ScratchScope.PER_INVOCATION:
        shape[0] = grid.lane_count
    elif op.scope.data is ScratchScope.PER_WORKGROUP:
        shape[0] = grid.group_count
    dtype = dtype_of(op.memref.type.element_type)
    return Memory.of("scratch", np.zeros(shape, dtype))
