"""
`vyre-host-plan`: programs with grid barriers become schedules of programs without.

It runs the passes of `vyre.pipelines.HOST_PLAN`, each of which keeps the meaning; see there
for before, after and why.
Programs without grid barriers stay programs, and schedules that are there already stay as
they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from vyre import pipelines
from vyre.collector import paused_collector
from vyre.dialects.vyre import ProgramOp
from vyre.passes import get_all_passes
from vyre.passes.pipeline import Pipeline
from vyre.passes.validate_split import run_validated


@dataclass(frozen=True)
class HostPlanPass(Pipeline):
    """Splits every program that has a grid barrier."""

    name = "vyre-host-plan"

    @override
    def names(self) -> Sequence[str]:
        return pipelines.HOST_PLAN

    @override
    def known(self) -> Mapping[str, Callable[[], type[ModulePass]]]:
        return get_all_passes()


def split_for_engine(program: ProgramOp) -> tuple[ModuleOp, str | None]:
    """
    Splits a copy of a program that is to be run, and proves its schedule, unless
    `VYRE_VALIDATE=0` says that nobody wants that. Returns what was proved, too.

    Example: `split_for_engine(program)[0]`
    """
    module = ModuleOp([program.clone()])
    with paused_collector():
        return module, run_validated(HostPlanPass().steps(), module, [program])
