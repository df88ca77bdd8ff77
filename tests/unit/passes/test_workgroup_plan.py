"""
Programs that are cut at the barriers of their workgroups give the same bytes.

`workgroup_backend.py` runs the schedule of one workgroup after the other; grid barriers are
cut before that, so these programs are cut twice.
"""

import importlib
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from returning_programs import Writer
from samples import ALL
from worked_examples import EXAMPLES, example_of, fault_size
from workgroup_backend import WorkgroupBackend, checked_plan

import vyre
from vyre.diagnostics import InvalidProgram
from vyre.dialects.vyre import LaunchOp, ProgramOp, ScratchOp
from vyre.lowering.llvm.passes.plan_workgroups import needs_workgroup_schedule
from vyre.runtime.errors import Trapped
from vyre.testing import conformance_cases

generator: Any = importlib.import_module("grid_programs")
runs: Any = importlib.import_module("split_runs")

TIME_LIMIT = 60.0

CONFORMANCE = [
    case for case in conformance_cases() if ALL or not case.name.startswith("scalars")
]
"""Scalar operations are those of the reference engine, cut or not."""


def program_of(text: str) -> ProgramOp:
    (program,) = (op for op in vyre.parse(text).ops if isinstance(op, ProgramOp))
    return program


def both(text: str | Path, given: dict[str, Any], grid: object) -> list[Any]:
    """What a program gives, or by which invocation it trapped, as written and cut."""
    outcomes: list[Any] = []
    for engine in ("reference", WorkgroupBackend()):
        try:
            found = vyre.compile(text, engine=engine)(given, grid=grid, timeout=TIME_LIMIT)
            outcomes.append({name: array.tobytes() for name, array in found.items()})
        except Trapped as trap:
            outcomes.append((trap.tag, trap.invocation, trap.value))
    return outcomes


def assert_same(text: str | Path, given: dict[str, Any], grid: object) -> None:
    wanted, found = both(text, given, grid)
    assert found == wanted


# Suites that other engines pass too


@pytest.mark.parametrize(
    "case",
    # An endless loop that has no effect is not launched, so nothing is left to stop.
    [case for case in CONFORMANCE if case.name != "ending.timeout"],
    ids=str,
)
def test_conformance(case: Any):
    case(WorkgroupBackend())


@pytest.mark.covering(1)
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path, groups: int):
    example = example_of(path, fault_size(path))
    assert_same(path, example.inputs, example.grid(groups))


@pytest.mark.few(5)
@pytest.mark.parametrize("number", range(40))
def test_random_programs(number: int):
    program = generator.generate(21, number)
    module = vyre.parse(program.text, ctx=runs.CONTEXT)
    whole = vyre.compile(module, engine="reference")
    parts = vyre.compile(module, engine=WorkgroupBackend())
    for launch in program.launches:
        assert runs.results(parts, program, launch) == runs.results(whole, program, launch)


class Exchanging(Writer):
    """Programs whose invocations meet in their workgroups only, and return anywhere."""

    def meet(self, control: Any, depth: int) -> str:
        return self.exchange(control, depth)


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_with_returns(seed: int):
    text = Exchanging(seed, traps=False).program()
    assert needs_workgroup_schedule(program_of(text)) or "barrier" not in text
    size = 40 if "[40, 1, 1]" in text else 4
    rng = np.random.default_rng(seed)
    given = {
        "out": rng.integers(0, 9, (3 * size, 4)).astype(np.int32),
        "end": np.zeros((3 * size, 3), np.int32),
        "mail": np.zeros(3 * size, np.int32),
        "total": np.zeros(2, np.int32),
        "numbers": rng.integers(0, 9, 3 * size).astype(np.int32),
        "n": seed % 5,
    }
    assert_same(text, given, 3)


# Programs of one kind each


