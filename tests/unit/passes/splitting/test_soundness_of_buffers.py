"""
Counterexamples to naive splitting, continued: buffers, their contents and the geometry of
the launches must be those of the whole program, however little of it a segment touches.
"""

from typing import Any

import numpy as np
import pytest
from split_cases import OUT, SYNC, A, Way, program

ROW = list(range(8))
ZEROS = [0] * 8


def first_stores(value: int, buffer: str, at: int, size: str = "?") -> str:
    """Code by which invocation 0 alone stores a number."""
    return f"""
      vyre.region {{
        %is_first = arith.cmpi eq, %x, %c0 : index
        scf.if %is_first {{
          vyre.store %i{value}, {buffer}[%c{at}] : memref<{size}xi32>
        }}
      }}
    """


def test_h12_a_segment_that_only_writes_keeps_the_rest(behaves: Way):
    """Written and not read does not mean overwritten from end to end."""
    code = (first_stores(9, "%a", 0), SYNC, first_stores(1, "%out", 0))
    gives = {"out": [1, 0], "a": [9, 2, 3, 4]}
    behaves(program(OUT, A, *code), {"out": [0, 0], "a": [1, 2, 3, 4]}, gives=gives)


def test_h12b_two_segments_write_parts_of_a_buffer(behaves: Way):
    """The second must not start from nothing."""
    code = (first_stores(7, "%a", 0), SYNC, first_stores(8, "%a", 1))
    behaves(program(A, *code), {"a": [5, 5, 5]}, gives={"a": [7, 8, 5]})


@pytest.mark.parametrize("clause", ["write_only binding 1", "write_only binding 1 output"])
def test_h12c_two_segments_write_parts_of_a_result(behaves: Way, clause: str):
    """Nor if the buffer starts as zeros and is never read."""
    buffer = f'%w = vyre.buffer "w" {clause} : memref<4xi32>'
    code = (first_stores(7, "%w", 0, "4"), SYNC, first_stores(8, "%w", 2, "4"))
    behaves(program(buffer, *code), {}, gives={"w": [7, 0, 8, 0]})


def test_h12d_each_level_writes_its_own_elements(behaves: Way):
    """The same, with elements that the data choose."""
    code = """
      %depth = vyre.load %a[%x] : memref<?xi32>
      %is_top = arith.cmpi eq, %depth, %i0 : i32
      scf.if %is_top {
        vyre.store %i100, %out[%x] : memref<?xi32>
      }
      vyre.barrier grid_sync
      %is_below = arith.cmpi eq, %depth, %i1 : i32
      scf.if %is_below {
        vyre.store %i200, %out[%x] : memref<?xi32>
      }
    """
    depth = [0, 1, 0, 1, 1, 0, 2, 0]
    out = [100, 200, 100, 200, 200, 100, 5, 100]
    gives = {"out": out, "a": depth}
    behaves(program(OUT, A, code), {"out": [5] * 8, "a": depth}, gives=gives)


def test_h13_an_output_that_nothing_writes(behaves: Way):
    """No segment needs it, the caller does."""
    unused = '%unused = vyre.buffer "unused" write_only binding 5 output : memref<2xi32>'
    code = (first_stores(1, "%a", 0), SYNC, first_stores(2, "%a", 0))
    gives = {"a": [2], "unused": [0, 0]}
    behaves(program(A, unused, *code), {"a": [0]}, gives=gives)


def test_h13_an_argument_that_nothing_touches(behaves: Way):
    """It stays in the interface, and is given back as it came."""
    unused = """
      %unused = vyre.buffer "unused" read_write binding 5 : memref<?xi32>
      %also = vyre.param "also" : f32
    """
    code = (first_stores(1, "%a", 0), SYNC, first_stores(2, "%a", 0))
    inputs: dict[str, Any] = {"a": [0], "unused": [3, 4], "also": 1.5}
    behaves(program(A, unused, *code), inputs, gives={"a": [2], "unused": [3, 4]})


def test_h14_the_geometry_is_that_of_the_whole_program(behaves: Way):
    """Inferred from what its first segment touches, one element, the grid is too small."""
    code = """
      %counter = vyre.buffer "counter" read_write binding 0 : memref<1xi32>
      %out = vyre.buffer "out" write_only binding 1 output : memref<8xi32>
      %old = vyre.atomic add %i1, %counter[%c0] : memref<1xi32>
      vyre.barrier grid_sync
      %count = vyre.load %counter[%c0] : memref<1xi32>
      vyre.store %count, %out[%x] : memref<8xi32>
    """
    text = program(code, workgroup="[2, 1, 1]")
    behaves(text, {"counter": [0]}, gives={"counter": [8], "out": [8] * 8}, grid=None)


