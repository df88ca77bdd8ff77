"""
Invocations that have returned: they do nothing in any later phase, nobody waits for them,
and what the others share does not depend on them.
"""

import numpy as np
import pytest
from split_cases import ORDERS, OUT, TILE, A, N, Way, program

from vyre.runtime.errors import Trapped

ROW = list(range(8))
ZEROS = [0] * 8


def returns_if(condition: str) -> str:
    return f"scf.if {condition} {{ vyre.return }}"


IS_ODD = "%is_odd = arith.trunci %x32 : i32 to i1"
RETURNS_IF_ODD = f"{IS_ODD}\n{returns_if('%is_odd')}"


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_all_return_after_some_phases(behaves: Way, n: int):
    """The grid agrees, phase after phase, whether to go on."""
    code = """
      %stops_here = arith.cmpi eq, %n, %c0 : index
      scf.if %stops_here { vyre.return }
      vyre.store %i1, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %stops_now = arith.cmpi eq, %n, %c1 : index
      scf.if %stops_now { vyre.return }
      %mirrored = arith.subi %c7, %x : index
      %v = vyre.load %a[%mirrored] : memref<?xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %stops_then = arith.cmpi eq, %n, %c2 : index
      scf.if %stops_then { vyre.return }
      vyre.store %i3, %out[%x] : memref<?xi32>
    """
    gives = {"out": [(0, 0, 1, 3)[n]] * 8, "a": [int(n > 0)] * 8}
    behaves(program(OUT, A, N, code), {"out": ZEROS, "a": ZEROS, "n": n}, gives=gives)


def test_some_return_in_each_phase(behaves: Way):
    """Who has returned adds up from phase to phase."""
    code = """
      %is_0 = arith.cmpi eq, %x, %c0 : index
      scf.if %is_0 { vyre.return }
      %one = vyre.atomic add %i1, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %is_5 = arith.cmpi eq, %x, %c5 : index
      scf.if %is_5 { vyre.return }
      %ten = vyre.atomic add %i10, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %is_2 = arith.cmpi eq, %x, %c2 : index
      scf.if %is_2 { vyre.return }
      %hundred = vyre.atomic add %i100, %out[%x] : memref<?xi32>
    """
    out = [0, 111, 11, 111, 111, 1, 111, 111]
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": out})


def test_a_whole_workgroup_returns(behaves: Way):
    """The other one goes on with barriers of both kinds and its memory."""
    code = """
      %is_first = arith.cmpi eq, %g, %c0 : index
      scf.if %is_first { vyre.return }
      vyre.store %x32, %tile[%l] : memref<4xi32>
      vyre.barrier grid_sync
      %other = arith.subi %c3, %l : index
      %v = vyre.load %tile[%other] : memref<4xi32>
      vyre.barrier acq_rel
      vyre.store %v, %tile[%l] : memref<4xi32>
      vyre.barrier grid_sync
      %w = vyre.load %tile[%l] : memref<4xi32>
      vyre.store %w, %out[%x] : memref<?xi32>
    """
    out = [0, 0, 0, 0, 7, 6, 5, 4]
    behaves(program(OUT, TILE, code), {"out": ZEROS}, gives={"out": out})