def written(
    *code: str, size: str = "[8, 1, 1]", type: str = "i32", elements: int = 8
) -> str:
    """A program with a value `%v` of each invocation, and a tile of its workgroup."""
    return f"""
vyre.program @p {size} {{
  %a = vyre.buffer "a" read_write binding 0 : memref<?x{type}>
  %n = vyre.param "n" : index
  %tile = vyre.buffer "tile" workgroup : memref<{elements}x{type}>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %me = vyre.linear_id invocation
  %l = vyre.linear_id local
  %group = vyre.linear_id workgroup
  %last = arith.constant {elements - 1} : index
  %back = arith.subi %last, %l : index
  %v = vyre.load %a[%me] : memref<?x{type}>
  {"".join(code)}
}}
"""


def exchange(value: str, found: str, type: str = "i32", elements: int = 8) -> str:
    """The value of the opposite invocation of the workgroup."""
    return f"""
  vyre.store {value}, %tile[%l] : memref<{elements}x{type}>
  vyre.barrier acq_rel
  {found} = vyre.load %tile[%back] : memref<{elements}x{type}>
  vyre.barrier acq_rel
"""


STORE = "vyre.store %r, %a[%me] : memref<?xi32>\n"
LEAVE = """
  %parity = arith.remui %l, %three : index
  %ends = arith.cmpi eq, %parity, %one : index
  scf.if %ends {
    vyre.return
  }
"""
"""Two of three stay."""

