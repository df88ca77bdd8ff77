"""
`vyre-plan-megakernel`: waves are put into groups, with as few barriers as possible.

Before:

```mlir
vyre.megakernel @closure {
  vyre.wave "seed" @seed
  vyre.wave "left" @left after ["seed"]
  vyre.wave "right" @right after ["seed"]
}
```

After:

```mlir
vyre.megakernel @closure plan {global_barriers = 1, ...} {
  vyre.wave "seed" @seed group 0
  vyre.wave "left" @left after ["seed"] group 1
  vyre.wave "right" @right after ["seed"] group 1
}
```

| option | meaning |
|---|---|
| `budget` | bytes that a group may need together with the resident graph |
| `graph` | bytes that are on the device all the time |
| `readback` | bytes that the caller reads back |
| `packing` | `in_order`, or `best`: fewer groups where waves of a layer may be mixed |

Without a budget only dependencies decide; sizes are not asked for then, and the plan says
how many barriers there are and how many waves the widest group has. With a budget it also
says what was asked for. With `best`, the figures of the plan in order are shown beside
those of the plan that is taken.

Groups are annotations: they say nothing that dependencies and sizes do not allow, and
`vyre-fuse-waves` checks that every dependency crosses from a group into a later one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    i64,
)
from xdsl.passes import ModulePass

from vyre.analysis.frontier import plan_frontier_memory
from vyre.analysis.wave_effects import wave_bytes, wave_dependencies
from vyre.analysis.wave_errors import Cycle, WaveError
from vyre.analysis.waves import BarrierPlan, plan_barriers
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import MegakernelOp
from vyre.dialects.vyre.megakernel import BYTE_COUNT


@dataclass(frozen=True)
class PlanMegakernelPass(ModulePass):
    """Annotates the waves of every megakernel with their groups."""

    name = "vyre-plan-megakernel"

    budget: int | None = None
    graph: int = 0
    readback: int = 0
    packing: Literal["in_order", "best"] = "in_order"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for megakernel in op.walk():
            if isinstance(megakernel, MegakernelOp):
                try:
                    self._plan(megakernel)
                except Refusal as refusal:
                    raise invalid(megakernel, refusal) from None

    def _plan(self, megakernel: MegakernelOp) -> None:
        megakernel.in_order = None
        if self.budget is None:
            plan_groups(megakernel, wave_dependencies(megakernel))
            return
        waves = zip(megakernel.waves, megakernel.programs())
        sizes = [wave_bytes(wave, program) for wave, program in waves]
        try:
            plan = plan_frontier_memory(
                sizes,
                wave_dependencies(megakernel),
                resident_graph_bytes=self.graph,
                budget_bytes=self.budget,
                readback_bytes=self.readback,
                packing=self.packing,
            )
        except WaveError as error:
            raise _refusal(megakernel, error) from None
        asked = {"resident_graph_bytes": self.graph, "budget_bytes": self.budget}
        _annotate(megakernel, plan.barriers, plan.figures | asked)
        if plan.in_order is not None:
            megakernel.in_order = _figures(plan.in_order.figures)


def plan_groups(megakernel: MegakernelOp, dependencies: Sequence[tuple[int, int]]) -> None:
    """
    Put waves into groups by their dependencies alone, those of `wave_dependencies`.

    Example: `plan_groups(megakernel, edges)`, then `wave.group` is set for each wave.
    """
    plan = planned_layers(megakernel, dependencies)
    widest = max(map(len, plan.groups), default=0)
    figures = {"global_barriers": plan.global_barriers, "max_group_width": widest}
    _annotate(megakernel, plan, figures)


def planned_layers(
    megakernel: MegakernelOp, dependencies: Sequence[tuple[int, int]]
) -> BarrierPlan:
    """
    The fewest groups that the dependencies of waves allow.

    Example: `planned_layers(megakernel, edges).groups` is `((0,), (1, 2))`.
    """
    try:
        return plan_barriers(len(list(megakernel.waves)), dependencies)
    except WaveError as error:
        raise _refusal(megakernel, error) from None


def _annotate(megakernel: MegakernelOp, plan: BarrierPlan, figures: dict[str, int]) -> None:
    waves = list(megakernel.waves)
    for number, group in enumerate(plan.groups):
        for wave in group:
            waves[wave].group = IntegerAttr(number, i64)
    megakernel.plan = _figures(figures)


def _figures(figures: dict[str, int]) -> DictionaryAttr:
    return DictionaryAttr({name: IntegerAttr(n, BYTE_COUNT) for name, n in figures.items()})


def _refusal(megakernel: MegakernelOp, error: WaveError) -> Refusal:
    """The planner's error, at the wave it is about, with names instead of numbers."""
    cause = error.cause
    if isinstance(error, Cycle):
        waves = list(megakernel.waves)
        names = [f'"{waves[wave].label.data}"' for wave in error.waves]
        way = " -> ".join((*names, names[0]))
        cause = f"{error.unscheduled_waves} waves can never run: {way} is a circle"
    at = None if error.wave is None else list(megakernel.waves)[error.wave]
    return Refusal(cause, fix=error.fix, at=at)
