"""The reference engine: invocations, memory, control flow and how dispatches end."""

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.dialects.vyre.attributes import AtomicKind
from vyre.runtime.errors import DivergentBarrier, Timeout, Trapped, UnsupportedFeature
from vyre.runtime.reference import atomics
from vyre.runtime.reference.engine import Dispatch, Order

Array = NDArray[Any]
OUT = '%out = vyre.buffer "out" read_write binding 0 : memref<?xi32>'
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = vyre.invocation_id x
  %x32 = arith.index_cast %x : index to i32
"""


def run(
    body: str,
    size: int | tuple[int, ...] = 8,
    *,
    workgroup: str = "[4, 1, 1]",
    grid: object = 2,
    **options: Any,
) -> Array:
    """Run a program with an i32 buffer `out` of zeros, and give it back."""
    shape = size if isinstance(size, tuple) else (size,)
    declaration = OUT.replace("?", "x".join("?" * len(shape)))
    exe = vyre.compile(
        f"vyre.program @p {workgroup} {{\n{declaration}\n{CONSTANTS}\n{body}\n}}"
    )
    return exe(out=np.zeros(shape, np.int32), grid=grid, **options)["out"]


STORE = "vyre.store %v, %out[%x] : memref<?xi32>"


# Invocations


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


# Control flow


@pytest.mark.parametrize(
    ("type", "lower", "upper", "step", "trips"),
    [
        ("index", 0, 5, 2, [0, 2, 4]),
        ("index", 3, 3, 1, []),
        ("index", 5, 0, 1, []),
        ("index", 0, 5, 0, []),
        ("index", 0, 5, -1, []),
        ("index", -3, 2, 2, [-3, -1, 1]),
        ("i8", 100, 127, 20, [100, 120]),
        ("i8", -128, 127, 100, [-128, -28, 72]),
        ("i64", 2**63 - 3, 2**63 - 1, 5, [2**63 - 3]),
        ("index", -(2**63), 2**63 - 1, 2**62, [-(2**63), -(2**62), 0, 2**62]),
    ],
)
def test_trips_of_a_for_loop(
    type: str, lower: int, upper: int, step: int, trips: list[int]
):
    """Also where the induction variable would wrap around."""
    # The value 0, once for all invocations and once for each of them.
    nothing = {
        "i8": "arith.trunci %x64 : i64 to i8",
        "i64": "arith.addi %x64, %x64 : i64",
        "index": "arith.index_cast %x64 : i64 to index",
    }[type]
    loop_type = "" if type == "index" else f": {type}"
    for origin in ('vyre.param "none" : index', "vyre.invocation_id x"):
        names = ["lb", "ub", "st"]
        params = "".join(f'%{n}_p = vyre.param "{n}" : {type}\n' for n in names)
        values = "".join(f"%{n} = arith.addi %{n}_p, %nil : {type}\n" for n in names)
        exe = vyre.compile(f"""
vyre.program @p [2, 1, 1] {{
  %seen = vyre.buffer "seen" read_write binding 0 : memref<8x{type}>
  %count = vyre.buffer "count" read_write binding 1 : memref<1xindex>
  {params}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %origin = {origin}
  %same = arith.subi %origin, %origin : index
  %x64 = arith.index_cast %same : index to i64
  %nil = {nothing}
  {values}
  %r = scf.for %k = %lb to %ub step %st iter_args(%n = %c0) -> (index) {loop_type} {{
    vyre.store %k, %seen[%n] : memref<8x{type}>
    %n1 = arith.addi %n, %c1 : index
    scf.yield %n1 : index
  }}
  vyre.store %r, %count[%c0] : memref<1xindex>
}}
""")
        dtype = {"i8": np.int8, "i64": np.int64, "index": np.int64}[type]
        arguments: dict[str, object] = {
            "seen": np.zeros(8, dtype),
            "count": np.zeros(1, np.int64),
            "lb": lower,
            "ub": upper,
            "st": step,
        }
        if "param" in origin:
            arguments["none"] = 0
        result = exe(arguments, grid=1)
        assert list(result["seen"][: result["count"][0]]) == trips


def test_divergent_while_keeps_each_invocations_own_values():
    found = run(f"""
  %r:2 = scf.while (%n = %x32, %steps = %zero) : (i32, i32) -> (i32, i32) {{
    %go = arith.cmpi sgt, %n, %one : i32
    scf.condition(%go) %n, %steps : i32, i32
  }} do {{
  ^bb0(%n: i32, %steps: i32):
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %odd = arith.andi %n, %one : i32
    %is_odd = arith.trunci %odd : i32 to i1
    %next = scf.if %is_odd -> (i32) {{
      %a = arith.muli %n, %three : i32
      %b = arith.addi %a, %one : i32
      scf.yield %b : i32
    }} else {{
      %h = arith.divui %n, %two : i32
      scf.yield %h : i32
    }}
    %more = arith.addi %steps, %one : i32
    scf.yield %next, %more : i32, i32
  }}
  %v = arith.addi %r#1, %zero : i32
  {STORE}
