"""Programs of a schedule that are the same become one; what only looks the same stays."""

from typing import Any

import numpy as np
import pytest
from cpu_runs import Everywhere
from split_cases import OUT, SYNC, A, B, program, split
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.extents import Setting
from vyre.analysis.walking import launches_in, units_in
from vyre.dialects.vyre import LaunchOp, ParamOp, ProgramOp
from vyre.lowering.llvm.passes.merge_programs import MergeProgramsPass
from vyre.lowering.llvm.sources import Translation
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs

OUT_F = '%f = vyre.buffer "f" read_write binding 3 : memref<?xf32>'


def numbers(count: int) -> Any:
    return np.arange(1, count + 1, dtype=np.int32)


def add(literal: int, source: str = "a", target: str = "out") -> str:
    """A phase that adds a literal and one buffer to another."""
    name = f"{source}{target}{literal}"
    return f"""
      %k{name} = arith.constant {literal} : i32
      %v{name} = vyre.load %{source}[%x] : memref<?xi32>
      %w{name} = vyre.load %{target}[%x] : memref<?xi32>
      %s{name} = arith.addi %v{name}, %k{name} : i32
      %t{name} = arith.addi %s{name}, %w{name} : i32
      vyre.store %t{name}, %{target}[%x] : memref<?xi32>"""


def phases(*codes: str) -> str:
    return f"\n{SYNC}\n".join(codes)


def merged(text: str) -> tuple[ModuleOp, list[ProgramOp]]:
    """The split program after merging, and the programs that are left."""
    module = split(text)
    MergeProgramsPass().apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    left = units_in(module, ProgramOp)
    assert left == list(launches_in(module))
    return module, left


def launches(module: ModuleOp) -> list[LaunchOp]:
    return [op for op in module.walk() if isinstance(op, LaunchOp)]


def test_programs_that_differ_in_a_literal_become_one():
    text = program(OUT, A, phases(add(5), add(7), add(9)))
    module, left = merged(text)
    assert [len([e for e in p.table if isinstance(e, ParamOp)]) for p in left] == [1]
    assert len(launches(module)) == 3
    assert len({launch.operands[0] for launch in launches(module)}) == 3
    Everywhere(text).check({"out": numbers(9), "a": numbers(11)}, grid=3)


def test_parameters_for_literals_are_named_after_them():
    """The second of a name gets a number, and the one without is called a literal."""

    def step(name: str, literal: int) -> str:
        return f"""vyre.region {{
            {name} = arith.constant {literal} : i32
            %v = vyre.load %out[%x] : memref<?xi32>
            %s = arith.addi %v, {name} : i32
            vyre.store %s, %out[%x] : memref<?xi32>
          }}"""

    def code(*literals: int) -> str:
        return "\n".join(map(step, ("%k", "%k", "%7"), literals))

    text = program(OUT, phases(code(1, 2, 3), code(4, 5, 6)))
    _, (left,) = merged(text)
    names = [e.entry_name.data for e in left.table if isinstance(e, ParamOp)]
    assert sorted(names) == ["k", "k_1", "literal"]
    Everywhere(text, workers=(1,)).check({"out": numbers(3)}, grid=1)


def test_a_literal_that_is_the_same_everywhere_stays():
    module, left = merged(
        program(OUT, A, B, phases(add(5), add(5, "out", "a"), add(5, "b")))
    )
    assert not any(isinstance(entry, ParamOp) for entry in left[0].table)
    assert len(left) == 1
    assert [len(launch.operands) for launch in launches(module)] == [2, 2, 2]


def test_launches_pass_buffers_in_the_order_of_the_program_that_is_kept():
    text = program(OUT, A, B, phases(add(5), add(6, "b", "a"), add(7, "out", "b")))
    _, left = merged(text)
    assert len(left) == 1
    given = {"out": numbers(9), "a": 2 * numbers(8), "b": 3 * numbers(7)}
    Everywhere(text).check(given, grid=2)


def test_accesses_are_proved_for_all_sizes_that_a_program_is_launched_with():
    # Inside the first buffer for sure, and outside the second one for some.
    text = program(OUT, A, B, phases(add(5, "a", "out"), add(6, "out", "b")))
    assert len(merged(text)[1]) == 1
    given = {"out": numbers(64), "a": numbers(64), "b": numbers(7)}
    everywhere = Everywhere(text)
    everywhere.check(given, grid=16)
    everywhere.check({**given, "out": numbers(3)}, grid=16)


