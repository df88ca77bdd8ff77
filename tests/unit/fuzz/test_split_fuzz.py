"""
Random programs mean the same after they are split.

The programs and the comparison are those of `tests/fuzz/split_soundness.py`, which also
runs alone with other seeds.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from samples import sampled
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

import vyre
from vyre.analysis import spine
from vyre.analysis.purity import is_known
from vyre.diagnostics import InvalidProgram
from vyre.dialects.vyre import BarrierOp, ProgramOp, StoreOp
from vyre.passes import dead_code
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.runtime.errors import Trapped

generator: Any = importlib.import_module("grid_programs")
fuzzer: Any = importlib.import_module("split_soundness")
runs: Any = importlib.import_module("split_runs")
shrinking: Any = importlib.import_module("program_shrinking")
coverage: Any = importlib.import_module("program_coverage")
variants: Any = importlib.import_module("split_variants")

SEED = 0
CHUNK = 20


def chunk(number: int) -> range:
    """Twenty programs, or a few of them."""
    return range(number * CHUNK, number * CHUNK + sampled(2, CHUNK))


# What is generated


def test_a_program_depends_on_seed_and_number_alone():
    """A failure that is reported by these two can be found again."""
    for number in range(30):
        one, other = generator.generate(3, number), generator.generate(3, number)
        assert one == other
        for launch in one.launches:
            for name, array in one.arguments(launch).items():
                again = other.arguments(launch)[name]
                assert runs.np.asarray(again).tobytes() == runs.np.asarray(array).tobytes()


@pytest.mark.parametrize("number", range(3))
def test_programs_are_valid(number: int):
    """Only for valid programs the results are promised to stay."""
    for k in chunk(number):
        program = generator.generate(1, k)
        try:
            found = list(fuzzer.findings(program))
        except Trapped:
            continue
        assert not found, f"program {k}:\n{found[0]}"


@pytest.mark.parametrize("number", range(2))
def test_results_do_not_depend_on_the_order_of_workgroups(number: int):
    for k in chunk(number):
        program = generator.generate(2, k)
        exe = vyre.compile(program.text, engine="reference")
        for launch in program.launches:
            orders = runs.get_args(runs.Order)
            found = [runs.results(exe, program, launch, order) for order in orders]
            assert all(other == found[0] for other in found), f"program {k}"


def test_programs_have_what_is_hard_to_split():
    """A fuzzer that never makes a thing says nothing about it."""
    found: set[str] = set()
    for number in range(150):
        program = generator.generate(SEED, number)
        found |= coverage.features(vyre.parse(program.text, ctx=runs.CONTEXT))
        if found >= WANTED:
            return
    raise AssertionError(WANTED - found)


TYPES = ("i1", "i8", "i16", "i32", "i64", "index", "f16", "f32", "f64")
WANTED = {
    *(f"grid barrier at depth {depth}" for depth in range(4)),
    "grid barrier in a for",
    "grid barrier before a condition",
    "grid barrier after a condition",
    "grid barrier in one arm",
    "grid barrier in both arms",
    "grid barrier in a region",
    "switch with a grid barrier",
    *(f"return in {level} control" for level in ("grid", "workgroup", "divergent")),
    "return in a loop",
    "return in a region",
    "trap in divergent control",
    *(f"{type} used across a grid barrier" for type in TYPES),
    "variable used across a grid barrier",
    "workgroup memory used after a grid barrier",
    "copy waited for after a grid barrier",
    *(
        f"carried {what} {how} around a grid barrier"
        for what in ("value", "memref")
        for how in ("kept", "swapped")
    ),
    *(f"vyre.subgroup_{op}" for op in ("ballot", "reduce", "shuffle")),
    *("vyre.atomic", "vyre.atomic_cas", "vyre.async_load", "vyre.async_store"),
    *("vyre.all_reduce", "vyre.all_gather", "vyre.reduce_scatter", "vyre.broadcast"),
}


# What is split


def expect_no_failures(numbers: range, **options: bool) -> None:
    summary = fuzzer.fuzz(SEED, numbers, runs.Options(**options))
    assert summary.count == len(numbers)
    assert not summary.failures, str(summary)


@pytest.mark.parametrize("number", range(10))
def test_split_programs_mean_the_same(number: int):
    expect_no_failures(chunk(number))


@pytest.mark.parametrize("number", range(10, 12))
def test_every_pass_keeps_the_meaning(number: int):
    """And what is printed after it is read back as the same."""
    expect_no_failures(chunk(number)[:10], stages=True)


@pytest.mark.parametrize("number", range(12, 14))
def test_changed_programs_mean_the_same(number: int):
    """More barriers, a loop of one trip and optional passes make no difference."""
    expect_no_failures(chunk(number)[:10], variants=True)


# The fuzzer itself


@dataclass(frozen=True)
class BrokenPass(ModulePass):
    """A pass that does something wrong to programs."""

    wrong: Callable[[ProgramOp], None]
    name = "broken"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in op.ops:
            if isinstance(program, ProgramOp):
                self.wrong(program)


def drop_the_last_store(program: ProgramOp) -> None:
    stores = [op for op in program.body.walk() if isinstance(op, StoreOp)]
    Rewriter.erase_op(stores[-1])


def refuse(program: ProgramOp) -> None:
    raise InvalidProgram(program, "is too hard", "write another")


def break_down(program: ProgramOp) -> None:
    raise KeyError(program)


def disorder(program: ProgramOp) -> None:
    last = program.body.block.last_op
    assert last is not None
    operand = last.prev_op
    assert operand is not None
    operand.detach()
    program.body.block.add_op(operand)


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (drop_the_last_store, "different"),
        (refuse, "refused"),
        (break_down, "crash"),
        (disorder, "ill-formed"),
    ],
)
def test_the_fuzzer_sees_mistakes(wrong: Callable[[ProgramOp], None], kind: str):
    """Else its silence would mean nothing."""
    with patch.object(HostPlanPass, "steps", return_value=(BrokenPass(wrong),)):
        failures = [fuzzer.examine(generator.generate(1, k)).failure for k in range(8)]
    assert {failure.kind for failure in failures if failure is not None} == {kind}


@cache
def with_foreign() -> tuple[Any, ...]:
    """Four programs with operations that Vyre does not know."""
    programs = (fuzzer.program_of(SEED, number) for number in count(1, 2))
    return tuple(islice((program for program in programs if program.foreign), 4))


def is_foreign(op: Operation) -> bool:
    return not is_known(op)


def test_unknown_operations_are_kept_once_and_in_order():
    for program in with_foreign():
        assert fuzzer.examine(program).failure is None, program.text


def test_unknown_operations_take_nothing_that_depends_on_the_order_of_atomics():
    program = fuzzer.program_of(4, 1593)
    assert program.foreign
    assert fuzzer.examine(program).failure is None


@pytest.mark.parametrize("module", [dead_code, spine])
def test_the_fuzzer_sees_that_unknown_operations_are_lost(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
):
    """xDSL says of each unregistered operation that it is a terminator."""
    monkeypatch.setattr(module, "is_terminator", is_foreign)
    failures = [fuzzer.examine(program).failure for program in with_foreign()]
    assert any(failure is not None for failure in failures)


def test_what_fails_becomes_small():
    """What is wanted stays, and little else; a program stays a program."""

    def fails(module: ModuleOp) -> bool:
        try:
            verify_ops(module)
            verify_programs(module)
        except InvalidProgram:
            return False
        loops = [op for op in module.walk() if isinstance(op, scf.WhileOp)]
        return any(isinstance(op, BarrierOp) for loop in loops for op in loop.walk())

    programs = (generator.generate(SEED, number).text for number in count())
    modules = (vyre.parse(text, ctx=runs.CONTEXT) for text in programs)
    module = next(filter(fails, modules))
    small = shrinking.shrink(module, fails, seconds=1000)
    assert fails(small)
    assert sum(1 for _ in small.walk()) < 15, small


def test_a_kept_program_is_read_back(tmp_path: Path):
    program = generator.generate(1, 4)
    path = tmp_path / "kept.mlir"
    path.write_text(fuzzer.written(program, "why\nit was kept"))
    again = fuzzer.read(path)
    for launch, same in zip(program.launches, again.launches, strict=True):
        assert launch == same
        exe = vyre.compile(program.text, engine="reference")
        other = vyre.compile(path, engine="reference")
        assert runs.results(exe, program, launch) == runs.results(other, again, same)


def test_variants_change_programs():
    changed = {name: 0 for name in variants.VARIANTS}
    for number in range(10):
        text = generator.generate(SEED, number).text
        unchanged = [name for name, count in changed.items() if not count]
        for name, change in [(name, variants.VARIANTS[name]) for name in unchanged]:
            module = vyre.parse(text, ctx=runs.CONTEXT)
            before = str(module)
            if change(module, Random(number)):
                changed[name] += str(module) != before
    assert all(changed.values()), changed


def test_more_barriers_are_more():
    module = vyre.parse(generator.generate(SEED, 0).text, ctx=runs.CONTEXT)
    count = _barriers(module)
    variants.more_barriers(module, Random(0))
    assert _barriers(module) > count


def _barriers(module: ModuleOp) -> int:
    return sum(isinstance(op, BarrierOp) for op in module.walk())