CASES = {
    "value crosses": (exchange("%v", "%s"), "%r = arith.subi %v, %s : i32\n", STORE),
    "for, bound of a workgroup": (
        "%r = scf.for %k = %zero to %group step %one iter_args(%p = %v) -> (i32) {",
        exchange("%p", "%s"),
        "%t = arith.addi %s, %v : i32\nscf.yield %t : i32\n}\n",
        STORE,
    ),
    "while, condition from memory": (
        """%r = scf.while (%p = %v) : (i32) -> (i32) {
  %mine = arith.index_cast %l : index to i32
  vyre.store %mine, %tile[%l] : memref<8xi32>
  vyre.barrier acq_rel
  %top = vyre.load %tile[%three] : memref<8xi32>
  vyre.barrier acq_rel
  %bits = arith.xori %p, %p : i32
  vyre.store %p, %tile[%l] : memref<8xi32>
  vyre.barrier acq_rel
  %first = vyre.load %tile[%zero] : memref<8xi32>
  %limit = arith.addi %top, %top : i32
  %go = arith.cmpi slt, %first, %limit : i32
  vyre.barrier acq_rel
  scf.condition(%go) %p : i32
} do {
^bb0(%q: i32):
  %more = arith.addi %q, %i1 : i32
  scf.yield %more : i32
}
""",
        STORE,
    ),
    "if of a workgroup, in one arm": (
        "%odd = arith.remui %group, %two : index\n",
        "%is_odd = arith.cmpi eq, %odd, %one : index\n",
        "%r = scf.if %is_odd -> (i32) {",
        exchange("%v", "%s"),
        "scf.yield %s : i32\n} else {\nscf.yield %v : i32\n}\n",
        STORE,
    ),
    "region with barriers": (
        '%r = vyre.region "outer" from "g" -> (i32) {\n%u = arith.addi %v, %v : i32\n',
        'vyre.region "inner" {',
        exchange("%u", "%s"),
        "vyre.store %s, %a[%me] : memref<?xi32>\n}\n",
        "vyre.yield %u : i32\n}\n",
        "%w = vyre.load %a[%me] : memref<?xi32>\n%x = arith.muli %w, %r : i32\n",
        "vyre.store %x, %a[%me] : memref<?xi32>\n",
    ),
    "variable": (
        '%c = vyre.let "c" = %v : i32\n',
        exchange("%v", "%s"),
        "vyre.assign %s, %c : !vyre.cell<i32>\n",
        exchange("%s", "%t"),
        "%r = vyre.get %c : !vyre.cell<i32>\n",
        STORE,
    ),
    "return before barriers": (LEAVE, exchange("%v", "%r"), STORE),
    "return in a loop with barriers": (
        "scf.for %k = %zero to %three step %one {\n",
        """%due = arith.cmpi eq, %k, %l : index
  scf.if %due {
    vyre.return
  }
""",
        exchange("%v", "%r"),
        STORE,
        "}\n",
    ),
    "endless loop with barriers, left by returning": (
        """%z = scf.while (%k = %zero) : (index) -> (index) {
  %yes = arith.constant true
  scf.condition(%yes) %k : index
} do {
^bb0(%k: index):
""",
        exchange("%v", "%r"),
        STORE,
        """%due = arith.cmpi uge, %k, %l : index
  scf.if %due {
    vyre.return
  }
  %next = arith.addi %k, %one : index
  scf.yield %next : index
}
""",
    ),
    "carried tiles, after returns": (
        '%other = vyre.buffer "other" workgroup : memref<8xi32>\n',
        LEAVE,
        """vyre.store %v, %tile[%l] : memref<8xi32>
  vyre.barrier acq_rel
  %z:3 = scf.while (%k = %zero, %x = %tile, %y = %other)
    : (index, memref<8xi32>, memref<8xi32>) -> (index, memref<8xi32>, memref<8xi32>) {
  %go = arith.cmpi ult, %k, %n : index
  scf.condition(%go) %k, %x, %y : index, memref<8xi32>, memref<8xi32>
} do {
^bb0(%k: index, %x: memref<8xi32>, %y: memref<8xi32>):
  %s = vyre.load %x[%back] : memref<8xi32>
  %t = arith.addi %s, %v : i32
  vyre.store %t, %y[%l] : memref<8xi32>
  vyre.barrier acq_rel
  %next = arith.addi %k, %one : index
  scf.yield %next, %y, %x : index, memref<8xi32>, memref<8xi32>
}
  %r = vyre.load %z#1[%back] : memref<8xi32>
""",
        STORE,
    ),
    "zeros of workgroup memory": (
        "%r = vyre.load %tile[%back] : memref<8xi32>\n",
        STORE,
        "vyre.barrier acq_rel\nvyre.store %v, %tile[%l] : memref<8xi32>\n",
    ),
    "atomics on workgroup memory": (
        "%old = vyre.atomic add %v, %tile[%zero] : memref<8xi32>\n",
        "vyre.barrier acq_rel\n",
        "%r = vyre.load %tile[%zero] : memref<8xi32>\n",
        STORE,
    ),
    "copy waited for after a barrier": (
        "%t = vyre.async_load %a[%me], %tile[%l], %one : memref<?xi32>, memref<8xi32>\n",
        "vyre.barrier acq_rel\nvyre.async_wait %t\nvyre.barrier acq_rel\n",
        "%r = vyre.load %tile[%back] : memref<8xi32>\nvyre.barrier acq_rel\n",
        STORE,
    ),
    "length of workgroup memory": (
        "%size = vyre.length %tile, 0 : memref<8xi32>\n",
        "%r = scf.for %k = %zero to %size step %one iter_args(%p = %v) -> (i32) {",
        exchange("%p", "%s"),
        "%t = arith.addi %s, %v : i32\nscf.yield %t : i32\n}\n",
        STORE,
    ),
    "only a subgroup operation": ("%r = vyre.subgroup_reduce add %v : i32\n", STORE),
    "subgroup operations after returns, in a loop": (
        LEAVE,
        "%r = scf.for %k = %zero to %n step %one iter_args(%p = %v) -> (i32) {\n",
        "%s = vyre.subgroup_shuffle %p, %k : i32\n",
        "%t = vyre.subgroup_reduce add %s : i32\n",
        "%u = arith.subi %t, %v : i32\nscf.yield %u : i32\n}\n",
        STORE,
    ),
    "subgroup operation in a while, left by returning": (
        """%z = scf.while (%k = %zero) : (index) -> (index) {
  %yes = arith.constant true
  scf.condition(%yes) %k : index
} do {
^bb0(%k: index):
  %r = vyre.subgroup_reduce add %v : i32
""",
        STORE,
        """%due = arith.cmpi uge, %k, %l : index
  scf.if %due {
    vyre.return
  }
  %next = arith.addi %k, %one : index
  scf.yield %next : index
}
""",
    ),
    "no barrier at all": ("%r = arith.addi %v, %v : i32\n", STORE),
    "nothing": (),
}


