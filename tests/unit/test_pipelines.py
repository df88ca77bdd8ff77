"""Lists of passes, and what tools make of them."""

from typing import Any

import pytest
from worked_examples import EXAMPLES
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import parse_pipeline

import vyre
from vyre import pipelines
from vyre.lowering import get_all_passes
from vyre.lowering.cuda.passes.cuda_pipeline import CudaPipelinePass
from vyre.lowering.llvm.passes.cpu_pipeline import CpuPipelinePass
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.pipeline import Pipeline, expanded
from vyre.passes.prove_inbounds import ProveInboundsPass

LISTS: dict[str, tuple[Pipeline, tuple[str, ...]]] = {
    "host plan": (HostPlanPass(), pipelines.HOST_PLAN),
    "cpu": (CpuPipelinePass(), pipelines.CPU + pipelines.CPU_SIZED),
    "cuda split": (CudaPipelinePass(), pipelines.CUDA_SPLIT),
    "cuda native": (CudaPipelinePass(mode="native"), pipelines.CUDA_NATIVE),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_passes(name: str):
    pipeline, names = LISTS[name]
    specs = list(parse_pipeline(",".join(names)))
    steps = pipeline.steps()
    assert [step.name for step in steps] == [spec.name for spec in specs]
    for step, spec in zip(steps, specs):
        assert spec.parameters.items() <= step.spec().parameters.items()
    assert {type(step) for step in pipeline.steps()} <= {get() for get in ALL.values()}


ALL = get_all_passes()


def test_every_list_is_a_pass_of_the_tools():
    found = [type(pipeline) for pipeline, _ in LISTS.values()]
    assert {get() for get in ALL.values() if issubclass(get(), Pipeline)} == set(found)


@pytest.mark.parametrize("pipeline", [CpuPipelinePass, CudaPipelinePass])
def test_options_go_to_the_passes_that_have_them(pipeline: Any):
    steps: tuple[ModulePass, ...] = pipeline(invocations=9, sizes="a=3").steps()
    assert ProveInboundsPass(invocations=9, sizes="a=3") in steps


def test_expanded_lists_have_no_lists():
    mixed = (ProveInboundsPass(), HostPlanPass())
    assert expanded(mixed) == (ProveInboundsPass(), *HostPlanPass().steps())


def test_executables_show_the_steps_of_their_engine():
    exe = vyre.compile(EXAMPLES[0], engine="cpu")
    (first, written), *steps = exe.passes()
    assert first == ""
    assert "vyre.schedule" not in written
    assert tuple(name for name, _ in steps) == pipelines.CPU + pipelines.CPU_SIZED
    assert "vyre.schedule" in dict(steps)["vyre-launch-programs"]


def test_explanations_name_the_passes_that_change_something():
    path = next(path for path in EXAMPLES if path.stem == "scan")
    text = vyre.compile(path, engine="cpu").explain()
    (line,) = (line for line in text.splitlines() if "passes that change it" in line)
    assert "vyre-split-grid-sync" in line
    assert "vyre-expand-switches" not in line
    assert "passes that change it" not in vyre.compile(path, engine="reference").explain()
