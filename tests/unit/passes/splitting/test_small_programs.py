"""Small programs, each with one thing that a splitter may get wrong."""

from typing import Any

import numpy as np
import pytest
from split_cases import OUT, TILE, TIME_LIMIT, A, N, Way, program

from vyre.runtime.errors import Trapped

ROW = list(range(8))
ZEROS = [0] * 8


def test_load_then_overwrite(behaves: Way):
    """Every element is overwritten by another invocation than the one that loaded it."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %after = arith.addi %x, %c1 : index
      %next = arith.remui %after, %c8 : index
      vyre.store %v, %a[%next] : memref<?xi32>
    """
    behaves(program(A, code), {"a": ROW}, gives={"a": [7, 0, 1, 2, 3, 4, 5, 6]})


def test_result_of_an_atomic_is_used_after(behaves: Way):
    """The ticket is an index; drawn again it would be one that was drawn before."""
    code = """
      %ticket = vyre.atomic add %i1, %a[%c0] : memref<?xi32>
      vyre.barrier grid_sync
      %at = arith.index_cast %ticket : i32 to index
      vyre.store %i9, %out[%at] : memref<?xi32>
    """
    gives = {"out": [9] * 8, "a": [8]}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": [0]}, gives=gives)


@pytest.mark.parametrize(("condition", "out"), [("%is_late", [1, 1, 2]), ("%no", [1] * 3)])
def test_variable_that_some_assign(behaves: Way, condition: str, out: list[int]):
    """Whether it was assigned is known only where it was."""
    code = f"""
      %cell = vyre.let "v" = %i1 : i32
      %is_late = arith.cmpi ugt, %x, %c1 : index
      scf.if {condition} {{
        vyre.assign %i2, %cell : !vyre.cell<i32>
      }}
      vyre.barrier grid_sync
      %v = vyre.get %cell : !vyre.cell<i32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    text = program(OUT, code, workgroup="[1, 1, 1]")
    behaves(text, {"out": [0] * 3}, gives={"out": out}, grid=3)


def test_variable_assigned_on_both_sides(behaves: Way):
    """It crosses two barriers, with another value each time."""
    code = """
      %cell = vyre.let "v" = %x32 : i32
      vyre.barrier grid_sync
      %one = vyre.get %cell : !vyre.cell<i32>
      %mirrored = arith.subi %i7, %one : i32
      vyre.assign %mirrored, %cell : !vyre.cell<i32>
      vyre.store %mirrored, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %two = vyre.get %cell : !vyre.cell<i32>
      %at = arith.index_cast %two : i32 to index
      %v = vyre.load %a[%at] : memref<?xi32>
      %both = arith.muli %v, %two : i32
      vyre.store %both, %out[%x] : memref<?xi32>
    """
    out = [k * (7 - k) for k in ROW]
    gives = {"out": out, "a": ROW[::-1]}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ZEROS}, gives=gives)


def test_workgroup_array_passes_a_segment_that_does_not_touch_it(behaves: Way):
    """It is live across a phase that knows nothing of it."""
    code = """
      vyre.store %x32, %tile[%l] : memref<4xi32>
      vyre.barrier grid_sync
      vyre.store %i5, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %other = arith.subi %c3, %l : index
      %v = vyre.load %tile[%other] : memref<4xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    gives = {"out": [3, 2, 1, 0, 7, 6, 5, 4], "a": [5] * 8}
    behaves(program(OUT, A, TILE, code), {"out": ZEROS, "a": ZEROS}, gives=gives)


def test_workgroup_array_is_written_in_parts(behaves: Way):
    """Each phase writes one element of the four and leaves the others alone."""
    code = """
      vyre.store %x32, %tile[%l] : memref<4xi32>
      vyre.barrier grid_sync
      %is_first = arith.cmpi eq, %l, %c0 : index
      scf.if %is_first {
        vyre.store %i50, %tile[%c1] : memref<4xi32>
      }
      vyre.barrier grid_sync
      scf.if %is_first {
        vyre.store %i60, %tile[%c2] : memref<4xi32>
      }
      vyre.barrier grid_sync
      %v = vyre.load %tile[%l] : memref<4xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    out = [0, 50, 60, 3, 4, 50, 60, 7]
    behaves(program(OUT, TILE, code), {"out": ZEROS}, gives={"out": out})


def test_zeros_that_workgroup_memory_starts_with(behaves: Way):
    """They are there once, before the first phase, and not again in every launch."""
    code = """
      %is_first = arith.cmpi eq, %l, %c0 : index
      scf.if %is_first {
        vyre.store %i9, %tile[%c0] : memref<4xi32>
      }
      vyre.barrier grid_sync
      %v = vyre.load %tile[%l] : memref<4xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    # Right by definition, and still worth a finding of the checker.
    unwritten = frozenset({"never written"})
    behaves(
        program(OUT, TILE, code),
        {"out": [7] * 8},
        gives={"out": [9, 0, 0, 0, 9, 0, 0, 0]},
        findings=unwritten,
    )


