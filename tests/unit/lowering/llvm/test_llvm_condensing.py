"""Waves that differ in literals are compiled once, and give what all waves give."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from cpu_runs import Everywhere
from worked_examples import example_of, fault_size

import vyre
from vyre.analysis.digest import digest
from vyre.analysis.walking import units_in
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import LaunchOp, MegakernelOp, ProgramOp, RegionOp, ScheduleOp
from vyre.lowering.llvm.condensing import condensed_program
from vyre.lowering.llvm.passes.launch_instances import instance_params
from vyre.lowering.llvm.passes.outline_regions import executed
from vyre.lowering.llvm.sources import Translation
from vyre.passes.fuse_waves import fused_program
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.passes.rules.reserved import INSTANCES
from vyre.runtime.outline import Outline
from vyre.runtime.program_choice import find_unit

EXAMPLES = Path(__file__).parents[4] / "examples"

PROGRAMS = """
vyre.program @put [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<40xi32>
  %n = vyre.param "n" : i32
  %at = vyre.param "at" : index
  %x = vyre.invocation_id x
  %two = arith.constant 2 : index
  %zero = arith.constant 0 : index
  %is_mine = arith.cmpi eq, %x, %two : index
  scf.if %is_mine {
    %v = vyre.load %a[%two] : memref<8xi32>
    %old = vyre.load %out[%at] : memref<40xi32>
    %w = arith.addi %v, %n : i32
    %s = arith.addi %w, %old : i32
    vyre.store %s, %out[%at] : memref<40xi32>
  }
}
vyre.program @quotient [2, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<40xi32>
  %by = vyre.param "by" : i32
  %at = vyre.param "at" : index
  %x = vyre.invocation_id x
  %old = vyre.load %out[%at] : memref<40xi32>
  %q = arith.divui %old, %by : i32
  %zero = arith.constant 0 : index
  %is_mine = arith.cmpi eq, %x, %zero : index
  scf.if %is_mine {
    vyre.store %q, %out[%at] : memref<40xi32>
  }
}
vyre.program @total [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<8xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<40xi32>
  %sums = vyre.buffer "sums" workgroup : memref<4xi32>
  %first = vyre.param "first" : index
  %at = vyre.param "at" : index
  %l = vyre.local_id x
  %zero = arith.constant 0 : index
  %i = arith.addi %l, %first : index
  %v = vyre.load %a[%i] : memref<8xi32>
  %before = vyre.load %sums[%l] : memref<4xi32>
  %s = arith.addi %v, %before : i32
  vyre.store %s, %sums[%l] : memref<4xi32>
  vyre.barrier acq_rel
  %is_first = arith.cmpi eq, %l, %zero : index
  scf.if %is_first {
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %none = arith.constant 0 : i32
    %all = scf.for %k = %zero to %four step %one iter_args(%sum = %none) -> (i32) {
      %each = vyre.load %sums[%k] : memref<4xi32>
      %more = arith.addi %sum, %each : i32
      scf.yield %more : i32
    }
    vyre.store %all, %out[%at] : memref<40xi32>
  }
}
vyre.program @spread [4, 1, 1] {
  %b = vyre.buffer "b" read_write binding 0 : memref<8xi32>
  %n = vyre.param "n" : i32
  %x = vyre.invocation_id x
  %v = vyre.load %b[%x] : memref<8xi32>
  %w = arith.addi %v, %n : i32
  vyre.store %w, %b[%x] : memref<8xi32>
}
"""


def megakernel(*waves: str) -> str:
    return f"{PROGRAMS}vyre.megakernel @m {{\n{chr(10).join(waves)}\n}}\n"


def put(label: str, n: str, at: int, *, grid: str = "grid [1, 1, 1]") -> str:
    literal = n if n.startswith('"') else f"{n} : i32"
    return (
        f'vyre.wave "{label}" @put {grid} after [] '
        f"with {{n = {literal}, at = {at} : index}}"
    )


def total(label: str, first: int, at: int) -> str:
    return (
        f'vyre.wave "{label}" @total grid [1, 1, 1] after [] '
        f"with {{first = {first} : index, at = {at} : index}}"
    )


SOME = megakernel(put("p0", "5", 0), put("p1", "6", 1), put("p2", "7", 2), total("t", 0, 3))


def found(text: str | Path) -> MegakernelOp:
    return next(op for op in vyre.parse(text).walk() if isinstance(op, MegakernelOp))


def condensed(text: str | Path) -> ProgramOp:
    program = condensed_program(found(text))
    assert program is not None
    return program


def check(text: str, **more: Any) -> None:
    given = {
        "a": np.arange(1, 9, dtype=np.int32),
        "b": np.arange(8, dtype=np.int32),
        "out": np.arange(40, dtype=np.int32),
        **more,
    }
    everywhere = Everywhere(text, workers=(1, 3))
    for grid in (1, 2, 7):
        everywhere.check(given, grid=grid)


def counts(program: ProgramOp) -> list[int]:
    """How many instances the regions have, those without as 0."""
    regions = [op for op in executed(program) if isinstance(op, RegionOp)]
    found: list[Any] = [region.attributes.get(INSTANCES) for region in regions]
    return [0 if each is None else len(next(iter(each.data.values()))) for each in found]


def test_waves_that_differ_in_literals_stand_once():
    assert counts(condensed(SOME)) == [3, 1]
    check(SOME)


def test_each_instance_is_launched():
    program = condensed(SOME)
    plan = Translation(find_unit(vyre.parse(SOME), None).condensed)
    (schedule,) = units_in(plan.module, ScheduleOp)
    launches = [op for op in schedule.walk() if isinstance(op, LaunchOp)]
    assert len(launches) == 4
    assert len({op.segment.string_value() for op in launches}) == 2
    names = {entry.entry_name.data for entry in schedule.table}
    assert names.isdisjoint(instance_params(program))


@pytest.mark.parametrize("name", ["rules", "flows_to"])
def test_the_outline_is_that_of_all_waves(name: str):
    path = EXAMPLES / f"{name}.mlir"
    outline = find_unit(vyre.parse(path), None).outline
    expected = Outline.of(fused_program(found(path)))
    assert outline.as_bytes() == expected.as_bytes()
    assert digest(outline.table) == digest(expected.table)


def test_the_rules_are_of_few_kinds():
    assert sum(counts(condensed(EXAMPLES / "rules.mlir"))) == 300
    assert len(counts(condensed(EXAMPLES / "rules.mlir"))) == 6


@pytest.mark.parametrize("plan", [{}, {"budget": 150_000, "graph": 33_968}])
def test_the_rules_give_the_right_answer(plan: dict[str, int]):
    path = EXAMPLES / "rules.mlir"
    example = example_of(path, fault_size(path))
    megakernel = vyre.Megakernel(path, engine="cpu", **plan)  # pyright: ignore[reportArgumentType]
    for grid in (1, 3, 32):
        example.verify(megakernel.exe(example.inputs, grid=grid))


def test_literals_that_make_code_better_are_no_parameters():
    def quotient(label: str, by: int, at: int) -> str:
        given = f"with {{by = {by} : i32, at = {at} : index}}"
        return f'vyre.wave "{label}" @quotient grid [1, 1, 1] after [] {given}'

    text = megakernel(
        *(quotient(f"q{n}", n % 2 + 3, n + 30) for n in range(6)), put("p", "1", 0)
    )
    program = condensed(text)
    assert sorted(counts(program)) == [1, 3, 3]
    assert not any(name.endswith(".by") for name in instance_params(program))
    check(text)


def test_a_literal_that_is_always_the_same_stays():
    text = megakernel(put("p0", "5", 0), put("p1", "5", 1), put("p2", "5", 2))
    assert {name.split(".")[1] for name in instance_params(condensed(text))} == {
        "at",
        "begin",
    }
    check(text)


def test_parameters_of_the_dispatch_are_not_shared():
    """Each wave has its own, if it is not given a name."""
    text = megakernel(
        put("p0", "5", 0),
        'vyre.wave "p1" @put grid [1, 1, 1] after [] with {at = 1 : index}',
        'vyre.wave "p2" @put grid [1, 1, 1] after [] with {at = 2 : index}',
        put("p3", '"common"', 3),
        put("p4", '"common"', 4),
        put("p5", '"other"', 5),
    )
    assert sorted(counts(condensed(text))) == [0, 1, 1, 1, 2]
    check(text, **{"p1.n": 10, "p2.n": 20, "common": 30, "other": 40})


def test_other_buffers_are_another_kind():
    renamed = put("p2", "9", 2).replace("with {", 'with {out = "b2", ')
    text = megakernel(put("p0", "5", 0), put("p1", "7", 1), renamed)
    assert sorted(counts(condensed(text))) == [1, 2]
    check(text, b2=np.zeros(40, np.int32))


def test_waves_of_another_group_are_another_kind():
    """Here the order counts."""
    text = megakernel(
        put("p0", "5", 0),
        put("p1", "6", 1),
        'vyre.wave "q0" @quotient grid [1, 1, 1] after ["p0", "p1"] '
        "with {by = 3 : i32, at = 0 : index}",
        put("p2", "50", 0).replace("after []", 'after ["q0"]'),
        put("p3", "60", 1).replace("after []", 'after ["q0"]'),
    )
    assert sorted(counts(condensed(text))) == [0, 2, 2]
    check(text)


def test_names_that_are_taken():
    text = megakernel(
        put("p0", "5", 0),
        put("p1", "6", 1),
        put("p2", '"p0.begin"', 2),
        put("p3", '"p0.n"', 3),
    )
    assert instance_params(condensed(text)).isdisjoint({"p0.begin", "p0.n"})
    check(text, **{"p0.begin": 50, "p0.n": 60})


def test_waves_on_the_whole_grid_stay_as_they_are():
    waves = [f'vyre.wave "s{n}" @spread with {{n = {n} : i32}}' for n in range(1, 4)]
    text = megakernel(*waves, put("p0", "5", 0), put("p1", "6", 1))
    assert sorted(counts(condensed(text))) == [0, 0, 0, 2]
    check(text)


SPECIAL = """
vyre.program @special [4, 1, 1] {
  %b = vyre.buffer "b" read_write binding 0 : memref<8xi32>
  %t = vyre.buffer "t" workgroup : memref<SIZExi32>
  %zero = arith.constant 0 : index
  %v = vyre.load %b[%zero] : memref<8xi32>
  %is_mine = arith.cmpi eq, %v, %v : i32
  CODE
}
"""


def special(code: str, size: int = 1) -> str:
    program = SPECIAL.replace("CODE", code).replace("SIZE", str(size))
    waves = (f'vyre.wave "s{n}" @special' for n in range(2))
    return program + megakernel(put("p0", "5", 0), put("p1", "6", 1), *waves)


def test_what_can_be_launched_on_its_own():
    assert condensed_program(found(special(""))) is not None


@pytest.mark.parametrize(
    "text",
    [
        special('scf.if %is_mine { vyre.trap "equal" }'),
        special("vyre.barrier grid_sync"),
        special("%s = vyre.scratch per_invocation : memref<?xi32>"),
        special("", 4096),
    ],
)
def test_what_cannot_be_launched_on_its_own_is_left_alone(text: str):
    assert condensed_program(found(text)) is None


def test_what_fusing_refuses_is_refused():
    wrong = SOME.replace(
        '"p1" @put grid [1, 1, 1] after []', '"p1" @put grid [1, 1, 1] after ["p2"]'
    )
    wrong = wrong.replace(
        '"p2" @put grid [1, 1, 1] after []', '"p2" @put grid [1, 1, 1] after ["p1"]'
    )
    for make in (condensed_program, fused_program):
        with pytest.raises(Refusal, match="circle"):
            make(found(wrong))


def random_waves(rng: Random) -> Sequence[str]:
    """Waves that write an element each, or the whole of a buffer that is theirs."""
    waves: list[str] = []
    for number in range(rng.randrange(4, 14)):
        label, at = f"w{number}", number
        grid = rng.choice(("grid [1, 1, 1]", "grid [2, 1, 1]"))
        before = [f'"w{n}"' for n in range(number) if rng.random() < 0.1]
        after = f"after [{', '.join(before)}]"
        match rng.randrange(4):
            case 0:
                given = f"by = {rng.choice((2, 3))} : i32"
                waves.append(
                    f'vyre.wave "{label}" @quotient {grid} {after} '
                    f"with {{{given}, at = {at} : index}}"
                )
            case 1:
                given = f"first = {rng.randrange(5)} : index"
                waves.append(
                    f'vyre.wave "{label}" @total grid [1, 1, 1] {after} '
                    f"with {{{given}, at = {at} : index}}"
                )
            case _:
                given = f"n = {rng.choice((1, 5, 9))} : i32"
                waves.append(
                    f'vyre.wave "{label}" @put {grid} {after} '
                    f"with {{{given}, at = {at} : index}}"
                )
    return waves


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(8))
def test_random_waves(seed: int):
    rng = Random(seed)
    module = vyre.parse(megakernel(*random_waves(rng)))
    budget = rng.choice((None, 400, 1000))
    PlanMegakernelPass(budget=budget).apply(vyre.context(), module)
    check(str(module))