@pytest.mark.parametrize(
    "code",
    [
        "%q = arith.divsi %v, %k : i32",
        "%q = arith.shrsi %v, %k : i32",
        "%q = arith.shli %v, %k : i32",
        "%q = arith.muli %v, %k : i32",
        "%q = arith.remui %v, %k : i32",
    ],
)
def test_literals_that_make_code_better_stay(code: str):
    body = f"""
      %k = arith.constant LITERAL : i32
      %v = vyre.load %a[%x] : memref<?xi32>
      {code}
      vyre.store %q, %a[%x] : memref<?xi32>"""
    texts = [body.replace("LITERAL", str(literal)) for literal in (3, 5)]
    regions = [f'vyre.region "r{i}" {{ {text} }}' for i, text in enumerate(texts)]
    text = program(A, "%unused = arith.index_cast %x : index to i32", phases(*regions))
    assert len(merged(text)[1]) == 2
    Everywhere(text).check({"a": numbers(12)}, grid=3)


def moved_down(amount: int) -> str:
    name = f"m{amount}"
    return f"""
      %k{name} = arith.constant {amount} : i32
      %v{name} = vyre.load %a[%x] : memref<?xi32>
      %w{name} = arith.shrui %v{name}, %k{name} : i32
      vyre.store %w{name}, %a[%x] : memref<?xi32>"""


def test_amounts_by_which_bits_are_moved_down_are_passed():
    text = program(A, phases(moved_down(0), moved_down(5), moved_down(37), moved_down(31)))
    assert len(merged(text)[1]) == 1
    Everywhere(text).check({"a": -1000 * numbers(12)}, grid=3)


def store_float(literal: str, place: int, code: str = "") -> str:
    name = f"z{place}"
    value = f"%d{name}" if code else f"%{name}"
    return f"""
      %{name} = arith.constant {literal} : f32
      %at{name} = arith.constant {place} : index
      {code.format(name=name)}
      vyre.store {value}, %f[%at{name}] : memref<?xf32>"""


DIVIDED = """%one{name} = arith.constant 1.0 : f32
      %d{name} = arith.divf %one{name}, %{name} : f32"""


@pytest.mark.parametrize("code", ["", DIVIDED])
def test_zeros_with_different_signs_are_different(code: str):
    codes = [store_float("0.0", 0, code), store_float("-0.0", 1, code)]
    text = program(OUT_F, phases(*codes))
    exe = vyre.compile(text, engine="cpu")
    found = exe(f=np.ones(4, np.float32), grid=1)["f"]
    assert np.signbit(found).tolist() == [False, True, False, False]
    Everywhere(text).check({"f": np.ones(4, np.float32)}, grid=1)


def trapping(limit: int) -> str:
    name = f"t{limit}"
    return f"""
      %k{name} = arith.constant {limit} : i32
      %is{name} = arith.cmpi eq, %x32, %k{name} : i32
      scf.if %is{name} {{ vyre.trap "reached" at %x32 : i32 }}
      vyre.store %x32, %a[%x] : memref<?xi32>"""


def test_traps_say_where_they_stand():
    text = program(A, phases(trapping(40), trapping(3)))
    source = Translation(
        next(op for op in vyre.parse(text).ops if isinstance(op, ProgramOp))
    )
    places = [trap.place for trap in source.source(Setting()).layout.traps]
    assert len(set(places)) == 2
    Everywhere(text).check({"a": numbers(8)}, grid=2)


def test_launches_are_reported_with_the_names_of_their_segments():
    text = program(OUT, A, phases(add(5), add(7), add(9)))
    (schedule,) = (op for op in split(text).ops if not isinstance(op, ProgramOp))
    exe = vyre.compile(str(schedule.get_toplevel_object()), engine="cpu")
    report = exe.timed({"out": numbers(8), "a": numbers(8)}, grid=2).report
    assert [segment.name for segment in report.segments] == ["p.0", "p.1", "p.2"]


def test_buffers_that_may_alias_are_different_from_those_that_may_not():
    def table(clause: str) -> str:
        return f'%out = vyre.buffer "out" read_write binding 0 {clause} : memref<?xi32>'

    first = f"""
    vyre.program @p.0 [4, 1, 1] {{
      {table("may_alias [0]")}
      %a = vyre.buffer "a" read_write binding 1 may_alias [0] : memref<?xi32>
      %x = vyre.invocation_id x
      {add(5)}
    }}"""
    second = first.replace("may_alias [0]", "").replace("@p.0", "@p.1")
    module = vyre.parse(f"""
    vyre.schedule @p {{
      {table("")}
      %a = vyre.buffer "a" read_write binding 1 : memref<?xi32>
      vyre.launch @p.0(%out, %a)
      vyre.launch @p.1(%out, %a)
    }}
    {first}
    {second}""")
    MergeProgramsPass().apply(vyre.context(), module)
    assert len(launches_in(module)) == 2
