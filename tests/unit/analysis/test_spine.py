"""The runs of a program: their numbers, what may follow, and how long values live."""

import vyre
from vyre.analysis.spine import Spine, needs_cut
from vyre.dialects.vyre import ProgramOp

TABLE = """
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %p = vyre.param "p" : i1
"""


def program(code: str) -> ProgramOp:
    text = f"vyre.program @p [64, 1, 1] {{ {TABLE} {code} }}"
    (found,) = (op for op in vyre.parse(text).walk() if isinstance(op, ProgramOp))
    return found


def spine(code: str) -> Spine:
    return Spine.of(program(code))


def following(spine: Spine) -> list[list[int]]:
    return [sorted(run.following) for run in spine.runs]


def names(spine: Spine) -> list[list[str]]:
    return [[op.name for op in run.ops] for run in spine.runs]


def test_straight_line():
    found = spine("""
      %i = vyre.invocation_id x
      vyre.barrier grid_sync
      vyre.barrier grid_sync
      vyre.barrier acq_rel
    """)
    assert names(found) == [["vyre.invocation_id"], [], ["vyre.barrier"]]
    assert following(found) == [[1], [2], []]


def test_tables_stand_in_no_run():
    found = spine("vyre.barrier grid_sync")
    assert names(found) == [[], []]
    assert all(found.home(entry.results[0]) is None for entry in found.program.table)


def test_a_collective_is_a_run():
    found = spine("""
      %i = vyre.invocation_id x
      vyre.all_reduce add %a : memref<?xi32>
    """)
    assert names(found) == [["vyre.invocation_id"], ["vyre.all_reduce"], []]
    assert following(found) == [[1], [2], []]
    assert [run.takes_code for run in found.runs] == [True, False, False]


LOOP = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %i = vyre.invocation_id x
    vyre.barrier grid_sync
    %j = vyre.invocation_id x
  }
  %l = vyre.invocation_id x
"""


def test_for():
    """Two runs and the tail; the loop may make no trip, and come back."""
    found = spine(LOOP)
    assert following(found) == [[1, 4], [2], [3], [1, 4], []]
    (loop,) = found.loops.values()
    assert (loop.first, loop.last, loop.depth) == (1, 3, 1)
    assert not found.runs[3].ops


def test_while():
    """The test is always made; the loop ends after it."""
    found = spine("""
      scf.while : () -> () {
        vyre.barrier grid_sync
        scf.condition(%p)
      } do {
        vyre.barrier acq_rel
        scf.yield
      }
    """)
    # Runs 1 to 3 are the test and its tail, 4 and 5 the other region and its tail.
    assert following(found) == [[1], [2], [3], [4, 6], [5], [1], []]
    (loop,) = found.loops.values()
    assert (loop.first, loop.last) == (1, 5)


def test_if():
    found = spine("""
      scf.if %p {
        vyre.barrier grid_sync
      } else {
        vyre.barrier acq_rel
      }
    """)
    assert following(found) == [[1, 3], [2], [4], [4], []]


def test_if_without_else():
    found = spine("scf.if %p { vyre.barrier grid_sync }")
    assert following(found) == [[1, 3], [2], [3], []]


def test_control_flow_without_cuts_is_plain_code():
    found = spine("""
      scf.if %p { vyre.barrier acq_rel }
      vyre.barrier grid_sync
    """)
    assert names(found) == [["scf.if"], []]
    assert not found.holders


def test_outer_holders_come_first():
    found = spine("""
      scf.if %p {
        scf.if %p { vyre.barrier grid_sync }
      }
    """)
    outer, inner = found.holders
    assert inner.parent_op() is outer


def test_home():
    found = spine("""
      %r = vyre.region -> (index) {
        %i = vyre.invocation_id x
        vyre.yield %i : index
      }
      vyre.barrier grid_sync
      vyre.barrier acq_rel
    """)
    (region,) = found.runs[0].ops
    inner = region.regions[0].block.first_op
    assert inner is not None
    assert found.home(region.results[0]) is found.runs[0]
    assert found.home(inner.results[0]) is found.runs[0]
    assert inner in found.runs[0].unconditional()


def test_values_of_holders_have_no_home():
    found = spine(LOOP)
    assert found.home(found.holders[0].regions[0].block.args[0]) is None


def test_outer_operands():
    """Also of nested operations, but not what the run or a nested block computes."""
    found = spine("""
      %i = vyre.invocation_id x
      %x = vyre.load %a[%i] : memref<?xi32>
      vyre.barrier grid_sync
      %j = vyre.invocation_id x
      scf.if %p {
        %y = arith.addi %x, %x : i32
        vyre.store %y, %a[%j] : memref<?xi32>
      }
    """)
    used = [value.name_hint for _, _, value in found.outer_operands(found.runs[1])]
    assert used == ["p", "x", "x", "a"]


NESTED = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.for %l = %c0 to %n step %c1 {
      vyre.barrier grid_sync
    }
  }
"""


def test_end_of_life():
    """A loop around the use but not around the definition is lived through."""
    found = spine(NESTED)
    outer, inner = (found.loops[holder] for holder in found.holders)
    assert (outer.first, outer.last, inner.first, inner.last) == (1, 6, 2, 4)
    assert inner.depth == 2
    assert found.end_of_life(0, 2) == outer.last
    assert found.end_of_life(1, 2) == inner.last
    assert found.end_of_life(2, 3) == 3
    assert found.end_of_life(0, 7) == 7
    assert found.end_of_life(3, 7) == 7


def test_a_loop_whose_buffers_are_used_later_is_a_holder():
    """Only the host carries buffers from run to run."""
    loop = """
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%b = %a) -> (memref<?xi32>) {
        scf.yield %b : memref<?xi32>
      }
      %i = vyre.invocation_id x
    """
    use = "%x = vyre.load %r[%i] : memref<?xi32>"
    assert not spine(f"{loop} {use} vyre.barrier grid_sync").holders
    assert len(spine(f"{loop} vyre.barrier grid_sync {use}").holders) == 1


def test_needs_cut():
    collective = "vyre.all_reduce add %a : memref<?xi32>"
    assert needs_cut(program("vyre.barrier grid_sync"))
    assert needs_cut(program("scf.if %p { vyre.barrier grid_sync }"))
    assert needs_cut(program(f"{collective} {collective}"))
    assert not needs_cut(program("vyre.barrier acq_rel"))
    assert not needs_cut(program(collective))
