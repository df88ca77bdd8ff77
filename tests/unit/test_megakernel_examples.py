"""
Examples with waves give the right answer on every engine, however they are planned, and
the checker finds nothing in them.

The 300 waves of `rules.mlir` take long to compile, so the engines run it once each.
"""

import runpy
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from command_lines import run_tool
from cuda_devices import host_device
from worked_examples import MEGAKERNELS, ROOT, case_of, example_of, fault_size
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

import vyre
from vyre.dialects.vyre import BarrierOp, MegakernelOp, ProgramOp, WaveOp
from vyre.passes.fuse_waves import FuseWavesPass
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.runtime.config import Order
from vyre.runtime.cuda.backend import CudaBackend

FLOWS_TO = ROOT / "examples" / "flows_to.mlir"
RULES = ROOT / "examples" / "rules.mlir"

BUDGET = {"budget": 150_000, "graph": 33_968}
"""That of the example's header."""


@cache
def fused_once(path: Path) -> ModuleOp:
    """The example as one program, planned with a budget if it says sizes."""
    return fused(path, **(BUDGET if path == RULES else {}))


@cache
def reference(path: Path) -> vyre.Executable:
    return vyre.compile(fused_once(path), engine="reference")


def fused(path: Path, **options: Any) -> ModuleOp:
    module = vyre.parse(path)
    PlanMegakernelPass(**options).apply(vyre.context(), module)
    FuseWavesPass().apply(vyre.context(), module)
    return module


def planned(**options: Any) -> tuple[MegakernelOp, dict[str, int]]:
    """The rules after planning, and the figures of the plan."""
    module = vyre.parse(RULES)
    PlanMegakernelPass(**options).apply(vyre.context(), module)
    megakernel = next(op for op in module.walk() if isinstance(op, MegakernelOp))
    return megakernel, figures(megakernel.plan)


def figures(plan: Any) -> dict[str, int]:
    return {name: attribute.value.data for name, attribute in plan.data.items()}


def group(wave: WaveOp) -> int:
    assert wave.group is not None
    return wave.group.value.data


def test_which_examples_have_waves():
    assert [FLOWS_TO, RULES] == MEGAKERNELS


@pytest.mark.covering(1)
@pytest.mark.parametrize("groups", [1, 2, 7])
@pytest.mark.parametrize("path", MEGAKERNELS, ids=lambda path: path.stem)
def test_right_on_every_grid(path: Path, groups: int):
    for size in case_of(path).SIZES:
        example = example_of(path, size)
        untouched = {name: np.copy(value) for name, value in example.inputs.items()}
        passes = example.passes
        example.verify(
            reference(path)(example.inputs, grid=groups, fixpoint_iterations=passes)
        )
        for name, value in untouched.items():
            np.testing.assert_array_equal(example.inputs[name], value)


ORDERS = [(FLOWS_TO, order) for order in get_args(Order)] + [(RULES, "random")]


@pytest.mark.parametrize(("path", "order"), ORDERS, ids=lambda v: getattr(v, "stem", v))
def test_right_in_every_order(path: Path, order: Order):
    example = example_of(path, fault_size(path))
    results = reference(path)(
        example.inputs, grid=3, order=order, fixpoint_iterations=example.passes
    )
    example.verify(results)


@pytest.mark.parametrize("mode", ["native", "split"])
@pytest.mark.parametrize("engine", ["reference", "cpu", "cuda"])
def test_flows_on_every_engine(engine: str, mode: Any):
    """The same bytes, also of what is only used meanwhile."""
    example = example_of(FLOWS_TO, 150)
    on: Any = CudaBackend(host_device(block_order="random")) if engine == "cuda" else engine
    exe = vyre.compile(FLOWS_TO, engine=on, mode=mode)
    for passes in (1, 3, example.passes):
        results = exe(example.inputs, grid=3, fixpoint_iterations=passes)
        expected = reference(FLOWS_TO)(example.inputs, grid=3, fixpoint_iterations=passes)
        for name, array in expected.items():
            np.testing.assert_array_equal(results[name], array, err_msg=name)
    example.verify(results)


