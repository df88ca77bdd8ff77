"""Rows of a workgroup that are counted by other numbers than places in the workgroup."""

import numpy as np
import pytest
from xdsl.dialects import arith

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.llvm.shifted_rows import base_of, shifted_places
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.program_choice import find_program

PROGRAM = """
vyre.program @p [8, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<8xi32>
  %n = vyre.param "n" : index
  %turns = vyre.param "turns" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %eight = arith.constant 8 : index
  %nothing = arith.constant 0 : i32
  %place = vyre.local_id x
  %before = arith.muli %n, %eight : index
  %number = arith.addi PLACES : index
  %id = vyre.invocation_id x
  %sum = scf.for %k = %zero to %turns step %one iter_args(%so_far = %nothing) -> (i32) {
    %at = arith.addi %number, %k : index
    %found = vyre.load %a[%at] : memref<?xi32>
    %more = arith.addi %so_far, %found : i32
    scf.yield %more : i32
  }
  vyre.store %sum, %tile[%place] : memref<8xi32>
  vyre.barrier acq_rel
  %other = arith.subi %seven, %place : index
  %there = vyre.load %tile[%other] : memref<8xi32>
  vyre.store %there, %b[%id] : memref<?xi32>
}
"""

ORDERS = ["%before, %place", "%place, %before"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("n", [0, 2, -1, -(2**60), 2**60, 2**61 - 1])
def test_rows_may_wrap_around(order: str, n: int):
    """The numbers of a row go over the largest one, or from negative ones to zero."""
    text = PROGRAM.replace("PLACES", order)
    given = {"a": np.arange(1, 30, dtype=np.int32), "n": n, "turns": 5}
    ran = [
        vyre.compile(text, engine=engine)({**given, "b": np.zeros(16, np.int32)}, grid=2)
        for engine in (CpuBackend(1), "reference")
    ]
    assert ran[0]["b"].tolist() == ran[1]["b"].tolist()
    assert ran[0]["b"].any() == (n in (0, 2, -1, 2**61 - 1))


def places(text: str) -> list[arith.AddiOp]:
    program = find_program(vyre.parse(text), None)
    assert isinstance(program, ProgramOp)
    return shifted_places(program)


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_added_to_the_place(order: str):
    (op,) = places(PROGRAM.replace("PLACES", order))
    assert base_of(op).name_hint == "before"


def test_numbers_that_are_not_known_ahead():
    text = PROGRAM.replace("PLACES", "%place, %id").replace(
        "  %id = vyre.invocation_id x\n", ""
    )
    assert not places(text.replace("  %zero", "  %id = vyre.invocation_id x\n  %zero", 1))


def test_several_numbers():
    another = "%twice = arith.addi %n, %place : index\n  %sum ="
    text = PROGRAM.replace("PLACES", ORDERS[0]).replace("%sum =", another)
    assert not places(text)
