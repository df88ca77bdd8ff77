"""
What users of the Rust system rely on: how many segments there are, what they are called
and what they share, how often they are launched, and that a barrier in a loop or branch is
split like any other. Every phase here has an effect: one without any may have no segment.
"""

from typing import Any

import numpy as np
import pytest
from fixpoint_programs import unrolled_fixpoint
from numpy.typing import NDArray
from split_cases import (
    ORDERS,
    OUT,
    SYNC,
    A,
    Way,
    launched,
    program,
    schedule_of,
    segments,
    split,
)

import vyre
from vyre.dialects.vyre import BufferOp, ProgramOp, RegionOp, ScheduleOp, StoreOp
from vyre.interpreter.engine import Dispatch

ROW = list(range(8))
ZEROS = [0] * 8


def store(value: int) -> str:
    return f"vyre.store %i{value}, %out[%x] : memref<?xi32>"


def stores_of(segment: ProgramOp) -> int:
    """How many stores of a segment go to the program's own buffer."""
    owners = [op.buffer.owner for op in segment.walk() if isinstance(op, StoreOp)]
    return sum(isinstance(o, BufferOp) and o.entry_name.data == "out" for o in owners)


@pytest.mark.parametrize(
    "code", [store(1), f"{store(1)}\nvyre.barrier seq_cst\n{store(2)}"], ids=["0", "1"]
)
def test_a_program_without_a_grid_barrier_stays_as_it_is(code: str):
    """A barrier of the workgroup is no place to cut."""
    text = program(OUT, code)
    assert str(split(text)) == str(vyre.parse(text))


@pytest.mark.parametrize("fences", [1, 3, 8])
def test_one_segment_more_than_barriers(fences: int):
    """They are named after the program, numbered, and launched in order."""
    code = f"\n{SYNC}\n".join(store(k) for k in range(fences + 1))
    module = split(program(OUT, code))
    names = [f"p.{k}" for k in range(fences + 1)]
    assert [segment.sym_name.data for segment in segments(module)] == names
    assert launched(module) == names
    assert schedule_of(module).sym_name.data == "p"
    assert [stores_of(segment) for segment in segments(module)] == [1] * (fences + 1)


def test_every_segment_has_the_workgroup_and_the_buffer():
    """One size of workgroups, and a table with what is touched."""
    text = program(OUT, store(1), SYNC, store(2), workgroup="[256, 1, 1]")
    for segment in segments(split(text)):
        assert segment.workgroup == (256, 1, 1)
        tables = [op for op in segment.table if isinstance(op, BufferOp)]
        assert [op.entry_name.data for op in tables] == ["out"]


def test_the_schedule_has_the_table_of_the_program():
    """Callers see no difference: the same names, accesses, bindings and outputs."""
    code = """
      %w = vyre.buffer "w" write_only binding 7 output range [4, 12] : memref<4xi32>
      %u = vyre.buffer "u" uniform binding 3 align 16 : memref<2xf32>
      %p = vyre.param "p" : f64
      vyre.store %i1, %w[%x] : memref<4xi32>
    """
    text = program(OUT, code, SYNC, store(1))
    (before,) = segments(vyre.parse(text))
    after = schedule_of(split(text))
    assert [str(entry) for entry in after.table] == [str(entry) for entry in before.table]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_barrier_in_regions(depth: int):
    """The regions are divided; both halves say where they come from."""
    code = f"{store(1)}\n{SYNC}\n{store(2)}"
    for level in range(depth):
        code = f'vyre.region "g{level}" from "s{level}" {{\n{code}\n}}'
    module = split(program(OUT, code))
    assert len(segments(module)) == 2
    for segment in segments(module):
        assert stores_of(segment) == 1
        found = [op for op in segment.walk() if isinstance(op, RegionOp)]
        labels = {
            (op.generator and op.generator.data, op.source and op.source.data)
            for op in found
        }
        assert {(f"g{level}", f"s{level}") for level in range(depth)} <= labels


