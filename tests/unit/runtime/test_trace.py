"""Traces: files that Perfetto and chrome://tracing read, with a track for each activity."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_programs import ADD_ONE_UP_TO_3, counting
from engines import Closure, OwnMemory, in_place
from split_cases import A, program

import vyre
from vyre.runtime.errors import DispatchFailed
from vyre.runtime.executable import Executable
from vyre.runtime.trace import Trace

TRACKS = ["dispatch", "segments", "transfers", "host"]
ZERO = np.zeros(4, np.int32)


def spans(events: list[dict[str, Any]], track: str | None = None) -> list[dict[str, Any]]:
    found = [event for event in events if event["ph"] == "X"]
    return [event for event in found if track is None or event["cat"] == track]


def names(events: list[dict[str, Any]], track: str) -> list[str]:
    return [event["name"] for event in spans(events, track)]


def is_inside(inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    """Whether a span begins and ends within another; times are rounded to nanoseconds."""
    rounding = 0.001
    begins = outer["ts"] - rounding <= inner["ts"]
    return begins and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + rounding


def assert_nested(events: list[dict[str, Any]]) -> None:
    """Everything happens within one of the dispatches."""
    dispatches = spans(events, "dispatch")
    for span in spans(events):
        assert any(is_inside(span, dispatch) for dispatch in dispatches), span


def test_a_file_is_written(tmp_path: Path):
    """In the trace event format, complete events and names of the tracks."""
    path = tmp_path / "dispatch.json"
    exe = vyre.compile(counting(3), engine=OwnMemory())
    exe(a=ZERO, trace=path)
    document = json.loads(path.read_text())
    events = document["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    assert list(tracks.values()) == TRACKS
    for span in spans(events):
        assert tracks[span["tid"]] == span["cat"]
        assert span["dur"] >= 0
        assert span["ts"] >= 0
    assert {event["ph"] for event in events} == {"M", "X"}
    assert len({event["pid"] for event in events}) == 1
    exe(a=ZERO, trace=str(path))
    assert json.loads(path.read_text())["traceEvents"] != events


def test_there_is_a_span_for_each_launch():
    trace = Trace()
    exe = vyre.compile(counting(3), engine=OwnMemory())
    exe(a=ZERO, trace=trace, fixpoint_iterations=2)
    assert names(trace.events(), "segments") == ["@p.0", "@p.1", "@p.2"] * 2
    launches = spans(trace.events(), "segments")
    assert [span["args"]["launch"] for span in launches] == list(range(6))
    for before, after in pairwise(launches):
        assert before["ts"] + before["dur"] <= after["ts"] + 0.001


def test_transfers_have_their_bytes():
    trace = Trace()
    vyre.compile(counting(3), engine=OwnMemory())(a=ZERO, trace=trace)
    found = [(e["name"], e["args"]["bytes"]) for e in spans(trace.events(), "transfers")]
    assert found == [("upload a", 16), ("download a", 16)]


def test_nothing_is_transferred_in_place():
    trace = Trace()
    vyre.compile(counting(3), engine=in_place())(a=ZERO, trace=trace)
    assert names(trace.events(), "transfers") == []
    assert names(trace.events(), "segments") == ["@p"]
    (dispatch,) = spans(trace.events(), "dispatch")
    assert (dispatch["name"], dispatch["args"]) == ("@p", {"route": "native"})


def test_what_the_host_does_has_a_track():
    """Comparisons of passes, and what it reads to decide how to go on."""
    trace = Trace()
    exe = vyre.compile(counting(1, ADD_ONE_UP_TO_3), engine=OwnMemory())
    exe(a=ZERO, trace=trace, fixpoint_iterations=3)
    assert names(trace.events(), "host") == [
        "remember for comparison",
        "compare with the pass before",
    ]
    assert_nested(trace.events())
    code = """
      scf.while : () -> () {
        %v = vyre.load %a[%c0] : memref<?xi32>
        %go = arith.cmpi slt, %v, %i2 : i32
        scf.condition(%go)
      } do {
        vyre.barrier grid_sync
        %is_first = arith.cmpi eq, %x, %c0 : index
        scf.if %is_first {
          %w = vyre.load %a[%c0] : memref<?xi32>
          %more = arith.addi %w, %i1 : i32
          vyre.store %more, %a[%c0] : memref<?xi32>
        }
        vyre.barrier grid_sync
        scf.yield
      }
    """
    trace = Trace()
    exe = vyre.compile(program(A, code), engine=OwnMemory())
    exe(a=ZERO, trace=trace, grid=1)
    read_backs = [name for name in names(trace.events(), "host") if "read back" in name]
    assert len(read_backs) == 3
    assert_nested(trace.events())


def call(exe: Executable, trace: Trace) -> None:
    exe(a=ZERO, trace=trace, fixpoint_iterations=3)


def bound(exe: Executable, trace: Trace) -> None:
    with exe.bind(a=ZERO.copy(), trace=trace, fixpoint_iterations=3) as step:
        step()


def resident(exe: Executable, trace: Trace) -> None:
    with exe.resident(a=ZERO, trace=trace, fixpoint_iterations=3) as held:
        held.run()


@pytest.mark.parametrize("way", [call, bound])
@pytest.mark.parametrize("make", [OwnMemory, Closure, in_place])
def test_everything_is_inside_the_dispatch(way: Callable[..., None], make: Any):
    trace = Trace()
    way(vyre.compile(counting(2), engine=make(), mode="split"), trace)
    assert len(spans(trace.events(), "dispatch")) == 1
    assert len(spans(trace.events(), "segments")) == 6
    assert_nested(trace.events())


def test_resident_programs_are_uploaded_outside_of_a_dispatch():
    trace = Trace()
    resident(vyre.compile(counting(2), engine=OwnMemory()), trace)
    events = trace.events()
    (dispatch,) = spans(events, "dispatch")
    (upload,) = spans(events, "transfers")
    assert upload["ts"] + upload["dur"] <= dispatch["ts"] + 0.001
    assert all(is_inside(span, dispatch) for span in spans(events, "segments"))


def test_a_trace_takes_several_dispatches():
    trace = Trace()
    exe = vyre.compile(counting(2), engine=OwnMemory())
    for label in ("first", "second", None):
        exe(a=ZERO, trace=trace, label=label)
    bound(exe, trace)
    events = trace.events()
    assert names(events, "dispatch") == ["first", "second", "@p", "@p"]
    assert len(spans(events, "segments")) == 6 + 6
    assert_nested(events)


def test_threads_have_tracks_of_their_own():
    trace = Trace()
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(call, [exe] * 32, [trace] * 32))
    events = trace.events()
    assert len(spans(events, "dispatch")) == 32
    assert len(spans(events, "segments")) == 192
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    assert len(tracks) == len(set(tracks.values()))
    for track in {span["tid"] for span in spans(events, "dispatch")}:
        one = [span for span in spans(events) if span["tid"] // 4 == track // 4]
        assert_nested(one)
        whole = sorted(spans(one, "dispatch"), key=lambda span: span["ts"])
        for before, after in pairwise(whole):
            assert before["ts"] + before["dur"] <= after["ts"] + 0.001


def failing(program: Any, arguments: Any, geometry: Any) -> None:
    if program.sym_name.data == "p.1":
        raise RuntimeError("no such luck")


def test_the_file_is_written_also_if_the_dispatch_fails(tmp_path: Path):
    path = tmp_path / "failed.json"
    with pytest.raises(DispatchFailed, match="no such luck"):
        vyre.compile(counting(3), engine=failing)(a=ZERO, trace=path)
    events = json.loads(path.read_text())["traceEvents"]
    assert names(events, "segments") == ["@p.0", "@p.1"]
    assert_nested(events)


def test_a_trace_that_cannot_be_written_is_refused_at_once(tmp_path: Path):
    closure = Closure()
    exe = vyre.compile(counting(3), engine=closure)
    path = tmp_path / "missing" / "dispatch.json"
    with pytest.raises(vyre.VyreError, match=r"dispatch\.json") as raised:
        exe(a=ZERO, trace=path)
    assert "Fix: " in str(raised.value)
    assert not closure.programs


def test_a_trace_can_be_saved_by_hand(tmp_path: Path):
    trace = vyre.Trace()
    trace.save(tmp_path / "empty.json")
    assert json.loads((tmp_path / "empty.json").read_text())["traceEvents"] == []
    vyre.compile(counting(1))(a=ZERO, trace=trace)
    trace.save(tmp_path / "one.json")
    events = json.loads((tmp_path / "one.json").read_text())["traceEvents"]
    assert events == trace.events()
