"""What Vyre adds to every xDSL tool, through the `xdsl.universe` entry point."""

from xdsl.universe import Universe

from vyre.dialects import get_all_dialects
from vyre.lowering import get_all_passes, get_all_targets
from vyre.tools.plan import get_plan_targets

VYRE_UNIVERSE = Universe(
    all_dialects=get_all_dialects(),
    all_passes=get_all_passes(),
    all_targets=get_all_targets() | get_plan_targets(),
)