def test_several_programs_in_a_module():
    """Each is split for itself; the one without a barrier stays."""
    first = program(OUT, store(1), SYNC, store(2))
    texts = [first, program(OUT, store(3)).replace("@p", "@q"), first.replace("@p", "@r")]
    module = split("\n".join(texts))
    assert [op.sym_name.data for op in module.walk() if isinstance(op, ScheduleOp)] == [
        "p",
        "r",
    ]
    names = [segment.sym_name.data for segment in segments(module)]
    assert sorted(names) == ["p.0", "p.1", "q", "r.0", "r.1"]
    for name, value in (("p", 2), ("q", 3), ("r", 2)):
        exe = vyre.compile(module, program=name, engine="reference")
        assert exe(out=np.zeros(8, np.int32), grid=2)["out"].tolist() == [value] * 8


def test_a_name_that_is_taken_is_left_out():
    """The module has a program already that is called like a segment."""
    text = program(OUT, store(1), SYNC, store(2))
    module = split(text + program(OUT, store(7)).replace("@p", "@p.1"))
    names = [op.sym_name.data for op in module.walk() if isinstance(op, ProgramOp)]
    assert sorted(names) == ["p.0", "p.1", "p.2"]


def test_splitting_twice_changes_nothing():
    """What is split has no barrier, and is left alone."""
    module = split(program(OUT, store(1), SYNC, store(2)))
    assert str(split(str(module))) == str(module)


@pytest.mark.parametrize("trips", [0, 1, 4])
def test_a_barrier_in_a_loop_is_split(behaves: Way, trips: int):
    """The loop goes into the schedule; no barrier survives in a segment."""
    code = f"""
      %trips = arith.constant {trips} : index
      %mirrored = arith.subi %c7, %x : index
      scf.for %k = %c0 to %trips step %c1 {{
        %v = vyre.load %out[%mirrored] : memref<?xi32>
        %more = arith.addi %v, %i1 : i32
        vyre.barrier grid_sync
        vyre.store %more, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
      }}
    """
    out = [(7 - k if trips % 2 else k) + trips for k in ROW]
    behaves(program(OUT, code), {"out": ROW}, gives={"out": out})


def test_output_of_two_segments_keeps_both_parts(behaves: Way):
    """The second segment adds to the buffer, it does not replace it."""
    code = """
      %w = vyre.buffer "w" write_only binding 1 output : memref<4xi32>
      %is_first = arith.cmpi eq, %x, %c0 : index
      scf.if %is_first {
        vyre.store %i170, %w[%c0] : memref<4xi32>
      }
      vyre.barrier grid_sync
      scf.if %is_first {
        vyre.store %i187, %w[%c2] : memref<4xi32>
      }
    """
    behaves(program(code), {}, gives={"w": [170, 0, 187, 0]})


def test_later_segments_see_what_earlier_ones_wrote(behaves: Way):
    """A chain 40, 41, 42 (the workload W12) over more workgroups than run at once."""
    code = """
      %is_first = arith.cmpi eq, %x, %c0 : index
      scf.if %is_first {
        vyre.store %i40, %a[%c0] : memref<?xi32>
      }
      vyre.barrier grid_sync
      scf.if %is_first {
        %v = vyre.load %a[%c0] : memref<?xi32>
        %more = arith.addi %v, %i1 : i32
        vyre.store %more, %a[%c1] : memref<?xi32>
      }
      vyre.barrier grid_sync
      scf.if %is_first {
        %v = vyre.load %a[%c1] : memref<?xi32>
        %more = arith.addi %v, %i1 : i32
        vyre.store %more, %a[%c0] : memref<?xi32>
      }
    """
    text = program(A, code, workgroup="[1, 1, 1]")
    behaves(text, {"a": [0, 0]}, gives={"a": [42, 41]}, grid=64)


def test_the_callers_arrays_stay_as_they_are():
    """Segments work on copies, also of what they overwrite first."""
    exe = vyre.compile(split(program(OUT, store(1), SYNC, store(2))), engine="reference")
    given = np.zeros(8, np.int32)
    assert exe(out=given, grid=2)["out"].tolist() == [2] * 8
    assert given.tolist() == ZEROS


def launches_of(
    monkeypatch: pytest.MonkeyPatch, text: str, **options: Any
) -> tuple[int, NDArray[Any]]:
    """How often the split program launches a segment, and what it leaves in `a`."""
    launches: list[str] = []
    launch = Dispatch.launch

    def counted(self: Dispatch, program: ProgramOp, entries: Any) -> None:
        launches.append(program.sym_name.data)
        launch(self, program, entries)

    monkeypatch.setattr(Dispatch, "launch", counted)
    exe = vyre.compile(split(text), engine="reference")
    results = exe(a=np.zeros(1, np.int32), grid=1, **options)
    return len(launches), results["a"]


