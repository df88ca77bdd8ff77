"""Only barriers that order nothing are lost."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from samples import sampled
from split_pairs import CONTEXT

import vyre
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import BarrierOp, ProgramOp
from vyre.passes.expand_switches import expand_switches
from vyre.passes.remove_barriers import RemoveBarriersPass
from vyre.passes.validate_split import Baseline
from vyre.reading import parse_text
from vyre.validation import InvalidSplit
from vyre.validation.barriers import validate_barriers

ROOT = Path(__file__).parents[3]
soundness: Any = importlib.import_module("validation_soundness")

TABLE = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %yes = arith.constant true
"""
GRID = "  vyre.barrier grid_sync\n"
GROUP = "  vyre.barrier acq_rel\n"
NEEDED = {
    "a store and a load": (
        "  vyre.store %one, %a[%i] : memref<?xi32>\n" + GRID,
        "  %x = vyre.load %a[%c0] : memref<?xi32>\n",
    ),
    "a load and a store": (
        "  %x = vyre.load %a[%c0] : memref<?xi32>\n" + GRID,
        "  vyre.store %one, %a[%i] : memref<?xi32>\n",
    ),
    "two atomics": (
        "  %x = vyre.atomic add %one, %a[%c0] : memref<?xi32>\n" + GRID,
        "  %y = vyre.atomic add %one, %a[%c0] : memref<?xi32>\n",
    ),
    "memory of a workgroup": (
        "  vyre.store %one, %tile[%l] : memref<4xi32>\n" + GRID,
        "  %x = vyre.load %tile[%c0] : memref<4xi32>\n",
    ),
    "a trap and a store": (
        '  scf.if %yes {\n    vyre.trap "no"\n  }\n' + GRID,
        "  vyre.store %one, %a[%i] : memref<?xi32>\n",
    ),
    "two trips": (
        "  scf.for %k = %c0 to %n step %c1 {\n"
        "    %x = vyre.load %a[%k] : memref<?xi32>\n    vyre.barrier grid_sync\n",
        "    vyre.store %x, %b[%k] : memref<?xi32>\n"
        "    vyre.store %x, %a[%i] : memref<?xi32>\n  }\n",
    ),
    "around a branch": (
        "  scf.if %yes {\n    vyre.store %one, %a[%i] : memref<?xi32>\n  }\n" + GRID,
        "  vyre.store %one, %b[%i] : memref<?xi32>\n"
        "  %x = vyre.load %a[%c0] : memref<?xi32>\n",
    ),
    "a copy and a load": (
        "  %t = vyre.async_load %a[%c0], %b[%i], %c1 : memref<?xi32>, memref<?xi32>\n"
        "  vyre.async_wait %t\n" + GRID,
        "  %x = vyre.load %b[%c0] : memref<?xi32>\n",
    ),
}


def programs(text: str, other: str) -> tuple[ProgramOp, ProgramOp]:
    """Two programs of a name."""
    both = [parse_text(each, "<text>", CONTEXT) for each in (text, other)]
    (one,), (another,) = (units_in(module, ProgramOp) for module in both)
    return one, another


@pytest.mark.parametrize("name", NEEDED)
def test_a_barrier_that_orders_something_is_kept(name: str):
    before, after = NEEDED[name]
    text = TABLE + before + after + "}\n"
    validate_barriers(*programs(text, text))
    with pytest.raises(InvalidSplit, match="this barrier is needed"):
        validate_barriers(*programs(text, text.replace("vyre.barrier grid_sync", "")))


def test_a_workgroup_needs_less():
    before, after = NEEDED["memory of a workgroup"]
    text = TABLE + before + after + "}\n"
    validate_barriers(*programs(text, text.replace("grid_sync", "acq_rel")))


def test_the_rest_of_a_program_stays():
    before, after = NEEDED["a store and a load"]
    text = TABLE + before + GROUP + after + "}\n"
    with pytest.raises(InvalidSplit, match="not only barriers"):
        validate_barriers(*programs(text, text.replace("%one, %a[%i]", "%one, %a[%c0]")))
    with pytest.raises(InvalidSplit, match="barrier of the workgroup is lost"):
        validate_barriers(*programs(text, text.replace(GROUP, "")))


def test_barriers_that_are_removed_are_proved():
    lost = 0
    for path in sorted((ROOT / "tests/filecheck/passes/remove_barriers").glob("*.mlir")):
        for part in path.read_text().split("// -----"):
            if '"other.op"' in part:
                continue
            module = vyre.parse(part, ctx=CONTEXT)
            expand_switches(module)
            RemoveBarriersPass().apply(CONTEXT, (fewer := module.clone()))
            for pair in zip(units_in(module, ProgramOp), units_in(fewer, ProgramOp)):
                validate_barriers(*pair)
                one, other = (sum(isinstance(o, BarrierOp) for o in p.walk()) for p in pair)
                lost += one - other
    assert lost > 20


def test_random_programs_are_proved():
    summary = soundness.accept(0, range(sampled(30, 1000)), "barriers")
    assert not summary.holes, summary.holes[0]


def test_a_lost_barrier_is_proved_before_the_schedule(monkeypatch: pytest.MonkeyPatch):
    """Also if nothing is left to split."""
    before, after = NEEDED["a store and a load"]
    module = parse_text(TABLE + before + after + "}\n", "<text>", CONTEXT)

    def remove_all(program: ProgramOp) -> None:
        for op in list(program.walk()):
            if isinstance(op, BarrierOp):
                op.detach()
                op.erase()

    monkeypatch.setattr("vyre.passes.remove_barriers._remove", remove_all)
    baseline = Baseline.of(module)
    RemoveBarriersPass().apply(CONTEXT, module)
    with pytest.raises(InvalidSplit, match="this barrier is needed"):
        baseline.check(module, ["vyre-remove-barriers", "vyre-host-plan"])
