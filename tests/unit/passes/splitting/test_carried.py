"""Values that loops carry across grid barriers, and how the loops end."""

from typing import Any

import numpy as np
import pytest
from split_cases import OUT, TILE, A, B, N, Way, program

ROW = list(range(8))
ZEROS = [0] * 8

MIRRORED = "%mirrored = arith.subi %c7, %x : index"


def test_swapped_by_the_yield(behaves: Way):
    """Copied one after the other, one of two values would be lost."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      %w = vyre.load %b[%x] : memref<?xi32>
      %p, %q = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %v, %t = %w) -> (i32, i32) {
        vyre.barrier grid_sync
        vyre.store %s, %out[%x] : memref<?xi32>
        scf.yield %t, %s : i32, i32
      }
      vyre.barrier grid_sync
      vyre.store %p, %a[%x] : memref<?xi32>
      vyre.store %q, %b[%x] : memref<?xi32>
    """
    other = [k + 10 for k in ROW]
    behaves(
        program(OUT, A, B, code),
        {"out": ZEROS, "a": ROW, "b": other},
        gives={"out": ROW, "a": other, "b": ROW},
    )


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 4])
def test_three_values_take_turns(behaves: Way, trips: int):
    """A copy over three places needs a fourth, or the right order."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      %w = arith.addi %v, %i10 : i32
      %u = arith.addi %v, %i20 : i32
      %p, %q, %r = scf.for %k = %c0 to %n step %c1
          iter_args(%s = %v, %t = %w, %y = %u) -> (i32, i32, i32) {
        vyre.barrier grid_sync
        vyre.store %t, %out[%x] : memref<?xi32>
        scf.yield %t, %y, %s : i32, i32, i32
      }
      vyre.barrier grid_sync
      %hundreds = arith.muli %q, %i100 : i32
      %p_and_q = arith.addi %p, %hundreds : i32
      vyre.store %p_and_q, %a[%x] : memref<?xi32>
      vyre.store %r, %b[%x] : memref<?xi32>
    """
    row = np.array(ROW)
    values = [row, row + 10, row + 20]
    seen = np.array(ZEROS)
    for _ in range(trips):
        seen = values[1]
        values = [*values[1:], values[0]]
    inputs: dict[str, Any] = {"out": ZEROS, "a": ROW, "b": ZEROS, "n": trips}
    gives = {"out": seen, "a": values[0] + 100 * values[1], "b": values[2]}
    behaves(program(OUT, A, B, N, code), inputs, gives=gives)


def test_one_value_handed_to_several(behaves: Way):
    """One comes from outside in every trip, two are the same, one counts."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %i0, %a[%x] : memref<?xi32>
      %p, %q, %r = scf.for %k = %c0 to %c3 step %c1
          iter_args(%s = %i1, %t = %i2, %y = %i0) -> (i32, i32, i32) {
        %sum = arith.addi %s, %t : i32
        vyre.barrier grid_sync
        %more = arith.addi %y, %sum : i32
        scf.yield %v, %v, %more : i32, i32, i32
      }
      %hundreds = arith.muli %r, %i100 : i32
      %both = arith.addi %hundreds, %p : i32
      %all = arith.addi %both, %q : i32
      vyre.store %all, %out[%x] : memref<?xi32>
    """
    # 1 + 2, then 2v twice.
    gives = {"out": [100 * (3 + 4 * k) + 2 * k for k in ROW], "a": ZEROS}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ROW}, gives=gives)


