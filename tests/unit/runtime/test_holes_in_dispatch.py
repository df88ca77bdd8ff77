"""
Mistakes that other runtimes make around split programs, one by one: each program here gives
a wrong answer, an error or a leak if buffers, geometry or options of a dispatch are those
of a segment, or if one way to dispatch forgets what another does.

The engine has memory of its own, which does not start as zeros.
"""

from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from engines import KINDS, Kind, OwnMemory, make_engine
from entries import ENTRIES, Entry, dispatch
from split_cases import OUT, SYNC, A, program

import vyre
from vyre.runtime.binding import Role
from vyre.runtime.errors import OutOfMemory
from vyre.runtime.geometry import Geometry


@pytest.fixture(params=ENTRIES)
def entry(request: pytest.FixtureRequest) -> Entry:
    return request.param


def gives(
    entry: Entry,
    text: str,
    inputs: dict[str, Any],
    expected: dict[str, Any],
    **options: Any,
) -> None:
    """Assert the results on an engine with memory of its own, and that it is freed."""
    engine = OwnMemory()
    exe = vyre.compile(text, engine=engine)
    found, _ = dispatch(exe, entry, inputs, **options)
    assert {name: array.tolist() for name, array in found.items()} == expected
    del exe
    assert not engine.live_count


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


def test_h12_a_segment_that_only_writes_keeps_the_callers_bytes(entry: Entry):
    text = program(OUT, A, first_stores(9, "%a", 0), SYNC, first_stores(1, "%out", 0))
    inputs = {"out": [0, 0], "a": [1, 2, 3, 4]}
    gives(entry, text, inputs, {"out": [1, 0], "a": [9, 2, 3, 4]}, grid=1)


def test_h12b_two_segments_write_parts_of_a_buffer(entry: Entry):
    text = program(A, first_stores(7, "%a", 0), SYNC, first_stores(8, "%a", 1))
    gives(entry, text, {"a": [0, 0]}, {"a": [7, 8]}, grid=1)


@pytest.mark.parametrize("clause", ["write_only binding 1", "read_write binding 1 output"])
def test_h12c_two_segments_write_parts_of_a_result(entry: Entry, clause: str):
    buffer = f'%w = vyre.buffer "w" {clause} : memref<2xi32>'
    stores = [first_stores(7, "%w", 0, "2"), SYNC, first_stores(8, "%w", 1, "2")]
    gives(entry, program(buffer, *stores), {}, {"w": [7, 8]}, grid=1)


def test_h12d_each_level_writes_its_own_elements(entry: Entry):
    code = """
      %depth = vyre.buffer "depth" read_only binding 3 : memref<?xi32>
      %d = vyre.load %depth[%x] : memref<?xi32>
      %is_top = arith.cmpi eq, %d, %i0 : i32
      scf.if %is_top {
        vyre.store %i100, %out[%x] : memref<?xi32>
      }
      vyre.barrier grid_sync
      %is_below = arith.cmpi eq, %d, %i1 : i32
      scf.if %is_below {
        vyre.store %i200, %out[%x] : memref<?xi32>
      }
    """
    text = program(OUT, code, workgroup="[2, 1, 1]")
    inputs = {"out": [0] * 4, "depth": [0, 1, 0, 1]}
    gives(entry, text, inputs, {"out": [100, 200, 100, 200]})


def test_h13_an_output_that_no_segment_writes(entry: Entry):
    unused = '%unused = vyre.buffer "unused" write_only binding 5 output : memref<1xi32>'
    text = program(A, unused, first_stores(1, "%a", 0), SYNC, first_stores(2, "%a", 0))
    gives(entry, text, {"a": [0]}, {"a": [2], "unused": [0]}, grid=1)


COUNT_ALL = program(
    """
      %counter = vyre.buffer "counter" read_write binding 0 : memref<1xi32>
      %out = vyre.buffer "out" write_only binding 1 output : memref<8xi32>
      %old = vyre.atomic add %i1, %counter[%c0] : memref<1xi32>
      vyre.barrier grid_sync
      %count = vyre.load %counter[%c0] : memref<1xi32>
      vyre.store %count, %out[%x] : memref<8xi32>
    """,
    workgroup="[2, 1, 1]",
)


def test_h14_the_grid_is_that_of_the_whole_program(entry: Entry):
    """The first segment touches one element only; the grid covers all eight of `out`."""
    gives(entry, COUNT_ALL, {"counter": [0]}, {"counter": [8], "out": [8] * 8})


def test_h14b_all_segments_have_one_geometry():
    engine = OwnMemory()
    vyre.compile(COUNT_ALL, engine=engine)(counter=np.zeros(1, np.int32), workgroup=4)
    geometries = [launch.geometry for launch in engine.launches]
    assert geometries == [Geometry((2, 1, 1), (4, 1, 1))] * 2


