"""
`vyre-plan-workgroups`: what a worker runs for each workgroup, as schedules.

Before:

```mlir
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<64xf32>
  ...
  vyre.barrier acq_rel
  ...
}
```

After, where the program stays beside it:

```mlir
vyre.workgroups @p {
  vyre.schedule @p {
    %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
    %tile = vyre.buffer "tile" read_write binding 1 : memref<64xf32>
    %group_x = vyre.param "vyre.workgroup_id.x" : index
    ...
    vyre.launch @p.0(%a, %tile, %group_x)
    %first_x = arith.muli %group_x, %c64 : index
    vyre.launch @p.1(%a, %tile, %first_x)
  }
  vyre.program @p.0 [64, 1, 1] { ... }
  vyre.program @p.1 [64, 1, 1] { ... }
}
```

One workgroup is a grid of one workgroup. So a program with workgroup barriers and subgroup
operations is cut as a program with grid barriers is, by the same passes: it is isolated
(`vyre-isolate-workgroup`), subgroups exchange values through memory
(`vyre-expand-subgroups`), and the passes of the host plan do the rest. Each of these keeps
the meaning, and the schedule is proved to do what the isolated program does. The host of
the resulting schedule is whoever runs a workgroup; launches are loops over its invocations.

Programs without such operations need no plan. Plans that are there already are made again.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.meetings import SUBGROUP_OPS
from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import launches_in, operations_in, units_in
from vyre.collector import paused_collector
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import BarrierOp, ProgramOp, ReturnOp, WorkgroupsOp
from vyre.dialects.vyre.attributes import Ordering
from vyre.locations import inherit_locations
from vyre.passes.expand_subgroups import expand_subgroups
from vyre.passes.hoist_grid_sync import HoistGridSyncPass
from vyre.passes.isolate_workgroup import (
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
class PlanWorkgroupsPass(ModulePass):
    """Says how to run workgroups whose invocations wait for each other."""

    name = "vyre-plan-workgroups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for workgroups in units_in(op, WorkgroupsOp):
            Rewriter.erase_op(workgroups)
        for program in launches_in(op):
            if needs_workgroup_schedule(program):
                planned = workgroup_schedule(program)
                Rewriter.insert_op(planned, InsertPoint.after(program))


_WAITING = frozenset[type[Operation]]((BarrierOp, *SUBGROUP_OPS))


def needs_workgroup_schedule(program: ProgramOp) -> bool:
    """
    Whether invocations of a workgroup wait for each other in a program.

    Example: false for a program that only loads and stores.
    """
    return any(type(op) in _WAITING for op in operations_in(program.body))


def workgroup_schedule(program: ProgramOp) -> WorkgroupsOp:
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
            _isolate(copy)
        except Refusal as refusal:
            raise invalid(program, refusal) from None
        baseline = Baseline.of(module) if is_wanted() else None
        for step in _CUTTING:
            step().apply(context, module)
        inherit_locations(module)
        if baseline is not None:
            baseline.check(module)
    workgroups = WorkgroupsOp(program.sym_name.data, module.detach_region(module.body))
    workgroups.location = program.location
    return workgroups


def _isolate(program: ProgramOp) -> None:
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
