"""
Counterexamples to naive splitting: programs whose segments, cut without care, give a wrong
result or are refused. The numbers are those of the list that we keep of them; those about
buffers are in `test_soundness_of_buffers.py`.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from split_cases import ORDERS, OUT, TILE, A, B, Way, program, split

from vyre.dialects.vyre import BufferOp
from vyre.runtime.config import Order
from vyre.runtime.errors import Trapped

ROW = list(range(8))
ZEROS = [0] * 8


def test_h1_a_load_is_not_repeated_after_another_phase_stored(behaves: Way):
    """Loaded again after the barriers, `a` would give 7."""
    code = """
      %v = vyre.load %a[%c0] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %i7, %a[%c0] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    gives = {"out": [5] * 8, "a": [7]}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": [5]}, gives=gives)


def test_h1_a_load_is_not_repeated_after_its_own_phase_stored(behaves: Way):
    """The store that changes `a` stands before the barrier, not after it."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      vyre.store %i7, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    gives = {"out": ROW, "a": [7] * 8}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ROW}, gives=gives)


def test_h2_an_atomic_runs_once(behaves: Way):
    """Computing the old value again would add again."""
    code = """
      %old = vyre.atomic add %i1, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %old, %out[%x] : memref<?xi32>
    """
    gives = {"out": ROW, "a": [1, 2, 3, 4, 5, 6, 7, 8]}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ROW}, gives=gives)


@pytest.mark.parametrize("order", ORDERS)
def test_h2_every_ticket_is_drawn_once(behaves: Way, order: Order):
    """Who draws which ticket is open; that all eight are drawn, each once, is not."""
    code = """
      %ticket = vyre.atomic add %i1, %a[%c0] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %ticket, %out[%x] : memref<?xi32>
    """
    exe = behaves.executable(program(OUT, A, code))
    start = {"out": np.zeros(8, np.int32), "a": np.zeros(1, np.int32)}
    results = exe(start, grid=2, order=order)
    assert sorted(results["out"]) == ROW
    assert results["a"] == [8]


def test_h3_a_variable_crosses_with_its_last_value(behaves: Way):
    """Its initial value would be easy to compute again, and wrong."""
    code = """
      %cell = vyre.let "v" = %i1 : i32
      vyre.assign %i2, %cell : !vyre.cell<i32>
      vyre.barrier grid_sync
      %v = vyre.get %cell : !vyre.cell<i32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": [2] * 8})


def test_h3b_a_sum_that_a_loop_makes_crosses(behaves: Way):
    """What the loop adds up is overwritten after the barrier."""
    code = """
      %cell = vyre.let "sum" = %i0 : i32
      scf.for %k = %c0 to %c8 step %c1 {
        %v = vyre.load %a[%k] : memref<?xi32>
        %old = vyre.get %cell : !vyre.cell<i32>
        %new = arith.addi %old, %v : i32
        vyre.assign %new, %cell : !vyre.cell<i32>
      }
      vyre.barrier grid_sync
      vyre.store %i0, %a[%x] : memref<?xi32>
      %sum = vyre.get %cell : !vyre.cell<i32>
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    gives = {"out": [28] * 8, "a": ZEROS}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ROW}, gives=gives)


def test_h3c_a_variable_is_only_assigned_after_the_barrier(behaves: Way):
    """An assignment refers to its variable although it does not read it."""
    code = """
      %cell = vyre.let "v" = %i1 : i32
      %v = vyre.get %cell : !vyre.cell<i32>
      vyre.store %v, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.assign %i2, %cell : !vyre.cell<i32>
      vyre.store %i3, %a[%x] : memref<?xi32>
    """
    gives = {"out": [1] * 8, "a": [3] * 8}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ZEROS}, gives=gives)


T_IS_10 = """
  vyre.region "first" {
    %t = vyre.let "t" = %i10 : i32
    vyre.barrier grid_sync
    %v = vyre.get %t : !vyre.cell<i32>
    vyre.store %v, %out[%c0] : memref<?xi32>
  }
