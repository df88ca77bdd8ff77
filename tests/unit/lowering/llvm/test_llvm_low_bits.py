"""Rows of invocations that take low bits of their places, in blocks and not."""

import itertools

import numpy as np
import pytest
from cpu_runs import Everywhere

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.llvm.aligned_blocks import low_bits
from vyre.lowering.llvm.clipping import Along

MASKS = (0, 1, 3, 7, 15, 31, 63, 255, 5, 12, 2**62 - 1, 2**62, 2**63 - 1, -1, -2, -8)
"""Short blocks, usual ones, one for the whole row, and masks that are none of low bits."""


def text(x: str, size: int = 24, guard: str = "%true") -> str:
    return f"""
vyre.program @p [{size}, 1, 1] {{
  %out = vyre.buffer "out" read_write binding 0 : memref<?xindex>
  %mask = vyre.param "mask" : index
  %n = vyre.param "n" : index
  %one = arith.constant 1 : index
  %true = arith.constant 1 : i1
  %x = vyre.{x} x
  %i = vyre.invocation_id x
  %low = arith.andi %x, %mask : index
  %again = arith.andi %mask, %x : index
  %twice = arith.shli %low, %one : index
  %sum = arith.addi %twice, %again : index
  %below = arith.cmpi ult, %i, %n : index
  %not_n = arith.cmpi ne, %i, %n : index
  scf.if {guard} {{
    vyre.store %sum, %out[%i] : memref<?xindex>
  }}
}}"""


@pytest.mark.parametrize("guard", ["%true", "%below", "%not_n"])
@pytest.mark.parametrize("x", ["invocation_id", "local_id"])
def test_low_bits_of_places(x: str, guard: str):
    """Workgroups do not begin where blocks do."""
    everywhere = Everywhere(text(x, guard=guard), modes=("native",))
    for mask, grid in itertools.product(MASKS, (1, 5)):
        given = {"out": np.full(24 * grid + 3, -1, np.int64), "mask": mask, "n": 21}
        everywhere.check(given, grid)


def test_pairs_that_stand_apart():
    """A butterfly: what a block writes is what another place of it reads."""
    program = """
vyre.program @p [16, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %distance = vyre.param "distance" : index
  %one = arith.constant 1 : index
  %x = vyre.invocation_id x
  %mask = arith.subi %distance, %one : index
  %low = arith.andi %x, %mask : index
  %twice = arith.shli %x, %one : index
  %lower = arith.subi %twice, %low : index
  %upper = arith.addi %lower, %distance : index
  %p = vyre.load %a[%lower] : memref<?xi32>
  %q = vyre.load %a[%upper] : memref<?xi32>
  %sum = arith.addi %p, %q : i32
  %difference = arith.subi %p, %q : i32
  vyre.store %sum, %a[%lower] : memref<?xi32>
  vyre.store %difference, %a[%upper] : memref<?xi32>
}"""
    everywhere = Everywhere(program, modes=("native",))
    for distance, length in itertools.product((1, 2, 4, 8, 16, 32), (64, 61, 7)):
        given = {"a": np.arange(length, dtype=np.int32) ** 2, "distance": distance}
        everywhere.check(given, grid=2)


def test_masks_of_other_bits():
    """Indices that are inside for the first and the last of a row, and not in between."""
    program = """
vyre.program @p [12, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<12xi32>
  %mask = vyre.param "mask" : index
  %x = vyre.invocation_id x
  %low = arith.andi %x, %mask : index
  %high = arith.subi %x, %low : index
  %v = vyre.load %a[%high] : memref<?xi32>
  vyre.store %v, %out[%x] : memref<12xi32>
}"""
    everywhere = Everywhere(program, modes=("native",))
    for mask, length in itertools.product((*range(16), -1, -2), (1, 4, 5, 8)):
        a = np.arange(1, length + 1, dtype=np.int32)
        given = {"a": a, "out": np.zeros(12, np.int32), "mask": mask}
        everywhere.check(given, grid=1)


def found(code: str) -> tuple[Along, int] | None:
    table = '%m = vyre.param "m" : index %x = vyre.invocation_id x %l = vyre.local_id x'
    module = vyre.parse(f"vyre.program @p [8, 1, 1] {{ {table} {code} }}")
    (program,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    bits = low_bits(program)
    return None if bits is None else (bits.along, len(bits.ops))


def test_which_low_bits_are_taken():
    """Those of one place with one mask that is the same along the row."""
    both = "%a = arith.andi %x, %m : index %b = arith.andi %m, %x : index"
    assert found(both) == (Along.GRID, 2)
    other = "%a = arith.andi %l, %m : index %b = arith.andi %m, %x : index"
    assert found(other) == (Along.WORKGROUP, 1)
    assert found("%a = arith.andi %x, %l : index") is None
    assert found("%a = arith.ori %x, %m : index") is None
