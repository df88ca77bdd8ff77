"""
What users of the Rust system rely on when they dispatch: how often which programs are
launched, on which memory, what comes out, and what the times and counters say.

Every segment here has an effect: one without any would not be launched at all.
"""

import time
from itertools import count
from typing import Any

import numpy as np
import pytest
from counting_programs import ADD_ONE_UP_TO_3, counting, segments_of_two_buffers
from engines import (
    KINDS,
    Closure,
    Kind,
    OwnMemory,
    grid_barriers,
    in_place,
    make_engine,
    programs,
)
from entries import ENTRIES, Entry, dispatch
from split_cases import SYNC, A, program

import vyre
from vyre.runtime import telemetry
from vyre.runtime.backend import Launch, is_buffer
from vyre.runtime.config import Mode
from vyre.runtime.times import Times

TWO_PARTS = program(
    """
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
)
"""The first segment stores 0xAA, the second 0xBB, both into the same output."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    ("segments", "passes", "start", "launches", "value"),
    [
        pytest.param(2, None, 0, 2, 2, id="default"),
        pytest.param(2, 3, 0, 6, 6, id="three passes"),
        pytest.param(2, None, 4, 2, 6, id="starts from the input"),
        pytest.param(3, None, 5, 3, 8, id="three segments"),
        pytest.param(2, 4, 0, 8, 8, id="never converges"),
    ],
)
def test_launches_and_values(
    kind: Kind,
    entry: Entry,
    segments: int,
    passes: int | None,
    start: int,
    launches: int,
    value: int,
):
    engine = make_engine(kind)
    exe = vyre.compile(counting(segments), engine=engine, mode="split")
    results, report = dispatch(
        exe, entry, {"a": [start]}, grid=1, fixpoint_iterations=passes
    )
    assert results["a"].tolist() == [value]
    assert report.launches == launches
    runs = 2 if entry == "into" else 1
    assert len(programs(engine)) == runs * launches
    assert [p.sym_name.data for p in programs(engine)[:segments]] == [
        f"p.{k}" for k in range(segments)
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_saturating_accumulator_stops_after_three_passes_of_ten(kind: Kind, entry: Entry):
    """The second pass reaches 3, the third changes nothing."""
    text = counting(2, ADD_ONE_UP_TO_3)
    exe = vyre.compile(text, engine=make_engine(kind), mode="split")
    results, report = dispatch(exe, entry, {"a": [0]}, grid=1, fixpoint_iterations=10)
    assert (results["a"].tolist(), report.passes, report.launches) == ([3], 3, 6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_split_counts_its_segments_and_barriers(kind: Kind):
    exe = vyre.compile(counting(3), engine=make_engine(kind), mode="split")
    before = telemetry.snapshot()
    exe(a=np.zeros(1, np.int32), grid=1)
    found = telemetry.snapshot() - before
    splits = (found.grid_sync_splits, found.grid_sync_segments, found.grid_sync_points)
    assert splits == (1, 3, 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_two_segments_fill_one_output(kind: Kind, entry: Entry):
    """The second adds to what the first has written; the rest is zeros."""
    engine = make_engine(kind)
    exe = vyre.compile(TWO_PARTS, engine=engine, mode="split")
    results, report = dispatch(exe, entry, {}, grid=2)
    assert results["w"].tobytes() == bytes([0xAA, 0, 0, 0, 0, 0, 0, 0, 0xBB] + [0] * 7)
    assert report.launches == 2


# Resident


def test_the_same_handles_are_bound_to_all_segments():
    engine = OwnMemory()
    exe = vyre.compile(segments_of_two_buffers(3), engine=engine)
    ones = np.ones(8, np.int32)
    with exe.resident(a=ones, b=2 * ones) as held:
        held.run()
        assert held.read("a").tolist() == [4] * 8
        assert held.read("b").tolist() == [5] * 8
        bound = [
            [argument.memory for argument in launch.arguments if is_buffer(argument)]
            for launch in engine.launches
        ]
        assert bound == [bound[0]] * 3
        assert len(set(bound[0])) == 2
        assert engine.live_count == 2
    assert not engine.live_count


def stepped(launch: Launch) -> Times:
    """Times that grow with each launch: 1, 2, 3 on the device."""
    return Times(launch.number + 1, launch.number + 2, launch.number + 3)


@pytest.mark.parametrize("entry", ENTRIES)
def test_times_are_sums_over_the_segments(entry: Entry):
    exe = vyre.compile(segments_of_two_buffers(3), engine=OwnMemory(times=stepped))
    _, report = dispatch(exe, entry, {"a": [0] * 8, "b": [0] * 8})
    assert (report.device, report.enqueue, report.wait) == (6, 9, 12)
    each = [(segment.name, segment.times) for segment in report.segments]
    assert each == [(f"p.{k}", Times(k + 1, k + 2, k + 3)) for k in range(3)]


@pytest.mark.parametrize("silent", [0, 1, 2])
def test_a_time_that_one_segment_does_not_know_is_unknown(silent: int):
    def times(launch: Launch) -> Times:
        known = stepped(launch)
        return Times(None, known.enqueue, None) if launch.number == silent else known

    exe = vyre.compile(segments_of_two_buffers(3), engine=OwnMemory(times=times))
    zeros = np.zeros(8, np.int32)
    with exe.resident(a=zeros, b=zeros.copy()) as held:
        report = held.run(timed=True)
    assert (report.device, report.enqueue, report.wait) == (None, 9, None)


def test_times_of_a_fixpoint_are_sums_over_all_passes():
    exe = vyre.compile(segments_of_two_buffers(3), engine=OwnMemory(times=stepped))
    zeros = np.zeros(8, np.int32)
    with exe.resident(a=zeros, b=zeros.copy()) as held:
        report = held.run(timed=True, fixpoint_iterations=2, check_interval=None)
    assert (report.device, report.enqueue, report.wait) == (21, 27, 33)
    assert [segment.launches for segment in report.segments] == [2, 2, 2]


@pytest.mark.parametrize("entry", ["call", "into", "bind"])
def test_the_wall_time_is_that_of_everything(entry: Entry):
    """From before the first transfer until after the last."""

    class Transferring(OwnMemory):
        def upload(self, memory: int, offset: int, data: Any) -> None:
            moments.append(time.perf_counter_ns())
            super().upload(memory, offset, data)

        def download(self, memory: int, offset: int, data: Any) -> None:
            super().download(memory, offset, data)
            moments.append(time.perf_counter_ns())

    moments: list[int] = []
    exe = vyre.compile(counting(2), engine=Transferring())
    _, report = dispatch(exe, entry, {"a": [0]})
    assert report.started <= moments[-2]
    assert moments[-1] <= report.started + report.wall
    assert sum(segment.wall for segment in report.segments) <= report.wall


def test_segments_are_told_whether_times_are_wanted():
    engine = OwnMemory()
    exe = vyre.compile(counting(2), engine=engine)
    with exe.resident(a=np.zeros(1, np.int32)) as held:
        held.run()
        held.run(timed=True)
    assert [launch.timed for launch in engine.launches] == [False, False, True, True]


def test_untouched_slots_of_a_resident_output_are_zeros():
    """Fresh memory holds 0xFF; what no segment writes must not show it."""
    engine = OwnMemory()
    exe = vyre.compile(TWO_PARTS, engine=engine)
    with exe.resident(grid=1) as held:
        assert held.run().launches == 2
        assert held.read("w").tolist() == [0xAA, 0, 0xBB, 0]
        assert engine.live_count == 1
    assert not engine.live_count


COUNTING_SCHEDULE = """
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %s = vyre.scratch single : memref<1xi32>
  vyre.launch @count(%s)
  vyre.launch @add(%a, %s)
}
vyre.program @count [4, 1, 1] {
  %s = vyre.buffer "s" read_write binding 0 : memref<1xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %old = vyre.atomic add %one, %s[%c0] : memref<1xi32>
}
vyre.program @add [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %s = vyre.buffer "s" read_only binding 1 : memref<1xi32>
  %c0 = arith.constant 0 : index
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<?xi32>
  %count = vyre.load %s[%c0] : memref<1xi32>
  %sum = arith.addi %v, %count : i32
  vyre.store %sum, %a[%x] : memref<?xi32>
}
"""
"""Counts its invocations in scratch, and adds the count to all elements."""


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("kind", KINDS)
def test_scratch_starts_as_zeros_in_every_pass(entry: Entry, kind: Kind):
    exe = vyre.compile(COUNTING_SCHEDULE, engine=make_engine(kind))
    results, _ = dispatch(exe, entry, {"a": [0] * 4}, grid=2, fixpoint_iterations=3)
    assert results["a"].tolist() == [3 * 8] * 4


def test_who_has_returned_stays_so_in_every_run():
    """Invocations that return before the barrier must not be taken to be alive after."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      %is_odd = arith.trunci %v : i32 to i1
      scf.if %is_odd {
        vyre.return
      }
      vyre.barrier grid_sync
      %next = arith.addi %v, %i1 : i32
      vyre.store %next, %a[%x] : memref<?xi32>
    """
    engine = OwnMemory()
    exe = vyre.compile(program(A, code), engine=engine)
    with exe.resident(a=np.arange(8, dtype=np.int32)) as held:
        for _ in range(3):
            held.run(fixpoint_iterations=2)
            assert held.read("a").tolist() == [1, 1, 3, 3, 5, 5, 7, 7]
    assert not engine.live_count


def test_a_resident_fixpoint_of_three_passes_launches_six_times():
    """Two segments, and nobody compares, so also a pass that changes nothing runs."""
    engine = OwnMemory()
    exe = vyre.compile(TWO_PARTS, engine=engine)
    with exe.resident(grid=1, fixpoint_iterations=3, check_interval=None) as held:
        report = held.run()
        assert held.read("w").tolist() == [0xAA, 0, 0xBB, 0]
    assert (report.passes, report.launches, len(engine.launches)) == (3, 6, 6)
    assert not engine.live_count


def test_resident_dispatches_repeated_eight_times_stay_right():
    exe = vyre.compile(counting(2), engine=OwnMemory(grid_sync=True))
    with exe.resident(a=np.zeros(1, np.int32), grid=4) as held:
        for k in range(1, 9):
            held.run()
            assert held.read("a").tolist() == [2 * k]


# What an engine is given


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_engine_without_grid_barriers_gets_segments_without_any(entry: Entry):
    """One launch each, in order, and the second sees what the first has written."""
    engine = OwnMemory()
    exe = vyre.compile(counting(2), engine=engine)
    results, _ = dispatch(exe, entry, {"a": [0]})
    names = [p.sym_name.data for p in programs(engine)]
    assert names == ["p.0", "p.1"] * (2 if entry == "into" else 1)
    assert not any(map(grid_barriers, programs(engine)))
    assert results["a"].tolist() == [2]


def test_a_barrier_in_a_loop_does_not_reach_an_engine_without_grid_barriers():
    code = f"""
      scf.for %k = %c0 to %c4 step %c1 {{
        %v = vyre.load %a[%x] : memref<?xi32>
        %more = arith.addi %v, %i1 : i32
        vyre.store %more, %a[%x] : memref<?xi32>
        {SYNC}
      }}
    """
    for engine in (OwnMemory(), Closure()):
        exe = vyre.compile(program(A, code), engine=engine)
        assert exe(a=np.zeros(512, np.int32))["a"].tolist() == [4] * 512
        assert len(programs(engine)) == 4
        assert not any(map(grid_barriers, programs(engine)))


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("mode", ["auto", "native"])
def test_an_engine_with_grid_barriers_gets_the_original_program_once(
    entry: Entry, mode: Mode
):
    for engine in (OwnMemory(grid_sync=True), in_place()):
        exe = vyre.compile(counting(2), engine=engine, mode=mode)
        results, report = dispatch(exe, entry, {"a": [0]})
        assert results["a"].tolist() == [2]
        assert report.launches == 1
        assert all(launched is exe.program for launched in programs(engine))


def test_a_closure_does_what_an_engine_does():
    """The same results from the same launches, three passes of two segments."""
    closure, engine = Closure(), OwnMemory()
    found: list[list[int]] = []
    for each in (closure, engine):
        exe = vyre.compile(counting(2), engine=each)
        start = np.zeros(1, np.int32)
        found.append(list(exe(a=start, grid=1, fixpoint_iterations=3)["a"].tobytes()))
    assert found == [[6, 0, 0, 0]] * 2
    names = [[p.sym_name.data for p in programs(each)] for each in (closure, engine)]
    assert names[0] == names[1] == ["p.0", "p.1"] * 3


# Whole programs


CHAIN = program(
    A,
    """
      %is_first = arith.cmpi eq, %x, %c0 : index
      scf.if %is_first {
        vyre.store %i40, %a[%c0] : memref<?xi32>
      }
      vyre.barrier grid_sync
      %forty = vyre.load %a[%c0] : memref<?xi32>
      %more = arith.addi %forty, %i1 : i32
      vyre.store %more, %a[%c1] : memref<?xi32>
      vyre.barrier grid_sync
      %next = vyre.load %a[%c1] : memref<?xi32>
      %most = arith.addi %next, %i1 : i32
      vyre.store %most, %a[%c0] : memref<?xi32>
    """,
    workgroup="[1, 1, 1]",
)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_over_4096_workgroups(entry: Entry, kind: Kind):
    exe = vyre.compile(CHAIN, engine=make_engine(kind), mode="split")
    results, _ = dispatch(exe, entry, {"a": [0, 0]}, grid=4096)
    assert results["a"].tolist() == [42, 41]


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("kind", KINDS)
def test_an_atomic_on_an_output_starts_from_zero(entry: Entry, kind: Kind):
    code = """
      %out = vyre.buffer "out" read_write binding 0 output : memref<1xi32>
      %old = vyre.atomic add %i1, %out[%c0] : memref<1xi32>
      vyre.barrier grid_sync
      vyre.store %old, %a[%x] : memref<?xi32>
    """
    text = program(A, code, workgroup="[1, 1, 1]")
    exe = vyre.compile(text, engine=make_engine(kind), mode="split")
    results, _ = dispatch(exe, entry, {"a": [7]}, grid=1)
    assert (results["out"].tolist(), results["a"].tolist()) == ([1], [0])


def test_five_barriers_twice_on_one_executable_native_and_split():
    """Nothing is left behind by the first dispatch, and both ways agree."""
    text = segments_of_two_buffers(6)
    numbers = count()
    for mode in ("native", "split", "auto"):
        exe = vyre.compile(text, engine=OwnMemory(grid_sync=True), mode=mode)
        for _ in range(2):
            start = next(numbers)
            results = exe(a=np.full(8, start, np.int32), b=np.zeros(8, np.int32))
            assert results["a"].tolist() == [start + 6] * 8
            assert results["b"].tolist() == [6] * 8
