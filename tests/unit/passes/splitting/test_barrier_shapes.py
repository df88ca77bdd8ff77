"""
Where barriers can stand: the shapes that are known to break compilers which fission loops
at workgroup barriers, here with barriers of the whole grid.

In most programs the row `a` turns by one place wherever a barrier stands: each invocation
takes over its right neighbour's number. One that is not waited for shows in the result.
"""

from typing import Any

import numpy as np
import pytest
from split_cases import OUT, A, B, N, Way, program

ROW = list(range(8))
ZEROS = [0] * 8

NEXT = """
  %after = arith.addi %x, %c1 : index
  %next = arith.remui %after, %c8 : index
"""


def turn(name: str) -> str:
    """Code that turns `a` by one place: `%name` is the number that the invocation gets."""
    return f"""
      %{name} = vyre.load %a[%next] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %{name}, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
    """


def turned(places: int) -> list[int]:
    return [(k + places) % 8 for k in ROW]


def test_conditional_barriers_in_a_for(behaves: Way):
    """Every other trip has barriers, the others have none."""
    code = f"""
      scf.for %k = %c0 to %c5 step %c1 {{
        %bit = arith.andi %k, %c1 : index
        %is_even = arith.cmpi eq, %bit, %c0 : index
        scf.if %is_even {{
          {turn("v")}
        }}
        %old = vyre.atomic add %i1, %out[%x] : memref<?xi32>
      }}
    """
    gives = {"a": turned(3), "out": [5] * 8}
    behaves(program(A, OUT, NEXT, code), {"a": ROW, "out": ZEROS}, gives=gives)


@pytest.mark.parametrize(("trips", "at"), [(0, 0), (1, 0), (4, 2), (4, 7)])
def test_conditional_barrier_in_a_loop_of_variable_length(
    behaves: Way, trips: int, at: int
):
    """How many trips there are, and in which of them they wait, comes from memory."""
    code = f"""
      %trips32 = vyre.load %b[%c0] : memref<?xi32>
      %at32 = vyre.load %b[%c1] : memref<?xi32>
      %trips = arith.index_cast %trips32 : i32 to index
      %at = arith.index_cast %at32 : i32 to index
      scf.for %k = %c0 to %trips step %c1 {{
        %old = vyre.atomic add %i1, %out[%x] : memref<?xi32>
        %waits = arith.cmpi eq, %k, %at : index
        scf.if %waits {{
          {turn("v")}
        }}
      }}
    """
    behaves(
        program(A, B, OUT, NEXT, code),
        {"a": ROW, "b": [trips, at], "out": ZEROS},
        gives={"a": turned(int(at < trips)), "b": [trips, at], "out": [trips] * 8},
    )