""")

    def collatz(n: int) -> int:
        return 0 if n <= 1 else 1 + collatz(n * 3 + 1 if n % 2 else n // 2)

    np.testing.assert_array_equal(found, [collatz(n) for n in range(8)])


def test_swapped_loop_values():
    found = run(f"""
  %three = arith.constant 3 : index
  %a, %b = scf.for %k = %c0 to %three step %c1
      iter_args(%p = %x32, %q = %one) -> (i32, i32) {{
    scf.yield %q, %p : i32, i32
  }}
  %ten = arith.constant 10 : i32
  %t = arith.muli %a, %ten : i32
  %v = arith.addi %t, %b : i32
  {STORE}
""")
    np.testing.assert_array_equal(found, [10 + x for x in range(8)])


def test_cells_are_per_invocation_and_survive_barriers():
    found = run(f"""
  %cell = vyre.let "total" = %x32 : i32
  scf.for %k = %c0 to %x step %c1 {{
    %old = vyre.get %cell : !vyre.cell<i32>
    %new = arith.addi %old, %one : i32
    vyre.assign %new, %cell : !vyre.cell<i32>
  }}
  vyre.barrier grid_sync
  %v = vyre.get %cell : !vyre.cell<i32>
  {STORE}
""")
    np.testing.assert_array_equal(found, np.arange(8) * 2)


# Memory


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
    exe = vyre.compile("""
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
""")
    np.testing.assert_array_equal(exe(a=np.zeros(0, np.int32))["out"], [0, 0, 0, 0])


def test_zero_dimensional_buffers():
    exe = vyre.compile("""
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<f32>
  %v = vyre.load %a[] : memref<f32>
  %w = arith.addf %v, %v : f32
  vyre.store %w, %a[] : memref<f32>
}
""")
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
    exe = vyre.compile("""
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
""")
    zeros = np.zeros(4, np.int32)
    result = exe(a=zeros, b=zeros.copy(), steps=3)
    assert (list(result["a"]), list(result["b"])) == ([2] * 4, [3] * 4)


@pytest.mark.parametrize(("start", "count"), [(0, 3), (2, 10), (-2, 4), (5, 2), (1, 0)])
def test_asynchronous_copies(start: int, count: int):
    exe = vyre.compile("""
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<5xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<4xi32>
  %start = vyre.param "start" : index
  %count = vyre.param "count" : index
  %c1 = arith.constant 1 : index
  %t = vyre.async_load %a[%start], %out[%c1], %count : memref<5xi32>, memref<4xi32>
  vyre.async_wait %t
}
""")
    a = np.arange(10, 15, dtype=np.int32)
    wanted = np.full(4, -1, np.int32)
    for k in range(count):
        if 1 + k < 4:
            wanted[1 + k] = a[start + k] if 0 <= start + k < 5 else 0
    result = exe(a=a, out=np.full(4, -1, np.int32), start=start, count=count, grid=1)
    np.testing.assert_array_equal(result["out"], wanted)


# Atomics

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


# Subgroups


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
    exe = vyre.compile("""