"""


@pytest.mark.parametrize("between", ["", "vyre.barrier grid_sync"])
@pytest.mark.parametrize("condition", ["%yes", "%no"])
def test_h4_two_variables_of_one_name(behaves: Way, between: str, condition: str):
    """Found by its name, the second `t` would stand for the first, even if never made."""
    second = f"""
      {between}
      vyre.region "second" {{
        scf.if {condition} {{
          %t = vyre.let "t" = %i20 : i32
          %v = vyre.get %t : !vyre.cell<i32>
          vyre.store %v, %out[%c1] : memref<?xi32>
        }}
      }}
    """
    out = [10, 20 if condition == "%yes" else 0]
    behaves(program(OUT, T_IS_10, second), {"out": [0, 0]}, gives={"out": out})


def test_h4d_a_name_that_a_later_variable_depends_on(behaves: Way):
    """`v` is made from a `d`, and another `d` is at hand where `v` is used."""
    code = """
      vyre.region "first" {
        %d = vyre.let "d" = %i3 : i32
        %d_now = vyre.get %d : !vyre.cell<i32>
        %sum = arith.addi %d_now, %i1 : i32
        %v = vyre.let "v" = %sum : i32
        vyre.barrier grid_sync
        %v_now = vyre.get %v : !vyre.cell<i32>
        vyre.store %v_now, %out[%c0] : memref<?xi32>
      }
      vyre.region "second" {
        %d = vyre.let "d" = %i8 : i32
        %d_now = vyre.get %d : !vyre.cell<i32>
        vyre.store %d_now, %out[%c1] : memref<?xi32>
      }
    """
    behaves(program(OUT, code), {"out": [0, 0]}, gives={"out": [4, 8]})


def test_h4_two_kept_values_of_one_name(behaves: Way):
    """What keeps them must not be found by their names either."""
    code = """
      %p = vyre.region "first" -> (i32) {
        %t = vyre.load %a[%x] : memref<?xi32>
        vyre.yield %t : i32
      }
      %q = vyre.region "second" -> (i32) {
        %t = vyre.load %b[%x] : memref<?xi32>
        vyre.yield %t : i32
      }
      vyre.barrier grid_sync
      vyre.store %q, %a[%x] : memref<?xi32>
      vyre.store %p, %b[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %difference = arith.subi %p, %q : i32
      vyre.store %difference, %out[%x] : memref<?xi32>
    """
    behaves(
        program(OUT, A, B, code),
        {"out": ZEROS, "a": [30] * 8, "b": ROW},
        gives={"out": [30, 29, 28, 27, 26, 25, 24, 23], "a": ROW, "b": [30] * 8},
    )


def test_h5_workgroup_memory_survives_the_barrier(behaves: Way):
    """A launch starts with workgroup memory of its own."""
    code = """
      %v = arith.addi %x32, %i1 : i32
      vyre.store %v, %tile[%l] : memref<4xi32>
      vyre.barrier grid_sync
      %other = arith.subi %c3, %l : index
      %kept = vyre.load %tile[%other] : memref<4xi32>
      vyre.store %kept, %out[%x] : memref<?xi32>
    """
    out = [4, 3, 2, 1, 8, 7, 6, 5]
    behaves(program(OUT, TILE, code), {"out": ZEROS}, gives={"out": out})


def test_h6_an_invocation_that_returned_stays_returned(behaves: Way):
    """A launch starts all invocations again."""
    code = """
      %is_one = arith.cmpi eq, %x, %c1 : index
      scf.if %is_one {
        vyre.return
      }
      vyre.barrier grid_sync
      vyre.store %i9, %out[%x] : memref<?xi32>
    """
    gives = {"out": [9, 0, 9, 9, 9, 9, 9, 9]}
    behaves(program(OUT, code), {"out": ZEROS}, gives=gives)


def test_h6b_a_return_in_a_region_ends_the_invocation(behaves: Way):
    """Leaving the region is not enough."""
    code = """
      vyre.region "first" {
        vyre.store %i1, %a[%x] : memref<?xi32>
        vyre.return
      }
      vyre.barrier grid_sync
      vyre.region "second" {
        vyre.store %i9, %out[%x] : memref<?xi32>
      }
    """
    gives = {"out": ZEROS, "a": [1] * 8}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ZEROS}, gives=gives)


@pytest.mark.parametrize("flag", [0, 1])
def test_h6c_all_return_early(behaves: Way, flag: int):
    """The whole grid agrees to end, and a later launch would go on."""
    code = """
      %flag = vyre.load %a[%c0] : memref<?xi32>
      %stop = arith.cmpi eq, %flag, %i0 : i32
      scf.if %stop {
        vyre.return
      }
      vyre.barrier grid_sync
      %is_first = arith.cmpi eq, %x, %c0 : index
      scf.if %is_first {
        %old = vyre.load %out[%c0] : memref<?xi32>
        %new = arith.addi %old, %i1 : i32
        vyre.store %new, %out[%c0] : memref<?xi32>
      }
    """
    gives = {"out": [5 + flag], "a": [flag]}
    behaves(program(OUT, A, code), {"out": [5], "a": [flag]}, gives=gives)


def test_h7_a_copy_is_waited_for_after_the_barrier(behaves: Way):
    """A token cannot go from one launch to the next."""
    code = """
      %t = vyre.async_load %a[%x], %out[%x], %c1 : memref<?xi32>, memref<?xi32>
      vyre.barrier grid_sync
      vyre.async_wait %t
    """
    gives = {"out": ROW, "a": ROW}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ROW}, gives=gives)


def test_h7_a_copy_into_workgroup_memory_is_in_flight_at_the_barrier(behaves: Way):
    """If the tile is saved before the copy is done, what is copied is lost."""
    code = """
      %t = vyre.async_load %a[%x], %tile[%l], %c1 : memref<?xi32>, memref<4xi32>
      vyre.barrier grid_sync
      vyre.async_wait %t
      %v = vyre.load %tile[%l] : memref<4xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    gives = {"out": ROW, "a": ROW}
    behaves(program(OUT, A, TILE, code), {"out": ZEROS, "a": ROW}, gives=gives)


def test_h8_copies_are_accesses(behaves: Way):
    """No load or store names the buffers that they read and write."""
    code = """
      %t = vyre.async_load %a[%x], %out[%x], %c1 : memref<?xi32>, memref<?xi32>
      vyre.async_wait %t
      vyre.barrier grid_sync
      vyre.store %i1, %b[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %s = vyre.async_store %b[%x], %a[%x], %c1 : memref<?xi32>, memref<?xi32>
      vyre.async_wait %s
    """
    behaves(
        program(OUT, A, B, code),
        {"out": ZEROS, "a": ROW, "b": ZEROS},
        gives={"out": ROW, "a": [1] * 8, "b": [1] * 8},
    )


def test_h8_collectives_are_accesses(behaves: Way):
    """They are phases of their own, and name their buffers nowhere else."""
    code = """
      vyre.store %x32, %a[%x] : memref<?xi32>
      vyre.all_gather %a, %b : memref<?xi32>, memref<?xi32>
      %mirrored = arith.subi %c7, %x : index
      %v = vyre.load %b[%mirrored] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    behaves(
        program(OUT, A, B, code),
        {"out": ZEROS, "a": ZEROS, "b": ZEROS},
        gives={"out": ROW[::-1], "a": ROW, "b": ROW},
    )


def test_h10_what_a_trap_shows_is_an_access(behaves: Way):
    """Nothing but the trap needs `a` after the barrier."""
    code = """
      vyre.store %i1, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %is_late = arith.cmpi ugt, %x, %c5 : index
      scf.if %is_late {
        %v = vyre.load %a[%x] : memref<?xi32>
        vyre.trap "late" at %v : i32
      }
    """
    exe = behaves.executable(program(OUT, A, code))
    arrays = {"out": np.zeros(8, np.int32), "a": np.arange(10, 18, dtype=np.int32)}
    for order in ORDERS:
        with pytest.raises(Trapped) as trapped:
            exe(arrays, grid=2, order=order)
        error = trapped.value
        assert (error.tag, error.invocation, error.value) == ("late", 6, 16)


def test_h11_operations_that_nobody_knows_keep_what_they_use():
    """They may read and write all that they are given, and run once."""
    code = """
      vyre.store %i1, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      "test.op"(%i5, %a) : (i32, memref<?xi32>) -> ()
      vyre.barrier grid_sync
      vyre.store %i2, %out[%x] : memref<?xi32>
    """
    module = split(program(OUT, A, code))
    (unknown,) = (op for op in module.walk() if op.name == "test.op")
    buffer = unknown.operands[1].owner
    assert isinstance(buffer, BufferOp)
    assert buffer.access.data.readable
    assert buffer.access.data.writable


def test_h23_a_barrier_in_a_loop_holds_in_every_trip(behaves: Way):
    """The row turns by one in each trip; a barrier for the workgroup only tears it."""
    code = """
      %after = arith.addi %x, %c1 : index
      %next = arith.remui %after, %c8 : index
      scf.for %k = %c0 to %c3 step %c1 {
        %v = vyre.load %out[%next] : memref<?xi32>
        vyre.barrier grid_sync
        vyre.store %v, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
      }
    """
    gives = {"out": [3, 4, 5, 6, 7, 0, 1, 2]}
    behaves(program(OUT, code), {"out": ROW}, gives=gives)


def test_h25_a_load_and_an_atomic_that_the_barrier_parts(behaves: Way):
    """Repeated after the barrier, the load would race with the atomic."""
    code = """
      %mirrored = arith.subi %c7, %x : index
      %v = vyre.load %a[%mirrored] : memref<?xi32>
      vyre.barrier grid_sync
      %old = vyre.atomic add %i100, %a[%x] : memref<?xi32>
      %sum = arith.addi %v, %old : i32
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    gives = {"out": [7] * 8, "a": list(range(100, 108))}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ROW}, gives=gives)


