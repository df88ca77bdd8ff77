"""Values that are kept once for the grid: which ones the schedule can keep itself."""

import re

import numpy as np
import pytest
from cpu_runs import Everywhere

import vyre
from vyre.dialects.vyre import LaunchOp, ScheduleOp, ScratchOp, StoreOp
from vyre.lowering.llvm.entries import launched_by
from vyre.lowering.llvm.passes.forward_grid_values import ForwardGridValuesPass

SCHEDULE = """
vyre.schedule @p {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : i32
  %kept = vyre.scratch single : memref<1xi32>
  %other = vyre.scratch single : memref<1xi32>
  BODY
}
vyre.program @put [4, 1, 1] {
  %kept = vyre.buffer "kept" read_write binding 0 : memref<1xi32>
  %other = vyre.buffer "other" read_write binding 1 : memref<1xi32>
  %out = vyre.buffer "out" read_write binding 2 : memref<?xi32>
  %n = vyre.param "n" : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %yes = arith.constant true
  PUT
}
vyre.program @take [4, 1, 1] {
  %kept = vyre.buffer "kept" read_only binding 0 : memref<1xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<?xi32>
  %x = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %v = vyre.load %kept[%c0] : memref<1xi32>
  %old = vyre.load %out[%x] : memref<?xi32>
  %new = arith.addi %old, %v : i32
  vyre.store %new, %out[%x] : memref<?xi32>
}
"""

IN_ORDER = "vyre.launch @put(%kept, %other, %out, %n)\nvyre.launch @take(%kept, %out)"
"""The element is put and then taken."""
IN_LOOP = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %k = %c0 to %c3 step %c1 {
    vyre.launch @take(%kept, %out)
    vyre.launch @put(%kept, %other, %out, %n)
  }
"""
"""It is taken before it is put, zero in the first trip."""
IN_ARM = """
  %none = arith.constant 0 : i32
  %is_more = arith.cmpi sgt, %n, %none : i32
  scf.if %is_more { vyre.launch @put(%kept, %other, %out, %n) }
  vyre.launch @take(%kept, %out)
"""
IN_WHILE = """
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  %end = scf.while (%k = %none) : (i32) -> i32 {
    %now = vyre.read_back %kept[0] : memref<1xi32>
    %sum = arith.addi %now, %k : i32
    %go = arith.cmpi slt, %sum, %five : i32
    scf.condition(%go) %k : i32
  } do {
  ^bb0(%k: i32):
    vyre.launch @put(%kept, %other, %out, %n)
    vyre.launch @take(%kept, %out)
    %next = arith.addi %k, %one : i32
    scf.yield %next : i32
  }
"""
PLACES = {"order": IN_ORDER, "loop": IN_LOOP, "arm": IN_ARM, "while": IN_WHILE}

PUT = """
  %m = arith.addi %n, %c1 : i32
  vyre.store %m, %kept[%c0] : memref<1xi32>"""


def schedule(body: str, put: str = PUT) -> str:
    return SCHEDULE.replace("BODY", body).replace("PUT", put)


def kept(text: str) -> tuple[int, int]:
    """How many elements of scratch, and stores to them, are left."""
    module = vyre.parse(text)
    (found,) = (op for op in module.ops if isinstance(op, ScheduleOp))
    launches = sum(isinstance(op, LaunchOp) for op in found.walk())
    ForwardGridValuesPass().apply(vyre.context(), module)
    assert sum(isinstance(op, LaunchOp) for op in found.walk()) == launches
    scratch = sum(isinstance(op, ScratchOp) for op in found.walk())
    put = next(p for p in launched_by(found) if p.sym_name.data == "put")
    return scratch, sum(isinstance(op, StoreOp) for op in put.walk())


def check(text: str) -> None:
    everywhere = Everywhere(text, modes=("split",))
    for n in (-1, 0, 4):
        everywhere.check({"out": np.arange(11, dtype=np.int32), "n": np.int32(n)}, 3)


@pytest.mark.parametrize("place", PLACES)
def test_elements_that_the_schedule_keeps(place: str):
    text = schedule(PLACES[place])
    assert kept(text) == (0, 0)
    check(text)


def test_elements_that_depend_on_each_other():
    """What is put into one is what the other was, as in a parallel copy."""
    text = schedule(
        IN_LOOP.replace(
            "vyre.launch @put(%kept, %other, %out, %n)",
            """vyre.launch @put(%kept, %other, %out, %n)
               vyre.launch @again(%kept, %other)""",
        ),
        """
  %old = vyre.load %other[%c0] : memref<1xi32>
  %m = arith.addi %n, %old : i32
  vyre.store %m, %kept[%c0] : memref<1xi32>""",
    )
    text += """
