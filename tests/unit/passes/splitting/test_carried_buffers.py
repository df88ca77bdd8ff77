"""Buffers that loops carry: which one is meant changes from trip to trip."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from split_cases import OUT, A, B, N, Way, program, split

import vyre

ROW = list(range(8))
ZEROS = [0] * 8
PAIR = "(memref<?xi32>, memref<?xi32>)"
TILES = """
  %s = vyre.buffer "s" workgroup : memref<4xi32>
  %t = vyre.buffer "t" workgroup : memref<4xi32>
"""
PAIR_AND_COUNT = "(memref<?xi32>, memref<?xi32>, index)"

NEXT = """
  %after = arith.addi %x, %c1 : index
  %next = arith.remui %after, %c8 : index
"""
TURN = """
  %v = vyre.load %from[%next] : memref<?xi32>
  vyre.store %v, %to[%x] : memref<?xi32>
"""
SHOW_BOTH = """
  vyre.barrier grid_sync
  %p = vyre.load %last#0[%x] : memref<?xi32>
  %q = vyre.load %last#1[%x] : memref<?xi32>
  %tenfold = arith.muli %p, %i10 : i32
  %shown = arith.addi %tenfold, %q : i32
  vyre.store %shown, %out[%x] : memref<?xi32>
"""


def ping_pong(trips: int) -> dict[str, NDArray[Any]]:
    """A row and its copy that is turned by one place, taking turns."""
    buffers = [np.array(ROW), np.array([9] * 8)]
    for trip in range(trips):
        buffers[(trip + 1) % 2] = np.roll(buffers[trip % 2], -1)
    latest, other = buffers[trips % 2], buffers[(trips + 1) % 2]
    return {"a": buffers[0], "b": buffers[1], "out": 10 * latest + other}


@pytest.mark.parametrize("trips", [0, 1, 2, 5])
def test_ping_pong_in_a_for(behaves: Way, trips: int):
    """After an odd number of trips the results are the other way round."""
    code = f"""
      %last:2 = scf.for %k = %c0 to %n step %c1
          iter_args(%from = %a, %to = %b) -> {PAIR} {{
        {TURN}
        vyre.barrier grid_sync
        scf.yield %to, %from : memref<?xi32>, memref<?xi32>
      }}
      {SHOW_BOTH}
    """
    inputs: dict[str, Any] = {"out": ZEROS, "a": ROW, "b": [9] * 8, "n": trips}
    behaves(program(OUT, A, B, N, NEXT, code), inputs, gives=ping_pong(trips))


@pytest.mark.parametrize("trips", [0, 1, 2, 5])
def test_ping_pong_in_a_while(behaves: Way, trips: int):
    """The buffers pass through both regions, and a number beside them counts."""
    code = f"""
      %last:3 = scf.while (%f = %a, %t = %b, %k = %c0)
          : {PAIR_AND_COUNT} -> {PAIR_AND_COUNT} {{
        vyre.barrier grid_sync
        %more = arith.cmpi ult, %k, %n : index
        scf.condition(%more) %f, %t, %k : memref<?xi32>, memref<?xi32>, index
      }} do {{
      ^bb0(%from: memref<?xi32>, %to: memref<?xi32>, %k: index):
        {TURN}
        %k_next = arith.addi %k, %c1 : index
        scf.yield %to, %from, %k_next : memref<?xi32>, memref<?xi32>, index
      }}
      {SHOW_BOTH}
    """
    inputs: dict[str, Any] = {"out": ZEROS, "a": ROW, "b": [9] * 8, "n": trips}
    behaves(program(OUT, A, B, N, NEXT, code), inputs, gives=ping_pong(trips))


def test_swapped_on_the_way_into_the_second_region(behaves: Way):
    """A while may exchange them at its condition as well as at its yield."""
    code = f"""
      %last:3 = scf.while (%f = %a, %t = %b, %k = %c0)
          : {PAIR_AND_COUNT} -> {PAIR_AND_COUNT} {{
        vyre.barrier grid_sync
        %more = arith.cmpi ult, %k, %c3 : index
        scf.condition(%more) %t, %f, %k : memref<?xi32>, memref<?xi32>, index
      }} do {{
      ^bb0(%from: memref<?xi32>, %to: memref<?xi32>, %k: index):
        {TURN}
        %k_next = arith.addi %k, %c1 : index
        scf.yield %from, %to, %k_next : memref<?xi32>, memref<?xi32>, index
      }}
      {SHOW_BOTH}
    """
    # (a, b) goes in; the body sees (b, a), hands it back, and sees (a, b): it alternates.
    a, b = np.array(ROW), np.array([9] * 8)
    a = np.roll(b, -1)
    b = np.roll(a, -1)
    a = np.roll(b, -1)
    gives = {"out": 10 * a + b, "a": a, "b": b}
    inputs = {"out": ZEROS, "a": ROW, "b": [9] * 8}
    behaves(program(OUT, A, B, NEXT, code), inputs, gives=gives)


def test_ping_pong_beside_the_source(behaves: Way):
    """The loop also names one of the buffers itself, whichever role it has just then."""
    code = f"""
      %last:2 = scf.for %k = %c0 to %c3 step %c1
          iter_args(%from = %a, %to = %b) -> {PAIR} {{
        %v = vyre.load %from[%next] : memref<?xi32>
        %fixed = vyre.load %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %sum = arith.addi %v, %fixed : i32
        vyre.store %sum, %to[%x] : memref<?xi32>
        vyre.barrier grid_sync
        scf.yield %to, %from : memref<?xi32>, memref<?xi32>
      }}
      {SHOW_BOTH}
    """
    buffers = [np.array(ROW), np.zeros(8, int)]
    for trip in range(3):
        turned = np.roll(buffers[trip % 2], -1)
        buffers[(trip + 1) % 2] = turned + buffers[0]
    gives = {"out": 10 * buffers[1] + buffers[0], "a": buffers[0], "b": buffers[1]}
    inputs = {"out": ZEROS, "a": ROW, "b": ZEROS}
    behaves(program(OUT, A, B, NEXT, code), inputs, gives=gives)


@pytest.mark.parametrize("trips", [1, 2, 3, 4])
def test_three_buffers_take_turns(behaves: Way, trips: int):
    """Each is read, written and left alone in turn."""
    code = """
      %last:3 = scf.for %k = %c0 to %n step %c1
          iter_args(%older = %a, %newer = %b, %next_one = %out)
          -> (memref<?xi32>, memref<?xi32>, memref<?xi32>) {
        %v = vyre.load %older[%x] : memref<?xi32>
        %w = vyre.load %newer[%next] : memref<?xi32>
        %sum = arith.addi %v, %w : i32
        vyre.barrier grid_sync
        vyre.store %sum, %next_one[%x] : memref<?xi32>
        vyre.barrier grid_sync
        scf.yield %newer, %next_one, %older : memref<?xi32>, memref<?xi32>, memref<?xi32>
      }
    """
    names = ["a", "b", "out"]
    rows = {"a": np.array(ROW), "b": np.array([1] * 8), "out": np.zeros(8, int)}
    for _ in range(trips):
        rows[names[2]] = rows[names[0]] + np.roll(rows[names[1]], -1)
        names = [*names[1:], names[0]]
    inputs: dict[str, Any] = {"out": ZEROS, "a": ROW, "b": [1] * 8, "n": trips}
    behaves(program(OUT, A, B, N, NEXT, code), inputs, gives=rows)


def test_ping_pong_through_two_loops(behaves: Way):
    """The inner loop swaps three times, so that the outer one swaps as well."""
    code = f"""
      %last:2 = scf.for %k = %c0 to %c2 step %c1
          iter_args(%p0 = %a, %q0 = %b) -> {PAIR} {{
        %inner:2 = scf.for %j = %c0 to %c3 step %c1
            iter_args(%from = %p0, %to = %q0) -> {PAIR} {{
          {TURN}
          vyre.barrier grid_sync
          scf.yield %to, %from : memref<?xi32>, memref<?xi32>
        }}
        %old = vyre.load %inner#0[%x] : memref<?xi32>
        %more = arith.addi %old, %i100 : i32
        vyre.store %more, %inner#0[%x] : memref<?xi32>
        vyre.barrier grid_sync
        scf.yield %inner#0, %inner#1 : memref<?xi32>, memref<?xi32>
      }}
      {SHOW_BOTH}
    """
    pair = [np.array(ROW), np.array([9] * 8)]
    names = ["a", "b"]
    for _ in range(2):
        for _ in range(3):
            pair = [np.roll(pair[0], -1), pair[0]]
            names.reverse()
        pair[0] = pair[0] + 100
    gives = {"out": 10 * pair[0] + pair[1], names[0]: pair[0], names[1]: pair[1]}
    inputs = {"out": ZEROS, "a": ROW, "b": [9] * 8}
    behaves(program(OUT, A, B, NEXT, code), inputs, gives=gives)


def test_one_buffer_that_is_carried_unchanged(behaves: Way):
    """It has another name in the loop and behind it, and stays the same."""
    code = """
      %last = scf.for %k = %c0 to %c3 step %c1 iter_args(%c = %a) -> (memref<?xi32>) {
        %v = vyre.load %c[%next] : memref<?xi32>
        vyre.barrier grid_sync
        vyre.store %v, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
        scf.yield %c : memref<?xi32>
      }
      %v = vyre.load %last[%x] : memref<?xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    row = [3, 4, 5, 6, 7, 0, 1, 2]
    gives = {"out": row, "a": row}
    behaves(program(OUT, A, NEXT, code), {"out": ZEROS, "a": ROW}, gives=gives)


