"""Control flow as CUDA C++, where it is easily wrong, against the reference engine."""

from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device
from numpy.typing import NDArray

import vyre
from vyre.runtime.cuda.backend import CudaBackend

pytestmark = pytest.mark.core


def check(body: str, table: str = "", **values: Any) -> NDArray[Any]:
    """Run a program that fills `out`, on one invocation; gives what is in it."""
    text = f"""
vyre.program @p [1, 1, 1] {{
  %out = vyre.buffer "out" read_write binding 9 : memref<8xi64>
  {table}
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %i4 = arith.constant 4 : index
  {body}
}}
"""
    arguments = {"out": np.zeros(8, np.int64), **values}
    wanted = vyre.compile(text, engine="reference")(arguments, grid=1)
    engine = CudaBackend(host_device())
    found = vyre.compile(text, engine=engine)(arguments, grid=1)
    for name, array in wanted.items():
        assert (found[name] == array).all(), (name, found[name], array)
    return found["out"]


def test_values_change_places_through_an_inner_loop():
    """The inner loop gives what the outer one carries, and the outer one swaps it."""
    out = check(
        """
  %a0 = arith.constant 1 : i64
  %b0 = arith.constant 2 : i64
  %r:2 = scf.for %k = %i0 to %i3 step %i1 iter_args(%a = %a0, %b = %b0) -> (i64, i64) {
    %c = scf.while (%x = %a) : (i64) -> i64 {
      %more = arith.cmpi slt, %x, %a : i64
      scf.condition(%more) %a : i64
    } do {
    ^trip(%x: i64):
      scf.yield %x : i64
    }
    scf.yield %b, %c : i64, i64
  }
  vyre.store %r#0, %out[%i0] : memref<8xi64>
  vyre.store %r#1, %out[%i1] : memref<8xi64>
"""
    )
    assert list(out[:2]) == [2, 1]


def test_buffers_change_places_through_an_inner_loop():
    table = """
  %a = vyre.buffer "a" read_write binding 0 : memref<1xi64>
  %b = vyre.buffer "b" read_write binding 1 : memref<1xi64>
"""
    body = """
  %r:2 = scf.for %k = %i0 to %i3 step %i1 iter_args(%p = %a, %q = %b)
      -> (memref<1xi64>, memref<1xi64>) {
    %s = scf.for %l = %i0 to %i2 step %i1 iter_args(%m = %p) -> (memref<1xi64>) {
      scf.yield %m : memref<1xi64>
    }
    %t:2 = scf.while (%u = %p, %v = %q) : (memref<1xi64>, memref<1xi64>)
        -> (memref<1xi64>, memref<1xi64>) {
      %never = arith.constant false
      scf.condition(%never) %q, %p : memref<1xi64>, memref<1xi64>
    } do {
    ^trip(%u: memref<1xi64>, %v: memref<1xi64>):
      scf.yield %v, %u : memref<1xi64>, memref<1xi64>
    }
    %x = vyre.load %s[%i0] : memref<1xi64>
    vyre.store %x, %out[%k] : memref<8xi64>
    scf.yield %t#0, %t#1 : memref<1xi64>, memref<1xi64>
  }
"""
    out = check(body, table, a=np.array([5]), b=np.array([7]))
    assert list(out[:3]) == [5, 7, 5]


@pytest.mark.parametrize(
    ("type", "bounds"),
    [
        ("i8", (120, 127, 5)),
        ("i8", (-128, 127, 100)),
        ("i8", (5, -5, 1)),
        ("i8", (0, 5, -1)),
        ("i16", (-3, 3, 2)),
        ("i32", (2**31 - 4, 2**31 - 1, 2)),
        ("index", (2**63 - 9, 2**63 - 1, 5)),
        ("index", (-(2**63), -(2**63) + 4, 3)),
        ("index", (-2, 2, 1)),
        ("index", (0, -1, 1)),
    ],
)
def test_counting_to_the_limits(type: str, bounds: tuple[int, int, int]):
    """With bounds that are not known before, so that nothing can be proved about them."""
    table = "".join(f'%{n} = vyre.param "{n}" : {type}\n' for n in ("lb", "ub", "by"))
    cast = "%x = arith.index_cast %k : index to i64"
    body = f"""
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.for %k = %lb to %ub step %by iter_args(%n = %none, %last = %none)
      -> (i64, i64) : {type} {{
    {cast if type == "index" else f"%x = arith.extsi %k : {type} to i64"}
    %m = arith.addi %n, %one : i64
    scf.yield %m, %x : i64, i64
  }}
  vyre.store %r#0, %out[%i0] : memref<8xi64>
  vyre.store %r#1, %out[%i1] : memref<8xi64>
"""
    lb, ub, by = bounds
    out = check(body, table, lb=lb, ub=ub, by=by)
    assert list(out[:2]) == [len(range(lb, ub, max(1, by))) * (by > 0), out[1]]


def test_a_loaded_value_is_that_of_its_time():
    """Although it is used once, after a store; also if a region gives it."""
    out = check(
        """
  %seven = arith.constant 7 : i64
  %one = arith.constant 1 : i64
  %x = vyre.load %out[%i0] : memref<8xi64>
  %old = vyre.region "part" -> (i64) {
    %y = vyre.load %out[%i0] : memref<8xi64>
    vyre.yield %y : i64
  }
  %sum = arith.addi %x, %one : i64
  vyre.store %seven, %out[%i0] : memref<8xi64>
  vyre.store %sum, %out[%i1] : memref<8xi64>
  vyre.store %old, %out[%i2] : memref<8xi64>
  %loop = scf.for %k = %i3 to %i4 step %i1 iter_args(%z = %one) -> (i64) {
    %w = vyre.load %out[%i0] : memref<8xi64>
    vyre.store %one, %out[%i0] : memref<8xi64>
    scf.yield %w : i64
  }
  vyre.store %loop, %out[%i3] : memref<8xi64>
"""
    )
    assert list(out[:4]) == [1, 1, 0, 7]


def test_ends_inside_branches():
    """What follows a branch with an end is the other arm."""
    table = '%c = vyre.param "c" : i1'
    body = """
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  vyre.store %one, %out[%i0] : memref<8xi64>
  %x = scf.if %c -> (i64) {
    %y = vyre.load %out[%i0] : memref<8xi64>
    %z = arith.addi %y, %two : i64
    vyre.store %z, %out[%i1] : memref<8xi64>
    scf.yield %z : i64
  } else {
    vyre.store %two, %out[%i2] : memref<8xi64>
    vyre.return
    scf.yield %two : i64
  }
  vyre.store %x, %out[%i3] : memref<8xi64>
"""
    assert list(check(body, table, c=True)[:4]) == [1, 3, 0, 3]
    assert list(check(body, table, c=False)[:4]) == [1, 0, 2, 0]