@pytest.mark.parametrize("changes", [False, True])
def test_through_two_loops(behaves: Way, changes: bool):
    """The inner loop hands the value on as it is, or one larger each time."""
    handed_on = "%plus_one" if changes else "%t"
    code = f"""
      %v = vyre.load %a[%x] : memref<?xi32>
      %last = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %v) -> (i32) {{
        %inner = scf.for %j = %c0 to %c3 step %c1 iter_args(%t = %s) -> (i32) {{
          vyre.barrier grid_sync
          vyre.store %t, %a[%mirrored] : memref<?xi32>
          %plus_one = arith.addi %t, %i1 : i32
          scf.yield {handed_on} : i32
        }}
        vyre.barrier grid_sync
        %more = arith.addi %inner, %i100 : i32
        scf.yield %more : i32
      }}
      vyre.store %last, %out[%x] : memref<?xi32>
    """
    gained = 3 if changes else 0
    stored = [7 - k + 100 + gained + (2 if changes else 0) for k in ROW]
    gives = {"out": [k + 200 + 2 * gained for k in ROW], "a": stored}
    behaves(program(OUT, A, MIRRORED, code), {"out": ZEROS, "a": ROW}, gives=gives)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_data_decide_how_long(behaves: Way, n: int):
    """All count together until the sum of the row is large enough."""
    code = """
      %rounds, %last = scf.while (%k = %i0, %v = %x32) : (i32, i32) -> (i32, i32) {
        %sum = vyre.load %a[%c0] : memref<?xi32>
        %target = arith.index_cast %n : index to i32
        %goal = arith.muli %target, %i28 : i32
        %more = arith.cmpi slt, %sum, %goal : i32
        scf.condition(%more) %k, %v : i32, i32
      } do {
      ^bb0(%k: i32, %v: i32):
        vyre.barrier grid_sync
        %old = vyre.atomic add %v, %a[%c0] : memref<?xi32>
        vyre.barrier grid_sync
        %next = arith.addi %k, %i1 : i32
        %mirrored = arith.subi %i7, %v : i32
        scf.yield %next, %mirrored : i32, i32
      }
      %tenfold = arith.muli %rounds, %i10 : i32
      %shown = arith.addi %tenfold, %last : i32
      vyre.store %shown, %out[%x] : memref<?xi32>
    """
    out = [10 * n + (7 - k if n % 2 else k) for k in ROW]
    inputs: dict[str, Any] = {"out": ZEROS, "a": [0], "n": n}
    behaves(program(OUT, A, N, code), inputs, gives={"out": out, "a": [28 * n]})


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("where", ["before", "after", "both"])
def test_while_with_barriers_in_either_region(behaves: Way, where: str, n: int):
    """The first region runs once more than the second, with its barriers."""

    def turn(name: str, region: str) -> str:
        if where not in (region, "both"):
            return ""
        return f"""
          %{name} = vyre.load %a[%next] : memref<?xi32>
          vyre.barrier grid_sync
          vyre.store %{name}, %a[%x] : memref<?xi32>
          vyre.barrier grid_sync
        """

    code = f"""
      %after = arith.addi %x, %c1 : index
      %next = arith.remui %after, %c8 : index
      %last, %sum = scf.while (%k = %c0, %s = %i0) : (index, i32) -> (index, i32) {{
        {turn("u", "before")}
        %v = vyre.load %a[%x] : memref<?xi32>
        %with_v = arith.addi %s, %v : i32
        %more = arith.cmpi ult, %k, %n : index
        scf.condition(%more) %k, %with_v : index, i32
      }} do {{
      ^bb0(%k: index, %s: i32):
        {turn("w", "after")}
        %v = vyre.load %a[%x] : memref<?xi32>
        %tenfold = arith.muli %v, %i10 : i32
        %with_v = arith.addi %s, %tenfold : i32
        %k_next = arith.addi %k, %c1 : index
        scf.yield %k_next, %with_v : index, i32
      }}
      %trips = arith.index_cast %last : index to i32
      %thousands = arith.muli %trips, %i1000 : i32
      %shown = arith.addi %thousands, %sum : i32
      vyre.store %shown, %out[%x] : memref<?xi32>
    """
    row, sums = np.array(ROW), np.zeros(8, int)
    for trip in range(n + 1):
        row = np.roll(row, -1) if where != "after" else row
        sums += row
        if trip < n:
            row = np.roll(row, -1) if where != "before" else row
            sums += 10 * row
    inputs: dict[str, Any] = {"out": ZEROS, "a": ROW, "n": n}
    gives = {"out": sums + 1000 * n, "a": row}
    behaves(program(OUT, A, N, code), inputs, gives=gives)