def test_ping_pong_of_other_sizes(behaves: Way):
    """Lengths are those of the buffer that is meant just now."""
    code = f"""
      %last:2 = scf.for %k = %c0 to %c3 step %c1
          iter_args(%from = %a, %to = %b) -> {PAIR} {{
        %length = vyre.length %from, 0 : memref<?xi32>
        %length32 = arith.index_cast %length : index to i32
        vyre.barrier grid_sync
        %old = vyre.atomic add %length32, %out[%k] : memref<?xi32>
        scf.yield %to, %from : memref<?xi32>, memref<?xi32>
      }}
      %end = vyre.length %last#0, 0 : memref<?xi32>
      %end32 = arith.index_cast %end : index to i32
      %more = vyre.atomic add %end32, %out[%c3] : memref<?xi32>
    """
    # Eight invocations each add the length.
    gives = {"out": [24, 40, 24, 40], "a": [0] * 3, "b": [0] * 5}
    inputs = {"out": [0] * 4, "a": [0] * 3, "b": [0] * 5}
    behaves(program(OUT, A, B, code), inputs, gives=gives)


def test_a_loop_in_a_region_gives_a_buffer_across_a_barrier(behaves: Way):
    """The loop has no barrier, but only the host can carry what it gives."""
    code = """
      %last = vyre.region "swap" -> (memref<?xi32>) {
        %l2:2 = scf.for %k = %c0 to %c3 step %c1
            iter_args(%from = %a, %to = %out) -> (memref<?xi32>, memref<?xi32>) {
          %v = vyre.load %from[%x] : memref<?xi32>
          %w = arith.addi %v, %i1 : i32
          vyre.store %w, %to[%x] : memref<?xi32>
          scf.yield %to, %from : memref<?xi32>, memref<?xi32>
        }
        vyre.yield %l2#0 : memref<?xi32>
      }
      vyre.barrier grid_sync
      vyre.store %i9, %last[%x] : memref<?xi32>
    """
    inputs = {"out": ZEROS, "a": ZEROS}
    behaves(program(OUT, A, code), inputs, gives={"out": [9] * 8, "a": [2] * 8})


