"""
Rows of invocations are cut to those that a comparison lets do anything: never to fewer, and
the comparison is still right for what else it is used for.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from cpu_runs import Everywhere
from xdsl.dialects import arith

import vyre
from vyre.analysis.uniformity import Level
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.llvm import clipping
from vyre.lowering.llvm.clipping import conditions_of_effects, effect_level

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
BOUNDS = (0, 1, 3, 4, 11, 12, 13, -1, -(2**63), 2**63 - 1, 2**62 - 1, 2**62, 2**62 + 1)

MARK = "vyre.store %one, %out[%case, %i] : memref<10x?xi32>"
OTHER = "vyre.store %two, %out[%case, %i] : memref<10x?xi32>"

SHAPES = {
    "then": f"scf.if %c {{ {MARK} }}",
    "else": f"scf.if %c {{ }} else {{ {MARK} }}",
    "then and else": f"scf.if %c {{ {MARK} }} else {{ {OTHER} }}",
    "and": f"%both = arith.andi %c, %d : i1\nscf.if %both {{ {MARK} }}",
    "or": f"%any = arith.ori %c, %d : i1\nscf.if %any {{ {MARK} }}",
    "nested": f"scf.if %c {{ scf.if %d {{ {MARK} }} }}",
    "in turn": f"scf.if %c {{ {MARK} }}\nscf.if %d {{ {OTHER} }}",
    "used inside": f"""
      scf.if %c {{
        %s = arith.select %c, %one, %two : i32
        {MARK.replace("%one", "%s")}
      }}""",
    "used outside": f"""
      %s = arith.select %c, %one, %two : i32
      {MARK.replace("%one", "%s")}
      scf.if %c {{ {MARK} }}""",
    "in a loop": f"""
      scf.for %k = %zero to %second step %step {{ scf.if %c {{ {MARK} }} }}""",
    "atomic": """
      scf.if %c { %old = vyre.atomic add %one, %out[%case, %i] : memref<10x?xi32> }""",
}

RETURNS = {
    "return": f"scf.if %c {{ vyre.return }}\n{MARK}",
    "return after an effect": f"scf.if %c {{ {OTHER}\nvyre.return }}\n{MARK}",
    "return from a region": f'vyre.region "r" {{ scf.if %c {{ vyre.return }} }}\n{MARK}',
    "return if any": f"%any = arith.ori %c, %d : i1\nscf.if %any {{ vyre.return }}\n{MARK}",
    "trap": f'scf.if %c {{ vyre.trap "t" at %i : index }}\n{MARK}',
}


def phase(number: int, x: str, shape: str, *, swapped: bool) -> str:
    """Code that compares x with the bound, in one way; names end with its number."""
    predicate, other = PREDICATES[number], PREDICATES[(7 * number + 3) % 10]
    operands = "%bound, %x" if swapped else "%x, %bound"
    code = f"""
  %i = vyre.invocation_id x
  %x = vyre.{x} x
  %case = arith.constant {number} : index
  %c = arith.cmpi {predicate}, {operands} : index
  %d = arith.cmpi {other}, %x, %second : index
  {shape}"""
    for name in ("i", "x", "case", "c", "d", "s", "k", "old", "any", "both"):
        code = code.replace(f"%{name} ", f"%{name}{number} ")
        for end in (",", "]", "\n"):
            code = code.replace(f"%{name}{end}", f"%{name}{number}{end}")
    return code


def program(*phases: str) -> str:
    body = "\nvyre.barrier grid_sync\n".join(phases)
    return f"""
vyre.program @p [4, 1, 1] {{
  %out = vyre.buffer "out" read_write binding 0 : memref<10x?xi32>
  %bound = vyre.param "bound" : index
  %second = vyre.param "second" : index
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  {body}
}}"""


def check(text: str) -> None:
    everywhere = Everywhere(text, workers=(3,), modes=("native",))
    for bound, second in zip(BOUNDS, itertools.cycle((2, 7))):
        given: dict[str, Any] = {"out": np.zeros((10, 13), np.int32)}
        everywhere.check({**given, "bound": bound, "second": second}, grid=3)


@pytest.mark.covering(1)
@pytest.mark.parametrize("x", ["invocation_id", "local_id"])
@pytest.mark.parametrize("shape", SHAPES)
def test_all_predicates(shape: str, x: str):
    """One phase for each; the first and the last invocations are the ones in danger."""
    check(program(*(phase(k, x, SHAPES[shape], swapped=False) for k in range(10))))


@pytest.mark.parametrize("shape", ["then", "else"])
def test_the_bound_may_stand_first(shape: str):
    phases = [phase(k, "local_id", SHAPES[shape], swapped=True) for k in range(10)]
    check(program(*phases))


@pytest.mark.parametrize("predicate", ["eq", "ne", "sge", "ult"])
@pytest.mark.parametrize("shape", RETURNS)
def test_returns(shape: str, predicate: str):
    number = PREDICATES.index(predicate)
    check(program(phase(number, "invocation_id", RETURNS[shape], swapped=False)))


@pytest.mark.parametrize("predicate", ["eq", "sge", "ult"])
def test_returns_in_programs_of_schedules(predicate: str):
    """There they stay returns; what comes after them is for who did not return."""
    text = f"""
