"""
Which way a program runs, and why: as it is written if the engine has grid barriers and all
workgroups fit at once, split otherwise; and what is refused because it cannot run at all.
"""

from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from engines import KINDS, Closure, Kind, OwnMemory, make_engine, programs
from entries import ENTRIES, Entry, dispatch
from split_cases import OUT, A, program, split

import vyre
from vyre.analysis.features import Feature
from vyre.dialects.vyre import AtomicOp, ProgramOp, ScheduleOp
from vyre.runtime.errors import DoesNotFit, InvalidArgument, UnsupportedFeature
from vyre.runtime.executable import Executable
from vyre.runtime.geometry import Geometry
from vyre.runtime.route import Route

ZERO = np.zeros(1, np.int32)


def route(exe: Executable, grid: int = 1, **options: Any) -> Route:
    """The route for workgroups as the program says."""
    config = exe.config.with_options(options)
    return exe.route(config, Geometry((grid, 1, 1), exe.workgroup))


def test_an_engine_without_grid_barriers_gets_the_program_split():
    exe = vyre.compile(counting(3), engine=OwnMemory())
    found = route(exe)
    assert (found.way, found.launch_count) == ("split", 3)
    assert isinstance(found.unit.op, ScheduleOp)
    assert found.reason == "engine 'own memory' has no grid barriers"
    assert f"split: {found.reason}" in exe.explain()
    assert f"split: {found.reason}" in exe.explain(a=ZERO)


def test_an_engine_with_grid_barriers_gets_the_program_as_it_is():
    exe = vyre.compile(counting(3), engine=OwnMemory(grid_sync=True))
    found = route(exe)
    assert (found.way, found.launch_count) == ("native", 1)
    assert found.unit.op is exe.program
    assert found.reason == "the engine has grid barriers, for any number of workgroups"
    assert f"native: {found.reason}" in exe.explain(a=ZERO)


def test_an_engine_that_splits_by_itself_says_so():
    """Its launches and what crosses barriers are shown, as for a split program."""
    exe = vyre.compile(counting(3), engine="cpu")
    for text in (exe.explain(), exe.explain(a=ZERO)):
        assert "split (native loop): the engine has grid barriers" in text
        assert "native:" not in text
        assert "@p.2" in text
        assert "nothing crosses" in text
    trace = vyre.Trace()
    exe(a=ZERO, trace=trace)
    dispatch = next(e for e in trace.events() if e.get("cat") == "dispatch")
    assert dispatch["args"] == {"route": "split (native loop)"}
    one_launch = vyre.compile(counting(1), engine="cpu")
    assert "native: there is no grid barrier" in one_launch.explain()


@pytest.mark.parametrize("mode", ["auto", "native", "split"])
def test_a_program_without_grid_barriers_is_one_launch_in_every_mode(mode: Any):
    for engine in (OwnMemory(), OwnMemory(grid_sync=True, room=1), Closure()):
        exe = vyre.compile(counting(1), engine=engine, mode=mode)
        assert exe(a=ZERO, grid=7)["a"] == 1
        assert len(programs(engine)) == 1
        assert programs(engine)[0] is exe.program
        assert "there is no grid barrier" in exe.explain(a=ZERO, grid=7)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_grid_decides_exactly_at_the_limit(entry: Entry):
    """As many workgroups as fit run natively; one more, and the program is split."""
    engine = OwnMemory(grid_sync=True, room=4)
    exe = vyre.compile(counting(3), engine=engine)
    for grid, launches in ((1, 1), (4, 1), (5, 3), (400, 3)):
        results, report = dispatch(exe, entry, {"a": [0]}, grid=grid)
        assert (report.launches, results["a"].tolist()) == (launches, [3])


def test_reasons_have_the_numbers():
    exe = vyre.compile(counting(3), engine=OwnMemory(grid_sync=True, room=4))
    assert (
        "native: the engine has grid barriers, and all 4 workgroups fit at once (of 4)"
        in exe.explain(a=ZERO, grid=4)
    )
    assert "split: 5 workgroups do not fit at once, only 4 do" in exe.explain(
        a=ZERO, grid=5
    )
    assert "grid (5, 1, 1), workgroups of (4, 1, 1)" in exe.explain(a=ZERO, grid=5)


def test_all_axes_count():
    exe = vyre.compile(counting(3), engine=OwnMemory(grid_sync=True, room=8))
    assert exe.timed(a=ZERO, grid=(2, 2, 2)).report.launches == 1
    assert exe.timed(a=ZERO, grid=(3, 1, 3)).report.launches == 3


