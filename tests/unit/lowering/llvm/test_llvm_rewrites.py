"""
What the code generator leaves out, moves and joins: each with programs that show if it did
so where it must not.
"""

import itertools
from typing import Any

import numpy as np
import pytest
from cpu_runs import CPUS, WORKERS, Everywhere
from split_cases import OUT, SYNC, A, B, N, program
from xdsl.dialects import scf

import vyre
from vyre.analysis.uniformity import Level
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering.llvm.clipping import effect_level
from vyre.lowering.llvm.passes.share_uniform_loops import ShareUniformLoopsPass
from vyre.passes.host_plan import HostPlanPass

I32 = np.int32


def numbers(count: int) -> Any:
    return np.arange(count, dtype=I32)


# Effects that are the same for all

SAME_FOR = {
    Level.GRID: "vyre.store %i7, %out[%c1] : memref<?xi32>",
    Level.WORKGROUP: "vyre.store %g32, %out[%g] : memref<?xi32>",
    Level.INVOCATION: "vyre.store %x32, %out[%x] : memref<?xi32>",
}


@pytest.mark.parametrize("level", Level)
def test_effects_that_are_the_same(level: Level):
    text = program(OUT, SAME_FOR[level])
    (found,) = (op for op in vyre.parse(text).ops if isinstance(op, ProgramOp))
    assert effect_level(found) is level
    everywhere = Everywhere(text)
    for grid in (1, 2, 9):
        everywhere.check({"out": numbers(30)}, grid)


@pytest.mark.parametrize(
    "code",
    [
        "%old = vyre.atomic add %i1, %out[%c0] : memref<?xi32>",
        "scf.if %is_late { vyre.store %i7, %out[%c1] : memref<?xi32> }",
        "vyre.store %i7, %out[%l] : memref<?xi32>",
        """%t = vyre.async_store %a[%x], %out[%x], %c1 : memref<?xi32>, memref<?xi32>
           vyre.async_wait %t""",
        "scf.if %is_late { vyre.return }\nvyre.store %i7, %out[%c1] : memref<?xi32>",
        """scf.for %k = %c0 to %x step %c1 { vyre.store %i7, %out[%k] : memref<?xi32> }""",
    ],
)
def test_effects_that_are_not_the_same(code: str):
    """Although they look like it."""
    late = "%is_late = arith.cmpi ugt, %x, %c5 : index"
    everywhere = Everywhere(program(OUT, A, late, code))
    for grid in (1, 3):
        everywhere.check({"out": numbers(12), "a": numbers(12)[::-1].copy()}, grid)


@pytest.mark.parametrize("axis", ["y", "z"])
def test_effects_of_workgroups_on_other_axes(axis: str):
    """A row of workgroups does the same, but rows do not."""
    text = f"""
vyre.program @p [3, 2, 2] {{
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %g = vyre.workgroup_id {axis}
  %v = arith.index_cast %g : index to i32
  vyre.store %v, %out[%g] : memref<?xi32>
}}"""
    everywhere = Everywhere(text)
    for grid in ((1, 1, 1), (3, 4, 2), (2, 1, 5)):
        everywhere.check({"out": np.full(7, -1, I32)}, grid)


# Loops that everyone goes through alike

SUM = """
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %i7) -> (i32) {
    %v = vyre.load %a[%k] : memref<?xi32>
    %next = arith.addi %acc, %v : i32
    scf.yield %next : i32
  }
"""


def shared(text: str) -> int:
    """How many loops the schedule has after its programs have shared theirs."""
    module = vyre.parse(text)
    HostPlanPass().apply(vyre.context(), module)
    ShareUniformLoopsPass().apply(vyre.context(), module)
    (schedule,) = units_in(module, ScheduleOp)
    return sum(isinstance(op, scf.ForOp) for op in schedule.walk())


def test_loops_that_give_buffers_are_not_shared():
    """A launch passes no buffer that a loop chose, whatever else the loop gives."""
    code = """
      %last:3 = scf.for %k = %c0 to %n step %c1
          iter_args(%p = %out, %q = %a, %acc = %i7) -> (memref<?xi32>, memref<?xi32>, i32) {
        %next = arith.addi %acc, %i7 : i32
        scf.yield %q, %p, %next : memref<?xi32>, memref<?xi32>, i32
      }
      vyre.store %last#2, %last#0[%x] : memref<?xi32>
    """
    text = program(OUT, A, N, "vyre.store %i7, %a[%x] : memref<?xi32>", SYNC, code)
    assert shared(text) == 0
    for n in (0, 1, 2):
        given = {"out": numbers(5), "a": numbers(5), "n": n}
        Everywhere(text, workers=(1,), modes=("native",)).check(given, grid=2)


