"""Invocations that have ended decide nothing and hold nobody up."""

from typing import get_args

import numpy as np
import pytest
from small_programs import STORE, run

import vyre
from vyre.runtime.config import Order

ORDERS = get_args(Order)


@pytest.mark.parametrize("barrier", ["acq_rel", "grid_sync"])
@pytest.mark.parametrize("order", ORDERS)
def test_they_do_not_choose_branches(order: Order, barrier: str):
    """Invocation 0 leaves the loop early, and would go the other way afterwards."""
    found = run(
        f"""
  %c3 = arith.constant 3 : index
  %r = scf.for %t = %c0 to %c3 step %c1 iter_args(%a = %c0) -> (index) {{
    %q = arith.cmpi eq, %x, %c0 : index
    scf.if %q {{
      vyre.return
    }}
    %n = arith.addi %a, %c1 : index
    scf.yield %n : index
  }}
  %all = arith.cmpi eq, %r, %c3 : index
  scf.if %all {{
    vyre.barrier {barrier}
  }} else {{
    vyre.barrier {barrier}
  }}
  %v = arith.addi %x32, %one : i32
  {STORE}
""",
        4,
        grid=1,
        order=order,
    )
    np.testing.assert_array_equal(found, [0, 2, 3, 4])


@pytest.mark.parametrize("order", ORDERS)
def test_whole_workgroups_that_have_ended_meet_nobody(order: Order):
    found = run(
        f"""
  %c3 = arith.constant 3 : index
  %g = vyre.workgroup_id x
  %q = arith.cmpi eq, %g, %c0 : index
  scf.if %q {{
    vyre.return
  }}
  scf.for %t = %c0 to %c3 step %c1 {{
    vyre.barrier grid_sync
  }}
  vyre.barrier grid_sync
  %v = arith.addi %one, %zero : i32
  {STORE}
""",
        order=order,
    )
    np.testing.assert_array_equal(found, [0, 0, 0, 0, 1, 1, 1, 1])


def test_buffers_that_a_loop_carries_stay_buffers():
    exe = vyre.compile(
        """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<4xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %l = vyre.local_id x
  %r:2 = scf.for %t = %c0 to %c3 step %c1
      iter_args(%x = %a, %y = %b) -> (memref<4xi32>, memref<4xi32>) {
    %q = arith.cmpi eq, %l, %t : index
    scf.if %q {
      vyre.return
    }
    scf.yield %y, %x : memref<4xi32>, memref<4xi32>
  }
  vyre.store %one, %r#0[%l] : memref<4xi32>
}
""",
        engine="reference",
    )
    zeros = np.zeros(4, np.int32)
    result = exe(a=zeros, b=zeros.copy())
    assert (list(result["a"]), list(result["b"])) == ([0] * 4, [0, 0, 0, 1])


@pytest.mark.parametrize("order", get_args(Order))
def test_ended_lanes_do_not_bring_their_workgroup_to_a_barrier(order: Order):
    """Lane 2 has ended, and goes along with lanes of another workgroup."""
    found = run(
        f"""
  %g = vyre.workgroup_id x
  %ends = arith.cmpi eq, %x, %c2 : index
  scf.if %ends {{
    vyre.return
  }}
  %first = arith.cmpi eq, %g, %c0 : index
  scf.if %first {{
    vyre.barrier acq_rel
  }}
  %v = arith.addi %one, %zero : i32
  {STORE}
""",
        size=4,
        workgroup="[2, 1, 1]",
        order=order,
    )
    np.testing.assert_array_equal(found, [1, 1, 0, 1])
