"""
How waves that run together share the memory of a device.

Waves are put into the fewest layers (see `vyre.analysis.waves`). What stays on the device
all the time, the resident graph, is taken from the budget; a layer whose waves do not fit
into the rest together is cut into groups that do. A fused wave costs its frontier, its
output and four times its scratch, since four stages of a fused kernel may hold scratch at
the same time.

Results are read back once, after the last group, so what is read back is at least what the
caller asks for and at least the largest output of a group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

from vyre.analysis.packing import Groups, packed_decreasing, packed_in_order
from vyre.analysis.wave_errors import (
    MAX_BYTES,
    ByteCountOverflow,
    GroupOverBudget,
    WrongArgument,
    checked_bytes,
)
from vyre.analysis.waves import BarrierPlan, Dependencies, WaveScratch, plan_barriers

SCRATCH_COPIES = 4
"""How often the scratch of a wave is counted when it is fused."""

Packing: TypeAlias = Literal["in_order", "best"]
"""Cut layers in the order of their waves, or by first fit decreasing where it is better."""


class WaveBytes(NamedTuple):
    """What a wave needs: what it reads, what it uses meanwhile, and what it gives."""

    frontier_bytes: int
    scratch_bytes: int
    output_bytes: int

    @property
    def fused_cost(self) -> int:
        """
        What the wave takes of the budget of its group.

        Example: `WaveBytes(10, 10, 10).fused_cost` is 60.
        """
        frontier, scratch, output = self
        total = frontier + scratch * SCRATCH_COPIES + output
        if total > MAX_BYTES or min(self) < 0:
            for count, kind in zip(self, ("frontier", "scratch", "output")):
                checked_bytes(count, f"{kind} wave bytes")
            checked_bytes(scratch * SCRATCH_COPIES, "fused wave scratch bytes")
            checked_bytes(total, "fused wave bytes")
        return total


@dataclass(frozen=True)
class FrontierPlan:
    """
    Groups of waves that fit into the budget, and the most that a group needs of each kind
    of memory. `in_order` is the plan without better packing, if that was asked for.
    """

    barriers: BarrierPlan
    peak_frontier_bytes: int
    peak_scratch_bytes: int
    peak_output_bytes: int
    amortized_readback_bytes: int
    max_group_width: int
    in_order: "FrontierPlan | None" = None

    @property
    def figures(self) -> dict[str, int]:
        """
        The plan in numbers, by name.

        Example: `plan.figures["global_barriers"], plan.in_order.figures["global_barriers"]`
        """
        return {
            "global_barriers": self.barriers.global_barriers,
            "peak_frontier_bytes": self.peak_frontier_bytes,
            "peak_scratch_bytes": self.peak_scratch_bytes,
            "peak_output_bytes": self.peak_output_bytes,
            "amortized_readback_bytes": self.amortized_readback_bytes,
            "max_group_width": self.max_group_width,
        }


def plan_frontier_memory(
    waves: Sequence[WaveBytes],
    dependencies: Dependencies,
    *,
    resident_graph_bytes: int = 0,
    budget_bytes: int,
    readback_bytes: int = 0,
    packing: Packing = "in_order",
    scratch: WaveScratch | None = None,
) -> FrontierPlan:
    """
    Groups of waves within a budget, with a barrier between two of them.

    Raises the errors of `plan_barriers`, `GroupOverBudget` if the graph or a single wave is
    larger than the budget, and `ByteCountOverflow` if a sum does not fit in 64 bits.

    Example:

    ```python
    waves = [WaveBytes(10, 10, 10)] * 3
    plan_frontier_memory(waves, [], budget_bytes=100).max_group_width  # 1
    ```
    """
    waves = [_wave_bytes(number, wave) for number, wave in enumerate(waves)]
    if packing not in get_args(Packing):
        raise WrongArgument("packing", packing, "'in_order' or 'best'")
    for name, count in (
        ("resident_graph_bytes", resident_graph_bytes),
        ("budget_bytes", budget_bytes),
        ("readback_bytes", readback_bytes),
    ):
        if not isinstance(cast(object, count), int):
            raise WrongArgument(name, count, "a number of bytes")
        checked_bytes(count, name.replace("_", " "))
    layers = plan_barriers(len(waves), dependencies, scratch).groups
    if resident_graph_bytes > budget_bytes:
        raise GroupOverBudget(resident_graph_bytes, budget_bytes, "resident graph bytes")
    budget = budget_bytes - resident_graph_bytes
    costs = [0] * len(waves)
    for wave in chain.from_iterable(layers):
        costs[wave] = cost = _cost(waves, wave)
        if cost > budget:
            field = "single fused frontier wave bytes"
            raise GroupOverBudget(cost, budget, field, wave)
    cut = [packed_in_order(layer, costs, budget) for layer in layers]
    plan = _plan(cut, waves, readback_bytes)
    if packing == "in_order":
        return plan
    best = [
        min(groups, packed_decreasing(layer, costs, budget), key=len)
        for layer, groups in zip(layers, cut)
    ]
    return _plan(best, waves, readback_bytes, in_order=plan)


def _wave_bytes(number: int, wave: object) -> WaveBytes:
    """The bytes of a wave, which may be any three numbers."""
    counts = cast(tuple[Any, ...], wave)
    is_tuple = isinstance(wave, tuple) and len(counts) == 3
    if is_tuple and all(isinstance(count, int) for count in counts):
        return WaveBytes(*counts)
    raise WrongArgument(
        f"waves[{number}]", cast(object, wave), "three numbers, as WaveBytes has"
    )


def _cost(waves: Sequence[WaveBytes], wave: int) -> int:
    try:
        return waves[wave].fused_cost
    except ByteCountOverflow as error:
        raise ByteCountOverflow(error.field, wave) from None


def _plan(
    layers: Sequence[Groups],
    waves: Sequence[WaveBytes],
    readback_bytes: int,
    in_order: FrontierPlan | None = None,
) -> FrontierPlan:
    groups = [group for layer in layers for group in layer]
    # No sum overflows: what a group costs is at least as much, and within the budget.
    peaks = [
        max((sum(map(column.__getitem__, group)) for group in groups), default=0)
        for column in zip(*waves)
    ]
    frontier, scratch, output = peaks or (0, 0, 0)
    return FrontierPlan(
        BarrierPlan(tuple(map(tuple, groups))),
        peak_frontier_bytes=frontier,
        peak_scratch_bytes=scratch,
        peak_output_bytes=output,
        amortized_readback_bytes=max(readback_bytes, output),
        max_group_width=max(map(len, groups), default=0),
        in_order=in_order,
    )