def test_shared_loops():
    """They read what the phase before has written, and may leave the buffer."""
    text = program(
        OUT,
        A,
        N,
        "vyre.store %x32, %a[%x] : memref<?xi32>",
        SYNC,
        SUM,
        "vyre.store %sum, %out[%x] : memref<?xi32>",
    )
    assert shared(text) == 1
    everywhere = Everywhere(text)
    for grid, trips in itertools.product((1, 3), (0, 1, 5, 20, -3)):
        everywhere.check({"out": numbers(12), "a": numbers(12), "n": trips}, grid)


def test_loops_over_what_the_launch_writes_are_not_shared():
    """The only invocation reads what it has written itself."""
    text = program(
        OUT,
        A,
        N,
        "vyre.store %i5, %a[%c2] : memref<?xi32>",
        SYNC,
        "vyre.store %i9, %a[%c1] : memref<?xi32>",
        SUM,
        "vyre.store %sum, %out[%x] : memref<?xi32>",
        workgroup="[1, 1, 1]",
    )
    assert shared(text) == 0
    Everywhere(text).check({"out": numbers(4), "a": numbers(12), "n": 4}, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%c0 to %n", "%c0 to %x"),
        ("%a[%k]", "%a[%x]"),
        ("%acc = %i7", "%acc = %x32"),
        ("%acc, %v : i32", "%acc, %x32 : i32"),
    ],
)
def test_loops_that_differ_are_not_shared(old: str, new: str):
    """In their trips, in what they load, start with or add."""
    store = "vyre.store %sum, %out[%x] : memref<?xi32>"
    text = program(OUT, A, N, SYNC, SUM.replace(old, new), store)
    assert shared(text) == 0
    Everywhere(text).check({"out": numbers(12), "a": numbers(12), "n": 5}, 3)


def test_shared_loops_inside_loops_of_the_schedule():
    """Each trip shares a loop over what the trip before has written."""
    text = program(
        OUT,
        A,
        N,
        "scf.for %trip = %c0 to %c4 step %c1 {",
        SUM,
        "%more = arith.addi %sum, %x32 : i32",
        "vyre.store %more, %out[%x] : memref<?xi32>",
        SYNC,
        "%w = vyre.load %out[%x] : memref<?xi32>",
        "vyre.store %w, %a[%x] : memref<?xi32>",
        SYNC,
        "}",
    )
    assert shared(text) > 1
    everywhere = Everywhere(text)
    for grid in (1, 3, 5):
        everywhere.check({"out": numbers(20), "a": numbers(20), "n": 11}, grid)


def test_promises_about_shared_loads_are_not_believed():
    far = "%far = arith.constant 1000000000000 : index"
    loop = SUM.replace("%a[%k]", "%a[%far] inbounds")
    store = "vyre.store %sum, %out[%x] : memref<?xi32>"
    everywhere = Everywhere(program(OUT, A, N, far, loop, store))
    everywhere.check({"out": numbers(12), "a": numbers(12), "n": 3}, 3)


# Rows of workgroups

GRIDS = [(1, 1, 1), (7, 1, 1), (3, 1, 5), (2, 3, 5)]
IDS = {
    "of invocations": "%v = vyre.linear_id invocation",
    "of workgroups": "%v = vyre.linear_id workgroup",
    "in workgroups": "%v = vyre.linear_id local",
    "x of workgroups": "%v = vyre.workgroup_id x",
    "y of workgroups": "%v = vyre.workgroup_id y",
}


@pytest.mark.parametrize("workgroup", ["[1, 1, 1]", "[3, 1, 1]", "[1, 2, 3]"])
def test_every_invocation_runs_once(workgroup: str):
    """And knows where it is, on grids that no number of workers divides."""
    outs = "\n".join(
        f'%o{k} = vyre.buffer "o{k}" read_write binding {k} : memref<?x?x?xi32>'
        for k in range(len(IDS))
    )
    stores = "\n".join(
        f"""{code.replace("%v", f"%v{k}")}
        %w{k} = arith.index_cast %v{k} : index to i32
        %old{k} = vyre.atomic add %w{k}, %o{k}[%z, %y, %x] : memref<?x?x?xi32>"""
        for k, code in enumerate(IDS.values())
    )
    text = f"""
vyre.program @p {workgroup} {{
  {outs}
  %x = vyre.invocation_id x
  %y = vyre.invocation_id y
  %z = vyre.invocation_id z
  {stores}
}}"""
    rows = text.replace("linear_id workgroup", "linear_id invocation")
    rows = rows.replace("linear_id local", "linear_id invocation")
    rows = rows.replace("workgroup_id x", "workgroup_id z")
    for each in (text, rows):
        everywhere = Everywhere(each, modes=("native",))
        for grid in GRIDS:
            given = {f"o{k}": np.full((15, 21, 21), 1, I32) for k in range(len(IDS))}
            everywhere.check(given, grid)