def test_split_is_split_if_asked_for():
    exe = vyre.compile(counting(3), engine=OwnMemory(grid_sync=True), mode="split")
    assert (route(exe).way, route(exe).reason) == ("split", "as asked for")
    assert exe.timed(a=ZERO).report.launches == 3


def test_a_call_may_choose_the_mode():
    """None leaves it to what was compiled."""
    exe = vyre.compile(counting(3), engine=OwnMemory(grid_sync=True), mode="split")
    assert exe.timed(a=ZERO, mode="native").report.launches == 1
    assert exe.timed(a=ZERO, mode=None).report.launches == 3
    with exe.resident(a=ZERO, mode="auto") as held:
        assert [held.run(mode=mode).launches for mode in ("split", "auto")] == [3, 1]
        assert held.read("a").tolist() == [6]


def test_native_is_refused_on_an_engine_without_grid_barriers():
    engine = OwnMemory()
    with pytest.raises(UnsupportedFeature, match="has no grid barriers") as raised:
        vyre.compile(counting(2), engine=engine, mode="native")
    assert "mode='split' or 'auto'" in raised.value.fix
    assert isinstance(raised.value.at, ProgramOp)
    exe = vyre.compile(counting(2), engine=engine)
    with pytest.raises(UnsupportedFeature):
        exe(a=ZERO, mode="native")
    assert not engine.launches


@pytest.mark.parametrize("entry", ENTRIES)
def test_native_is_refused_if_workgroups_do_not_fit(entry: Entry):
    """It says how many there are and how many would fit, and never runs fewer."""
    engine = OwnMemory(grid_sync=True, room=4)
    exe = vyre.compile(counting(2), engine=engine, mode="native")
    with pytest.raises(DoesNotFit, match="5 workgroups cannot wait") as raised:
        dispatch(exe, entry, {"a": [0]}, grid=5)
    assert (raised.value.needed, raised.value.limit) == (5, 4)
    assert "mode='auto'" in raised.value.fix
    assert not engine.launches
    assert not engine.live_count
    assert dispatch(exe, entry, {"a": [0]}, grid=4)[1].launches == 1


def test_a_schedule_is_split_already():
    module = split(counting(2))
    for engine in (OwnMemory(), OwnMemory(grid_sync=True), "reference"):
        exe = vyre.compile(module, engine=engine)
        assert (route(exe).way, route(exe).reason) == ("split", "it is a schedule already")
        assert exe.timed(a=ZERO).report.launches == 2
        with pytest.raises(UnsupportedFeature, match="split already"):
            exe(a=ZERO, mode="native")


def test_what_cannot_be_split_is_refused_when_it_is_compiled():
    """Some invocations have returned before all are to take part."""
    code = """
      %is_first = arith.cmpi eq, %x, %c0 : index
      scf.if %is_first {
        vyre.return
      }
      vyre.barrier grid_sync
      vyre.all_reduce add %out : memref<?xi32>
    """
    with pytest.raises(vyre.VyreError, match="collective") as raised:
        vyre.compile(program(OUT, code), engine=OwnMemory())
    assert "Fix: " in str(raised.value)


# Limits


@pytest.mark.parametrize(
    ("limits", "options", "text", "needed", "limit"),
    [
        ({"max_groups": (8, 2, 1)}, {"grid": 9}, "9 workgroups along x", 9, 8),
        ({"max_groups": (8, 2, 1)}, {"grid": (1, 3)}, "3 workgroups along y", 3, 2),
        ({"max_groups": (8, 2, 1)}, {"grid": (1, 1, 2)}, "2 workgroups along z", 2, 1),
        (
            {"max_workgroup": (16, 8, 4)},
            {"workgroup": 17},
            "17 invocations of a workgroup along x",
            17,
            16,
        ),
        (
            {"max_workgroup": (16, 8, 4)},
            {"workgroup": (4, 9), "grid": 1},
            "9 invocations of a workgroup along y",
            9,
            8,
        ),
        (
            {"max_workgroup_invocations": 64},
            {"workgroup": (8, 3, 3), "grid": 1},
            "72 invocations per workgroup",
            72,
            64,
        ),
        ({"max_buffer_bytes": 3}, {}, "buffer 'a' has 4 bytes", 4, 3),
    ],
)
@pytest.mark.parametrize("mode", ["auto", "split"])
def test_what_an_engine_cannot_launch_is_refused(
    limits: dict[str, Any],
    options: dict[str, Any],
    text: str,
    needed: int,
    limit: int,
    mode: Any,
):
    """Before anything is allocated, on both routes."""
    engine = OwnMemory(grid_sync=mode == "auto", **limits)
    exe = vyre.compile(counting(2), engine=engine, mode=mode)
    for entry in ENTRIES:
        with pytest.raises(DoesNotFit, match=text) as raised:
            dispatch(exe, entry, {"a": [0]}, **options)
        assert (raised.value.needed, raised.value.limit) == (needed, limit)
        assert "engine 'own memory'" in str(raised.value)
        assert "Fix: " in str(raised.value)
    assert not engine.launches
    assert not engine.live_count


