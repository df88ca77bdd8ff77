"""Traps of programs whose workgroups wait for each other, on the CPU engine."""

import numpy as np
import pytest

import vyre

pytestmark = pytest.mark.core

TRAP_BEFORE_BARRIER = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<8xindex>
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  %n = vyre.load %a[%i] : memref<8xindex>
  %is_zero = arith.cmpi eq, %n, %zero : index
  scf.if %is_zero {
    vyre.trap "zero" at %i : index
  }
  vyre.barrier acq_rel
  %r = scf.while (%k = %zero) : (index) -> (index) {
    %goes_on = arith.cmpi slt, %k, %ten : index
    scf.condition(%goes_on) %k : index
  } do {
  ^bb(%k: index):
    %m = arith.addi %k, %n : index
    scf.yield %m : index
  }
  vyre.store %r, %a[%i] : memref<8xindex>
}
"""


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_a_trapped_invocation_is_gone_after_a_workgroup_barrier(engine: str):
    """It would never leave the loop; the others do, and a later workgroup is clean."""
    exe = vyre.compile(TRAP_BEFORE_BARRIER, engine=engine)
    with pytest.raises(vyre.Trapped, match="invocation 2 trapped") as caught:
        exe(a=np.array([1, 2, 0, 3, 1, 1, 1, 1]), timeout=20)
    assert caught.value.value == 2
    found = exe(a=np.array([1, 2, 5, 3, 4, 4, 4, 4]), timeout=20)["a"]
    assert found.tolist() == [10, 10, 10, 12, 12, 12, 12, 12]