@pytest.mark.parametrize("gone", ["%is_first", "%is_first_lane", "%is_first_group"])
def test_a_shared_value_is_kept_by_those_who_stay(behaves: Way, gone: str):
    """The first invocation cannot write it down for all if it has returned."""
    code = f"""
      %is_first = arith.cmpi eq, %x, %c0 : index
      %is_first_lane = arith.cmpi eq, %l, %c0 : index
      %is_first_group = arith.cmpi eq, %g, %c0 : index
      {returns_if(gone)}
      %uniform = vyre.load %a[%c0] : memref<?xi32>
      %of_group = vyre.load %a[%g] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %i0, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %sum = arith.addi %uniform, %of_group : i32
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    stays = {
        "%is_first": [k != 0 for k in ROW],
        "%is_first_lane": [k % 4 != 0 for k in ROW],
        "%is_first_group": [k >= 4 for k in ROW],
    }[gone]
    a = [10 * k + 10 for k in ROW]
    gives = {
        "out": [(a[0] + a[k // 4]) * stays[k] for k in ROW],
        "a": [a[k] * (not stays[k]) for k in ROW],
    }
    behaves(program(OUT, A, code), {"out": ZEROS, "a": a}, gives=gives)


@pytest.mark.parametrize("gone", ["%is_first", "%is_first_lane", "%is_first_group"])
def test_a_shared_condition_is_told_by_those_who_stay(behaves: Way, gone: str):
    """The loop goes on by a number that the first invocation has not read."""
    code = f"""
      %is_first = arith.cmpi eq, %x, %c0 : index
      %is_first_lane = arith.cmpi eq, %l, %c0 : index
      %is_first_group = arith.cmpi eq, %g, %c0 : index
      {returns_if(gone)}
      %trips = scf.while (%k = %i0) : (i32) -> (i32) {{
        %wanted = vyre.load %a[%c0] : memref<?xi32>
        %more = arith.cmpi slt, %k, %wanted : i32
        scf.condition(%more) %k : i32
      }} do {{
      ^bb0(%k: i32):
        vyre.barrier grid_sync
        %old = vyre.atomic add %i1, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %next = arith.addi %k, %i1 : i32
        scf.yield %next : i32
      }}
      %hundred = arith.muli %trips, %i100 : i32
      %sum = vyre.atomic add %hundred, %out[%x] : memref<?xi32>
    """
    stays = {
        "%is_first": [k != 0 for k in ROW],
        "%is_first_lane": [k % 4 != 0 for k in ROW],
        "%is_first_group": [k >= 4 for k in ROW],
    }[gone]
    gives = {"out": [303 * stay for stay in stays], "a": [3]}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": [3]}, gives=gives)


def test_workgroup_memory_is_kept_by_those_who_stay(behaves: Way):
    """One lane of four is left, and needs all four elements."""
    code = """
      vyre.store %x32, %tile[%l] : memref<4xi32>
      vyre.barrier acq_rel
      %is_other = arith.cmpi ne, %l, %c2 : index
      scf.if %is_other { vyre.return }
      vyre.barrier grid_sync
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %i0) -> (i32) {
        %v = vyre.load %tile[%k] : memref<4xi32>
        %next = arith.addi %s, %v : i32
        scf.yield %next : i32
      }
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    out = [0, 0, 6, 0, 0, 0, 22, 0]
    behaves(program(OUT, TILE, code), {"out": ZEROS}, gives={"out": out})


def test_subgroups_of_those_who_stay(behaves: Way):
    """The returned contribute nothing to reductions and ballots, and shuffle zeros."""
    code = f"""
      {RETURNS_IF_ODD}
      vyre.barrier grid_sync
      %sum = vyre.subgroup_reduce add %x32 : i32
      %mask = vyre.subgroup_ballot %yes
      %neighbour = arith.xori %l, %c1 : index
      %zero = vyre.subgroup_shuffle %i9, %neighbour : i32
      %own = vyre.subgroup_shuffle %i9, %l : i32
      %hundreds = arith.muli %sum, %i100 : i32
      %with_mask = arith.addi %hundreds, %mask : i32
      %with_zero = arith.subi %with_mask, %zero : i32
      %shown = arith.addi %with_zero, %own : i32
      vyre.store %shown, %out[%x] : memref<?xi32>
    """
    # 0 + 2 and 4 + 6; bits 0 and 2; 9.
    out = [214, 0, 214, 0, 1014, 0, 1014, 0]
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": out})


