"""
An engine that runs the schedule of `vyre-plan-workgroups` for one workgroup after the
other, each launch on the reference engine.
"""

from typing import Any

import numpy as np
from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from vyre.analysis.phases import COLLECTIVES
from vyre.dialects.vyre import (
    BarrierOp,
    LaunchOp,
    ProgramOp,
    ScheduleOp,
    ScratchOp,
    WorkgroupsOp,
)
from vyre.interpreter.backend import ReferenceBackend
from vyre.interpreter.engine import Dispatch
from vyre.interpreter.frames import Value
from vyre.interpreter.memory import Memory
from vyre.interpreter.workgroups import run_workgroups, table_values
from vyre.lowering.llvm.passes.plan_workgroups import workgroup_schedule
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.runtime.backend import Capabilities, Launch, is_buffer
from vyre.runtime.geometry import Extent, Geometry
from vyre.runtime.host_memory import as_array
from vyre.runtime.scalars import dtype_of
from vyre.runtime.schedule_host import ScheduleHost, scratch_shape

GARBAGE = 0xA5
"""What every byte of new scratch holds: nothing may depend on it."""

ONE: Extent = (1, 1, 1)


def checked_plan(program: ProgramOp) -> WorkgroupsOp:
    """How to run workgroups of a program, which has to be valid and free of barriers."""
    text = str(program)
    workgroups = workgroup_schedule(program)
    assert str(program) == text, "the program has changed"
    module = ModuleOp([program.clone(), workgroups])
    verify_ops(module)
    verify_programs(module)
    assert not [op for op in workgroups.walk() if isinstance(op, BarrierOp)]
    return workgroups


class WorkgroupBackend(ReferenceBackend):
    """One workgroup after the other, phase by phase."""

    name = "workgroups"
    capabilities = Capabilities(in_place=True)

    @override
    def compile(self, program: ProgramOp | ScheduleOp) -> WorkgroupsOp | None:
        assert isinstance(program, ProgramOp)
        if any(isinstance(op, COLLECTIVES) for op in program.walk()):
            return None
        return checked_plan(program)

    @override
    def launch(self, launch: Launch) -> None:
        if launch.kernel is None:
            super().launch(launch)
            return
        passed: dict[SSAValue, Value] = {}
        for entry, value in zip(launch.program.launch_table, launch.arguments, strict=True):
            if is_buffer(value):
                value = Memory.of(entry.entry_name.data, as_array(value))
            passed[entry.results[0]] = value

        def run(place: Extent) -> None:
            program, groups = launch.program, launch.geometry.groups
            values = table_values(launch.kernel, program, passed, groups, place)
            _Worker(launch.kernel, launch).run(values)

        run_workgroups(launch.geometry, run)


class _Worker(ScheduleHost):
    """Runs the schedule of one workgroup."""

    def __init__(self, workgroups: WorkgroupsOp, launch: Launch):
        super().__init__(workgroups.schedule, Geometry(ONE, launch.geometry.size))
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