def test_while_whose_regions_carry_different_values(behaves: Way):
    """Two values go into the first region, three others into the second."""
    code = """
      %wide = vyre.buffer "wide" read_write binding 3 : memref<?xi64>
      %p, %q, %r = scf.while (%k = %i0, %s = %x32) : (i32, i32) -> (i64, i32, i1) {
        vyre.store %s, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %other = vyre.load %a[%mirrored] : memref<?xi32>
        %large = arith.extsi %other : i32 to i64
        %is_odd = arith.trunci %k : i32 to i1
        %more = arith.cmpi slt, %k, %i3 : i32
        vyre.barrier grid_sync
        scf.condition(%more) %large, %k, %is_odd : i64, i32, i1
      } do {
      ^bb0(%large: i64, %k: i32, %is_odd: i1):
        %other = arith.trunci %large : i64 to i32
        %doubled = arith.addi %other, %other : i32
        %s = arith.select %is_odd, %doubled, %other : i32
        vyre.barrier grid_sync
        %next = arith.addi %k, %i1 : i32
        scf.yield %next, %s : i32, i32
      }
      vyre.store %p, %wide[%x] : memref<?xi64>
      %bit = arith.extui %r : i1 to i32
      %tenfold = arith.muli %q, %i10 : i32
      %shown = arith.addi %tenfold, %bit : i32
      vyre.store %shown, %out[%x] : memref<?xi32>
    """
    # Mirrored four times, doubled in trip 1; the last test comes with k = 3.
    row = np.array(ROW)
    behaves(
        program(OUT, A, MIRRORED, code),
        {"out": ZEROS, "a": ZEROS, "wide": np.zeros(8, np.int64)},
        gives={"out": [31] * 8, "a": 2 * row[::-1], "wide": 2 * row},
    )


@pytest.mark.parametrize("n", [0, 1])
def test_results_of_a_branch_with_a_barrier_in_one_arm(behaves: Way, n: int):
    """One arm gives values from before and behind its barriers; both meet again."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      %waits = arith.cmpi eq, %n, %c1 : index
      %p, %q = scf.if %waits -> (i32, i32) {
        %inside = arith.muli %v, %i10 : i32
        vyre.barrier grid_sync
        vyre.store %inside, %a[%mirrored] : memref<?xi32>
        vyre.barrier grid_sync
        %behind = vyre.load %a[%x] : memref<?xi32>
        scf.yield %behind, %inside : i32, i32
      } else {
        scf.yield %v, %i3 : i32, i32
      }
      vyre.barrier grid_sync
      %sum = arith.addi %p, %q : i32
      %all = arith.addi %sum, %v : i32
      vyre.store %all, %out[%x] : memref<?xi32>
      vyre.store %i0, %a[%x] : memref<?xi32>
    """
    out = [10 * (7 - k) + 10 * k + k if n else 2 * k + 3 for k in ROW]
    inputs: dict[str, Any] = {"out": ZEROS, "a": ROW, "n": n}
    gives = {"out": out, "a": ZEROS}
    behaves(program(OUT, A, N, MIRRORED, code), inputs, gives=gives)


def test_three_deep(behaves: Way):
    """A for in a while in a for, each with a value of its own and one in common."""
    code = """
      %all = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %x32) -> (i32) {
        %j_end, %in_while = scf.while (%j = %c0, %t = %s) : (index, i32) -> (index, i32) {
          %more = arith.cmpi ule, %j, %k : index
          scf.condition(%more) %j, %t : index, i32
        } do {
        ^bb0(%j: index, %t: i32):
          %in_for = scf.for %m = %c0 to %c2 step %c1 iter_args(%u = %t) -> (i32) {
            vyre.store %u, %a[%x] : memref<?xi32>
            vyre.barrier grid_sync
            %other = vyre.load %a[%mirrored] : memref<?xi32>
            vyre.barrier grid_sync
            %m32 = arith.index_cast %m : index to i32
            %j32 = arith.index_cast %j : index to i32
            %k32 = arith.index_cast %k : index to i32
            %plus_m = arith.addi %other, %m32 : i32
            %tens = arith.muli %j32, %i10 : i32
            %plus_j = arith.addi %plus_m, %tens : i32
            %hundreds = arith.muli %k32, %i100 : i32
            %plus_k = arith.addi %plus_j, %hundreds : i32
            scf.yield %plus_k : i32
          }
          %j_next = arith.addi %j, %c1 : index
          scf.yield %j_next, %in_for : index, i32
        }
        %thousand = arith.addi %in_while, %i1000 : i32
        scf.yield %thousand : i32
      }
      vyre.store %all, %out[%x] : memref<?xi32>
    """
    row, stored = np.array(ROW), np.array(ZEROS)
    for k in range(2):
        for j in range(k + 1):
            for m in range(2):
                stored = row
                row = row[::-1] + m + 10 * j + 100 * k
        row = row + 1000
    gives = {"out": row, "a": stored}
    behaves(program(OUT, A, MIRRORED, code), {"out": ZEROS, "a": ZEROS}, gives=gives)