def test_what_is_just_within_the_limits_runs():
    engine = OwnMemory(
        max_groups=(8, 2, 2),
        max_workgroup=(16, 2, 2),
        max_workgroup_invocations=64,
        max_buffer_bytes=4,
    )
    exe = vyre.compile(counting(2), engine=engine)
    assert exe(a=ZERO, grid=(8, 2, 2), workgroup=(16, 2, 2))["a"] == 2


def test_scratch_is_a_buffer_with_a_limit_too():
    """A value for each of 64 invocations is kept across the barrier: 256 bytes."""
    code = """
      %v = vyre.load %a[%x] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %v, %out[%x] : memref<?xi32>
      vyre.store %i0, %a[%x] : memref<?xi32>
    """
    engine = OwnMemory(max_buffer_bytes=200)
    exe = vyre.compile(program(OUT, A, code), engine=engine)
    arrays = {"out": [0] * 4, "a": [1, 2, 3, 4]}
    assert dispatch(exe, "call", arrays, grid=8)[0]["out"].tolist() == [1, 2, 3, 4]
    with pytest.raises(DoesNotFit, match="256 bytes") as raised:
        dispatch(exe, "call", arrays, grid=16)
    assert (raised.value.needed, raised.value.limit) == (256, 200)
    assert not engine.live_count


def test_what_an_engine_lacks_is_refused_at_the_operation():
    text = """
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<1xf32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  vyre.store %one, %a[%c0] : memref<1xf32>
  vyre.barrier grid_sync
  %old = vyre.atomic add %one, %a[%c0] : memref<1xf32>
}
"""
    one = np.zeros(1, np.float32)
    for grid_sync in (False, True):
        engine = OwnMemory(grid_sync=grid_sync, lacks=frozenset({Feature.FLOAT_ATOMICS}))
        with pytest.raises(UnsupportedFeature, match="atomics on floats") as raised:
            vyre.compile(text, engine=engine)(a=one, grid=1)
        assert isinstance(raised.value.at, AtomicOp)
        place = raised.value.place
        assert place is not None
        assert place.line == 8
        assert "Fix: " in str(raised.value)
        assert not engine.live_count
    others = frozenset(Feature) - {Feature.FLOAT_ATOMICS}
    exe = vyre.compile(text, engine=OwnMemory(lacks=others))
    assert exe(a=one, grid=1)["a"] == 2


def test_orders_are_for_engines_that_can_be_told():
    for engine in (OwnMemory(), Closure()):
        exe = vyre.compile(counting(2), engine=engine)
        assert exe(a=ZERO, order="lockstep")["a"] == 2
        with pytest.raises(UnsupportedFeature, match="order 'reversed'"):
            exe(a=ZERO, order="reversed")
    exe = vyre.compile(counting(2), engine="reference")
    assert exe(a=ZERO, order="reversed")["a"] == 2


# Workgroups of another size


SIZES = program(
    OUT,
    '%tile = vyre.buffer "tile" workgroup : memref<16xi32>',
    """
      %size = vyre.workgroup_size x
      %s = arith.index_cast %size : index to i32
      %all = arith.index_cast %groups : index to i32
      vyre.store %l32, %tile[%l] : memref<16xi32>
      vyre.barrier grid_sync
      %last = arith.subi %size, %c1 : index
      %top = vyre.load %tile[%last] : memref<16xi32>
      vyre.store %s, %out[%c0] : memref<?xi32>
      vyre.store %all, %out[%c1] : memref<?xi32>
      vyre.store %top, %out[%c2] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %s, %out[%c3] : memref<?xi32>
    """,
    workgroup="[4, 1, 1] grid_from {out = array<i64: 0>}",
)
"""Stores sizes and counts, and the last element of workgroup memory."""


