"""Loops, buffers and copies when some invocations have returned."""

import numpy as np
import pytest
from predicated import ORDERS, asks_anyone, assert_same, before_and_after
from xdsl.dialects import scf

from vyre.dialects.vyre import BarrierOp
from vyre.runtime.config import Order

LEAVE = "scf.if %gone {\nvyre.return\n}"

BOUNDS = [
    (lb, ub, step)
    for lb in (-128, -100, 0, 1, 120)
    for ub in (-128, 0, 1, 100, 127)
    for step in (-1, 0, 1, 27, 100, 127)
]


def test_a_loop_with_a_return_makes_the_same_trips():
    """Also where the loop variable would overflow, and for steps that are not positive."""
    text = """
vyre.program @p [50, 1, 1] {
  %bounds = vyre.buffer "bounds" read_only binding 0 : memref<?x3xi8>
  %out = vyre.buffer "out" read_write binding 1 : memref<?x2xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %many = arith.constant 90 : i32
  %i = vyre.invocation_id x
  %lb = vyre.load %bounds[%i, %c0] : memref<?x3xi8>
  %ub = vyre.load %bounds[%i, %c1] : memref<?x3xi8>
  %step = vyre.load %bounds[%i, %c2] : memref<?x3xi8>
  %trips = scf.for %k = %lb to %ub step %step iter_args(%n = %zero) -> (i32) : i8 {
    %wide = arith.extsi %k : i8 to i32
    %more = arith.addi %n, %one : i32
    vyre.store %wide, %out[%i, %c0] : memref<?x2xi32>
    %stop = arith.cmpi sgt, %more, %many : i32
    scf.if %stop {
      vyre.return
    }
    scf.yield %more : i32
  }
  vyre.store %trips, %out[%i, %c1] : memref<?x2xi32>
}
"""
    bounds = np.array(BOUNDS, np.int8)
    arguments = {"bounds": bounds, "out": np.full((150, 2), -999, np.int32)}
    before, after, _ = before_and_after(text, arguments, grid=3)
    np.testing.assert_array_equal(after["out"], before["out"])
    trips = [len(range(lb, ub, step)) if step > 0 else 0 for lb, ub, step in BOUNDS]
    expected = [-999 if n > 90 else n for n in trips]
    assert after["out"][:, 1].tolist() == expected


def test_a_loop_is_left_by_returning():
    """In its first trip, though it might make 2^62."""
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<8xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 4611686018427387904 : index
  %one = arith.constant 1 : i32
  %i = vyre.invocation_id x
  scf.for %k = %c0 to %end step %c1 {
    vyre.store %one, %out[%i] : memref<8xi32>
    %stop = arith.cmpi eq, %k, %i : index
    scf.if %stop {
      vyre.return
    }
  }
}
"""
    before, after, _ = before_and_after(text, {"out": np.zeros(8, np.int32)}, grid=2)
    assert before["out"].tolist() == after["out"].tolist() == [1] * 8


PING_PONG = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %i = vyre.invocation_id x
  %gone = arith.cmpi CONDITION : index
  EARLY
  %x, %y = scf.for %k = %c0 to %c5 step %c1 iter_args(%from = %a, %to = %b) -> (
      memref<?xi32>, memref<?xi32>) {
    %next = arith.xori %i, %c1 : index
    %v = vyre.load %from[%next] : memref<?xi32>
    %w = vyre.load %from[%i] : memref<?xi32>
    %sum = arith.addi %v, %w : i32
    vyre.store %sum, %to[%i] : memref<?xi32>
    LATE
    vyre.barrier grid_sync
    scf.yield %to, %from : memref<?xi32>, memref<?xi32>
  }
  %r = vyre.load %x[%i] : memref<?xi32>
  vyre.store %r, %y[%i] : memref<?xi32>
}
"""