@pytest.mark.parametrize("type", ["i8", "i32", "i64", "index"])
def test_counter_seen_in_several_phases(behaves: Way, type: str):
    """It is the same in all phases of a trip, whatever its type."""
    as_i32 = {
        "i8": "arith.extsi %k : i8 to i32",
        "i32": "arith.addi %k, %i0 : i32",
        "i64": "arith.trunci %k : i64 to i32",
        "index": "arith.index_cast %k : index to i32",
    }[type]
    loop_type = "" if type == "index" else f" : {type}"
    code = f"""
      %from = arith.constant -3 : {type}
      %to = arith.constant 6 : {type}
      %by = arith.constant 4 : {type}
      scf.for %k = %from to %to step %by{loop_type} {{
        %k32 = {as_i32}
        %first = vyre.atomic add %k32, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %tens = arith.muli %k32, %i10 : i32
        %second = vyre.atomic add %tens, %out[%mirrored] : memref<?xi32>
        vyre.barrier grid_sync
        %k_again = {as_i32}
        %hundreds = arith.muli %k_again, %i100 : i32
        %third = vyre.atomic add %hundreds, %out[%x] : memref<?xi32>
      }}
    """
    gives = {"out": [111 * (-3 + 1 + 5)] * 8}
    behaves(program(OUT, MIRRORED, code), {"out": ZEROS}, gives=gives)


def test_counter_close_to_the_largest_number(behaves: Way):
    """The step after the last trip would overflow."""
    code = """
      %from = arith.constant 9223372036854775802 : index
      %to = arith.constant 9223372036854775807 : index
      scf.for %k = %from to %to step %c3 {
        %old = vyre.atomic add %i1, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
      }
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": [2] * 8})


def test_carried_values_that_the_grid_shares(behaves: Way):
    """A value read from memory is carried and used after the memory has changed."""
    code = """
      %start = vyre.load %a[%c0] : memref<?xi32>
      %last, %before = scf.for %k = %c0 to %c3 step %c1
          iter_args(%now = %start, %old = %i0) -> (i32, i32) {
        vyre.barrier grid_sync
        %is_first = arith.cmpi eq, %x, %c0 : index
        scf.if %is_first {
          %more = arith.muli %now, %i3 : i32
          vyre.store %more, %a[%c0] : memref<?xi32>
        }
        vyre.barrier grid_sync
        %next = vyre.load %a[%c0] : memref<?xi32>
        scf.yield %next, %now : i32, i32
      }
      %tenfold = arith.muli %last, %i10 : i32
      %sum = arith.addi %tenfold, %before : i32
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    gives = {"out": [10 * 54 + 18] * 8, "a": [54]}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": [2]}, gives=gives)


def test_carried_values_that_a_workgroup_shares(behaves: Way):
    """They say how often the workgroup waits, in each segment anew."""
    code = """
      %start = vyre.load %a[%g] : memref<?xi32>
      %last = scf.for %k = %c0 to %c2 step %c1 iter_args(%trips = %start) -> (i32) {
        vyre.barrier grid_sync
        vyre.store %x32, %tile[%l] : memref<4xi32>
        %end = arith.index_cast %trips : i32 to index
        scf.for %j = %c0 to %end step %c1 {
          vyre.barrier acq_rel
          %other = arith.subi %c3, %l : index
          %v = vyre.load %tile[%other] : memref<4xi32>
          %more = arith.addi %v, %i10 : i32
          vyre.barrier acq_rel
          vyre.store %more, %tile[%l] : memref<4xi32>
        }
        %w = vyre.load %tile[%l] : memref<4xi32>
        %old = vyre.atomic add %w, %out[%x] : memref<?xi32>
        vyre.store %i0, %a[%g] : memref<?xi32>
        vyre.barrier grid_sync
        %next = arith.addi %trips, %i1 : i32
        scf.yield %next : i32
      }
      vyre.store %last, %b[%g] : memref<?xi32>
    """
    out = np.zeros(8, int)
    for group, start in enumerate((1, 2)):
        for trips in (start, start + 1):
            tile = np.arange(4) + 4 * group
            for _ in range(trips):
                tile = tile[::-1] + 10
            out[4 * group : 4 * group + 4] += tile
    behaves(
        program(OUT, A, B, TILE, code),
        {"out": ZEROS, "a": [1, 2], "b": [0, 0]},
        gives={"out": out, "a": [0, 0], "b": [3, 4]},
    )


