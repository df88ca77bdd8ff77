"""What programs become outside the IR: text for engines and for people."""

from collections.abc import Callable

from xdsl.passes import ModulePass
from xdsl.utils.target import Target

from vyre import passes

_PASSES = {
    "vyre-cpu-pipeline": ("llvm.passes.cpu_pipeline", "CpuPipelinePass"),
    "vyre-cuda-pipeline": ("cuda.passes.cuda_pipeline", "CudaPipelinePass"),
    "vyre-forward-grid-values": (
        "llvm.passes.forward_grid_values",
        "ForwardGridValuesPass",
    ),
    "vyre-launch-instances": ("llvm.passes.launch_instances", "LaunchInstancesPass"),
    "vyre-merge-programs": ("llvm.passes.merge_programs", "MergeProgramsPass"),
    "vyre-outline-regions": ("llvm.passes.outline_regions", "OutlineRegionsPass"),
    "vyre-plan-workgroups": ("llvm.passes.plan_workgroups", "PlanWorkgroupsPass"),
    "vyre-share-uniform-loops": (
        "llvm.passes.share_uniform_loops",
        "ShareUniformLoopsPass",
    ),
    "vyre-store-once": ("llvm.passes.store_once", "StoreOncePass"),
}
"""Module and class of each pass that serves one target."""


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """All of Vyre's passes by name; each is imported when it is first asked for."""
    return passes.get_all_passes() | passes.importers(__name__, _PASSES)


def get_all_targets() -> dict[str, Callable[[], type[Target]]]:
    """Vyre's targets by name; each is imported when it is first asked for."""

    def get_cuda() -> type[Target]:
        from vyre.lowering.cuda.target import CudaTarget

        return CudaTarget

    def get_explain() -> type[Target]:
        from vyre.lowering.explain import ExplainTarget

        return ExplainTarget

    def get_llvm() -> type[Target]:
        from vyre.lowering.llvm.target import LlvmTarget

        return LlvmTarget

    return {
        "vyre-cuda": get_cuda,
        "vyre-explain": get_explain,
        "vyre-llvm": get_llvm,
    }
