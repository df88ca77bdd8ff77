"""Programs mean the same after every pass of every pipeline."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import ALL
from worked_examples import EXAMPLES, MEGAKERNELS, Example, example_of, fault_size
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.lowering.cuda.passes.cuda_pipeline import CudaPipelinePass
from vyre.lowering.llvm.passes.cpu_pipeline import CpuPipelinePass
from vyre.passes.fuse_waves import FuseWavesPass
from vyre.passes.pipeline import Pipeline
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.runtime.program_choice import find_unit

PIPELINES: dict[str, Callable[..., Pipeline]] = {
    "cpu": CpuPipelinePass,
    "cuda split": CudaPipelinePass,
    "cuda native": partial(CudaPipelinePass, mode="native"),
}
PATHS = [*EXAMPLES, *(MEGAKERNELS if ALL else ())]
"""Those that are fused are large."""

GROUPS = 2


def known_of(example: Example) -> dict[str, Any]:
    """Options that say the grid, and the sizes of buffers that are passed."""
    grid = example.grid(GROUPS)
    arrays = {n: value for n, value in example.inputs.items() if np.ndim(value)}
    sizes = [f"{n}={'x'.join(map(str, np.shape(value)))}" for n, value in arrays.items()]
    return {
        "grid": grid if isinstance(grid, tuple) else (grid,),
        "sizes": ",".join(sizes),
    }


def results(module: ModuleOp, name: str, example: Example) -> dict[str, bytes]:
    """What the reference engine makes of a module, by way of its text."""
    text = str(module)
    again = vyre.parse(text)
    assert str(again) == text
    exe = vyre.compile(again, program=name, engine="reference")
    found = exe(
        example.inputs,
        grid=example.grid(GROUPS),
        fixpoint_iterations=example.passes,
    )
    return {name: array.tobytes() for name, array in found.items()}


@pytest.mark.covering(1)
@pytest.mark.parametrize("is_sized", [False, True])
@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_step_keeps_the_meaning(path: Path, pipeline: str, is_sized: bool):
    """Its result is printed, read again, verified and run."""
    example = example_of(path, fault_size(path))
    module = vyre.parse(path)
    for fusing in (PlanMegakernelPass(), FuseWavesPass()):
        fusing.apply(vyre.context(), module)
    name = find_unit(module, None).name
    expected = results(module, name, example)
    options = known_of(example) if is_sized else {}
    for step in PIPELINES[pipeline](**options).steps():
        before = str(module)
        step.apply(vyre.context(), module)
        if str(module) != before:
            assert results(module, name, example) == expected, step.name


@pytest.mark.covering(1)
@pytest.mark.parametrize("pipeline", ["cuda split", "cuda native"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_changes_the_second_time(path: Path, pipeline: str):
    module = vyre.parse(path)
    PIPELINES[pipeline]().apply(vyre.context(), module)
    once = str(module)
    PIPELINES[pipeline]().apply(vyre.context(), module)
    assert str(module) == once
