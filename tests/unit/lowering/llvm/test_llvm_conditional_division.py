"""
Divisions under a condition, where all invocations divide the same.

LLVM 22 takes such a division for one of the first lane alone when it vectorises, and other
lanes then use a result that nobody has computed.
"""

from typing import Any

import numpy as np
import pytest
from cpu_runs import Everywhere

DIVISIONS = ("divui", "remui", "ceildivui", "divsi", "remsi", "floordivsi", "ceildivsi")

USES = {
    "store beside x": """
      %i = arith.addi %x, %r : index
      vyre.store %v, %out[%i] : memref<256xi64>""",
    "load beside x": """
      %i = arith.addi %x, %r : index
      %w = vyre.load %in[%i] : memref<256xi64>
      vyre.store %w, %out[%x] : memref<256xi64>""",
    "store": """
      vyre.store %v, %in[%r] : memref<256xi64>
      %square = arith.muli %v, %v : i64
      %old = vyre.load %out[%x] : memref<256xi64>
      %sum = arith.addi %old, %square : i64
      vyre.store %sum, %out[%x] : memref<256xi64>""",
    "load": """
      %w = vyre.load %in[%r] : memref<256xi64>
      vyre.store %w, %out[%x] : memref<256xi64>""",
}


def conditional(division: str, use: str) -> str:
    """Every fourth invocation divides the parameters `m` and `n`."""
    return f"""
vyre.program @p [16, 1, 1] {{
  %out = vyre.buffer "out" read_write binding 0 : memref<256xi64>
  %in = vyre.buffer "in" read_write binding 1 : memref<256xi64>
  %who = vyre.param "who" : index
  %m = vyre.param "m" : index
  %n = vyre.param "n" : index
  %v = vyre.param "v" : i64
  %x = vyre.invocation_id x
  %c3 = arith.constant 3 : index
  %c127 = arith.constant 127 : index
  %quarter = arith.andi %x, %c3 : index
  %is_mine = arith.cmpi eq, %quarter, %who : index
  scf.if %is_mine {{
    %divided = arith.{division} %m, %n : index
    %r = arith.andi %divided, %c127 : index
    {USES[use]}
  }}
}}"""


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("division", DIVISIONS)
def test_everyone_divides_the_same(division: str, use: str):
    everywhere = Everywhere(conditional(division, use), workers=(1,), modes=("native",))
    rows = np.arange(256)
    for who in range(4):
        given: dict[str, Any] = {"out": rows, "in": 3 * rows, "v": 77, "m": 13, "n": 7}
        everywhere.check({**given, "who": who}, grid=4)


def test_divisions_that_become_the_same():
    """Where x is known to be 1, so is what is computed from it."""
    text = """
vyre.program @p [3, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<66xi64>
  %k = vyre.param "k" : index
  %v = vyre.param "v" : i64
  %groups = vyre.workgroup_count x
  %size = vyre.workgroup_size x
  %n = arith.muli %groups, %size : index
  %x = vyre.linear_id invocation
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %far = arith.muli %x, %c5 : index
  %mine = arith.remui %far, %n : index
  %is_second = arith.cmpi eq, %x, %c1 : index
  scf.if %is_second {
    %i = arith.muli %mine, %c2 : index
    %j = arith.addi %i, %c1 : index
    vyre.store %v, %out[%j] : memref<66xi64>
    %back = arith.subi %n, %k : index
    %other = arith.remui %back, %n : index
    %o = arith.muli %other, %c2 : index
    %p = arith.addi %o, %c1 : index
    vyre.store %v, %out[%p] : memref<66xi64>
  }
}"""
    given = {"out": np.zeros(66, np.int64), "k": 1, "v": 5}
    found = Everywhere(text, modes=("native",)).check(given, grid=11)
    assert isinstance(found, dict)
    np.testing.assert_array_equal(np.flatnonzero(found["out"]), [11, 65])
