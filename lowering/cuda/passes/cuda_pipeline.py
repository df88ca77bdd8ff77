"""
`vyre-cuda-pipeline`: all that happens to programs before they become CUDA C++.

It runs the passes of `vyre.pipelines.CUDA_SPLIT` or `CUDA_NATIVE`, each of which keeps the
meaning; see there for before, after and why. With `grid` and `sizes`, the result is for
dispatches with grids and buffers of these sizes only: see `vyre-prove-inbounds`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from typing_extensions import override
from xdsl.passes import ModulePass

from vyre import pipelines
from vyre.lowering import get_all_passes
from vyre.passes.pipeline import Pipeline


@dataclass(frozen=True)
class CudaPipelinePass(Pipeline):
    """Prepares programs for the code generator for CUDA."""

    name = "vyre-cuda-pipeline"

    mode: Literal["split", "native"] = "split"
    """Whether programs are split at grid barriers, or wait inside of kernels."""

    grid: tuple[int, ...] = ()
    """Workgroups along x, y and z; left out, any grid is possible."""

    sizes: str = ""
    """Sizes of buffers with a `?`, such as `a=1024,b=16x16`."""

    @override
    def names(self) -> Sequence[str]:
        if self.mode == "native":
            return pipelines.CUDA_NATIVE
        return pipelines.CUDA_SPLIT

    @override
    def known(self) -> Mapping[str, Callable[[], type[ModulePass]]]:
        return get_all_passes()