@pytest.mark.parametrize("place", ["EARLY", "LATE"])
@pytest.mark.parametrize("condition", ["eq, %i, %c3", "ult, %i, %c5", "uge, %i, %c0"])
@pytest.mark.parametrize("order", ORDERS)
def test_carried_buffers(place: str, condition: str, order: Order):
    """Everyone agrees on which buffer is which, whoever has returned."""
    text = PING_PONG.replace("CONDITION", condition).replace(place, LEAVE)
    text = text.replace("EARLY", "").replace("LATE", "")
    arguments = {"a": np.arange(8, dtype=np.int32), "b": np.zeros(8, np.int32)}
    before, after, _ = before_and_after(text, arguments, 2, order)
    assert_same(after, before)


@pytest.mark.parametrize("place", ["EARLY", "LATE"])
@pytest.mark.parametrize("order", ORDERS)
def test_carried_buffers_without_a_barrier(place: str, order: Order):
    """The grid agrees on the trips of a loop that has none, so it meets to do so."""
    text = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = vyre.invocation_id x
  %gone = arith.cmpi ult, %i, %c3 : index
  EARLY
  %x, %y, %n = scf.while (%from = %a, %to = %b, %k = %c0) : (memref<?xi32>, memref<?xi32>,
      index) -> (memref<?xi32>, memref<?xi32>, index) {
    %go = arith.cmpi ult, %k, %c3 : index
    scf.condition(%go) %from, %to, %k : memref<?xi32>, memref<?xi32>, index
  } do {
  ^bb0(%from: memref<?xi32>, %to: memref<?xi32>, %k: index):
    %v = vyre.load %from[%i] : memref<?xi32>
    %w = arith.addi %v, %v : i32
    vyre.store %w, %to[%i] : memref<?xi32>
    LATE
    %next = arith.addi %k, %c1 : index
    scf.yield %to, %from, %next : memref<?xi32>, memref<?xi32>, index
  }
  %v = vyre.load %x[%i] : memref<?xi32>
  %w = arith.addi %v, %v : i32
  vyre.store %w, %x[%i] : memref<?xi32>
}
"""
    text = text.replace(place, LEAVE).replace("EARLY", "").replace("LATE", "")
    arguments = {"a": np.arange(8, dtype=np.int32), "b": np.zeros(8, np.int32)}
    before, after, module = before_and_after(text, arguments, 2, order)
    assert_same(after, before)
    assert asks_anyone(module)


@pytest.mark.parametrize("order", ORDERS)
def test_carried_buffers_and_a_uniform_return(order: Order):
    text = PING_PONG.replace("CONDITION", "eq, %c3, %c3").replace("EARLY", "")
    text = text.replace("LATE", LEAVE.replace("%gone", "%done"))
    text = text.replace("%next =", "%done = arith.cmpi eq, %k, %c3 : index\n%next =")
    arguments = {"a": np.arange(8, dtype=np.int32), "b": np.zeros(8, np.int32)}
    before, after, module = before_and_after(text, arguments, 2, order)
    assert_same(after, before)
    assert [op for op in module.walk() if isinstance(op, scf.WhileOp)]


def test_no_barrier_is_added_where_nobody_meets():
    """A loop with a uniform result is left early if nothing uniform depends on it."""
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<8xindex>
  %c1 = arith.constant 1 : index
  %n = vyre.length %out, 0 : memref<8xindex>
  %i = vyre.invocation_id x
  %gone = arith.cmpi ugt, %i, %c1 : index
  LEAVE
  %log = scf.while (%k = %c1) : (index) -> (index) {
    %small = arith.cmpi ult, %k, %n : index
    scf.condition(%small) %k : index
  } do {
  ^bb0(%k: index):
    %twice = arith.addi %k, %k : index
    scf.yield %twice : index
  }
  vyre.store %log, %out[%i] : memref<8xindex>
}
""".replace("LEAVE", LEAVE)
    before, after, module = before_and_after(text, {"out": np.zeros(8, np.int64)}, 2)
    assert before["out"].tolist() == after["out"].tolist() == [8, 8] + [0] * 6
    assert not [op for op in module.walk() if isinstance(op, BarrierOp)]