# Buffers that take turns


def test_buffers_that_loops_exchange():
    """Each is read and written in the same function, under either name."""
    pair = "memref<?xi32>, memref<?xi32>"
    text = program(
        OUT,
        A,
        B,
        N,
        f"""
  %after = arith.addi %x, %c1 : index
  %next = arith.remui %after, %c8 : index
  %last:2 = scf.for %k = %c0 to %n step %c1
      iter_args(%from = %a, %to = %b) -> ({pair}) {{
    %v = vyre.load %from[%next] : memref<?xi32>
    %w = vyre.load %a[%next] : memref<?xi32>
    %u = arith.addi %v, %w : i32
    vyre.barrier grid_sync
    %was = vyre.load %b[%x] : memref<?xi32>
    vyre.store %u, %to[%x] : memref<?xi32>
    %is = vyre.load %b[%x] : memref<?xi32>
    %change = arith.subi %is, %was : i32
    vyre.store %change, %out[%x] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %to, %from : {pair}
  }}
  %p = vyre.load %last#0[%next] : memref<?xi32>
  %old = vyre.load %out[%x] : memref<?xi32>
  %sum = arith.addi %p, %old : i32
  vyre.store %sum, %out[%x] : memref<?xi32>""",
    )
    given = {"out": numbers(8), "a": numbers(8), "b": numbers(8)[::-1].copy()}
    everywhere = Everywhere(text)
    for grid, trips in itertools.product((1, 2), (0, 1, 2, 5)):
        everywhere.check({**given, "n": trips}, grid)


# Asynchronous copies


def test_copies_of_any_length_from_anywhere():
    copy = """
  %from = vyre.param "from" : index
  %to = vyre.param "to" : index
  %count = vyre.param "count" : index
  %first = arith.cmpi eq, %x, %c0 : index
  scf.if %first {
    %t = vyre.async_store %a[%from], %out[%to], %count : memref<?xi32>, memref<?xi32>
    vyre.async_wait %t
  }"""
    everywhere = Everywhere(program(OUT, A, copy), workers=(1, 3))
    starts = (0, 3, -2, 9, -(2**63), 2**63 - 1)
    counts = (0, 1, 5, -1, 2**63 - 1, -(2**63))
    for to, count, source in itertools.product(starts, counts, (0, -3, 2, 2**63 - 2)):
        given = {"out": np.zeros(8, I32), "a": 1 + numbers(9)}
        everywhere.check({**given, "from": source, "to": to, "count": count}, 2)


# Meetings of workers

FLAGS = {
    "while": """
  scf.while : () -> () {
    vyre.barrier grid_sync
    %f = vyre.load %a[%c0] : memref<?xi32>
    %more = arith.cmpi slt, %f, %limit : i32
    scf.condition(%more)
  } do {
    vyre.barrier grid_sync
    %v = vyre.load %a[%x] : memref<?xi32>
    %w = arith.addi %v, %i1 : i32
    vyre.store %w, %a[%x] : memref<?xi32>
    scf.yield
  }""",
    "if": """
  vyre.store %x32, %a[%x] : memref<?xi32>
  vyre.barrier grid_sync
  %f = vyre.load %a[%c7] : memref<?xi32>
  %more = arith.cmpi slt, %f, %limit : i32
  vyre.barrier grid_sync
  scf.if %more {
    vyre.store %i9, %a[%x] : memref<?xi32>
    vyre.barrier grid_sync
    %v = vyre.load %a[%opposite] : memref<?xi32>
    vyre.store %v, %out[%x] : memref<?xi32>
  } else {
    %v = vyre.load %a[%opposite] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %v, %a[%x] : memref<?xi32>
  }""",
    "for": """
  vyre.store %x32, %a[%x] : memref<?xi32>
  vyre.barrier grid_sync
  %f = vyre.load %a[%c5] : memref<?xi32>
  %n = arith.index_cast %f : i32 to index
  vyre.barrier grid_sync
  scf.for %k = %c0 to %n step %c1 {
    vyre.barrier grid_sync
    %v = vyre.load %a[%opposite] : memref<?xi32>
    vyre.barrier grid_sync
    %w = arith.addi %v, %x32 : i32
    vyre.store %w, %a[%x] : memref<?xi32>
  }""",
    "while in a for": """
  scf.for %k = %c0 to %c3 step %c1 {
    %r = scf.while (%j = %c0) : (index) -> (index) {
      vyre.barrier grid_sync
      %f = vyre.load %a[%j] : memref<?xi32>
      %more = arith.cmpi slt, %f, %limit : i32
      scf.condition(%more) %j : index
    } do {
    ^bb0(%j: index):
      vyre.barrier grid_sync
      %v = vyre.load %a[%x] : memref<?xi32>
      %w = arith.addi %v, %i3 : i32
      vyre.store %w, %a[%x] : memref<?xi32>
      scf.yield %j : index
    }
    vyre.barrier grid_sync
    vyre.store %x32, %a[%x] : memref<?xi32>
  }""",
}