@pytest.mark.covering(1)
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(
    ("kind", "mode"), [("reference", "native"), *((kind, "split") for kind in KINDS)]
)
@pytest.mark.parametrize("size", [None, 1, 4, 8, 16])
def test_programs_run_with_workgroups_of_another_size(
    entry: Entry, kind: Kind, mode: Any, size: int | None
):
    """The grid is inferred for that size, and workgroup memory crosses the barrier."""
    exe = vyre.compile(SIZES, engine=make_engine(kind), mode=mode)
    results, _ = dispatch(exe, entry, {"out": [0] * 32}, workgroup=size)
    used = size or 4
    assert results["out"][:4].tolist() == [used, 32 // used, used - 1, used]


def test_each_size_is_split_once():
    engine = OwnMemory()
    exe = vyre.compile(SIZES, engine=engine)
    for size in (8, 2, 8, 2, (8, 1, 1), None, 4):
        exe(out=np.zeros(32, np.int32), workgroup=size)
    assert len(set(programs(engine))) == 3 * len(programs(engine)) // 7


def test_the_program_of_the_caller_keeps_its_size():
    module = vyre.parse(SIZES)
    before = str(module)
    vyre.compile(module)(out=np.zeros(32, np.int32), workgroup=8)
    assert str(module) == before


@pytest.mark.parametrize("size", [0, -4, 1.5, "4", (), (1, 2, 3, 4), (4, 0), "ab"])
def test_sizes_that_make_no_sense_are_refused(size: object):
    exe = vyre.compile(SIZES)
    with pytest.raises(InvalidArgument, match="the workgroup is"):
        exe(out=np.zeros(32, np.int32), workgroup=size)


def test_a_schedule_keeps_the_size_that_it_was_split_for():
    """Workgroup memory is saved by as many invocations as there were then."""
    exe = vyre.compile(split(SIZES), engine=OwnMemory())
    out = np.zeros(32, np.int32)
    assert exe(out=out, workgroup=4)["out"][:4].tolist() == [4, 8, 3, 4]
    with pytest.raises(UnsupportedFeature, match=r"workgroups of \[4, 1, 1\]") as raised:
        exe(out=out, workgroup=2)
    assert "before it was split" in raised.value.fix


def test_promises_that_hold_for_one_size_are_not_made_for_another():
    """Element 3 of four invocations is inside, that of eight is not."""
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<4xi32>
  %l = vyre.local_id x
  %v = vyre.load %out[%l] inbounds : memref<4xi32>
  vyre.store %v, %out[%l] inbounds : memref<4xi32>
  %old = vyre.atomic add %v, %out[%l] inbounds : memref<4xi32>
}
"""
    engine = OwnMemory()
    exe = vyre.compile(text, engine=engine)
    out = np.zeros(4, np.int32)
    for size in (4, 8):
        exe(out=out, workgroup=size, grid=1)
    assert [str(launched).count("inbounds") for launched in programs(engine)] == [3, 0]


def test_a_size_of_several_axes_needs_a_grid():
    exe = vyre.compile(SIZES)
    with pytest.raises(InvalidArgument, match="the grid is missing"):
        exe(out=np.zeros(32, np.int32), workgroup=(4, 2))
    result = exe(out=np.zeros(32, np.int32), workgroup=(4, 2), grid=3)["out"]
    assert result[:2].tolist() == [4, 3]


def test_h14_the_grid_is_inferred_from_the_whole_program_with_the_size_that_runs():
    """Only the last segment touches the 64 elements of `wide`, and none those of `in`."""
    code = """
      %wide = vyre.buffer "wide" write_only binding 1 output : memref<64xi32>
      %in = vyre.buffer "in" read_only binding 2 : memref<?xi32>
      %old = vyre.atomic add %i1, %out[%c0] : memref<?xi32>
      vyre.barrier grid_sync
      %again = vyre.atomic add %i1, %out[%c1] : memref<?xi32>
      vyre.barrier grid_sync
      vyre.store %i1, %wide[%x] : memref<64xi32>
    """
    for engine in (OwnMemory(), OwnMemory(grid_sync=True), Closure()):
        exe = vyre.compile(program(OUT, code), engine=engine)
        given = {"out": np.zeros(2, np.int32), "in": np.zeros(100, np.int32)}
        results = exe(given, workgroup=32)
        assert results["out"].tolist() == [64, 64]
        assert results["wide"].sum() == 64