vyre.program @p [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<32xf32>
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<32xf32>
  %r = vyre.subgroup_reduce add %v : f32
  vyre.store %r, %a[%x] : memref<32xf32>
}
""")
    values = np.random.default_rng(0).random(32).astype(np.float32) * 1e8
    tree = values.copy()
    for distance in (16, 8, 4, 2, 1):
        tree = tree[:distance] + tree[distance : 2 * distance]
    assert (exe(a=values)["a"] == tree[0]).all()


# Collectives, schedules and orders


def test_collectives_of_one_rank():
    exe = vyre.compile("""
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<2xi32>
  %x = vyre.invocation_id x
  %v = arith.index_cast %x : index to i32
  vyre.store %v, %a[%x] : memref<4xi32>
  vyre.all_reduce add %a : memref<4xi32>
  vyre.all_gather %a, %b : memref<4xi32>, memref<2xi32>
  vyre.broadcast %b root 0 : memref<2xi32>
}
""")
    result = exe(a=np.zeros(4, np.int32), b=np.zeros(2, np.int32))
    assert (list(result["a"]), list(result["b"])) == ([0, 1, 2, 3], [0, 1])


def test_other_ranks_are_refused():
    exe = vyre.compile("""
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  vyre.broadcast %a root 1 : memref<4xi32>
}
""")
    with pytest.raises(UnsupportedFeature, match="there is no rank 1"):
        exe(a=np.zeros(4, np.int32))


SCHEDULE = """
vyre.program @p.0 [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %mine = vyre.buffer "mine" write_only binding 1 : memref<?xi32>
  %go = vyre.buffer "go" write_only binding 2 : memref<1xi1>
  %limit = vyre.param "limit" : i32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<?xi32>
  %w = arith.addi %v, %one : i32
  vyre.store %w, %a[%x] : memref<?xi32>
  vyre.store %w, %mine[%x] : memref<?xi32>
  %more = arith.cmpi slt, %w, %limit : i32
  vyre.store %more, %go[%c0] : memref<1xi1>
}
vyre.program @p.1 [4, 1, 1] {
  %mine = vyre.buffer "mine" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 1 : memref<?xi32>
  %x = vyre.invocation_id x
  %v = vyre.load %mine[%x] : memref<?xi32>
  vyre.store %v, %out[%x] : memref<?xi32>
}
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 1 : memref<?xi32>
  %limit = vyre.param "limit" : i32
  %mine = vyre.scratch per_invocation : memref<?xi32>
  %go = vyre.scratch single : memref<1xi1>
  vyre.launch @p.0(%a, %mine, %go, %limit)
  scf.while () : () -> () {
    %c = vyre.read_back %go[0] : memref<1xi1>
    scf.condition(%c)
  } do {
    vyre.launch @p.0(%a, %mine, %go, %limit)
    scf.yield
  }
  vyre.launch @p.1(%mine, %out)
}
"""


def test_schedules_run():
    zeros = np.zeros(8, np.int32)
    result = vyre.compile(SCHEDULE)(a=zeros, out=zeros.copy(), limit=5)
    np.testing.assert_array_equal(result["out"], np.full(8, 5))
    np.testing.assert_array_equal(result["a"], np.full(8, 5))


def test_orders_show_a_hidden_dependence():
    """Not valid: it reads what others write in the same phase."""
    body = f"""
  %left = arith.subi %x, %c1 : index
  %theirs = vyre.load %out[%left] : memref<?xi32>
  %v = arith.addi %theirs, %one : i32
  {STORE}
"""
    one_by_one = [
        run(body, workgroup="[1, 1, 1]", grid=8, order=o) for o in ("in_order", "reversed")
    ]
    assert not np.array_equal(one_by_one[0], one_by_one[1])


def test_divergent_barriers_are_caught_while_running():
    """The verifier refuses these; the engine does not rely on it."""
    module = vyre.parse("""
vyre.program @p [4, 1, 1] {
  %x = vyre.invocation_id x
  %c2 = arith.constant 2 : index
  %some = arith.cmpi ult, %x, %c2 : index
  scf.if %some {
  }
  vyre.barrier grid_sync
}
""")
    program = next(op for op in module.walk() if isinstance(op, ProgramOp))
    barrier = program.body.block.last_op
    assert barrier is not None
    branch = barrier.prev_op
    assert branch is not None
    barrier.detach()
    end = branch.regions[0].block.last_op
    assert end is not None
    branch.regions[0].block.insert_op_before(barrier, end)
    cases: list[tuple[Order, int]] = [("lockstep", 1), ("in_order", 2), ("lockstep", 2)]
    for order, groups in cases:
        with pytest.raises(DivergentBarrier, match="does not come to this barrier"):
            Dispatch((groups, 1, 1), order=order).run(program, {})