@pytest.mark.parametrize("name", FLAGS)
def test_workers_take_the_same_turns(name: str):
    """What decides is written by one worker, and read again and again by all."""
    prelude = '%limit = vyre.param "limit" : i32\n%opposite = arith.xori %x, %c7 : index'
    everywhere = Everywhere(program(OUT, A, prelude, FLAGS[name]))
    for grid, limit in itertools.product((1, 2, 9), (-5, 3, 9)):
        given = {"out": numbers(36), "a": numbers(36), "limit": limit}
        everywhere.check(given, grid)


@pytest.mark.parametrize("size", [0, 5, 6, 20])
def test_what_is_read_back_from_outside_is_zero(size: int):
    text = """
vyre.schedule @s {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %f = vyre.read_back %a[5] : memref<?xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %f : i32 to index
  scf.for %k = %c0 to %n step %c1 {
    vyre.launch @p(%a)
  }
}
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %x = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %a[%x] : memref<?xi32>
}"""
    for cpu in CPUS.values():
        around = np.full(64, 3, I32)
        vyre.compile(text, engine=cpu).bind(a=around[:size], grid=2)()
        assert (around[: min(size, 8)] == (6 if size > 5 else 3)).all()
        assert (around[min(size, 8) :] == 3).all()


# Small things


@pytest.mark.parametrize("size", [0, 1])
def test_buffers_without_elements(size: int):
    text = program(
        OUT,
        A,
        "vyre.store %i7, %a[%x] : memref<?xi32>",
        "%v = vyre.load %a[%c0] : memref<?xi32>",
        "%old = vyre.atomic add %i1, %a[%c1] : memref<?xi32>",
        SYNC,
        "%w = arith.addi %v, %old : i32",
        "vyre.store %w, %out[%x] : memref<?xi32>",
    ).replace("%v = vyre.load", f"{SYNC}\n%v = vyre.load")
    for grid in (1, 3):
        Everywhere(text).check({"out": numbers(8), "a": np.full(size, 5, I32)}, grid)


def test_parameters_of_all_types():
    types = {
        "i1": (np.bool_, True),
        "i8": (np.int8, -7),
        "i16": (np.int16, -300),
        "i32": (I32, -70000),
        "i64": (np.int64, -(2**40)),
        "index": (np.int64, 2**40),
        "f16": (np.float16, np.float16(1.3)),
        "f32": (np.float32, np.float32(1.3)),
        "f64": (np.float64, -1.3),
    }
    table = "\n".join(
        f"""%o{type} = vyre.buffer "o{type}" read_write binding {k} : memref<?x{type}>
        %p{type} = vyre.param "p{type}" : {type}"""
        for k, type in enumerate(types)
    )
    code = "\n".join(
        f"""vyre.store %p{type}, %o{type}[%x] : memref<?x{type}>
        vyre.barrier grid_sync
        vyre.store %p{type}, %o{type}[%next] : memref<?x{type}>"""
        for type in types
    )
    next = "%next = arith.addi %x, %c1 : index"
    everywhere = Everywhere(program(table, next, code), WORKERS[:3])
    given = {f"o{type}": np.zeros(10, dtype) for type, (dtype, _) in types.items()}
    values = {f"p{type}": value for type, (_, value) in types.items()}
    for grid in (1, 2):
        everywhere.check({**given, **values}, grid)
