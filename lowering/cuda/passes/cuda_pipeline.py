"""
`vyre-cuda-pipeline`: all that happens to programs before they become CUDA C++.

It runs the passes of `vyre.pipelines.CUDA_SPLIT` or `CUDA_NATIVE`, each of which keeps the
meaning; see there for before, after and why. The result is for grids of fewer than 2^31
invocations, unless `invocations` says otherwise. With `grid` and `sizes` it is for
dispatches with grids and buffers of these sizes only: see `vyre-prove-inbounds`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from typing_extensions import override
from xdsl.passes import ModulePass

from vyre import pipelines
from vyre.lowering import get_all_passes
from vyre.passes.pipeline import Pipeline
from vyre.passes.setting_pass import SettingPass

CudaMode: TypeAlias = Literal["split", "native"]
MODES: tuple[CudaMode, ...] = ("native", "split")

COUNTED_IN_32_BITS = 2**31 - 1
"""Invocations. Nearly all grids have fewer, and code for these is smaller and faster."""


@dataclass(frozen=True)
class CudaPipelinePass(Pipeline, SettingPass):
    """Prepares programs for the code generator for CUDA."""

    name = "vyre-cuda-pipeline"

    mode: CudaMode = "split"
    """Whether programs are split at grid barriers, or wait inside of kernels."""

    invocations: int = COUNTED_IN_32_BITS
    """The largest grid."""

    @override
    def names(self) -> Sequence[str]:
        if self.mode == "native":
            return pipelines.CUDA_NATIVE
        return pipelines.CUDA_SPLIT

    @override
    def known(self) -> Mapping[str, Callable[[], type[ModulePass]]]:
        return get_all_passes()
