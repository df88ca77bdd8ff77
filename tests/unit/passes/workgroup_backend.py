"""
An engine that runs the schedule of `vyre.passes.workgroup_plan` for one workgroup after the
other, each launch on the reference engine.
"""

from itertools import product
from typing import Any

import numpy as np
from typing_extensions import override
from xdsl.ir import SSAValue

from vyre.analysis.phases import COLLECTIVES
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LaunchOp,
    ProgramOp,
    ScheduleOp,
    ScratchOp,
    TrapOp,
)
from vyre.interpreter.backend import ReferenceBackend
from vyre.interpreter.engine import Dispatch
from vyre.interpreter.frames import Value
from vyre.interpreter.memory import Memory
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.passes.workgroup_plan import WorkgroupPlan, workgroup_schedule
from vyre.runtime.backend import Capabilities, Launch, is_buffer
from vyre.runtime.errors import Trapped
from vyre.runtime.geometry import Extent, Geometry
from vyre.runtime.host_memory import as_array
from vyre.runtime.scalars import dtype_of
from vyre.runtime.schedule_host import ScheduleHost, scratch_shape

GARBAGE = 0xA5
"""What every byte of new scratch holds: nothing may depend on it."""

ONE: Extent = (1, 1, 1)


def checked_plan(program: ProgramOp) -> WorkgroupPlan:
    """The plan of a program, which has to be valid and free of barriers."""
    text = str(program)
    plan = workgroup_schedule(program)
    assert str(program) == text, "the program has changed"
    verify_ops(plan.module)
    verify_programs(plan.module)
    assert not [op for op in plan.module.walk() if isinstance(op, BarrierOp)]
    assert list(plan.schedule.table) == [*plan.passed, *plan.memory, *plan.ids]
    return plan


class WorkgroupBackend(ReferenceBackend):
    """One workgroup after the other, phase by phase."""

    name = "workgroups"
    capabilities = Capabilities(in_place=True)

    @override
    def compile(self, program: ProgramOp | ScheduleOp) -> WorkgroupPlan | None:
        assert isinstance(program, ProgramOp)
        if any(isinstance(op, COLLECTIVES) for op in program.walk()):
            return None
        return checked_plan(program)

    @override
    def launch(self, launch: Launch) -> None:
        if launch.kernel is None:
            super().launch(launch)
            return
        groups = launch.geometry.groups
        traps: list[Trapped] = []
        for z, y, x in product(*map(range, reversed(groups))):
            try:
                _run_workgroup(launch, launch.kernel, (x, y, z))
            except Trapped as trap:
                traps.append(_in_grid(trap, launch.geometry, (x, y, z)))
        if traps:
            raise min(traps, key=lambda trap: trap.invocation)


def _run_workgroup(launch: Launch, plan: WorkgroupPlan, place: Extent) -> None:
    entries: dict[SSAValue, Value] = {}
    for entry, value in zip(plan.passed, launch.arguments, strict=True):
        if is_buffer(value):
            value = Memory.of(entry.entry_name.data, as_array(value))
        entries[entry.results[0]] = value
    for entry in plan.memory:
        entries[entry.memref] = _zeros(entry)
    numbers = (*place, *launch.geometry.groups)
    for entry, number in zip(plan.ids, numbers, strict=True):
        entries[entry.value] = np.int64(number)
    _Worker(plan, launch).run(entries)


def _zeros(entry: BufferOp) -> Memory:
    dtype = dtype_of(entry.type.element_type)
    return Memory.of(entry.entry_name.data, np.zeros(entry.type.get_shape(), dtype))


def _in_grid(trap: Trapped, geometry: Geometry, place: Extent) -> Trapped:
    """The trap of an invocation of a workgroup, by its number in the grid."""
    size = geometry.size
    if isinstance(trap.at, TrapOp) and trap.at.invocation is not None:
        return trap  # It has said so itself.
    number = trap.invocation
    local = (number % size[0], number // size[0] % size[1], number // size[0] // size[1])
    x, y, z = (g * s + i for g, s, i in zip(place, size, local))
    width, height, _ = (g * s for g, s in zip(geometry.groups, size))
    assert trap.at is not None
    return Trapped(trap.at, trap.tag, (z * height + y) * width + x, trap.value)


class _Worker(ScheduleHost):
    """Runs the schedule of one workgroup."""

    def __init__(self, plan: WorkgroupPlan, launch: Launch):
        super().__init__(plan.schedule, Geometry(ONE, launch.geometry.size))
        self._dispatch = Dispatch(ONE, deadline=launch.deadline)

    @override
    def tick(self) -> None:
        self._dispatch.tick()

    @override
    def launch(self, op: LaunchOp, segment: ProgramOp, values: list[Any]) -> None:
        keys = [entry.results[0] for entry in segment.launch_table]
        self._dispatch.launch(segment, dict(zip(keys, values, strict=True)))

    @override
    def scratch(self, op: ScratchOp) -> Memory:
        dtype = dtype_of(op.memref.type.element_type)
        array = np.empty(scratch_shape(op, self.geometry), dtype)
        array.reshape(-1).view(np.uint8)[:] = GARBAGE if dtype.kind != "b" else 1
        return Memory.of("scratch", array)

    @override
    def shape(self, buffer: Memory) -> tuple[int, ...]:
        return buffer.shape

    @override
    def element(self, buffer: Memory, position: tuple[int, ...]) -> Value:
        indices = [np.int64(index) for index in position]
        return buffer.load(buffer.place(indices, np.zeros(1, np.int64)))