@pytest.mark.parametrize("flag", [0, 1])
def test_h27_a_barrier_after_one_that_was_skipped(behaves: Way, flag: int):
    """Barriers cannot be counted by their place in the text."""
    code = """
      %flag = vyre.load %b[%c0] : memref<?xi32>
      %waits = arith.cmpi ne, %flag, %i0 : i32
      scf.if %waits {
        vyre.store %i5, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
      }
      vyre.store %x32, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %mirrored = arith.subi %c7, %x : index
      %v = vyre.load %a[%mirrored] : memref<?xi32>
      %old = vyre.load %out[%x] : memref<?xi32>
      %sum = arith.addi %v, %old : i32
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    behaves(
        program(OUT, A, B, code),
        {"out": ZEROS, "a": ZEROS, "b": [flag]},
        gives={"out": [7 - k + 5 * flag for k in ROW], "a": ROW, "b": [flag]},
    )


@pytest.mark.parametrize(("direction", "start", "hops"), [("addi", 3, 4), ("subi", 4, 3)])
def test_h28_a_snapshot_before_scattering(
    behaves: Way, direction: str, start: int, hops: int
):
    """Reading the frontier again while others extend it takes more than one hop."""
    code = f"""
      %bit = vyre.load %a[%x] : memref<?xi32>
      %is_active = arith.cmpi ne, %bit, %i0 : i32
      vyre.barrier grid_sync
      scf.if %is_active {{
        %next = arith.{direction} %x, %c1 : index
        %old = vyre.atomic or %i1, %a[%next] : memref<?xi32>
      }}
    """
    before = [int(k == start) for k in ROW]
    after = [int(k in (start, hops)) for k in ROW]
    behaves(program(A, code), {"a": before}, gives={"a": after})


def test_h29_the_text_does_not_depend_on_hashes(tmp_path: Path):
    """Sets and dictionaries of objects have another order in every process."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      %w = vyre.load %b[%x] : memref<?xi32>
      %u = arith.muli %v, %w : i32
      vyre.barrier grid_sync
      vyre.store %w, %a[%x] : memref<?xi32>
      vyre.store %v, %b[%x] : memref<?xi32>
      vyre.store %u, %out[%x] : memref<?xi32>
    """
    path = tmp_path / "p.mlir"
    path.write_text(program(OUT, A, B, code))
    command = [Path(sys.executable).with_name("vyre-opt"), path, "-p", "vyre-host-plan"]
    texts = {
        subprocess.run(
            command,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(texts) == 1


def test_h32_barriers_between_phases_that_are_not_neighbours(behaves: Way):
    """Neither neighbour shares a buffer, but the third phase reads what the first wrote."""
    code = """
      vyre.store %x32, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %i2, %b[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %mirrored = arith.subi %c7, %x : index
      %v = vyre.load %a[%mirrored] : memref<?xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    behaves(
        program(OUT, A, B, code),
        {"out": ZEROS, "a": ZEROS, "b": ZEROS},
        gives={"out": ROW[::-1], "a": ROW, "b": [2] * 8},
    )
