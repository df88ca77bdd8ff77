"""Stores that all invocations do alike, and those that only look like it."""

import numpy as np
import pytest
from cpu_runs import Everywhere
from split_cases import OUT, TILE, A, B, N, program
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.walking import launches_in
from vyre.dialects.vyre import ProgramOp, StoreOp
from vyre.lowering.llvm.passes.store_once import StoreOncePass
from vyre.passes.launched_once import LaunchProgramsPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs

READ = """
  %v = vyre.load %b[%x] : memref<?xi32>
  vyre.store %v, %a[%x] : memref<?xi32>"""
MINE = "vyre.store %x32, %out[%x] : memref<?xi32>"
SAME = "vyre.store %i7, %b[%c1] : memref<?xi32>"


def taken(*code: str) -> int:
    """How many stores are in the program for one invocation; the others stay."""
    return taken_of(vyre.parse(program(*code)))


def taken_of(module: ModuleOp) -> int:
    (found,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    before = sum(isinstance(op, StoreOp) for op in found.walk())
    for step in (LaunchProgramsPass(), StoreOncePass()):
        step.apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    _, *once = launches_in(module)
    count = sum(isinstance(op, StoreOp) for each in once for op in each.walk())
    assert before - count == sum(isinstance(op, StoreOp) for op in found.walk())
    return count


def check(*code: str) -> None:
    everywhere = Everywhere(program(*code))
    for grid in (1, 2, 7):
        arrays = {name: np.arange(30, dtype=np.int32) for name in ("out", "a", "b")}
        given = {**arrays, "n": 3}
        everywhere.check({n: given[n] for n in everywhere.reference.bindings.names}, grid)


LOADED = "%v = vyre.load %a[%n] : memref<?xi32>\nvyre.store %v, %b[%n] : memref<?xi32>"
TWICE = f"{SAME}\nvyre.store %i1, %b[%c1] : memref<?xi32>"
REGION = f'vyre.region "same" {{ {SAME} }}'


@pytest.mark.parametrize(
    ("code", "count"), [(SAME, 1), (LOADED, 1), (TWICE, 2), (REGION, 1)]
)
def test_stores_that_are_the_same(code: str, count: int):
    assert taken(OUT, A, B, N, code, MINE) == count
    check(OUT, A, B, N, code, MINE)


@pytest.mark.parametrize(
    "code",
    [
        "vyre.store %x32, %b[%c1] : memref<?xi32>",
        "vyre.store %i7, %b[%x] : memref<?xi32>",
        "vyre.store %i7, %b[%g] : memref<?xi32>",
        "scf.if %is_first { vyre.store %i7, %b[%c1] : memref<?xi32> }",
        f"{SAME}\n{READ}",
        f"{SAME}\nscf.if %is_first {{ vyre.store %i7, %b[%x] : memref<?xi32> }}",
        f"scf.if %is_first {{ vyre.return }}\n{SAME}",
        f"%old = vyre.atomic add %i1, %b[%c2] : memref<?xi32>\n{SAME}",
    ],
)
def test_stores_that_are_not(code: str):
    first = "%is_first = arith.cmpi ult, %x, %c1 : index"
    assert taken(OUT, A, B, first, code, MINE) == 0


def test_nothing_else():
    """One worker does such a program as it is."""
    assert taken(B, SAME) == 0


def test_workgroup_memory_that_nobody_reads():
    """It is no part of what a launch passes."""
    same = "vyre.store %i7, %tile[%c0] : memref<4xi32>"
    assert taken(OUT, TILE, same, MINE) == 0
    check(OUT, TILE, same, MINE)


def test_workgroup_memory_is_one_for_each_workgroup():
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %zero = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %x = vyre.invocation_id x
  vyre.store %seven, %tile[%zero] : memref<4xi32>
  vyre.barrier acq_rel
  %v = vyre.load %tile[%zero] : memref<4xi32>
  vyre.store %v, %out[%x] : memref<?xi32>
}"""
    assert taken_of(vyre.parse(text)) == 0
    everywhere = Everywhere(text)
    for grid in (1, 5):
        everywhere.check({"out": np.zeros(20, np.int32)}, grid)


def test_lengths_of_workgroup_memory_are_known_without_it():
    """A store that all do alike is done ahead, where there is no workgroup yet."""
    text = """
    vyre.program @p [4, 2, 1] {
      %b = vyre.buffer "b" write_only binding 0 output : memref<4xf16>
      %out = vyre.buffer "out" read_write binding 1 output : memref<?xi64>
      %tile = vyre.buffer "tile" workgroup : memref<8x1xf16>
      %zero = arith.constant 0 : index
      %value = arith.constant 2.0 : f16
      %length = vyre.length %tile, 1 : memref<8x1xf16>
      vyre.store %value, %b[%length] : memref<4xf16>
      %yes = arith.constant true
      %lanes = vyre.subgroup_ballot %yes
      %wide = arith.extui %lanes : i32 to i64
      vyre.store %wide, %out[%zero] : memref<?xi64>
    }
    """
    found = vyre.compile(text, engine="cpu")(out=np.zeros(1, np.int64), grid=2)
    assert found["b"].tolist() == [0, 2, 0, 0]
    assert found["out"].tolist() == [255]


def test_a_schedule_knows_the_length_of_workgroup_memory():
    """A loop that all go through alike becomes the schedule's, which has no workgroups."""
    text = """
    vyre.program @p [4, 1, 1] {
      %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
      %out = vyre.buffer "out" read_write binding 1 : memref<?xi32>
      %tile = vyre.buffer "tile" workgroup : memref<3xi32>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %none = arith.constant 0 : i32
      %x = vyre.invocation_id x
      %length = vyre.length %tile, 0 : memref<3xi32>
      %sum = scf.for %k = %zero to %length step %one iter_args(%s = %none) -> (i32) {
        %v = vyre.load %a[%k] : memref<?xi32>
        %t = arith.addi %s, %v : i32
        scf.yield %t : i32
      }
      vyre.store %sum, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
    }
    """
    given = {"a": np.arange(10, dtype=np.int32), "out": np.zeros(10, np.int32)}
    Everywhere(text).check(given, grid=3)
