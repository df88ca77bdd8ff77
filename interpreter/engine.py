"""
A dispatch on the reference engine: phases, orders, traps, collectives, schedules.

All lanes run in lockstep by default. With an `order` each workgroup runs on its own, one
after the other from grid barrier to grid barrier, in an order that may change with every
phase: a program whose result depends on it is not valid.
"""

import random
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override
from xdsl.ir import Operation, SSAValue

from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import Access
from vyre.dialects.vyre.host import workgroups_of
from vyre.interpreter.device import Gang, Launch, Observer
from vyre.interpreter.frames import Value
from vyre.interpreter.grid import Extent, Grid
from vyre.interpreter.memory import Memory
from vyre.interpreter.workgroups import run_workgroups, table_values
from vyre.runtime.arguments import zeros
from vyre.runtime.config import Order
from vyre.runtime.deadline import Deadline
from vyre.runtime.errors import (
    DivergentBarrier,
    Trapped,
    UnsupportedFeature,
)
from vyre.runtime.geometry import Geometry, workgroup_of
from vyre.runtime.scalars import dtype_of, loaded
from vyre.runtime.schedule_host import ScheduleHost, scratch_shape


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
    deadline: Deadline = field(default_factory=Deadline)
    observer: Observer | None = None
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

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
        if isinstance(program, vyre.ProgramOp):
            self.run_program(program, entries)
        else:
            _Host(self, program).run(entries)

    def run_program(self, program: vyre.ProgramOp, entries: dict[SSAValue, Value]) -> None:
        """Run a program with its buffers and parameters."""
        with np.errstate(all="ignore"):
            self.launch(program, entries)

    def grid(self, program: vyre.ProgramOp) -> Grid:
        x, y, z = self.size or program.workgroup
        return Grid(self.groups, (x, y, z))

    def schedule_geometry(self, schedule: vyre.ScheduleOp) -> Geometry:
        """The same for every launch; nothing depends on it if there is none."""
        return Geometry(self.groups, self.size or workgroup_of(schedule))

    def tick(self) -> None:
        """Give up when the time is over."""
        self.deadline.check()

    def launch(self, program: vyre.ProgramOp, entries: dict[SSAValue, Value]) -> None:
        """
        Run a program over the whole grid, with its buffers and parameters, or workgroup by
        workgroup if that is how it shall be done. Whoever watches sees the program itself.
        """
        grid = self.grid(program)
        workgroups = workgroups_of(program)
        if workgroups and self.observer is None and grid.size == program.workgroup:
            self._launch_workgroups(workgroups, program, entries)
            return
        for entry in program.table:
            if isinstance(entry, vyre.BufferOp) and _is_workgroup(entry):
                dtype = dtype_of(entry.type.element_type)
                entries[entry.memref] = Memory.of_workgroups(
                    entry.entry_name.data, entry.type.get_shape(), dtype, grid.group_count
                )
        for op in program.body.block.ops:
            if isinstance(op, vyre.ScratchOp):
                entries[op.memref] = scratch_memory(op, Geometry(grid.groups, grid.size))
        launch = Launch(grid, entries, self.tick, self.observer)
        launch.gangs = [Gang(launch, lanes) for lanes in self._lanes(grid)]
        for gang in launch.gangs:
            gang.second_arms_first = self.order == "mirrored"
        running = {gang: gang.run(program) for gang in launch.gangs}
        while running:
            self._phase(launch, running)
        if self.observer is not None:
            self.observer.grid_barrier()

    def _launch_workgroups(
        self,
        workgroups: vyre.WorkgroupsOp,
        program: vyre.ProgramOp,
        entries: dict[SSAValue, Value],
    ) -> None:
        grid = self.grid(program)
        alone = Dispatch((1, 1, 1), grid.size, deadline=self.deadline)

        def run(place: Extent) -> None:
            values = table_values(workgroups, program, entries, grid.groups, place)
            _Host(alone, workgroups.schedule).run(values)

        run_workgroups(Geometry(grid.groups, grid.size), run)

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
            raise _first(launch.traps)
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
            destination.data[:count] = loaded(source.data[:count])
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


class _Host(ScheduleHost):
    """Runs a schedule on this engine's own memory."""

    def __init__(self, dispatch: Dispatch, schedule: vyre.ScheduleOp):
        super().__init__(schedule, dispatch.schedule_geometry(schedule))
        self._dispatch = dispatch

    @override
    def tick(self) -> None:
        self._dispatch.tick()

    @override
    def launch(self, op: vyre.LaunchOp, segment: vyre.ProgramOp, values: list[Any]) -> None:
        keys = [entry.results[0] for entry in segment.launch_table]
        self._dispatch.launch(segment, dict(zip(keys, values, strict=True)))

    @override
    def scratch(self, op: vyre.ScratchOp) -> Memory:
        return scratch_memory(op, self.geometry)

    @override
    def shape(self, buffer: Memory) -> tuple[int, ...]:
        return buffer.shape

    @override
    def element(self, buffer: Memory, position: tuple[int, ...]) -> Value:
        indices = [np.int64(index) for index in position]
        return buffer.load(buffer.place(indices, np.zeros(1, np.int64)))


def _first(traps: Sequence[tuple[int, vyre.TrapOp, Any]]) -> Trapped:
    """The trap of the smallest invocation; of several, as waves have, the first one."""
    number = min(linear for linear, _, _ in traps)
    same = {op: value for linear, op, value in traps if linear == number}
    program = next(iter(same)).get_toplevel_object()
    op = next(op for op in program.walk() if op in same)
    assert isinstance(op, vyre.TrapOp)
    return Trapped(op, op.tag.data, number, same[op])


def scratch_memory(op: vyre.ScratchOp, geometry: Geometry) -> Memory:
    """Zeros: for each invocation or workgroup of the grid, or once."""
    dtype = dtype_of(op.memref.type.element_type)
    return Memory.of("scratch", zeros("scratch", scratch_shape(op, geometry), dtype))