vyre.schedule @s {{
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  vyre.launch @p(%out, %n)
}}
vyre.program @p [4, 1, 1] {{
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %x = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %c = arith.cmpi {predicate}, %x, %n : index
  scf.if %c {{
    vyre.return
  }}
  vyre.store %one, %out[%x] : memref<?xi32>
}}"""
    (op,) = [op for op in vyre.parse(text).ops if isinstance(op, ProgramOp)]
    ((_, is_negated),) = conditions_of_effects(op.body.block)
    assert is_negated
    everywhere = Everywhere(text, workers=(1, 3), modes=("split",))
    for n in (0, 1, 5, 12, 13, 100, -1):
        everywhere.check({"out": np.zeros(13, np.int32), "n": n}, grid=4)


@pytest.mark.parametrize("workgroup", ["[4, 3, 1]", "[2, 2, 2]", "[1, 1, 5]"])
def test_rows_of_planes_have_bounds_of_their_own(workgroup: str):
    """The bound depends on y and z, and each row is cut to its own."""
    text = f"""
vyre.program @p {workgroup} {{
  %out = vyre.buffer "out" read_write binding 0 : memref<?x?x?xi32>
  %n = vyre.param "n" : index
  %x = vyre.invocation_id x
  %y = vyre.invocation_id y
  %z = vyre.invocation_id z
  %w = vyre.local_id y
  %one = arith.constant 1 : i32
  %tilted = arith.addi %y, %z : index
  %bound = arith.subi %tilted, %n : index
  %c = arith.cmpi sle, %x, %bound : index
  %d = arith.cmpi ne, %x, %w : index
  %both = arith.andi %c, %d : i1
  scf.if %both {{ vyre.store %one, %out[%z, %y, %x] : memref<?x?x?xi32> }}
}}"""
    everywhere = Everywhere(text, workers=(1, 3), modes=("native",))
    for n, grid in itertools.product((0, 3, -2, 100), ((1, 1, 1), (3, 2, 1), (2, 3, 5))):
        given = {"out": np.zeros((9, 8, 11), np.int32), "n": n}
        everywhere.check(given, grid)


ROW_CONDITIONS = {
    "y": "%c = arith.cmpi ult, %y, %n : index",
    "z": "%c = arith.cmpi sgt, %z, %n : index",
    "workgroup": "%c = arith.cmpi ne, %g, %n : index",
    "parameter": "%c = arith.cmpi sge, %n, %two : index",
    "float": """%f = arith.uitofp %yi : i32 to f32
  %limit = arith.constant 2.5 : f32
  %c = arith.cmpf olt, %f, %limit : f32""",
    "loaded": """%there = vyre.load %rows[%y] : memref<?xi32>
  %c = arith.cmpi eq, %there, %one : i32""",
    "x": "%c = arith.cmpi ult, %x, %n : index",
}
ROW_SHAPES = {
    "then": "scf.if %c { STORE }",
    "else": "scf.if %c { } else { STORE }",
    "both arms": "scf.if %c { STORE } else { OTHER }",
    "return": "scf.if %c { vyre.return }\nSTORE",
    "used inside": """scf.if %c {
    %s = arith.select %c, %one, %three : i32
    vyre.store %s, %out[%z, %y, %x] : memref<?x?x?xi32>
  }""",
    "one left out": "scf.if %c { scf.if %else { STORE } }",
    "then something else": "scf.if %c { STORE }\nscf.if %else { OTHER }",
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("condition", ROW_CONDITIONS)
@pytest.mark.parametrize("shape", ROW_SHAPES)
def test_conditions_of_whole_rows(shape: str, condition: str):
    code = ROW_SHAPES[shape].replace(
        "STORE", "vyre.store %one, %out[%z, %y, %x] : memref<?x?x?xi32>"
    )
    code = code.replace("OTHER", "vyre.store %three, %out[%z, %y, %x] : memref<?x?x?xi32>")
    text = f"""
vyre.program @p [4, 3, 1] {{
  %out = vyre.buffer "out" read_write binding 0 : memref<?x?x?xi32>
  %rows = vyre.buffer "rows" read_only binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %two = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %x = vyre.invocation_id x
  %y = vyre.invocation_id y
  %z = vyre.invocation_id z
  %g = vyre.workgroup_id x
  %yi = arith.index_cast %y : index to i32
  {ROW_CONDITIONS[condition]}
  %else = arith.cmpi ne, %x, %y : index
  {code}
}}"""
    everywhere = Everywhere(text, workers=(1, 3), modes=("native",))
    for n, grid in itertools.product((0, 2, 5, -1), ((1, 1, 1), (3, 2, 2))):
        rows = np.array([1, 0, 1, 1, 0], np.int32)
        given = {"out": np.zeros((2, 6, 11), np.int32), "rows": rows, "n": n}
        everywhere.check(given, grid)


def test_a_grid_is_divided_anywhere():
    """Workers begin and end in the middle of rows, and have whole ones in between."""
    text = """
