"""
The plan of a megakernel: which waves run together, and what memory they need then.

It is read from what `vyre-plan-megakernel` has annotated. Without a plan, dependencies
alone put waves into groups. A layer is all waves whose longest chain of dependencies has
the same length; a budget cuts it into groups. `wave_table` and `wave_drawing` show a plan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp

from vyre.analysis.frontier import SCRATCH_COPIES, WaveBytes
from vyre.analysis.wave_effects import wave_bytes, wave_dependencies
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import MegakernelOp
from vyre.passes.plan_megakernel import planned_layers


@dataclass(frozen=True)
class Wave:
    """A wave, with the names of those it depends on, and its bytes if they are known."""

    name: str
    program: str
    grid: tuple[int, ...] | None
    after: tuple[str, ...]
    bytes: WaveBytes | None


@dataclass(frozen=True)
class WaveGroup:
    """Waves with no barrier between them."""

    number: int
    layer: int
    waves: tuple[Wave, ...]

    @property
    def bytes(self) -> WaveBytes | None:
        """
        What the waves need together, if it is known.

        Example: `plan.groups[0].bytes.frontier_bytes`
        """
        sizes = [wave.bytes for wave in self.waves if wave.bytes is not None]
        if len(sizes) < len(self.waves):
            return None
        return WaveBytes(*map(sum, zip(*sizes)))


@dataclass(frozen=True)
class Layer:
    """Groups one after the other whose waves could run together if memory allowed it."""

    number: int
    groups: tuple[WaveGroup, ...]

    @property
    def label(self) -> str:
        """
        The layer in a line.

        Example: `"layer 0: 204 waves in 11 groups"`
        """
        waves = sum(len(group.waves) for group in self.groups)
        text = f"layer {self.number}: {counted(waves, 'wave')}"
        if len(self.groups) > 1:
            text += f" in {len(self.groups)} groups"
        return text


@dataclass(frozen=True)
class WavePlan:
    """
    Layers of groups of waves. `figures` are those of the plan, `in_order` those of the one
    without better packing if that was asked for; what was not planned is not in them.

    Example:

    ```python
    (plan,) = wave_plans_in(vyre.parse("examples/flows_to.mlir"))
    [wave.name for wave in plan.groups[0].waves]  # ["seed", "clear"]
    ```
    """

    name: str
    layers: tuple[Layer, ...]
    figures: dict[str, int]
    in_order: dict[str, int]

    @staticmethod
    def of(megakernel: MegakernelOp) -> WavePlan:
        """The plan of a megakernel."""
        groups = _groups(megakernel)
        layers = tuple(
            Layer(number, tuple(found))
            for number, found in groupby(groups, key=lambda group: group.layer)
        )
        widest = max((len(group.waves) for group in groups), default=0)
        counts = {
            "global_barriers": max(0, len(groups) - 1),
            "max_group_width": widest,
        }
        return WavePlan(
            megakernel.sym_name.data,
            layers,
            _figures(megakernel.plan) | counts,
            _figures(megakernel.in_order),
        )

    @property
    def groups(self) -> list[WaveGroup]:
        """All groups in order."""
        return [group for layer in self.layers for group in layer.groups]

    @property
    def budget(self) -> int | None:
        """Bytes that a group and the resident graph may need together, if that is said."""
        return self.figures.get("budget_bytes")

    @property
    def graph(self) -> int:
        """Bytes that are on the device all the time."""
        return self.figures.get("resident_graph_bytes", 0)

    @property
    def summary(self) -> str:
        """
        The plan in a line.

        Example: `"6 waves in 5 groups: 4 grid barriers"`
        """
        waves = sum(len(group.waves) for group in self.groups)
        barriers = self.figures["global_barriers"]
        return (
            f"{counted(waves, 'wave')} in {counted(len(self.groups), 'group')}: "
            f"{counted(barriers, 'grid barrier')}"
        )

    def needed(self, group: WaveGroup) -> int | None:
        """What counts against the budget while a group runs, if its bytes are known."""
        if group.bytes is None:
            return None
        frontier, scratch, output = group.bytes
        return self.graph + frontier + SCRATCH_COPIES * scratch + output


def counted(number: int, what: str) -> str:
    """
    A number of things.

    Example: `counted(2, "wave")` is `"2 waves"`.
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def wave_plans_in(module: ModuleOp) -> list[WavePlan]:
    """
    The plans of all megakernels of a module.

    Example: `[plan.name for plan in wave_plans_in(module)]`
    """
    plans: list[WavePlan] = []
    for op in module.walk():
        if isinstance(op, MegakernelOp):
            try:
                plans.append(WavePlan.of(op))
            except Refusal as refusal:
                raise invalid(op, refusal) from None
    return plans


def _groups(megakernel: MegakernelOp) -> list[WaveGroup]:
    layers = planned_layers(megakernel, wave_dependencies(megakernel)).groups
    layer_of = {wave: layer for layer, found in enumerate(layers) for wave in found}
    waves: defaultdict[int, list[int]] = defaultdict(list)
    for number, wave in enumerate(megakernel.waves):
        group = layer_of[number] if wave.group is None else wave.group.value.data
        waves[group].append(number)
    parts = _waves(megakernel)
    return [
        WaveGroup(
            number, max(map(layer_of.__getitem__, found)), tuple(parts[w] for w in found)
        )
        for number, found in sorted(waves.items())
    ]


def _waves(megakernel: MegakernelOp) -> list[Wave]:
    ops = list(megakernel.waves)
    after: defaultdict[int, list[str]] = defaultdict(list)
    for earlier, later in wave_dependencies(megakernel):
        after[later].append(ops[earlier].label.data)
    return [
        Wave(
            op.label.data,
            op.program.string_value(),
            op.workgroups,
            tuple(after[number]),
            size,
        )
        for number, (op, size) in enumerate(zip(ops, _sizes(megakernel)))
    ]


def _sizes(megakernel: MegakernelOp) -> Sequence[WaveBytes | None]:
    """The bytes of each wave; of none, if there is one whose bytes are unknown."""
    waves = list(zip(megakernel.waves, megakernel.programs()))
    try:
        return [wave_bytes(wave, program) for wave, program in waves]
    except Refusal:
        return [None] * len(waves)


def _figures(plan: DictionaryAttr | None) -> dict[str, int]:
    """The numbers of a plan that can be meant; anyone may have written it."""
    if plan is None:
        return {}
    return {
        name: figure.value.data
        for name, figure in plan.data.items()
        if isinstance(figure, IntegerAttr) and figure.value.data >= 0
    }