vyre.program @again [4, 1, 1] {
  %kept = vyre.buffer "kept" read_only binding 0 : memref<1xi32>
  %other = vyre.buffer "other" write_only binding 1 : memref<1xi32>
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %v = vyre.load %kept[%c0] : memref<1xi32>
  %w = arith.addi %v, %seven : i32
  vyre.store %w, %other[%c0] : memref<1xi32>
}"""
    assert kept(text) == (0, 0)
    check(text)


NOT_KEPT = {
    "loaded and stored": """
      %old = vyre.load %kept[%c0] : memref<1xi32>
      %m = arith.addi %old, %n : i32
      vyre.store %m, %kept[%c0] : memref<1xi32>""",
    "stored twice": f"{PUT}\nvyre.store %n, %kept[%c0] : memref<1xi32>",
    "stored under a condition": f"scf.if %yes {{ {PUT} }}",
    "stored in a loop": f"""
      %one = arith.constant 1 : index
      scf.for %k = %c0 to %one step %one {{ {PUT} }}""",
    "changed by an atomic": "%m = vyre.atomic max %n, %kept[%c0] : memref<1xi32>",
    "loaded from a buffer": """
      %m = vyre.load %out[%c0] : memref<?xi32>
      vyre.store %m, %kept[%c0] : memref<1xi32>""",
    "stored outside": """
      %one = arith.constant 1 : index
      %nowhere = arith.addi %c0, %one : index
      vyre.store %n, %kept[%nowhere] : memref<1xi32>""",
    "somebody returns": f"""
      %x = vyre.invocation_id x
      %is_odd = arith.trunci %n : i32 to i1
      scf.if %is_odd {{ vyre.return }}
      {PUT}""",
    "not exact": """
      %f = arith.sitofp %n : i32 to f32
      %e = math.exp %f : f32
      %m = arith.fptosi %e : f32 to i32
      vyre.store %m, %kept[%c0] : memref<1xi32>""",
}


RACES = {"loaded and stored", "stored twice", "loaded from a buffer"}
"""With several invocations; these are not run."""


@pytest.mark.parametrize("name", NOT_KEPT)
def test_elements_that_launches_keep(name: str):
    text = schedule(IN_ORDER, NOT_KEPT[name])
    left, _ = kept(text)
    assert left == 1  # Nobody uses the other one.
    if name not in RACES:
        check(text)


def test_an_element_that_is_passed_twice():
    """It is loaded and stored by different names."""
    aliases = {f"binding {n} : memref<1xi32>": f"binding {n} may_alias [0]" for n in (0, 1)}
    text = schedule(
        IN_ORDER.replace("%kept, %other", "%kept, %kept"),
        """
  %old = vyre.load %other[%c0] : memref<1xi32>
  %m = arith.addi %old, %n : i32
  vyre.store %m, %kept[%c0] : memref<1xi32>""",
    )
    for plain, alias in aliases.items():
        text = text.replace(plain, f"{alias} : memref<1xi32>", 1)
    assert kept(text) == (1, 1)


def test_what_an_element_is_computed_from_is_kept_as_well():
    """If it is not, neither is the element."""
    text = schedule(
        IN_ORDER,
        """
  %old = vyre.load %other[%c0] : memref<1xi32>
  vyre.store %old, %kept[%c0] : memref<1xi32>""",
    )
    assert kept(text) == (0, 0)
    changed = "vyre.launch @change(%other)\n"
    text = text.replace("vyre.launch @put", f"{changed}vyre.launch @put", 1)
    text += """
vyre.program @change [4, 1, 1] {
  %other = vyre.buffer "other" read_write binding 0 : memref<1xi32>
  %c0 = arith.constant 0 : index
  %two = arith.constant 2 : i32
  %m = vyre.atomic add %two, %other[%c0] : memref<1xi32>
}"""
    assert kept(text) == (2, 1)
    check(text)


@pytest.mark.parametrize(("again", "left"), [("kept", 1), ("other", 2)])
def test_programs_that_are_launched_twice(again: str, left: int):
    """They would be passed different values."""
    text = schedule(f"{IN_ORDER}\nvyre.launch @take(%{again}, %out)")
    assert kept(text) == (left, 1)
    check(text)


def test_launches_without_effects_are_counted():
    text = schedule(IN_LOOP)
    exe = vyre.compile(text, engine="cpu", mode="split")
    given = {"out": np.zeros(8, np.int32), "n": np.int32(1)}
    _, report = exe.timed(given, grid=2)
    counts = {segment.name: segment.launches for segment in report.segments}
    assert counts == {"take": 3, "put": 3}


# A program that goes on until a sum is small enough

CONVERGING = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %parts = vyre.buffer "parts" read_write binding 1 : memref<?xi32>
  %x = vyre.invocation_id x
  %count = vyre.length %parts, 0 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %limit = arith.constant 9 : i32
  %rounds = scf.while (%round = %none) : (i32) -> i32 {
    %sum = scf.for %k = %c0 to %count step %c1 iter_args(%acc = %none) -> (i32) {
      %part = vyre.load %parts[%k] : memref<?xi32>
      %more = arith.addi %acc, %part : i32
      scf.yield %more : i32
    }
    %go = arith.cmpi sgt, %sum, %limit : i32
    scf.condition(%go) %sum : i32
  } do {
  ^bb0(%sum: i32):
    vyre.barrier grid_sync
    %old = vyre.load %FIRST[%x] : memref<?xi32>
    %half = arith.shrui %old, %one : i32
    vyre.store %half, %FIRST[%x] : memref<?xi32>
    vyre.barrier grid_sync
    %now = vyre.load %SECOND[%x] : memref<?xi32>
    %less = arith.shrui %now, %one : i32
    vyre.store %less, %SECOND[%x] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %sum : i32
  }
}
"""


def meetings(text: str) -> int:
    """How often the code of a program calls for a meeting."""
    (code,) = vyre.compile(text, engine="cpu").sources.values()
    return len(re.findall(r'call i1 @"meeting"', code))


def test_workers_meet_before_others_read_what_they_overwrite():
    """
    All add up `parts`. Who is first may go on to write `a`, but must not write `parts`
    while others still add up.
    """
    apart, same = (
        CONVERGING.replace("%FIRST", first).replace("%SECOND", second)
        for first, second in (("%a", "%parts"), ("%parts", "%a"))
    )
    assert meetings(same) == meetings(apart) + 1
    for text in (apart, same):
        everywhere = Everywhere(text)
        for grid in (1, 4, 40):
            parts = np.arange(4 * grid, dtype=np.int32)
            everywhere.check({"a": parts[::-1].copy(), "parts": parts}, grid)
