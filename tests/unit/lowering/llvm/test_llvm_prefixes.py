"""Rows whose first invocations take one way and whose others take another."""

from collections.abc import Iterable

import numpy as np
import pytest
from cpu_runs import Everywhere

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.llvm.prefixes import prefix_of
from vyre.runtime.program_choice import find_program

PROGRAM = """
vyre.program @p [8, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<8xi32>
  %n = vyre.param "n" : index
  %base = vyre.param "base" : index
  %seven = arith.constant 7 : index
  %nothing = arith.constant -1 : i32
  %place = vyre.local_id x
  %group = vyre.workgroup_id x
  %id = vyre.invocation_id x
  %number = arith.addi NUMBER : index
  %is_first = arith.cmpi PREDICATE, LEFT, %n : index
  %value = scf.if %is_first -> (i32) {
    %found = vyre.load %a[%id] : memref<?xi32>
    scf.yield %found : i32
  } else {
    scf.yield %nothing : i32
  }
  vyre.store %value, %tile[%place] : memref<8xi32>
  vyre.barrier acq_rel
  %other = arith.subi %seven, %place : index
  %there = vyre.load %tile[%other] : memref<8xi32>
  vyre.store %there, %b[%id] : memref<?xi32>
}
"""

PREDICATES = ["ult", "ule", "slt", "sle"]
ORDERS = ["%base, %place", "%place, %base"]
NEAR = [-1, 0, 1, 3, 7, 8, 9]
EXTREMES = [-(2**63), 2**63 - 1, 2**62, 2**62 + 5]


def text_of(number: str, predicate: str, left: str = "%number") -> str:
    text = PROGRAM.replace("NUMBER", number).replace("PREDICATE", predicate)
    return text.replace("LEFT", left)


def check(text: str, cases: Iterable[tuple[int, int]]) -> None:
    """Gives the program n and base."""
    everywhere = Everywhere(text, workers=(1,), modes=("native",))
    for n, base in cases:
        a, b = np.arange(100, 124, dtype=np.int32), np.zeros(24, np.int32)
        everywhere.check({"a": a, "b": b, "n": n, "base": base}, grid=3)


@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.parametrize("order", ORDERS)
def test_bounds_around_each_place(predicate: str, order: str):
    cases = [
        ((n + 2**63) % 2**64 - 2**63, base)
        for base in (0, 5, -3, *EXTREMES)
        for n in (*(base + near for near in NEAR), *EXTREMES)
    ]
    check(text_of(order, predicate), cases)


@pytest.mark.parametrize("predicate", PREDICATES)
def test_places_in_the_grid(predicate: str):
    """The number of the workgroup decides what is added."""
    text = text_of("%place, %base", predicate, left="%id")
    check(text, [(n, 0) for n in (*range(-1, 26), *EXTREMES)])


@pytest.mark.parametrize("predicate", PREDICATES)
def test_places_in_the_workgroup(predicate: str):
    text = text_of("%place, %base", predicate, left="%place")
    check(text, [(n, 0) for n in (*NEAR, *EXTREMES)])


def prefix(text: str):
    program = find_program(vyre.parse(text), None)
    assert isinstance(program, ProgramOp)
    return prefix_of(program)


def test_which_comparisons_hold_for_the_first_ones():
    for predicate in PREDICATES:
        assert prefix(text_of("%base, %place", predicate)) is not None
    for predicate in ("eq", "ne", "uge", "sgt"):
        assert prefix(text_of("%base, %place", predicate)) is None


def test_numbers_that_grow_otherwise():
    text = text_of("%base, %place", "ult").replace("arith.addi", "arith.subi", 1)
    assert prefix(text) is None
    assert prefix(text_of("%place, %place", "ult")) is None


def test_bounds_that_are_not_the_same_for_a_row():
    text = text_of("%base, %place", "ult").replace("%number, %n ", "%number, %id ")
    assert prefix(text) is None