def test_h15_an_output_range_is_cut_out_at_the_end(entry: Entry):
    """Between segments the whole buffer counts, and a resident program agrees (H15b)."""
    code = """
      %out = vyre.buffer "out" read_write binding 0 output range [4, 12] : memref<4xi32>
      %v = arith.addi %x32, %i1 : i32
      vyre.store %v, %out[%x] : memref<4xi32>
      vyre.barrier grid_sync
      %w = vyre.load %out[%x] : memref<4xi32>
      %sum = arith.addi %w, %i10 : i32
      vyre.store %sum, %out[%x] : memref<4xi32>
    """
    gives(entry, program(code), {}, {"out": [12, 13]}, grid=1)


def test_h16_an_output_that_is_first_changed_by_an_atomic(entry: Entry):
    code = """
      %out = vyre.buffer "out" read_write binding 0 output : memref<1xi32>
      %old = vyre.atomic add %i1, %out[%c0] : memref<1xi32>
      vyre.barrier grid_sync
      vyre.store %i3, %a[%x] : memref<?xi32>
    """
    text = program(A, code)
    gives(entry, text, {"a": [0] * 4}, {"out": [4], "a": [3] * 4}, grid=1)


@pytest.mark.parametrize("count", [0, 4, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_h17_h22_the_length_of_a_buffer_that_is_not_accessed(
    entry: Entry, kind: Kind, count: int
):
    """A length takes the buffer along, and an empty one has length 0."""
    code = """
      %unread = vyre.buffer "unread" read_only binding 3 : memref<?xi32>
      %out = vyre.buffer "out" write_only binding 1 output : memref<2xi32>
      %length = vyre.length %unread, 0 : memref<?xi32>
      %v = arith.index_cast %length : index to i32
      vyre.store %v, %out[%c0] : memref<2xi32>
      vyre.barrier grid_sync
      vyre.store %v, %out[%c1] : memref<2xi32>
    """
    exe = vyre.compile(program(code), engine=make_engine(kind), mode="split")
    results, _ = dispatch(exe, entry, {"unread": [0] * count}, grid=1)
    assert results["out"].tolist() == [count] * 2


MARKS = program(
    A,
    """
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
    """,
    workgroup="[4, 1, 1] grid_from {a = array<i64: 0>}",
)


def test_h18_outputs_keep_their_contents_from_pass_to_pass(entry: Entry):
    expected = {"out": [1, 1, 1, 0], "a": [3]}
    gives(entry, MARKS, {"a": [0]}, expected, fixpoint_iterations=3)


def test_h18_outputs_keep_nothing_from_call_to_call(entry: Entry):
    """But for resident programs, which go on where they were."""
    exe = vyre.compile(MARKS, engine=OwnMemory())
    for start in (0, 2):
        results, _ = dispatch(exe, entry, {"a": [start]}, fixpoint_iterations=2)
        assert results["out"].tolist() == ([1, 1, 0, 0] if start == 0 else [0, 0, 1, 1])


def test_h19_passes_repeat_the_whole_sequence(entry: Entry):
    """Three doublings; each segment for itself, three times, would double once."""
    code = """
      %acc = vyre.buffer "acc" read_write binding 0 : memref<1xi32>
      %tmp = vyre.buffer "tmp" read_write binding 1 : memref<1xi32>
      %v = vyre.load %acc[%c0] : memref<1xi32>
      %twice = arith.addi %v, %v : i32
      vyre.store %twice, %tmp[%c0] : memref<1xi32>
      vyre.barrier grid_sync
      %w = vyre.load %tmp[%c0] : memref<1xi32>
      vyre.store %w, %acc[%c0] : memref<1xi32>
    """
    text = program(code, workgroup="[1, 1, 1]")
    inputs = {"acc": [1], "tmp": [0]}
    gives(entry, text, inputs, {"acc": [8], "tmp": [8]}, fixpoint_iterations=3)


class ShortOfMemory(OwnMemory):
    """Has room for a few buffers only."""

    def __init__(self, room: int):
        super().__init__()
        self._left = room

    def allocate(self, size: int, alignment: int) -> int:
        self._left -= 1
        if self._left < 0:
            raise MemoryError
        return super().allocate(size, alignment)


@pytest.mark.parametrize("room", [0, 1])
def test_h20_an_allocation_that_fails_leaves_nothing_behind(entry: Entry, room: int):
    engine = ShortOfMemory(room)
    text = program(OUT, A, first_stores(9, "%a", 0), SYNC, first_stores(1, "%out", 0))
    exe = vyre.compile(text, engine=engine)
    with pytest.raises(OutOfMemory, match="allocate 4 bytes for"):
        dispatch(exe, entry, {"out": [0], "a": [0]}, grid=1)
    assert not engine.live_count


def test_h21_options_reach_every_segment(entry: Entry):
    """Four workgroups of 64, not of the 32 that the program says: 256 invocations."""
    code = """
      %size = vyre.workgroup_size x
      %v = arith.index_cast %size : index to i32
      %old = vyre.atomic add %i1, %out[%c0] : memref<?xi32>
      vyre.barrier grid_sync
      %again = vyre.atomic add %i1, %out[%c1] : memref<?xi32>
      vyre.store %v, %out[%c2] : memref<?xi32>
    """
    text = program(OUT, code, workgroup="[32, 1, 1]")
    expected = {"out": [256, 256, 64]}
    gives(entry, text, {"out": [0] * 3}, expected, grid=4, workgroup=64)


def test_h24_a_pass_is_compared_with_the_one_before_and_not_by_a_sum(entry: Entry):
    """Two buffers exchange their contents in each pass: nothing is added or lost."""
    code = """
      %b = vyre.buffer "b" read_write binding 2 : memref<?xi32>
      %v = vyre.load %a[%x] : memref<?xi32>
      %w = vyre.load %b[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %w, %a[%x] : memref<?xi32>
      vyre.store %v, %b[%x] : memref<?xi32>
    """
    engine = OwnMemory()
    exe = vyre.compile(program(A, code), engine=engine)
    inputs = {"a": [1, 2, 3, 4], "b": [5, 6, 7, 8]}
    results, report = dispatch(exe, entry, inputs, fixpoint_iterations=5)
    assert report.passes == 5
    assert results["a"].tolist() == inputs["b"]
    same, report = dispatch(exe, entry, {"a": [3], "b": [3]}, fixpoint_iterations=5)
    assert (report.passes, same["a"].tolist()) == (2, [3])


def test_h24_one_bit_of_many_is_a_change(entry: Entry):
    """Bit k of element k is set in pass k, far from the beginning."""
    code = """
      %is_first = arith.cmpi eq, %x, %c0 : index
      scf.if %is_first {
        %v = vyre.load %a[%c999] : memref<?xi32>
        %twice = arith.shli %v, %i1 : i32
        vyre.store %twice, %a[%c999] : memref<?xi32>
      }
      vyre.barrier grid_sync
      vyre.store %i1, %out[%x] : memref<?xi32>
    """
    a = np.zeros(1000, np.int32)
    a[999] = 1
    exe = vyre.compile(program(OUT, A, code), engine=OwnMemory())
    inputs = {"a": a, "out": [0]}
    results, report = dispatch(exe, entry, inputs, grid=1, fixpoint_iterations=40)
    # 31 passes move the bit to the sign, one moves it out, one more changes nothing.
    assert report.passes == 33
    assert not results["a"].any()


def test_h31_persistent_buffers_are_no_arguments():
    """Whichever way the program is run, it goes on where the last dispatch ended."""
    code = """
      %state = vyre.buffer "state" read_write binding 1 kind persistent : memref<2xi32>
      %v = vyre.load %state[%x] : memref<2xi32>
      vyre.barrier grid_sync
      %more = arith.addi %v, %i1 : i32
      vyre.store %more, %state[%x] : memref<2xi32>
      vyre.store %more, %out[%x] : memref<?xi32>
    """
    engine = OwnMemory()
    exe = vyre.compile(program(OUT, code), engine=engine)
    assert [b.role for b in exe.bindings.declared] == [Role.INPUT_OUTPUT, Role.PERSISTENT]
    assert [b.may_be_left_out for b in exe.bindings.declared] == [False, True]
    runs = 0
    for entry in (*ENTRIES, *reversed(ENTRIES)):
        results, _ = dispatch(exe, entry, {"out": [0, 0]}, grid=1)
        runs += 2 if entry == "into" else 1
        assert results["out"].tolist() == results["state"].tolist() == [runs, runs]
    assert engine.live_count == 1
    del exe
    assert not engine.live_count


def test_h31_a_persistent_buffer_that_is_passed_is_not_kept(entry: Entry):
    text = """
vyre.program @p [1, 1, 1] grid_from {state = array<i64: 0>} {
  %state = vyre.buffer "state" read_write binding 1 kind persistent : memref<1xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %state[%c0] : memref<1xi32>
}
"""
    exe = vyre.compile(text, engine=OwnMemory())
    exe()
    passed, _ = dispatch(exe, "call", {"state": [100]})
    assert passed["state"].tolist() == [101]
    kept, _ = dispatch(exe, entry, {})
    assert kept["state"].tolist() == [3 if entry == "into" else 2]


def test_h33_the_engine_is_asked_whether_the_grid_fits():
    """With the size of workgroups that is run, not the one that is written."""
    engine = OwnMemory(grid_sync=True, room=4)
    exe = vyre.compile(counting(2), engine=engine)
    zero = np.zeros(1, np.int32)
    assert exe.timed(a=zero, grid=4, workgroup=16).report.launches == 1
    assert exe.timed(a=zero, grid=5, workgroup=16).report.launches == 2
    assert [(g.groups[0], g.size[0]) for g in engine.fits] == [(4, 16), (5, 16)]