def test_a_tokens_way_through_a_loop():
    """Copies are started and waited for by all; who has returned copies nothing."""
    text = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<8xi32>
  %copy = vyre.buffer "copy" read_write binding 2 : memref<8xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %t = vyre.async_load %a[%i], %tile[%l], %c1 : memref<?xi32>, memref<4xi32>
  %last = scf.for %k = %c0 to %c3 step %c1 iter_args(%u = %t) -> (!vyre.token) {
    vyre.async_wait %u
    %v = vyre.load %tile[%l] : memref<4xi32>
    %w = vyre.atomic add %v, %out[%i] : memref<8xi32>
    %gone = arith.cmpi ugt, %i, %k : index
    LEAVE
    %t2 = vyre.async_load %a[%i], %tile[%l], %c1 : memref<?xi32>, memref<4xi32>
    scf.yield %t2 : !vyre.token
  }
  vyre.async_wait %last
  %s = vyre.async_store %tile[%l], %copy[%i], %c1 : memref<4xi32>, memref<8xi32>
  vyre.async_wait %s
}
""".replace("LEAVE", LEAVE)
    arguments = {
        "a": np.arange(10, 18, dtype=np.int32),
        "out": np.zeros(8, np.int32),
        "copy": np.zeros(8, np.int32),
    }
    before, after, _ = before_and_after(text, arguments, 2)
    assert before["out"].tolist() == [30, 11, 12, 13, 14, 15, 16, 17]
    assert before["copy"].tolist() == [10] + [0] * 7
    assert_same(after, before)


def test_a_token_that_goes_into_a_loop():
    """Whoever has returned waits for it, too, in the loop's first region."""
    text = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<8xi32>
  %c1 = arith.constant 1 : index
  %eight = arith.constant 8 : i32
  %i = vyre.invocation_id x
  %gone = arith.cmpi ugt, %i, %c1 : index
  LEAVE
  %t = vyre.async_load %a[%i], %out[%i], %c1 : memref<?xi32>, memref<8xi32>
  scf.while (%u = %t) : (!vyre.token) -> () {
    vyre.async_wait %u
    %v = vyre.atomic add %eight, %out[%i] : memref<8xi32>
    %more = arith.cmpi slt, %v, %eight : i32
    scf.condition(%more)
  } do {
    %w = vyre.async_load %a[%c1], %out[%i], %c1 : memref<?xi32>, memref<8xi32>
    scf.yield %w : !vyre.token
  }
}
""".replace("LEAVE", LEAVE)
    arguments = {"a": np.array([3, 9], np.int32), "out": np.zeros(8, np.int32)}
    before, after, _ = before_and_after(text, arguments, 2)
    assert before["out"].tolist() == [17, 17] + [0] * 6
    assert_same(after, before)


@pytest.mark.parametrize("order", ORDERS)
def test_a_loop_that_comes_again_asks_again(order: Order):
    """In the second trip of the outer loop nobody is left to end the inner one."""
    text = """
vyre.program @p [4, 1, 1] {
  %go = vyre.buffer "go" read_write binding 0 : memref<1xi1>
  %trips = vyre.buffer "trips" read_write binding 1 : memref<?xi32>
  %yes = arith.constant true
  %no = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %i = vyre.invocation_id x
  scf.for %k = %c0 to %c3 step %c1 {
    scf.while () : () -> () {
      %again = vyre.load %go[%c0] : memref<1xi1>
      scf.condition(%again)
    } do {
      vyre.barrier grid_sync
      vyre.store %no, %go[%c0] : memref<1xi1>
      %n = vyre.atomic add %one, %trips[%i] : memref<?xi32>
      vyre.barrier grid_sync
      scf.yield
    }
    vyre.barrier grid_sync
    vyre.store %yes, %go[%c0] : memref<1xi1>
    vyre.barrier grid_sync
    %gone = arith.cmpi uge, %i, %c0 : index
    LEAVE
  }
}
""".replace("LEAVE", LEAVE)
    arguments = {"go": np.ones(1, np.bool_), "trips": np.zeros(8, np.int32)}
    before, after, module = before_and_after(text, arguments, 2, order)
    assert before["trips"].tolist() == [1] * 8
    assert_same(after, before)
    assert asks_anyone(module)