def test_a_loop_in_a_loop_in_a_region_gives_a_buffer_across_a_barrier(behaves: Way):
    """The region is taken apart inside the outer loop, around the inner one."""
    code = """
      vyre.region "swap" {
        scf.for %t = %c0 to %c2 step %c1 {
          %l2:2 = scf.for %k = %c0 to %c3 step %c1
              iter_args(%from = %a, %to = %out) -> (memref<?xi32>, memref<?xi32>) {
            %v = vyre.load %from[%x] : memref<?xi32>
            %w = arith.addi %v, %i1 : i32
            vyre.store %w, %to[%x] : memref<?xi32>
            scf.yield %to, %from : memref<?xi32>, memref<?xi32>
          }
          vyre.barrier grid_sync
          vyre.store %i9, %l2#0[%x] : memref<?xi32>
        }
      }
    """
    inputs = {"out": ZEROS, "a": ZEROS}
    behaves(program(OUT, A, code), inputs, gives={"out": [9] * 8, "a": [4] * 8})


def test_workgroup_memory_takes_turns(behaves: Way):
    """Two tiles are carried, across barriers of the grid."""
    code = """
      %tile = vyre.buffer "tile" workgroup : memref<4xi32>
      %spare = vyre.buffer "spare" workgroup : memref<4xi32>
      vyre.store %x32, %tile[%l] : memref<4xi32>
      vyre.store %i50, %spare[%l] : memref<4xi32>
      %after = arith.addi %l, %c1 : index
      %next = arith.remui %after, %c4 : index
      vyre.barrier grid_sync
      %last:2 = scf.for %k = %c0 to %c3 step %c1
          iter_args(%from = %tile, %to = %spare) -> (memref<4xi32>, memref<4xi32>) {
        %v = vyre.load %from[%next] : memref<4xi32>
        vyre.store %v, %to[%l] : memref<4xi32>
        vyre.barrier grid_sync
        scf.yield %to, %from : memref<4xi32>, memref<4xi32>
      }
      %v = vyre.load %last#0[%l] : memref<4xi32>
      %w = vyre.load %last#1[%l] : memref<4xi32>
      %tenfold = arith.muli %v, %i10 : i32
      %shown = arith.addi %tenfold, %w : i32
      vyre.store %shown, %out[%x] : memref<?xi32>
    """
    tiles = np.arange(8).reshape(2, 4)
    shown = 10 * np.roll(tiles, -3, axis=1) + np.roll(tiles, -2, axis=1)
    behaves(program(OUT, code), {"out": ZEROS}, gives={"out": shown.reshape(8)})


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_the_printed_plan_gets_the_same_grid(engine: str):
    """Only `out` is indexed by ids, before and after tiles become scratch."""
    code = """
      %count = arith.index_cast %groups : index to i32
      %last:2 = scf.for %k = %c0 to %c2 step %c1
          iter_args(%from = %s, %to = %t) -> (memref<4xi32>, memref<4xi32>) {
        vyre.store %count, %from[%l] : memref<4xi32>
        vyre.barrier grid_sync
        scf.yield %to, %from : memref<4xi32>, memref<4xi32>
      }
      %v = vyre.load %s[%l] : memref<4xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    written = program(OUT, A.replace("read_write", "read_only"), TILES, code)
    arguments = {"out": np.zeros(8, np.int32), "a": np.zeros(64, np.int32)}
    for text in (written, str(split(written))):
        results = vyre.compile(text, program="p", engine=engine)(arguments)
        assert results["out"].tolist() == [2] * 8