@pytest.mark.parametrize("both", [False, True])
def test_loop_with_several_ways_to_its_next_trip(behaves: Way, both: bool):
    """As `continue` makes them: the arms hand on different values, and wait or not."""
    code = f"""
      %sum = scf.for %k = %c0 to %c6 step %c1 iter_args(%s = %i0) -> (i32) {{
        %third = arith.remui %k, %c3 : index
        %is_third = arith.cmpi eq, %third, %c0 : index
        %more = scf.if %is_third -> (i32) {{
          {turn("v")}
          %with_v = arith.addi %s, %v : i32
          scf.yield %with_v : i32
        }} else {{
          {turn("w") if both else "%w = vyre.load %a[%x] : memref<?xi32>"}
          %tenfold = arith.muli %w, %i10 : i32
          %with_w = arith.addi %s, %tenfold : i32
          scf.yield %with_w : i32
        }}
        scf.yield %more : i32
      }}
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    row, sums = np.array(ROW), np.zeros(8, int)
    for k in range(6):
        if k % 3 == 0:
            row = np.roll(row, -1)
            sums += row
        else:
            row = np.roll(row, -1) if both else row
            sums += 10 * row
    gives = {"a": row, "out": sums}
    behaves(program(A, OUT, NEXT, code), {"a": ROW, "out": ZEROS}, gives=gives)


def test_barriers_in_nested_loops(behaves: Way):
    """Barriers in the inner loop, before it and after it."""
    code = f"""
      scf.for %k = %c0 to %c2 step %c1 {{
        {turn("u")}
        scf.for %j = %c0 to %c3 step %c1 {{
          {turn("v")}
          %old = vyre.atomic add %v, %out[%x] : memref<?xi32>
        }}
        {turn("w")}
      }}
    """
    # Turned by 1, then 2, 3, 4 (added), 5, 6, then 7, 8, 9 (added), 10.
    sums = [sum((k + places) % 8 for places in (2, 3, 4, 7, 8, 9)) for k in ROW]
    gives = {"a": turned(10), "out": sums}
    behaves(program(A, OUT, NEXT, code), {"a": ROW, "out": ZEROS}, gives=gives)


def test_barriers_only_in_the_inner_of_two_loops(behaves: Way):
    """The inner one makes as many trips as the outer one says: 0, 1 and 2."""
    code = f"""
      scf.for %k = %c0 to %c3 step %c1 {{
        %old = vyre.atomic add %i100, %out[%x] : memref<?xi32>
        scf.for %j = %c0 to %k step %c1 {{
          {turn("v")}
        }}
        %ten = vyre.atomic add %i10, %out[%x] : memref<?xi32>
      }}
    """
    gives = {"a": turned(3), "out": [330] * 8}
    behaves(program(A, OUT, NEXT, code), {"a": ROW, "out": ZEROS}, gives=gives)


def test_value_from_before_the_loop_changes_behind_its_barrier(behaves: Way):
    """What a trip uses before the barrier is the last trip's value, after it its own."""
    code = f"""
      %start = vyre.load %a[%x] : memref<?xi32>
      %last, %sum = scf.for %k = %c0 to %c3 step %c1
          iter_args(%v = %start, %s = %i0) -> (i32, i32) {{
        %with_old = arith.addi %s, %v : i32
        {turn("w")}
        %new = arith.muli %w, %i10 : i32
        %with_both = arith.addi %with_old, %new : i32
        scf.yield %new, %with_both : i32, i32
      }}
      vyre.store %sum, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %last, %a[%x] : memref<?xi32>
    """
    values = [np.array(ROW)] + [10 * np.array(turned(k)) for k in (1, 2, 3)]
    sums = sum(values[k] + values[k + 1] for k in range(3))
    gives = {"a": values[3], "out": sums}
    behaves(program(A, OUT, NEXT, code), {"a": ROW, "out": ZEROS}, gives=gives)


@pytest.mark.parametrize("n", [0, 3])
def test_loop_in_which_no_trip_comes_to_the_barrier(behaves: Way, n: int):
    """Its condition is never true, but nobody can know before."""
    code = f"""
      scf.for %k = %c0 to %n step %c1 {{
        %waits = arith.cmpi eq, %k, %c9 : index
        scf.if %waits {{
          {turn("v")}
        }}
        %old = vyre.atomic add %i1, %out[%x] : memref<?xi32>
      }}
    """
    inputs: dict[str, Any] = {"a": ROW, "out": ZEROS, "n": n}
    behaves(program(A, OUT, N, NEXT, code), inputs, gives={"a": ROW, "out": [n] * 8})


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_barriers_in_branches_in_branches(behaves: Way, n: int):
    """Four ways, with no, one, two and three turns."""
    code = f"""
      %low = arith.andi %n, %c1 : index
      %high = arith.andi %n, %c2 : index
      %has_low = arith.cmpi ne, %low, %c0 : index
      %has_high = arith.cmpi ne, %high, %c0 : index
      %v = scf.if %has_high -> (i32) {{
        {turn("first")}
        {turn("second")}
        %inner = scf.if %has_low -> (i32) {{
          {turn("third")}
          scf.yield %third : i32
        }} else {{
          scf.yield %second : i32
        }}
        scf.yield %inner : i32
      }} else {{
        scf.if %has_low {{
          {turn("only")}
        }}
        %loaded = vyre.load %a[%x] : memref<?xi32>
        scf.yield %loaded : i32
      }}
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    inputs: dict[str, Any] = {"a": ROW, "out": ZEROS, "n": n}
    gives = {"a": turned(n), "out": turned(n)}
    behaves(program(A, OUT, N, NEXT, code), inputs, gives=gives)


def test_barriers_that_follow_each_other(behaves: Way):
    """Nothing happens between them, nor before the first and after the last."""
    code = f"""
      vyre.barrier grid_sync
      vyre.barrier grid_sync
      {turn("v")}
      vyre.barrier grid_sync
      vyre.barrier grid_sync
    """
    behaves(program(A, NEXT, code), {"a": ROW}, gives={"a": turned(1)})


def test_nothing_but_barriers(behaves: Way):
    """There is nothing to launch, and still a program to run."""
    behaves(program(A, "vyre.barrier grid_sync\n" * 3), {"a": ROW}, gives={"a": ROW})


def test_loop_with_nothing_but_a_barrier(behaves: Way):
    """Its trips count, and nothing else."""
    code = """
      %trips = scf.for %k = %c0 to %c3 step %c1 iter_args(%t = %x32) -> (i32) {
        vyre.barrier grid_sync
        %more = arith.addi %t, %i1 : i32
        scf.yield %more : i32
      }
      vyre.store %trips, %out[%x] : memref<?xi32>
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": [k + 3 for k in ROW]})