@pytest.mark.parametrize("grid", [(1, 1, 1), (3, 1, 1), (2, 3, 2)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_programs(name: str, grid: tuple[int, int, int]):
    text = written("%i1 = arith.constant 1 : i32\n", *CASES[name])
    count = 8 * prod(grid)
    a = np.random.default_rng(5).integers(-5, 5, count).astype(np.int32)
    assert_same(text, {"a": a, "n": 5}, grid)


@pytest.mark.parametrize("type", ["i1", "i8", "i16", "i64", "index", "f16", "f32", "f64"])
@pytest.mark.parametrize("size", [(3, 5, 2), (33, 1, 1), (1, 1, 7)], ids=str)
def test_types_and_shapes(size: tuple[int, int, int], type: str):
    elements = prod(size)
    text = written(
        exchange("%v", "%s", type, elements),
        f"%q = vyre.subgroup_shuffle %s, %two : {type}\n",
        f"%r = vyre.subgroup_reduce max %q : {type}\n",
        f"vyre.store %r, %a[%me] : memref<?x{type}>\n",
        exchange("%v", "%t", type, elements),
        "%half = arith.constant 4 : index\n%low = arith.cmpi ult, %l, %half : index\n",
        f"scf.if %low {{\nvyre.store %t, %a[%me] : memref<?x{type}>\n}}\n",
        size=str(list(size)),
        type=type,
        elements=elements,
    )
    numbers = np.random.default_rng(6).integers(0, 2, elements * 12)
    a = numbers.astype(generator.DTYPES[type])
    assert_same(text, {"a": a, "n": 5}, (2, 3, 2))


def test_the_first_trap_is_reported():
    """Its number is that in the whole grid."""
    text = written(
        exchange("%v", "%s"),
        "%bad = arith.cmpi eq, %s, %v : i32\n",
        'scf.if %bad {\nvyre.trap "equal" at %me : index\n}\n',
        size="[4, 2, 1]",
    )
    a = np.arange(8 * 12, dtype=np.int32)
    # The first and the last invocation of the last workgroup, in rows of eight.
    a[84] = a[95]
    wanted, found = both(text, {"a": a, "n": 5}, (2, 3, 2))
    assert wanted == ("equal", 84, 84)
    assert found == wanted


# What comes out


def test_output_is_deterministic():
    program = program_of(written(*CASES["region with barriers"]))
    modules = [checked_plan(program) for _ in range(2)]
    assert str(modules[0]) == str(modules[1])


def test_the_table_says_what_is_what():
    program = program_of(written(*CASES["only a subgroup operation"]))
    plan = checked_plan(program)
    assert [entry.entry_name.data for entry in plan.passed(program)] == ["a", "n"]
    memory = [entry.entry_name.data for entry in plan.memory(program)]
    assert memory == ["tile", "lanes_i32", "totals_i32"]
    ids = [entry.entry_name.data for entry in plan.ids]
    assert ids[0] == "vyre.workgroup_id.x"
    assert ids[5] == "vyre.workgroup_count.z"


def test_what_is_cheap_is_computed_again():
    """Ids are sums of what the host has and local ids, which cost no memory."""
    plan = checked_plan(program_of(written(exchange("%v", "%r"), STORE)))
    assert not [op for op in plan.schedule.walk() if isinstance(op, ScratchOp)]


def test_a_program_without_barriers_is_one_launch():
    program = program_of(written(*CASES["no barrier at all"]))
    assert not needs_workgroup_schedule(program)
    plan = checked_plan(program)
    assert list(plan.segments) == ["p.0"]
    launches = [op for op in plan.schedule.walk() if isinstance(op, LaunchOp)]
    assert len(launches) == 1


def test_grid_barriers_are_refused():
    program = program_of(written("vyre.barrier grid_sync"))
    with pytest.raises(InvalidProgram, match="the whole grid meets here"):
        checked_plan(program)