def test_zeros_that_a_later_phase_reads_first(behaves: Way):
    """The segment before touches no workgroup memory at all."""
    code = """
      vyre.store %i1, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %v = vyre.load %tile[%l] : memref<4xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
      vyre.barrier acq_rel
      vyre.store %i3, %tile[%l] : memref<4xi32>
      vyre.barrier grid_sync
      %w = vyre.load %tile[%l] : memref<4xi32>
      vyre.store %w, %a[%x] : memref<?xi32>
    """
    behaves(
        program(OUT, A, TILE, code),
        {"out": [7] * 8, "a": ZEROS},
        gives={"out": ZEROS, "a": [3] * 8},
        findings=frozenset({"never written"}),
    )


def test_sums_in_workgroup_memory_go_on_from_trip_to_trip(behaves: Way):
    """One launch in a loop adds to what its last execution left in the tile."""
    code = """
      vyre.store %i0, %tile[%l] : memref<4xi32>
      vyre.barrier acq_rel
      scf.for %k = %c0 to %c3 step %c1 {
        %v = vyre.load %a[%x] : memref<?xi32>
        %old = vyre.atomic add %v, %tile[%c0] : memref<4xi32>
        vyre.barrier grid_sync
        %more = arith.addi %v, %i1 : i32
        vyre.store %more, %a[%x] : memref<?xi32>
      }
      vyre.barrier acq_rel
      %sum = vyre.load %tile[%c0] : memref<4xi32>
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    groups = [
        sum(k + trip for k in part for trip in range(3)) for part in (ROW[:4], ROW[4:])
    ]
    gives = {"out": [groups[0]] * 4 + [groups[1]] * 4, "a": [k + 3 for k in ROW]}
    behaves(program(OUT, A, TILE, code), {"out": ZEROS, "a": ROW}, gives=gives)


def test_two_workgroup_arrays_of_other_shapes_and_types(behaves: Way):
    """What is saved has as many dimensions as what is kept, and one more."""
    code = """
      %flags = vyre.buffer "flags" workgroup : memref<4xi1>
      %square = vyre.buffer "square" workgroup : memref<2x2xf64>
      %results = vyre.buffer "results" read_write binding 3 : memref<?xf64>
      %quarter = arith.constant 0.25 : f64
      %row = arith.divui %l, %c2 : index
      %column = arith.remui %l, %c2 : index
      %number = arith.sitofp %x32 : i32 to f64
      %v = arith.mulf %number, %quarter : f64
      vyre.store %v, %square[%row, %column] : memref<2x2xf64>
      %is_even = arith.cmpi eq, %column, %c0 : index
      vyre.store %is_even, %flags[%l] : memref<4xi1>
      vyre.barrier grid_sync
      %turned = vyre.load %square[%column, %row] : memref<2x2xf64>
      vyre.store %turned, %results[%x] : memref<?xf64>
      %flag = vyre.load %flags[%l] : memref<4xi1>
      %shown = arith.extui %flag : i1 to i32
      vyre.store %shown, %out[%x] : memref<?xi32>
    """
    results = np.array([0, 2, 1, 3, 4, 6, 5, 7]) / 4
    behaves(
        program(OUT, code),
        {"out": ZEROS, "results": np.zeros(8)},
        gives={"out": [1, 0] * 4, "results": results},
    )


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("arm", ["then", "else"])
def test_barrier_in_a_uniform_branch(behaves: Way, arm: str, n: int):
    """Only one way has a cut, and both go on together."""
    inside = """
      vyre.store %x32, %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %v = vyre.load %a[%mirrored] : memref<?xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    other = "vyre.store %i9, %out[%x] : memref<?xi32>"
    first, second = (inside, other) if arm == "then" else (other, inside)
    code = f"""
      %mirrored = arith.subi %c7, %x : index
      %goes = arith.cmpi eq, %n, %c1 : index
      scf.if %goes {{
        {first}
      }} else {{
        {second}
      }}
      %kept = vyre.load %out[%x] : memref<?xi32>
      %more = arith.addi %kept, %i100 : i32
      vyre.store %more, %out[%x] : memref<?xi32>
    """
    goes_inside = (n == 1) == (arm == "then")
    gives = {
        "out": [107 - k if goes_inside else 109 for k in ROW],
        "a": ROW if goes_inside else [5] * 8,
    }
    inputs: dict[str, Any] = {"out": ZEROS, "a": [5] * 8, "n": n}
    behaves(program(OUT, A, N, code), inputs, gives=gives)


