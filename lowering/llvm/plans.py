"""
From a program to the LLVM IR of all of it: cut at barriers, accesses proved, emitted.

Code is made for a program, not for sizes: these are words of the job. But which accesses
need no test depends on sizes and grid, so there may be several pieces of code for one
program, which differ in what was proved.
"""

import json
from dataclasses import dataclass

from llvmlite import ir
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from vyre.analysis.extents import Setting
from vyre.analysis.geometry import Grid
from vyre.analysis.ranges import Range
from vyre.analysis.walking import units_in
from vyre.collector import paused_collector
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering.llvm.entries import emit_entry, launched_by
from vyre.lowering.llvm.layout import Layout
from vyre.lowering.llvm.names import plain
from vyre.lowering.llvm.passes.forward_grid_values import ForwardGridValuesPass
from vyre.lowering.llvm.passes.launch_instances import LaunchInstancesPass
from vyre.lowering.llvm.passes.merge_programs import MergeProgramsPass
from vyre.lowering.llvm.passes.outline_regions import OutlineRegionsPass
from vyre.lowering.llvm.passes.share_uniform_loops import ShareUniformLoopsPass
from vyre.lowering.llvm.passes.store_once import StoreOncePass
from vyre.passes.host_plan import split_for_engine
from vyre.passes.launched_once import launched_once
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.prove_inbounds import mark_inbounds
from vyre.passes.workgroup_plan import (
    WorkgroupPlan,
    needs_workgroup_schedule,
    workgroup_schedule,
)
from vyre.source import deep_recursion

Unit = ProgramOp | ScheduleOp


@dataclass(frozen=True)
class Source:
    """LLVM IR of a program, and the words of its job."""

    text: str
    layout: Layout

    @property
    def identity(self) -> str:
        """All that compiled code is; what traps say, for one, is no part of the text."""
        return f"{json.dumps(self.layout.as_data())}\n{self.text}"


class Plan:
    """
    A program as it is run: as a schedule, with a little schedule for each program whose
    invocations wait for each other in workgroups.

    Example: `Plan(program).source(Setting()).text`
    """

    def __init__(self, unit: Unit):
        self._was_schedule = isinstance(unit, ScheduleOp)
        with deep_recursion(), paused_collector():
            self._schedule, self.proof = scheduled(unit)
            module = self._schedule.get_toplevel_object()
            assert isinstance(module, ModuleOp)
            for step in (
                ShareUniformLoopsPass(),
                ForwardGridValuesPass(),
                OutlineRegionsPass(),
                LaunchInstancesPass(),
                MergeProgramsPass(),
                StoreOncePass(),
            ):
                step.apply(Context(), module)
            self._plans = {
                program: workgroup_schedule(program)
                for program in launched_by(self._schedule)
                if needs_workgroup_schedule(program)
            }

    def source(self, setting: Setting) -> Source:
        """The program as LLVM IR, with accesses proved for these sizes."""
        with deep_recursion(), paused_collector():
            self._prove(setting)
            module = ir.Module(plain(self._schedule.sym_name.data))
            layout = emit_entry(module, self._schedule, self._plans)
            layout.is_schedule = self._was_schedule
            return Source(str(module), layout)

    def _prove(self, setting: Setting) -> None:
        module = self._schedule.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        launches = mark_inbounds(module, setting)
        for program, plan in self._plans.items():
            sizes, params = launches.setting(program)
            ids = _ids(plan, setting.grid)
            mark_inbounds(plan.module, Setting((1, 1, 1), sizes, params | ids))


def _ids(plan: WorkgroupPlan, grid: Grid | None) -> dict[str, Range]:
    """What the ids of a workgroup and the numbers of workgroups can be."""
    if grid is None:
        return {}
    ranges = [Range(0, count - 1) for count in grid] + [
        Range(count, count) for count in grid
    ]
    return {id.entry_name.data: range for id, range in zip(plan.ids, ranges, strict=True)}


def scheduled(unit: Unit) -> tuple[ScheduleOp, str | None]:
    """
    A schedule that does what a program or schedule does, in a module of its own, and what
    was proved of that.

    Example: `scheduled(program)[0].table`
    """
    proof = None
    if isinstance(unit, ProgramOp):
        copy, proof = split_for_engine(unit)
    else:
        module = unit.get_toplevel_object()
        assert isinstance(module, ModuleOp)
        copy = module.clone()
        PromoteLetsPass().apply(Context(), copy)
    found = units_in(copy, ProgramOp, ScheduleOp)
    result = next(op for op in found if op.sym_name.data == unit.sym_name.data)
    if isinstance(result, ProgramOp):
        return launched_once(result), proof
    needed = {result, *launched_by(result)}
    for op in list(copy.ops):
        if op not in needed:
            Rewriter.erase_op(op)
    return result, proof
