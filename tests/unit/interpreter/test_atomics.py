"""Atomics and subgroups, against one-by-one answers."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_programs import STORE, run

import vyre
from vyre.dialects.vyre.attributes import AtomicKind
from vyre.interpreter import atomics

KINDS: dict[AtomicKind, Callable[[int, int], int]] = {
    AtomicKind.ADD: lambda a, b: a + b,
    AtomicKind.AND: lambda a, b: a & b,
    AtomicKind.OR: lambda a, b: a | b,
    AtomicKind.XOR: lambda a, b: a ^ b,
    AtomicKind.MIN: min,
    AtomicKind.MAX: max,
    AtomicKind.UMIN: lambda a, b: min(a, b, key=lambda v: v % 2**32),
    AtomicKind.UMAX: lambda a, b: max(a, b, key=lambda v: v % 2**32),
    AtomicKind.EXCHANGE: lambda a, b: b,
}
small = st.integers(-5, 5)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), small), max_size=40),
    st.lists(small, min_size=4, max_size=4),
)
def test_atomics_are_as_if_one_after_the_other(
    kind: AtomicKind, accesses: list[tuple[int, int]], start: list[int]
):
    memory, old = list(start), list[int]()
    for element, value in accesses:
        old.append(memory[element])
        memory[element] = KINDS[kind](memory[element], value)
    if not accesses:
        return
    data = np.array(start, np.int32)
    elements, values = (np.array(column) for column in zip(*accesses))
    found = atomics.update(kind, data, elements, values.astype(np.int32))
    assert (list(data), list(found)) == (memory, old)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)),
        min_size=1,
        max_size=30,
    )
)
def test_compare_and_swap_is_as_if_one_after_the_other(
    accesses: list[tuple[int, int, int]],
):
    memory, old = [0, 1, 2], list[int]()
    for element, expected, desired in accesses:
        old.append(memory[element])
        if memory[element] == expected:
            memory[element] = desired
    data = np.array([0, 1, 2], np.int32)
    columns = [np.array(column, np.int64) for column in zip(*accesses)]
    found = atomics.compare_and_swap(
        data, columns[0], columns[1].astype(np.int32), columns[2].astype(np.int32)
    )
    assert (list(data), list(found)) == (memory, old)


def test_tickets_are_a_permutation():
    found = run(
        f"""
  %count = vyre.buffer "count" read_write binding 1 : memref<1xi32>
  %ticket = vyre.atomic add %one, %count[%c0] : memref<1xi32>
  vyre.barrier grid_sync
  %total = vyre.load %count[%c0] : memref<1xi32>
  %ten = arith.constant 10 : i32
  %t = arith.muli %total, %ten : i32
  %v = arith.addi %t, %ticket : i32
  {STORE}
""",
        count=np.zeros(1, np.int32),
    )
    assert sorted(found) == [80 + ticket for ticket in range(8)]


def test_subgroups_of_a_partly_filled_workgroup():
    """40 invocations: one full subgroup and one of eight; invocation 3 has returned."""
    found = run(
        f"""
  %three = arith.constant 3 : index
  %is_three = arith.cmpi eq, %x, %three : index
  scf.if %is_three {{
    vyre.return
  }}
  %sum = vyre.subgroup_reduce add %x32 : i32
  {STORE.replace("%v", "%sum")}
""",
        40,
        workgroup="[40, 1, 1]",
        grid=1,
    )
    first, second = sum(range(32)) - 3, sum(range(32, 40))
    wanted = np.r_[np.full(32, first), np.full(8, second)]
    wanted[3] = 0
    np.testing.assert_array_equal(found, wanted)


def test_ballot_and_shuffle():
    found = run(
        """
  %odd = arith.trunci %x32 : i32 to i1
  %mask = vyre.subgroup_ballot %odd
  %lane = vyre.subgroup_local_id
  %from = arith.addi %lane, %c1 : index
  %right = vyre.subgroup_shuffle %x32, %from : i32
  %h = arith.constant 1000 : i32
  %m = arith.remui %mask, %h : i32
  %mm = arith.muli %m, %h : i32
  %v = arith.addi %mm, %right : i32
  vyre.store %v, %out[%x] : memref<?xi32>
""",
        6,
        workgroup="[6, 1, 1]",
        grid=1,
    )
    mask = 0b101010
    np.testing.assert_array_equal(found, [mask * 1000 + r for r in (1, 2, 3, 4, 5, 0)])


def test_float_reductions_follow_the_tree():
    exe = vyre.compile(
        """
vyre.program @p [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<32xf32>
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<32xf32>
  %r = vyre.subgroup_reduce add %v : f32
  vyre.store %r, %a[%x] : memref<32xf32>
}
""",
        engine="reference",
    )
    values = np.random.default_rng(0).random(32).astype(np.float32) * 1e8
    tree = values.copy()
    for distance in (16, 8, 4, 2, 1):
        tree = tree[:distance] + tree[distance : 2 * distance]
    assert (exe(a=values)["a"] == tree[0]).all()


def test_sums_wrap():
    body = """
  %big = arith.constant 1000000000 : i32
  %old = vyre.atomic add %big, %out[%c0] : memref<?xi32>
"""
    assert run(body, 1, grid=1) == 4_000_000_000 - 2**32