def test_those_who_returned_run_no_loop(behaves: Way):
    """For them it would never end: they are the ones whose step is zero."""
    code = """
      %step = vyre.load %a[%x] : memref<?xi32>
      %is_zero = arith.cmpi eq, %step, %i0 : i32
      scf.if %is_zero { vyre.return }
      vyre.barrier grid_sync
      %sum = scf.while (%s = %i0) : (i32) -> (i32) {
        %more = arith.cmpi slt, %s, %i10 : i32
        scf.condition(%more) %s : i32
      } do {
      ^bb0(%s: i32):
        %next = arith.addi %s, %step : i32
        scf.yield %next : i32
      }
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    a = [3, 0, 7, 4, 0, 10, 11, 0]
    gives = {"out": [12, 0, 14, 12, 0, 10, 11, 0], "a": a}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": a}, gives=gives)


def test_those_who_returned_neither_trap_nor_copy(behaves: Way):
    """Those are effects as well."""
    code = f"""
      {RETURNS_IF_ODD}
      vyre.barrier grid_sync
      scf.if %is_odd {{
        vyre.trap "odd"
      }}
      %t = vyre.async_load %a[%x], %out[%x], %c1 : memref<?xi32>, memref<?xi32>
      vyre.async_wait %t
    """
    gives = {"out": [0, 0, 2, 0, 4, 0, 6, 0], "a": ROW}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ROW}, gives=gives)


def test_the_smallest_id_among_those_who_stay_traps(behaves: Way):
    """All that are left trap; 0 to 2 have returned."""
    code = """
      %is_early = arith.cmpi ult, %x, %c3 : index
      scf.if %is_early { vyre.return }
      vyre.barrier grid_sync
      vyre.trap "all" at %x : index
    """
    exe = behaves.executable(program(code))
    for order in ORDERS:
        with pytest.raises(Trapped) as trapped:
            exe(grid=2, order=order)
        assert (trapped.value.invocation, trapped.value.value) == (3, 3)


def test_a_branch_with_results_returns_in_one_arm(behaves: Way):
    """What the arm gives for those who returned does not matter, only its type."""
    code = f"""
      {IS_ODD}
      %v = scf.if %is_odd -> (i32) {{
        vyre.return
        scf.yield %i0 : i32
      }} else {{
        %loaded = vyre.load %a[%x] : memref<?xi32>
        scf.yield %loaded : i32
      }}
      vyre.barrier grid_sync
      vyre.store %i0, %a[%x] : memref<?xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    a = [k + 10 for k in ROW]
    gives = {"out": [10, 0, 12, 0, 14, 0, 16, 0], "a": [0, 11, 0, 13, 0, 15, 0, 17]}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": a}, gives=gives)


