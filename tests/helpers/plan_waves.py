"""Megakernels for tests of plans and their pictures."""

from typing import Any

import vyre
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.tools.plan.wave_plan import WavePlan, wave_plans_in

PROGRAM = """
vyre.program @scale [4, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<8xi32>
  %y = vyre.buffer "y" write_only binding 1 : memref<8xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi16>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<8xi32>
  vyre.store %v, %y[%i] : memref<8xi32>
}
"""

FOUR = f"""
{PROGRAM}
vyre.megakernel @four {{
  vyre.wave "a" @scale after [] bytes [60, 0, 0]
  vyre.wave "b" @scale after [] bytes [50, 5, 10]
  vyre.wave "c" @scale after [] bytes [30, 0, 10]
  vyre.wave "sum" @scale grid [2, 1, 1] after ["a", "b"] bytes [10, 1, 6]
}}
"""
"""They cost 60, 80, 40 and 20; three are in the first layer, and one in the second."""


def waves_of(text: str, **options: Any) -> WavePlan:
    """The plan of the only megakernel of a text, after `vyre-plan-megakernel`."""
    module = vyre.parse(text)
    PlanMegakernelPass(**options).apply(vyre.context(), module)
    (plan,) = wave_plans_in(module)
    return plan


def many(count: int, name: str = "w") -> str:
    """A megakernel of waves that could all run together."""
    waves = [
        f'  vyre.wave "{name}{k}" @scale after [] bytes [{k}, 0, 4]' for k in range(count)
    ]
    return "\n".join([PROGRAM, "vyre.megakernel @many {", *waves, "}"])
