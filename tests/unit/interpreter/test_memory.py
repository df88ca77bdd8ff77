"""Buffers, workgroup memory and copies."""

from typing import get_args

import numpy as np
import pytest
from small_programs import STORE, run

import vyre
from vyre.runtime.config import Order


def test_accesses_outside_read_zero_and_write_nothing():
    found = run("""
  %far = arith.constant 1000 : index
  %minus = arith.constant -1 : index
  %a = vyre.load %out[%far] : memref<?xi32>
  %b = vyre.load %out[%minus] : memref<?xi32>
  vyre.store %one, %out[%far] : memref<?xi32>
  vyre.store %one, %out[%minus] : memref<?xi32>
  %c = vyre.atomic add %one, %out[%minus] : memref<?xi32>
  %d = vyre.atomic_cas %zero, %one, %out[%far] : memref<?xi32>
  %ab = arith.addi %a, %b : i32
  %cd = arith.addi %c, %d : i32
  %all = arith.addi %ab, %cd : i32
  %v = arith.addi %all, %x32 : i32
  vyre.store %v, %out[%x] : memref<?xi32>
""")
    np.testing.assert_array_equal(found, np.arange(8))


def test_bounds_are_checked_per_dimension():
    """Column 3 of a row of 3 is outside, not the first of the next row."""
    found = run(
        """
  %c3 = arith.constant 3 : index
  vyre.store %one, %out[%c0, %c3] : memref<?x?xi32>
""",
        (2, 3),
    )
    assert not found.any()


def test_empty_buffers():
    exe = vyre.compile(
        """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 1 output : memref<4xi32>
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<?xi32>
  %n = vyre.length %a, 0 : memref<?xi32>
  %n32 = arith.index_cast %n : index to i32
  %r = arith.addi %v, %n32 : i32
  vyre.store %r, %out[%x] : memref<4xi32>
}
""",
        engine="reference",
    )
    np.testing.assert_array_equal(exe(a=np.zeros(0, np.int32))["out"], [0, 0, 0, 0])


def test_zero_dimensional_buffers():
    exe = vyre.compile(
        """
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<f32>
  %v = vyre.load %a[] : memref<f32>
  %w = arith.addf %v, %v : f32
  vyre.store %w, %a[] : memref<f32>
}
""",
        engine="reference",
    )
    assert exe(a=np.array(1.5, np.float32))["a"] == 3


def test_workgroup_memory_is_shared_zeroed_and_survives_grid_barriers():
    for order in get_args(Order):
        found = run(
            f"""
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %l = vyre.local_id x
  %c3 = arith.constant 3 : index
  %other = arith.subi %c3, %l : index
  %start = vyre.load %tile[%l] : memref<4xi32>
  vyre.barrier acq_rel
  %mine = arith.addi %x32, %start : i32
  vyre.store %mine, %tile[%l] : memref<4xi32>
  vyre.barrier grid_sync
  %v = vyre.load %tile[%other] : memref<4xi32>
  {STORE}
""",
            order=order,
        )
        np.testing.assert_array_equal(found, [3, 2, 1, 0, 7, 6, 5, 4])


def test_ping_pong_buffers_are_carried_by_loops():
    exe = vyre.compile(
        """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<4xi32>
  %steps = vyre.param "steps" : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %x = vyre.invocation_id x
  %r:2 = scf.for %k = %c0 to %steps step %c1
      iter_args(%from = %a, %to = %b) -> (memref<4xi32>, memref<4xi32>) {
    %v = vyre.load %from[%x] : memref<4xi32>
    %w = arith.addi %v, %one : i32
    vyre.store %w, %to[%x] : memref<4xi32>
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<4xi32>, memref<4xi32>
  }
}
""",
        engine="reference",
    )
    zeros = np.zeros(4, np.int32)
    result = exe(a=zeros, b=zeros.copy(), steps=3)
    assert (list(result["a"]), list(result["b"])) == ([2] * 4, [3] * 4)


@pytest.mark.parametrize(("start", "count"), [(0, 3), (2, 10), (-2, 4), (5, 2), (1, 0)])
def test_asynchronous_copies(start: int, count: int):
    exe = vyre.compile(
        """
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<5xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<4xi32>
  %start = vyre.param "start" : index
  %count = vyre.param "count" : index
  %c1 = arith.constant 1 : index
  %t = vyre.async_load %a[%start], %out[%c1], %count : memref<5xi32>, memref<4xi32>
  vyre.async_wait %t
}
""",
        engine="reference",
    )
    a = np.arange(10, 15, dtype=np.int32)
    wanted = np.full(4, -1, np.int32)
    for k in range(count):
        if 1 + k < 4:
            wanted[1 + k] = a[start + k] if 0 <= start + k < 5 else 0
    result = exe(a=a, out=np.full(4, -1, np.int32), start=start, count=count, grid=1)
    np.testing.assert_array_equal(result["out"], wanted)