vyre.program @p [2, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<?x?x?xi64>
  %x = vyre.invocation_id x
  %y = vyre.invocation_id y
  %z = vyre.invocation_id z
  %id = vyre.linear_id invocation
  %one = arith.constant 1 : index
  %number = arith.addi %id, %one : index
  %found = arith.index_cast %number : index to i64
  %more = vyre.atomic add %found, %out[%z, %y, %x] : memref<?x?x?xi64>
}"""
    everywhere = Everywhere(text, workers=(1, 2, 3, 8), modes=("native",))
    for grid in itertools.product((1, 2, 3, 7), (1, 2, 5), (1, 2, 3)):
        x, y, z = grid
        everywhere.check({"out": np.zeros((z, y, 2 * x), np.int64)}, grid)


@pytest.mark.parametrize("x", ["invocation_id", "local_id"])
def test_a_bound_that_depends_on_x_is_none(x: str):
    text = program(f"""
  %i = vyre.invocation_id x
  %x = vyre.{x} x
  %five = arith.constant 5 : index
  %times = arith.muli %x, %second : index
  %moved = arith.remui %times, %five : index
  %c = arith.cmpi ult, %moved, %bound : index
  %d = arith.cmpi slt, %x, %moved : index
  scf.if %c {{ vyre.store %one, %out[%zero, %i] : memref<10x?xi32> }}
  vyre.barrier grid_sync
  scf.if %d {{ vyre.store %one, %out[%step, %i] : memref<10x?xi32> }}""")
    check(text)


def test_a_loop_that_may_not_end_counts_as_an_effect():
    """It is left out for nobody, though it stores nothing."""
    text = program("""
  %i = vyre.invocation_id x
  %c = arith.cmpi ult, %i, %bound : index
  %r = scf.while (%k = %zero) : (index) -> (index) {
    %more = arith.cmpi ult, %k, %i : index
    scf.condition(%more) %k : index
  } do {
  ^bb0(%k: index):
    %next = arith.addi %k, %step : index
    scf.yield %next : index
  }
  scf.if %c { vyre.store %one, %out[%zero, %r] : memref<10x?xi32> }""")
    check(text)


ALIVE = {
    "select %c, %false, %true": [("uge", True)],
    "select %c, %false, %d": [("uge", True), ("ult", False)],
    "select %c, %d, %false": [("uge", False), ("ult", False)],
    "select %c, %true, %d": [],
    "select %d, %true, %false": [("ult", False)],
}


@pytest.mark.parametrize("selection", ALIVE)
def test_selections_from_literals_are_conditions(selection: str):
    """As they stand where invocations have returned."""
    text = f"""
vyre.program @p [4, 1, 1] {{
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %x = vyre.invocation_id x
  %true = arith.constant true
  %false = arith.constant false
  %one = arith.constant 1 : i32
  %c = arith.cmpi uge, %x, %n : index
  %d = arith.cmpi ult, %n, %x : index
  %alive = arith.{selection} : i1
  scf.if %alive {{ vyre.store %one, %a[%x] : memref<?xi32> }}
}}"""
    (op,) = [op for op in vyre.parse(text).ops if isinstance(op, ProgramOp)]
    found = conditions_of_effects(op.body.block)
    names = {0: "eq", 6: "ult", 9: "uge"}
    assert [
        (names[op.predicate.value.data], is_negated)
        for op, is_negated in found
        if isinstance(op, arith.CmpiOp)
    ] == ALIVE[selection]
    everywhere = Everywhere(text, workers=(1, 3), modes=("native",))
    for n in (0, 1, 5, 12, 13, 100, -1):
        everywhere.check({"a": np.zeros(13, np.int32), "n": n}, grid=4)


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ('vyre.trap "t" at %x : index', Level.INVOCATION),
        ("%v = vyre.load %a[%x] : memref<?xi32>", Level.GRID),
    ],
)
def test_levels_of_effects_that_need_no_analysis(
    body: str, level: Level, monkeypatch: pytest.MonkeyPatch
):
    """All that traps differs, and what stores nothing does not."""
    monkeypatch.delattr(clipping, "uniformity")
    module = vyre.parse(
        f"""
        vyre.program @p [4, 1, 1] {{
          %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
          %x = vyre.invocation_id x
          {body}
        }}
        """
    )
    program = next(op for op in module.walk() if isinstance(op, ProgramOp))
    assert effect_level(program) is level