def test_barrier_in_a_loop_with_a_carried_value(behaves: Way):
    """Each invocation carries a sum of what it read from others in earlier trips."""
    code = """
      %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%s = %x32) -> (i32) {
        vyre.store %s, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %mirrored = arith.subi %c7, %x : index
        %v = vyre.load %a[%mirrored] : memref<?xi32>
        %next = arith.addi %s, %v : i32
        vyre.barrier grid_sync
        scf.yield %next : i32
      }
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    # After the first trip all carry 7, then 14, then 28; the last stored was 14.
    gives = {"out": [28] * 8, "a": [14] * 8}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": ZEROS}, gives=gives)


def test_two_outputs_in_different_segments(behaves: Way):
    """Neither segment writes all that the program gives back."""
    code = """
      %first = vyre.buffer "first" write_only binding 3 output : memref<8xi32>
      %second = vyre.buffer "second" write_only binding 4 output : memref<8xi32>
      vyre.store %x32, %first[%x] : memref<8xi32>
      vyre.barrier grid_sync
      %double = arith.addi %x32, %x32 : i32
      vyre.store %double, %second[%x] : memref<8xi32>
    """
    gives = {"first": ROW, "second": [2 * k for k in ROW]}
    behaves(program(code), {}, gives=gives)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_loop_with_a_barrier_that_may_make_no_trip(behaves: Way, n: int):
    """Then its results are what it started with, and its barrier is not met."""
    code = """
      %last = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x32) -> (i32) {
        vyre.store %s, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %after = arith.addi %x, %c1 : index
        %next = arith.remui %after, %c8 : index
        %v = vyre.load %a[%next] : memref<?xi32>
        vyre.barrier grid_sync
        scf.yield %v : i32
      }
      vyre.store %last, %out[%x] : memref<?xi32>
    """
    gives = {
        "out": [(k + n) % 8 for k in ROW],
        "a": [(k + n - 1) % 8 for k in ROW] if n else [5] * 8,
    }
    inputs: dict[str, Any] = {"out": ZEROS, "a": [5] * 8, "n": n}
    behaves(program(OUT, A, N, code), inputs, gives=gives)


def test_grid_of_many_workgroups(behaves: Way):
    """More than any device holds at once, if each were a large one."""
    count = 300
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %last = arith.constant 299 : index
      %mirrored = arith.subi %last, %x : index
      vyre.store %v, %a[%mirrored] : memref<?xi32>
    """
    text = program(A, code, workgroup="[1, 1, 1]")
    numbers = list(range(count))
    behaves(text, {"a": numbers}, gives={"a": numbers[::-1]}, grid=count)


@pytest.mark.parametrize("workgroup", ["[3, 2, 1]", "[1, 2, 3]"])
def test_kept_values_on_a_grid_of_three_dimensions(behaves: Way, workgroup: str):
    """Each invocation finds its own value again, wherever it stands."""
    x, y, z = (int(size) for size in workgroup.strip("[]").split(","))
    shape = (4 * z, 3 * y, 2 * x)
    code = """
      %cube = vyre.buffer "cube" read_write binding 1 : memref<?x?x?xi32>
      %tile = vyre.buffer "tile" workgroup : memref<1xi32>
      %y = vyre.invocation_id y
      %z = vyre.invocation_id z
      %v = vyre.load %cube[%z, %y, %x] : memref<?x?x?xi32>
      %sum = vyre.atomic add %v, %tile[%c0] : memref<1xi32>
      vyre.barrier grid_sync
      %whole = vyre.load %tile[%c0] : memref<1xi32>
      %width = vyre.length %cube, 2 : memref<?x?x?xi32>
      %last = arith.subi %width, %c1 : index
      %mirrored = arith.subi %last, %x : index
      %shown = arith.addi %v, %whole : i32
      vyre.store %shown, %cube[%z, %y, %mirrored] : memref<?x?x?xi32>
    """
    cube = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    sums = cube.reshape(4, z, 3, y, 2, x).sum(axis=(1, 3, 5), keepdims=True)
    whole = np.broadcast_to(sums, (4, z, 3, y, 2, x)).reshape(shape)
    behaves(
        program(code, workgroup=workgroup),
        {"cube": cube},
        gives={"cube": (cube + whole)[:, :, ::-1]},
        grid=(2, 3, 4),
    )


