"""
Plans: how a program will run, for people.

| module | what it has |
|---|---|
| `model`, `parts` | launches, buffers, loops, and what each launch does to which buffer |
| `segment_facts`, `lives` | what a segment does; how long scratch is needed |
| `table`, `text` | a plan as text: the target `vyre-plan` |
| `drawing`, `layout`, `marks`, `legend`, `svg` | a plan as a picture: `vyre-plan-svg` |
| `wave_plan` | of a megakernel: which waves run together, and their memory |
| `wave_table` | that as text |
| `wave_drawing`, `wave_layout`, `wave_marks` | that as a picture |
"""

from collections.abc import Callable

from xdsl.utils.target import Target


def get_plan_targets() -> dict[str, Callable[[], type[Target]]]:
    """Plans as targets of `vyre-opt`; each is imported when it is first asked for."""

    def get_plan() -> type[Target]:
        from vyre.tools.plan.table import PlanTarget

        return PlanTarget

    def get_plan_drawing() -> type[Target]:
        from vyre.tools.plan.drawing import PlanDrawingTarget

        return PlanDrawingTarget

    return {"vyre-plan": get_plan, "vyre-plan-svg": get_plan_drawing}