def test_h15_an_output_range_is_cut_out_at_the_end(behaves: Way):
    """Between segments the whole buffer counts."""
    code = """
      %out = vyre.buffer "out" read_write binding 0 output range [4, 12] : memref<4xi32>
      %v = arith.addi %x32, %i1 : i32
      vyre.store %v, %out[%x] : memref<4xi32>
      vyre.barrier grid_sync
      %mirrored = arith.subi %c3, %x : index
      %w = vyre.load %out[%mirrored] : memref<4xi32>
      vyre.barrier grid_sync
      %sum = arith.addi %w, %i10 : i32
      vyre.store %sum, %out[%x] : memref<4xi32>
    """
    behaves(program(code), {}, gives={"out": [13, 12]}, grid=1)


def test_h16_an_output_that_is_first_changed_by_an_atomic(behaves: Way):
    """It starts as zeros although nobody has stored any."""
    code = """
      %out = vyre.buffer "out" read_write binding 0 output : memref<1xi32>
      %old = vyre.atomic add %i1, %out[%c0] : memref<1xi32>
      vyre.barrier grid_sync
      vyre.store %i3, %a[%x] : memref<?xi32>
    """
    gives = {"out": [8], "a": [3] * 8}
    behaves(program(A, code), {"a": ZEROS}, gives=gives)


@pytest.mark.parametrize("count", [0, 4, 5])
def test_h17_the_length_of_a_buffer_that_is_not_accessed(behaves: Way, count: int):
    """A length takes the buffer along (H17), and an empty one has length 0 (H22)."""
    code = """
      %unread = vyre.buffer "unread" read_only binding 3 : memref<?xi32>
      vyre.store %i1, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %length = vyre.length %unread, 0 : memref<?xi32>
      %v = arith.index_cast %length : index to i32
      vyre.store %v, %out[%x] : memref<?xi32>
    """
    inputs = {"out": ZEROS, "unread": [0] * count}
    behaves(program(OUT, code), inputs, gives={"out": [count] * 8})


def test_h18_outputs_keep_their_contents_from_pass_to_pass(behaves: Way):
    """Three passes, each marking one element: outputs start as zeros once, not thrice."""
    code = """
      %out = vyre.buffer "out" write_only binding 0 output : memref<4xi32>
      %is_first = arith.cmpi eq, %x, %c0 : index
      scf.if %is_first {
        %v = vyre.load %a[%c0] : memref<?xi32>
        %at = arith.index_cast %v : i32 to index
        vyre.store %i1, %out[%at] : memref<4xi32>
      }
      vyre.barrier grid_sync
      scf.if %is_first {
        %v = vyre.load %a[%c0] : memref<?xi32>
        %next = arith.addi %v, %i1 : i32
        vyre.store %next, %a[%c0] : memref<?xi32>
      }
    """
    gives = {"out": [1, 1, 1, 0], "a": [3]}
    behaves(program(A, code), {"a": [0]}, gives=gives, fixpoint_iterations=3)


def test_h18_kept_values_start_anew_in_each_pass(behaves: Way):
    """Scratch starts as zeros in every pass, and takes no part in convergence."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      %is_even = arith.trunci %v : i32 to i1
      scf.if %is_even {
        vyre.return
      }
      vyre.barrier grid_sync
      %next = arith.addi %v, %i1 : i32
      vyre.store %next, %a[%x] : memref<?xi32>
    """
    gives = {"a": [1, 1, 3, 3, 5, 5, 7, 7]}
    behaves(program(A, code), {"a": ROW}, gives=gives, fixpoint_iterations=9)


def test_h31_persistent_buffers_stay_in_the_runtime(behaves: Way):
    """The caller does not pass it, and each dispatch goes on where the last one ended."""
    code = """
      %state = vyre.buffer "state" read_write binding 1 kind persistent : memref<8xi32>
      %v = vyre.load %state[%x] : memref<8xi32>
      vyre.store %v, %out[%x] : memref<?xi32>
      vyre.barrier grid_sync
      %mirrored = arith.subi %c7, %x : index
      %sum = arith.addi %v, %x32 : i32
      vyre.store %sum, %state[%mirrored] : memref<8xi32>
    """
    exe = behaves.executable(program(OUT, code))
    zeros = np.zeros(8, np.int32)
    shown = [exe(out=zeros, grid=2)["out"].tolist() for _ in range(3)]
    assert shown == [ZEROS, ROW[::-1], [7] * 8]