def test_flows_stop_when_nothing_new_is_reached():
    """A chain of five nodes: four hops, and one pass in which nothing changes."""
    chain = {
        "offsets": np.array([0, 1, 2, 3, 4, 4], np.int32),
        "targets": np.array([1, 2, 3, 4], np.int32),
        "kinds": np.array([1, 1, 1, 1], np.int32),
        "mask": 1,
        "sources": np.array([0b1], np.int32),
        "sinks": np.array([0b10010], np.int32),
        **{name: np.zeros(1, np.int32) for name in ("reached", "next", "hits", "found")},
    }
    timed = reference(FLOWS_TO).timed(chain, grid=2, fixpoint_iterations=100)
    assert timed.results["reached"].tolist() == [0b11111]
    assert timed.results["found"].tolist() == [0b10010]
    assert timed.report.passes == 5


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", ["cpu", "cuda"])
def test_rules_on_engines(engine: str):
    example = example_of(RULES, 0)
    on: Any = CudaBackend(host_device(block_order="random")) if engine == "cuda" else engine
    example.verify(vyre.compile(fused_once(RULES), engine=on)(example.inputs, grid=5))


@pytest.mark.few(1)
@pytest.mark.parametrize("packing", ["best", None])
def test_rules_however_they_are_planned(packing: str | None):
    """Packed better, or without a budget."""
    options = {} if packing is None else {**BUDGET, "packing": packing}
    example = example_of(RULES, 0)
    exe = vyre.compile(fused(RULES, **options), engine="reference")
    example.verify(exe(example.inputs, grid=40))


def test_rules_have_three_layers():
    megakernel, found = planned()
    assert found["global_barriers"] == 2
    waves = list(megakernel.waves)
    assert len(waves) == 300
    assert [sum(group(wave) == layer for wave in waves) for layer in range(3)] == [
        204,
        80,
        16,
    ]


def test_a_budget_cuts_the_layers_of_rules_into_several_groups():
    """And a better packing saves one of them."""
    megakernel, found = planned(**BUDGET, packing="best")
    assert found["global_barriers"] == 14
    assert figures(megakernel.in_order)["global_barriers"] == 15
    kinds: dict[int, set[str]] = {}
    for wave in megakernel.waves:
        kinds.setdefault(group(wave), set()).add(wave.program.string_value())
    near = [number for number, programs in kinds.items() if programs == {"near"}]
    assert len(kinds) == 15
    assert len(near) == 3


def test_rules_are_as_they_are_generated():
    path = str(RULES.with_suffix(".py"))
    done = run_tool(partial(runpy.run_path, path, run_name="__main__"))
    assert done.returncode == 0, done.stderr


def checked(exe: vyre.Executable, path: Path) -> set[str]:
    """Kinds of faults that the checker finds."""
    example = example_of(path, fault_size(path))
    return {finding.kind for finding in exe.check(example.inputs, grid=3, timeout=300)}


@pytest.mark.few(1)
@pytest.mark.parametrize("path", MEGAKERNELS, ids=lambda path: path.stem)
def test_nothing_is_found_by_the_checker(path: Path):
    assert checked(reference(path), path) == set()


def grid_barriers(module: ModuleOp) -> list[BarrierOp]:
    return [op for op in module.walk() if isinstance(op, BarrierOp) and op.is_grid_sync]


@pytest.mark.parametrize("number", range(4))
def test_a_missing_barrier_between_groups_is_found(number: int):
    """Except the one between waves in which each word is only its invocation's."""
    module = fused(FLOWS_TO)
    barriers = grid_barriers(module)
    assert len(barriers) == 4
    Rewriter.erase_op(barriers[number])
    is_needed = number in (0, 1)
    exe = vyre.compile(module, engine="reference")
    assert checked(exe, FLOWS_TO) == ({"race"} if is_needed else set())


def test_a_program_for_each_example():
    for path in MEGAKERNELS:
        programs = [op for op in fused_once(path).walk() if isinstance(op, ProgramOp)]
        assert [program.sym_name.data for program in programs] == [path.stem]