def test_values_of_the_whole_grid_and_of_a_workgroup(behaves: Way):
    """Three kept values, of which all, some and no invocations have the same."""
    code = """
      %uniform = vyre.load %a[%c0] : memref<?xi32>
      %of_group = vyre.load %a[%g] : memref<?xi32>
      %own = vyre.load %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %i0, %a[%x] : memref<?xi32>
      %two = arith.addi %uniform, %of_group : i32
      %three = arith.addi %two, %own : i32
      vyre.store %three, %out[%x] : memref<?xi32>
    """
    a = [1 << k for k in ROW]
    out = [a[0] + a[k // 4] + a[k] for k in ROW]
    gives = {"out": out, "a": ZEROS}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": a}, gives=gives)


def test_only_some_invocations_make_the_kept_value(behaves: Way):
    """It is made in a branch that others do not take, and used in the same branch later."""
    code = """
      %is_odd = arith.trunci %x32 : i32 to i1
      %v = scf.if %is_odd -> (i32) {
        %loaded = vyre.load %a[%x] : memref<?xi32>
        scf.yield %loaded : i32
      } else {
        scf.yield %i50 : i32
      }
      vyre.barrier grid_sync
      vyre.store %i0, %a[%x] : memref<?xi32>
      scf.if %is_odd {
        vyre.store %v, %out[%x] : memref<?xi32>
      }
    """
    a = [k + 10 for k in ROW]
    gives = {"out": [0, 11, 0, 13, 0, 15, 0, 17], "a": ZEROS}
    behaves(program(OUT, A, code), {"out": ZEROS, "a": a}, gives=gives)


def test_a_trap_ends_the_dispatch_at_the_barrier(behaves: Way):
    """The loop after it has no end."""
    code = """
      %is_three = arith.cmpi eq, %x, %c3 : index
      scf.if %is_three {
        vyre.trap "three"
      }
      vyre.barrier grid_sync
      scf.while () : () -> () {
        scf.condition(%yes)
      } do {
        vyre.store %i1, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
        scf.yield
      }
    """
    exe = behaves.executable(program(OUT, code))
    with pytest.raises(Trapped, match="invocation 3 trapped"):
        exe(out=np.zeros(8, np.int32), grid=2, timeout=TIME_LIMIT)


def test_the_size_of_workgroup_memory_decides(behaves: Way):
    """The host knows nothing of workgroup memory, so it cannot ask for its size."""
    code = """
      %tile = vyre.buffer "tile" workgroup : memref<8xi32>
      %size = vyre.length %tile, 0 : memref<8xi32>
      %is_even = arith.cmpi ne, %size, %c7 : index
      scf.if %is_even {
        vyre.store %i1, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %there = vyre.load %out[%c0] : memref<?xi32>
        vyre.store %there, %tile[%c0] : memref<8xi32>
      }
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": [1] * 8})


def test_a_region_hands_out_a_buffer_across_a_barrier(behaves: Way):
    """The region is rewritten before the second phase asks what it hands out."""
    code = """
      %v, %buffer = vyre.region "r" -> (i32, memref<?xi32>) {
        vyre.store %i1, %out[%x] : memref<?xi32>
        vyre.yield %i1, %out : i32, memref<?xi32>
      }
      vyre.barrier grid_sync
      %w = vyre.load %buffer[%x] : memref<?xi32>
      %sum = arith.addi %v, %w : i32
      vyre.store %sum, %buffer[%x] : memref<?xi32>
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": [2] * 8})


def test_a_region_hands_out_workgroup_memory_across_a_barrier(behaves: Way):
    """What it hands out is workgroup memory still, which no launch passes."""
    code = """
      %tile = vyre.buffer "tile" workgroup : memref<4xi32>
      %l0 = vyre.local_id x
      %handed = vyre.region "r" -> (memref<4xi32>) {
        vyre.store %x32, %tile[%l0] : memref<4xi32>
        vyre.yield %tile : memref<4xi32>
      }
      vyre.barrier grid_sync
      %v = vyre.load %handed[%l0] : memref<4xi32>
      %w = vyre.load %tile[%l0] : memref<4xi32>
      %sum = arith.addi %v, %w : i32
      vyre.store %sum, %out[%x] : memref<?xi32>
    """
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": [2 * k for k in ROW]})


def test_a_region_hands_out_a_value_of_an_earlier_phase(behaves: Way):
    """The second phase's region is given a copy; the third phase wants the original."""
    code = """
      %old = vyre.load %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %same = vyre.region "r" -> (i32) {
        vyre.store %i1, %out[%x] : memref<?xi32>
        vyre.yield %old : i32
      }
      vyre.barrier grid_sync
      vyre.store %same, %out[%x] : memref<?xi32>
    """
    behaves(program(OUT, code), {"out": [5] * 8}, gives={"out": [5] * 8})