def test_a_return_in_a_loop_without_a_barrier(behaves: Way):
    """An invocation leaves the loop and the program in some trip of its own."""
    code = """
      scf.for %k = %c0 to %c8 step %c1 {
        %v = vyre.load %a[%k] : memref<?xi32>
        %is_mine = arith.cmpi eq, %v, %x32 : i32
        scf.if %is_mine { vyre.return }
        %old = vyre.atomic add %i1, %out[%x] : memref<?xi32>
      }
      vyre.barrier grid_sync
      %more = vyre.atomic add %i100, %out[%x] : memref<?xi32>
    """
    a = [6, 3, 9, 9, 0, 9, 9, 9]
    gives = {"out": [4, 108, 108, 1, 108, 108, 0, 108], "a": a}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": a}, gives=gives)


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_return_in_a_loop_with_a_barrier(behaves: Way, place: str):
    """One invocation fewer comes to the barrier in every trip."""
    returns = """
      %trip = arith.index_cast %k : index to i32
      %is_over = arith.cmpi eq, %trip, %x32 : i32
      scf.if %is_over { vyre.return }
    """
    code = f"""
      scf.for %k = %c0 to %c5 step %c1 {{
        {returns if place == "before" else ""}
        %one = vyre.atomic add %i1, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
        {returns if place == "after" else ""}
        %ten = vyre.atomic add %i10, %out[%x] : memref<?xi32>
      }}
      vyre.store %i9, %a[%x] : memref<?xi32>
    """
    early = [11 * k if place == "before" else 11 * k + 1 for k in range(5)]
    gives = {"out": [*early, 55, 55, 55], "a": [0] * 5 + [9] * 3}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ZEROS}, gives=gives)


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_loop_that_ends_when_all_have_returned(behaves: Way, place: str):
    """Its condition always holds: only knowing that nobody is left ends it."""
    work = """
      %is_over = arith.cmpi uge, %k, %x : index
      scf.if %is_over { vyre.return }
      %old = vyre.atomic add %i1, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
    """
    code = f"""
      %end = scf.while (%k = %c0) : (index) -> (index) {{
        {work if place == "before" else ""}
        scf.condition(%yes) %k : index
      }} do {{
      ^bb0(%k: index):
        {work if place == "after" else ""}
        %next = arith.addi %k, %c1 : index
        scf.yield %next : index
      }}
      vyre.store %i99, %out[%x] : memref<?xi32>
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": ROW})


def test_all_return_from_the_middle_of_a_loop(behaves: Way):
    """The grid agrees to leave by a number in memory, and nothing after the loop runs."""
    code = """
      scf.for %k = %c0 to %c8 step %c1 {
        %v = vyre.load %a[%k] : memref<?xi32>
        %stops = arith.cmpi eq, %v, %i0 : i32
        scf.if %stops { vyre.return }
        %old = vyre.atomic add %v, %out[%c0] : memref<?xi32>
        vyre.barrier grid_sync
      }
      vyre.store %i99, %out[%x] : memref<?xi32>
    """
    a = [1, 2, 3, 0, 5, 6, 7, 8]
    gives = {"out": [48] + [0] * 7, "a": a}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": a}, gives=gives)


def test_nobody_is_left_for_the_last_phase(behaves: Way):
    """All return, but at different places."""
    code = f"""
      {RETURNS_IF_ODD}
      vyre.store %i1, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %is_even = arith.cmpi eq, %is_odd, %no : i1
      scf.if %is_even {{ vyre.return }}
      vyre.store %i9, %out[%c0] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %i9, %out[%x] : memref<?xi32>
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": [1, 0] * 4})


@pytest.mark.parametrize("n", [0, 1])
def test_a_barrier_just_before_a_return(behaves: Way, n: int):
    """In a branch that the grid takes together, and leaves by ending."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      %leaves = arith.cmpi eq, %n, %c1 : index
      scf.if %leaves {
        vyre.store %i1, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
        vyre.return
      }
      vyre.barrier grid_sync
      %mirrored = arith.subi %c7, %x : index
      vyre.store %v, %a[%mirrored] : memref<?xi32>
    """
    gives = {"out": [n] * 8, "a": ROW if n else ROW[::-1]}
    behaves(program(OUT, A, N, code), {"out": ZEROS, "a": ROW, "n": n}, gives=gives)


def test_a_barrier_just_before_the_end(behaves: Way):
    """The last segment has nothing to do."""
    code = """
      vyre.store %x32, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.return
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": ROW})


def test_returns_in_a_grid_of_two_dimensions(behaves: Way):
    """Who has returned is told by all of an invocation's ids."""
    code = """
      %square = vyre.buffer "square" read_write binding 1 : memref<6x4xi32>
      %y = vyre.invocation_id y
      %below = arith.cmpi ugt, %y, %x : index
      scf.if %below { vyre.return }
      %v = vyre.load %square[%y, %x] : memref<6x4xi32>
      vyre.barrier grid_sync
      %w = arith.addi %v, %i100 : i32
      vyre.store %w, %square[%y, %x] : memref<6x4xi32>
    """
    square = np.arange(24, dtype=np.int32).reshape(6, 4)
    behaves(
        program(code, workgroup="[2, 3, 1]"),
        {"square": square},
        gives={"square": square + 100 * np.triu(np.ones((6, 4), np.int32))},
        grid=(2, 2),
    )