def test_barriers_in_regions_in_loops(behaves: Way):
    """Regions around code are no boundary, in whatever stands around them."""
    code = f"""
      %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %i0) -> (i32) {{
        %both = vyre.region "outer" from "a.loop" -> (i32) {{
          %first = vyre.region "inner" -> (i32) {{
            {turn("v")}
            vyre.yield %v : i32
          }}
          {turn("w")}
          %tenfold = arith.muli %first, %i10 : i32
          %sum_of_both = arith.addi %tenfold, %w : i32
          vyre.yield %sum_of_both : i32
        }}
        %more = arith.addi %s, %both : i32
        scf.yield %more : i32
      }}
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    sums = np.zeros(8, int)
    for places in (1, 3):
        sums += 10 * np.array(turned(places)) + np.array(turned(places + 1))
    gives = {"a": turned(4), "out": sums}
    behaves(program(A, OUT, NEXT, code), {"a": ROW, "out": ZEROS}, gives=gives)


def test_workgroup_barriers_in_a_loop_beside_grid_barriers(behaves: Way):
    """The inner loop waits for the workgroup only, and belongs to one segment."""
    code = """
      %tile = vyre.buffer "tile" workgroup : memref<4xi32>
      %l_after = arith.addi %l, %c1 : index
      %l_next = arith.remui %l_after, %c4 : index
      scf.for %k = %c0 to %c2 step %c1 {
        %v = vyre.load %a[%next] : memref<?xi32>
        vyre.store %v, %tile[%l] : memref<4xi32>
        scf.for %j = %c0 to %c3 step %c1 {
          vyre.barrier acq_rel
          %w = vyre.load %tile[%l_next] : memref<4xi32>
          vyre.barrier acq_rel
          vyre.store %w, %tile[%l] : memref<4xi32>
        }
        vyre.barrier grid_sync
        %u = vyre.load %tile[%l] : memref<4xi32>
        vyre.store %u, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
      }
    """
    row = np.array(ROW)
    for _ in range(2):
        row = np.roll(np.roll(row, -1).reshape(2, 4), -3, axis=1).reshape(8)
    behaves(program(A, NEXT, code), {"a": ROW}, gives={"a": row})


def test_workgroup_barriers_where_only_a_workgroup_agrees(behaves: Way):
    """Workgroup 1 makes two trips and waits, workgroup 0 none; both meet later."""
    code = """
      %tile = vyre.buffer "tile" workgroup : memref<4xi32>
      %other = arith.subi %c3, %l : index
      %trips = arith.muli %g, %c2 : index
      %v = vyre.load %a[%x] : memref<?xi32>
      vyre.store %v, %tile[%l] : memref<4xi32>
      vyre.barrier grid_sync
      scf.for %k = %c0 to %trips step %c1 {
        vyre.barrier acq_rel
        %w = vyre.load %tile[%other] : memref<4xi32>
        %more = arith.addi %w, %i10 : i32
        vyre.barrier acq_rel
        vyre.store %more, %tile[%l] : memref<4xi32>
      }
      vyre.barrier grid_sync
      %u = vyre.load %tile[%l] : memref<4xi32>
      vyre.store %u, %a[%x] : memref<?xi32>
    """
    behaves(program(A, code), {"a": ROW}, gives={"a": [0, 1, 2, 3, 24, 25, 26, 27]})


@pytest.mark.parametrize("n", [0, 1, 3])
def test_step_and_start_of_a_loop_come_from_outside(behaves: Way, n: int):
    """From `n` by threes up to 8; the numbers are seen on both sides of the barrier."""
    code = f"""
      scf.for %k = %n to %c8 step %c3 {{
        %number = arith.index_cast %k : index to i32
        %before = vyre.atomic add %number, %out[%x] : memref<?xi32>
        {turn("v")}
        %tenfold = arith.muli %number, %i10 : i32
        %behind = vyre.atomic add %tenfold, %out[%x] : memref<?xi32>
      }}
    """
    trips = range(n, 8, 3)
    inputs: dict[str, Any] = {"a": ROW, "out": ZEROS, "n": n}
    gives = {"a": turned(len(trips)), "out": [11 * sum(trips)] * 8}
    behaves(program(A, OUT, N, NEXT, code), inputs, gives=gives)
