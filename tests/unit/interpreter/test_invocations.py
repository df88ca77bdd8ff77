"""Ids, and how invocations end."""

from typing import get_args

import numpy as np
import pytest
from small_programs import STORE, run

from vyre.runtime.config import Order
from vyre.runtime.errors import (
    Timeout,
    Trapped,
)


def test_ids_in_three_dimensions():
    names = [
        "invocation_id",
        "workgroup_id",
        "local_id",
        "workgroup_count",
        "workgroup_size",
    ]
    size = (2 * 2, 3 * 1, 2 * 3)
    for name in names:
        loads = "".join(f"%{axis}0 = vyre.{name} {axis}\n" for axis in "xyz")
        found = run(
            f"""
  %gx = vyre.invocation_id x
  %gy = vyre.invocation_id y
  %gz = vyre.invocation_id z
  {loads}
  %ten = arith.constant 10 : index
  %xy0 = arith.muli %x0, %ten : index
  %xy1 = arith.addi %xy0, %y0 : index
  %xyz0 = arith.muli %xy1, %ten : index
  %xyz1 = arith.addi %xyz0, %z0 : index
  %v = arith.index_cast %xyz1 : index to i32
  vyre.store %v, %out[%gx, %gy, %gz] : memref<?x?x?xi32>
""",
            size,
            workgroup="[2, 1, 3]",
            grid=(2, 3, 2),
        )
        x, y, z = np.indices(size)
        wanted = {
            "invocation_id": (x, y, z),
            "workgroup_id": (x // 2, y, z // 3),
            "local_id": (x % 2, y * 0, z % 3),
            "workgroup_count": (x * 0 + 2, y * 0 + 3, z * 0 + 2),
            "workgroup_size": (x * 0 + 2, y * 0 + 1, z * 0 + 3),
        }[name]
        np.testing.assert_array_equal(found, wanted[0] * 100 + wanted[1] * 10 + wanted[2])


def test_returned_invocations_do_nothing_more():
    found = run(f"""
  %odd = arith.remui %x, %c2 : index
  %is_odd = arith.cmpi ne, %odd, %c0 : index
  scf.if %is_odd {{
    vyre.return
  }}
  vyre.barrier grid_sync
  %v = arith.addi %x32, %one : i32
  {STORE}
""")
    np.testing.assert_array_equal(found, [1, 0, 3, 0, 5, 0, 7, 0])


def test_returning_from_inside_loops():
    found = run(f"""
  %n = arith.constant 100 : index
  scf.for %k = %c0 to %n step %c1 {{
    %stop = arith.cmpi eq, %k, %x : index
    scf.if %stop {{
      vyre.return
    }}
    %v = arith.index_cast %k : index to i32
    {STORE}
  }}
""")
    np.testing.assert_array_equal(found, [0, 0, 1, 2, 3, 4, 5, 6])


def test_a_loop_ends_when_all_its_invocations_have_returned():
    run("""
  scf.while () : () -> () {
    %go = arith.constant true
    scf.condition(%go)
  } do {
    vyre.return
    scf.yield
  }
""")


def test_the_smallest_trapping_invocation_is_reported():
    with pytest.raises(Trapped) as raised:
        run("""
  %late = arith.cmpi ugt, %x, %c2 : index
  scf.if %late {
    vyre.trap "too late" at %x : index
  }
""")
    assert (raised.value.invocation, raised.value.tag, raised.value.value) == (
        3,
        "too late",
        3,
    )
    assert "<string>:" in str(raised.value)


def test_a_trap_stops_the_dispatch_at_the_next_barrier():
    text = """
  %first = arith.cmpi eq, %x, %c0 : index
  scf.if %first {
    vyre.trap "no"
  }
  vyre.barrier grid_sync
  scf.while () : () -> () {
    %go = arith.constant true
    scf.condition(%go)
  } do {
    scf.yield
  }
"""
    for order in get_args(Order):
        with pytest.raises(Trapped):
            run(text, order=order, timeout=20)


def test_timeouts_end_programs_that_do_not():
    with pytest.raises(Timeout, match="longer than"):
        run(
            """
  scf.while () : () -> () {
    %go = arith.constant true
    scf.condition(%go)
  } do {
    scf.yield
  }
""",
            timeout=0.2,
        )