ADD_ONE = """
  vyre.region {
    %is_first = arith.cmpi eq, %x, %c0 : index
    scf.if %is_first {
      %v = vyre.load %a[%c0] : memref<?xi32>
      %more = arith.addi %v, %i1 : i32
      vyre.store %more, %a[%c0] : memref<?xi32>
    }
  }
"""
ADD_ONE_UP_TO_3 = ADD_ONE.replace("%more, %a", "%top, %a").replace(
    "    vyre.store", "    %top = arith.minsi %more, %i3 : i32\n      vyre.store"
)


@pytest.mark.parametrize(
    ("step", "segment_count", "passes", "launches", "value"),
    [
        (ADD_ONE, 2, None, 2, 2),
        (ADD_ONE, 3, None, 3, 3),
        (ADD_ONE, 2, 3, 6, 6),
        (ADD_ONE, 2, 4, 8, 8),
        (ADD_ONE_UP_TO_3, 2, 10, 6, 3),
    ],
)
def test_passes_launch_every_segment(
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    segment_count: int,
    passes: int | None,
    launches: int,
    value: int,
):
    """A pass is all segments; one that changes nothing is the last."""
    text = program(A, SYNC.join([step] * segment_count))
    found, a = launches_of(monkeypatch, text, fixpoint_iterations=passes)
    assert (found, a.tolist()) == (launches, [value])


SET_THE_NEXT_BIT = """
  %bits = vyre.load %current[%x] : memref<?xi32>
  %left = arith.shli %bits, %i1 : i32
  %both = arith.ori %bits, %left : i32
  %limited = arith.andi %both, %i63 : i32
  vyre.store %limited, %next[%x] : memref<?xi32>
"""


def closure(rounds: int) -> str:
    """Each round sets the bit after each bit that is set; there are six."""
    return unrolled_fixpoint(SET_THE_NEXT_BIT, rounds)


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_segments_of_an_unrolled_fixpoint(rounds: int):
    """Two barriers a round make two segments a round, and one for the end."""
    assert len(segments(split(closure(rounds)))) == 2 * rounds + 1


@pytest.mark.parametrize("rounds", [1, 2, 5, 8])
def test_an_unrolled_fixpoint_ends_early(behaves: Way, rounds: int):
    """Segments after the last round do nothing: it takes 5 rounds and one to see that."""
    needed = min(rounds, 5)
    bits = (1 << (needed + 1)) - 1
    behaves(
        closure(rounds),
        {"current": [1] * 8, "next": ZEROS, "changed": [0] * rounds},
        gives={
            "current": [bits] * 8,
            "next": [bits] * 8,
            "changed": [int(k < 5) for k in range(rounds)],
            "gave_up": [int(rounds <= 5)],
        },
    )


def test_batches_of_rounds_reach_what_one_program_reaches():
    """The host may repeat a short program instead; it goes on where it was."""
    whole = vyre.compile(split(closure(8)), engine="reference")
    zeros = np.zeros(8, np.int32)
    start = {"current": zeros + 1, "next": zeros.copy(), "changed": zeros}
    reached = whole(start, grid=2)["current"]
    for rounds in (1, 2, 5):
        batch = vyre.compile(split(closure(rounds)), engine="reference")
        current = zeros + 1
        for _ in range(-(-6 // rounds)):
            inputs = {**start, "current": current, "changed": zeros[:rounds].copy()}
            current = batch(inputs, grid=2)["current"]
        assert current.tolist() == reached.tolist() == [63] * 8


@pytest.mark.parametrize("order", ORDERS)
def test_fences_in_five_stages(order: Any):
    """A chain of six segments, twice on one executable: nothing is left behind."""
    stage = """
      vyre.region -> () {
        %v = vyre.load %a[%x] : memref<?xi32>
        %more = arith.addi %v, %x32 : i32
        vyre.store %more, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
        %last = vyre.load %a[%c7] : memref<?xi32>
        vyre.barrier grid_sync
        vyre.store %last, %a[%x] : memref<?xi32>
      }
    """
    exe = vyre.compile(split(program(A, stage * 5)), engine="reference")
    for _ in range(2):
        results = exe(a=np.arange(8, dtype=np.int32), grid=2, order=order)
        assert results["a"].tolist() == [7 + 5 * 7] * 8
