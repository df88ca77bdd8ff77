"""
What one worker runs for each workgroup of a program: a schedule without barriers.

One workgroup is a grid of one workgroup. So a program with workgroup barriers and subgroup
operations is cut as a program with grid barriers is, by the same passes: it is isolated
(`vyre.passes.isolate_workgroup`), subgroups exchange values through memory
(`vyre.passes.expand_subgroups`), and the passes of the host plan do the rest. The host of
the resulting schedule is whoever runs a workgroup; launches are loops over its invocations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from vyre.analysis.meetings import SUBGROUP_OPS
from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import operations_in
from vyre.collector import paused_collector
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    ParamOp,
    ProgramOp,
    ReturnOp,
    ScheduleOp,
)
from vyre.dialects.vyre.attributes import Ordering
from vyre.dialects.vyre.host import programs_in
from vyre.locations import inherit_locations
from vyre.passes.expand_subgroups import expand_subgroups
from vyre.passes.hoist_grid_sync import HoistGridSyncPass
from vyre.passes.isolate_workgroup import (
    WorkgroupTable,
    isolate_workgroup,
    widen_workgroup_scope,
)
from vyre.passes.predicate_returns import predicate_returns
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.propagate_lets import PropagateLetsPass
from vyre.passes.rewrite_access import RewriteAccessPass
from vyre.passes.split_grid_sync import SplitGridSyncPass
from vyre.passes.validate_split import Baseline, is_wanted
from vyre.validation.returns import validate_returns

_CUTTING = (HoistGridSyncPass, PropagateLetsPass, SplitGridSyncPass, RewriteAccessPass)


@dataclass(frozen=True)
class WorkgroupPlan:
    """
    A schedule to run once for each workgroup, on a grid of one workgroup, and the three
    parts of its table, which come one after the other.

    Example: `workgroup_schedule(program).schedule`
    """

    module: ModuleOp
    """Of the schedule and the programs that it launches."""
    schedule: ScheduleOp
    segments: dict[str, ProgramOp]
    """The programs that the schedule launches, by name."""
    passed: Sequence[BufferOp | ParamOp]
    """What a launch of the program passes, entry by entry."""
    memory: Sequence[BufferOp]
    """Memory of one workgroup, of fixed size. It is zeros when the schedule starts."""
    ids: Sequence[ParamOp]
    """The workgroup's id and the number of workgroups, along x, y and z each."""


_WAITING = frozenset[type[Operation]]((BarrierOp, *SUBGROUP_OPS))


def needs_workgroup_schedule(program: ProgramOp) -> bool:
    """
    Whether invocations of a workgroup wait for each other in a program.

    Example: false for a program that only loads and stores.
    """
    return any(type(op) in _WAITING for op in operations_in(program.body))


def workgroup_schedule(program: ProgramOp) -> WorkgroupPlan:
    """
    Cut a program without grid barriers at its workgroup barriers and subgroup operations,
    and prove that the schedule does what the isolated program does. The program itself
    stays as it is.

    Example: `workgroup_schedule(program).segments["p.0"]`
    """
    copy = program.clone()
    module = ModuleOp([copy])
    context = Context()
    with paused_collector():
        PromoteLetsPass().apply(context, module)
        try:
            table = _isolated(copy)
        except Refusal as refusal:
            raise invalid(program, refusal) from None
        baseline = Baseline.of(module) if is_wanted() else None
        for step in _CUTTING:
            step().apply(context, module)
        inherit_locations(module)
        if baseline is not None:
            baseline.check(module)
    return _plan(module, table)


def _isolated(program: ProgramOp) -> WorkgroupTable:
    """
    Turn the program into one that has grid barriers only, and no returns. Returns go after
    it is isolated: then nobody asks other workgroups whether anyone is alive.
    """
    table = isolate_workgroup(program)
    has_returns = any(type(op) is ReturnOp for op in operations_in(program.body))
    isolated = program.clone() if has_returns and is_wanted() else None
    predicate_returns(program)
    if isolated is not None:
        validate_returns(isolated, program, infers_grid=False)
    expand_subgroups(program)
    widen_workgroup_scope(program, table)
    if not needs_cut(program):
        # Everything is one launch, after which nothing has to be ordered.
        program.body.block.add_op(BarrierOp(Ordering.GRID_SYNC))
    return table


def _plan(module: ModuleOp, table: WorkgroupTable) -> WorkgroupPlan:
    (schedule,) = (op for op in module.ops if isinstance(op, ScheduleOp))
    entries = list(schedule.table)
    buffers = {e.entry_name.data: e for e in entries if isinstance(e, BufferOp)}
    params = {e.entry_name.data: e for e in entries if isinstance(e, ParamOp)}
    return WorkgroupPlan(
        module,
        schedule,
        programs_in(module.body.block),
        entries[: len(table.passed)],
        [buffers[name] for name in table.memory],
        [params[name] for name in table.ids],
    )
