"""
`vyre-cpu-pipeline`: all that happens to programs before they become LLVM IR.

It runs the passes of `vyre.pipelines.CPU` and `CPU_SIZED`, each of which keeps the meaning;
see there for before, after and why. With `grid` and `sizes`, the result is for dispatches
with grids and buffers of these sizes only: see `vyre-prove-inbounds`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import override
from xdsl.passes import ModulePass

from vyre import pipelines
from vyre.lowering import get_all_passes
from vyre.passes.pipeline import Pipeline
from vyre.passes.setting_pass import SettingPass


@dataclass(frozen=True)
class CpuPipelinePass(Pipeline, SettingPass):
    """Prepares programs for the code generator for CPUs."""

    name = "vyre-cpu-pipeline"

    @override
    def names(self) -> Sequence[str]:
        return pipelines.CPU + pipelines.CPU_SIZED

    @override
    def known(self) -> Mapping[str, Callable[[], type[ModulePass]]]:
        return get_all_passes()
