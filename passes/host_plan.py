"""
`vyre-host-plan`: programs with grid barriers become schedules of programs without.

It runs `vyre-expand-switches`, `vyre-promote-lets`, `vyre-predicate-returns`,
`vyre-hoist-grid-sync`, `vyre-propagate-lets`, `vyre-split-grid-sync` and
`vyre-rewrite-access`, each of which keeps the meaning; see there for before, after and why.
Programs without grid barriers stay programs, and schedules that are there already stay as
they are.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vyre.collector import paused_collector
from vyre.dialects.vyre import ProgramOp
from vyre.locations import inherit_locations
from vyre.passes.expand_switches import ExpandSwitchesPass
from vyre.passes.hoist_grid_sync import HoistGridSyncPass
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.propagate_lets import PropagateLetsPass
from vyre.passes.rewrite_access import RewriteAccessPass
from vyre.passes.split_grid_sync import SplitGridSyncPass
from vyre.passes.validate_split import Baseline, is_wanted

PIPELINE: tuple[type[ModulePass], ...] = (
    ExpandSwitchesPass,
    PromoteLetsPass,
    PredicateReturnsPass,
    HoistGridSyncPass,
    PropagateLetsPass,
    SplitGridSyncPass,
    RewriteAccessPass,
)


@dataclass(frozen=True)
class HostPlanPass(ModulePass):
    """Splits every program that has a grid barrier."""

    name = "vyre-host-plan"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with paused_collector():
            for step in PIPELINE:
                step().apply(ctx, op)
            inherit_locations(op)


def split_for_engine(program: ProgramOp) -> tuple[ModuleOp, str | None]:
    """
    Splits a copy of a program that is to be run, and proves its schedule, unless
    `VYRE_VALIDATE=0` says that nobody wants that. Returns what was proved, too.

    Example: `split_for_engine(program)[0]`
    """
    module = ModuleOp([program.clone()])
    with paused_collector():
        HostPlanPass().apply(Context(), module)
        if not is_wanted():
            return module, None
        proved = Baseline([program], is_kept=True).check(module)
    return module, str(proved[0]) if proved else None