def test_values_from_before_inside_and_after(behaves: Way):
    """Made before the loop, in its last trip and behind it; all are used at the end."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      %w = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %i0) -> (i32) {
        vyre.barrier grid_sync
        %more = arith.addi %v, %s : i32
        vyre.store %more, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %other = vyre.load %a[%mirrored] : memref<?xi32>
        scf.yield %other : i32
      }
      %u = vyre.load %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %i0, %a[%x] : memref<?xi32>
      %hundreds = arith.muli %w, %i100 : i32
      %myriads = arith.muli %u, %i10000 : i32
      %sum = arith.addi %v, %hundreds : i32
      %all = arith.addi %sum, %myriads : i32
      vyre.store %all, %out[%x] : memref<?xi32>
    """
    row = np.array(ROW)
    stored = row + row[::-1]
    gives = {"out": row + 100 * stored[::-1] + 10000 * stored, "a": ZEROS}
    behaves(program(OUT, A, MIRRORED, code), {"out": ZEROS, "a": ROW}, gives=gives)


def test_a_loop_carries_what_another_loop_gave(behaves: Way):
    """Two loops in a row; the second starts where the first ended, and is longer."""
    code = """
      %p = scf.for %k = %c0 to %c2 step %c1 iter_args(%s = %x32) -> (i32) {
        vyre.store %s, %a[%mirrored] : memref<?xi32>
        vyre.barrier grid_sync
        %v = vyre.load %a[%x] : memref<?xi32>
        %more = arith.addi %v, %i1 : i32
        vyre.barrier grid_sync
        scf.yield %more : i32
      }
      %q = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %p) -> (i32) {
        vyre.store %s, %a[%mirrored] : memref<?xi32>
        vyre.barrier grid_sync
        %v = vyre.load %a[%x] : memref<?xi32>
        %more = arith.addi %v, %p : i32
        vyre.barrier grid_sync
        scf.yield %more : i32
      }
      vyre.store %q, %out[%x] : memref<?xi32>
    """
    row = np.array(ROW)
    p = (row[::-1] + 1)[::-1] + 1
    q, stored = p, p
    for _ in range(3):
        stored = q[::-1]
        q = stored + p
    gives = {"out": q, "a": stored}
    behaves(program(OUT, A, MIRRORED, code), {"out": ZEROS, "a": ZEROS}, gives=gives)


def test_variables_in_a_loop_with_barriers(behaves: Way):
    """Assigned in one phase of a trip and read in another; one is never assigned."""
    code = """
      %sum = vyre.let "sum" = %i0 : i32
      %last = vyre.let "last" = %x32 : i32
      %fixed = vyre.let "fixed" = %i7 : i32
      scf.for %k = %c0 to %c3 step %c1 {
        %now = vyre.get %last : !vyre.cell<i32>
        vyre.store %now, %a[%mirrored] : memref<?xi32>
        vyre.barrier grid_sync
        %v = vyre.load %a[%x] : memref<?xi32>
        vyre.assign %v, %last : !vyre.cell<i32>
        vyre.barrier grid_sync
        %old = vyre.get %sum : !vyre.cell<i32>
        %new = vyre.get %last : !vyre.cell<i32>
        %f = vyre.get %fixed : !vyre.cell<i32>
        %product = arith.muli %new, %f : i32
        %more = arith.addi %old, %product : i32
        vyre.assign %more, %sum : !vyre.cell<i32>
      }
      %all = vyre.get %sum : !vyre.cell<i32>
      vyre.store %all, %out[%x] : memref<?xi32>
    """
    row = np.array(ROW)
    gives = {"out": 7 * (2 * row[::-1] + row), "a": row[::-1]}
    behaves(program(OUT, A, MIRRORED, code), {"out": ZEROS, "a": ZEROS}, gives=gives)
