"""Counters of dispatches: exact, also from many threads, and readable by Prometheus."""

import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import pytest
from counting_programs import counting, segments_of_two_buffers
from engines import Closure, OwnMemory, in_place

import vyre
from vyre.runtime import telemetry
from vyre.runtime.errors import DispatchFailed, InvalidArgument
from vyre.runtime.executable import Executable
from vyre.runtime.telemetry import Counters


def counted(work: Callable[[], object]) -> dict[str, int]:
    """What is counted while the work is done, without what stays zero."""
    before = telemetry.snapshot()
    work()
    found = asdict(telemetry.snapshot() - before)
    return {name: number for name, number in found.items() if number}


def arrays() -> dict[str, Any]:
    return {name: np.zeros(16, np.int32) for name in "ab"}


def test_a_call_on_an_engine_with_its_own_memory():
    exe = vyre.compile(segments_of_two_buffers(3), engine=OwnMemory())
    assert counted(lambda: exe(arrays(), fixpoint_iterations=4, check_interval=None)) == {
        "dispatches": 1,
        "passes": 4,
        "launches": 12,
        "input_bytes": 128,
        "output_bytes": 128,
        "uploaded_bytes": 128,
        "downloaded_bytes": 128,
        "grid_sync_splits": 1,
        "grid_sync_segments": 3,
        "grid_sync_points": 2,
        "storage_moved": 2,
    }


def test_a_call_in_place():
    """The same, but nothing moves and nothing is split."""
    exe = vyre.compile(segments_of_two_buffers(3), engine=in_place())
    assert counted(lambda: exe(arrays())) == {
        "dispatches": 1,
        "passes": 1,
        "launches": 1,
        "input_bytes": 128,
        "output_bytes": 128,
        "storage_moved": 2,
    }


@pytest.mark.parametrize("make", [OwnMemory, Closure, in_place])
def test_storage_of_the_caller_is_reused(make: Any):
    exe = vyre.compile(segments_of_two_buffers(1), engine=make())
    given, into = arrays(), arrays()
    found = counted(lambda: exe(given, into={"a": into["a"]}))
    assert (found["storage_reused"], found["storage_moved"]) == (1, 1)
    found = counted(lambda: exe(given, into=into))
    assert found["storage_reused"] == 2
    assert "storage_moved" not in found
    with exe.bind(given) as step:
        found = counted(step)
    assert found["storage_reused"] == 2
    assert "storage_moved" not in found


def test_outputs_are_no_arguments_and_ranges_are_results():
    text = """
vyre.program @p [4, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 output range [4, 12] : memref<?xi32>
}
"""
    exe = vyre.compile(text, engine=OwnMemory())
    found = counted(lambda: exe(out=np.zeros(8, np.int32)))
    assert "input_bytes" not in found
    assert found["output_bytes"] == 8


def test_resident_programs_count_arguments_once_and_what_is_read():
    exe = vyre.compile(counting(2), engine=OwnMemory())

    def work() -> None:
        with exe.resident(a=np.zeros(16, np.int32)) as held:
            for _ in range(5):
                held.run()
            held.write("a", np.ones(2, np.int32), 4)
            held.read("a", 0, 3)
            held.read("a", into=np.empty(16, np.int32))

    assert counted(work) == {
        "dispatches": 5,
        "passes": 5,
        "launches": 10,
        "input_bytes": 72,
        "output_bytes": 76,
        "uploaded_bytes": 72,
        "downloaded_bytes": 76,
        "grid_sync_splits": 5,
        "grid_sync_segments": 10,
        "grid_sync_points": 5,
        "storage_reused": 1,
        "storage_moved": 1,
    }


def test_bound_programs_count_every_call():
    exe = vyre.compile(counting(2), engine=OwnMemory())
    with exe.bind(a=np.zeros(16, np.int32)) as step:
        found = counted(lambda: [step() for _ in range(3)])
    assert found["dispatches"] == 3
    assert found["input_bytes"] == found["output_bytes"] == 192
    assert found["uploaded_bytes"] == found["downloaded_bytes"] == 192


# Failures


class Failing(OwnMemory):
    """Fails at the second launch, or when something is uploaded."""

    def __init__(self, where: str):
        super().__init__()
        self.where = where

    def upload(self, memory: int, offset: int, data: Any) -> None:
        if self.where == "upload":
            raise RuntimeError("no such luck")
        super().upload(memory, offset, data)

    def launch(self, launch: Any) -> None:
        super().launch(launch)
        if self.where == "launch" and len(self.launches) == 2:
            raise RuntimeError("no such luck")


def call(exe: Executable) -> None:
    exe(a=np.zeros(1, np.int32))


def bound(exe: Executable) -> None:
    with exe.bind(a=np.zeros(1, np.int32)) as step:
        step()


def resident(exe: Executable) -> None:
    with exe.resident(a=np.zeros(1, np.int32)) as held:
        held.run()


@pytest.mark.parametrize("way", [call, bound, resident])
def test_a_dispatch_that_fails_counts_no_launches(way: Callable[..., None]):
    """Not all engines could tell how many there were."""
    exe = vyre.compile(counting(3), engine=Failing("launch"))

    def work() -> None:
        with pytest.raises(DispatchFailed):
            way(exe)

    found = counted(work)
    assert (found["dispatches"], found["failures"]) == (1, 1)
    assert not found.keys() & {"passes", "launches"}
    assert "output_bytes" not in found


@pytest.mark.parametrize("way", [call, bound])
def test_a_dispatch_starts_with_its_first_transfer(way: Callable[..., None]):
    exe = vyre.compile(counting(3), engine=Failing("upload"))

    def work() -> None:
        with pytest.raises(DispatchFailed):
            way(exe)

    found = counted(work)
    assert (found["dispatches"], found["failures"]) == (1, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"a": np.zeros((2, 2), np.int32)},
        {"a": np.zeros(1, np.int32), "grid": 0},
        {"a": np.zeros(1, np.int32), "into": {"b": np.zeros(1, np.int32)}},
    ],
)
def test_what_is_refused_is_no_dispatch(arguments: dict[str, Any]):
    exe = vyre.compile(counting(3), engine=OwnMemory())

    def work() -> None:
        with pytest.raises(InvalidArgument):
            exe(**arguments)

    assert counted(work) == {}


# Reading the counters


def test_a_reset_gives_back_what_was_counted():
    exe = vyre.compile(counting(3), engine=OwnMemory())
    kept = telemetry.reset()
    assert telemetry.snapshot() == Counters()
    exe(a=np.zeros(1, np.int32))
    found = telemetry.reset()
    assert (found.launches, found.grid_sync_segments) == (3, 3)
    assert telemetry.snapshot() == Counters()
    telemetry.add(**asdict(kept))


def test_nothing_is_lost_between_threads():
    exe = vyre.compile(counting(2), engine=in_place(), mode="split")

    def work() -> None:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(call, [exe] * 128))

    found = counted(work)
    assert (found["dispatches"], found["launches"]) == (128, 256)
    assert (found["input_bytes"], found["output_bytes"]) == (512, 512)


def test_adding_from_many_threads_loses_nothing():
    def work() -> None:
        def add(_: int) -> None:
            for _ in range(1000):
                telemetry.add(launches=1, passes=2)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(add, range(8)))

    assert counted(work) == {"launches": 8000, "passes": 16000}


SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(\w+)="([^"\\\n]*)"\})? (\d+)')
"""A line of the exposition format, as far as counters need it."""


def samples(text: str) -> dict[tuple[str, str | None], int]:
    """
    The samples by name and kind. Every name must be announced once by its help and type,
    in one group, and must end as names of counters do.
    """
    assert text.endswith("\n")
    found: dict[tuple[str, str | None], int] = {}
    announced: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("# HELP "):
            _, _, name, words = line.split(" ", 3)
            assert words
            assert name not in announced
            assert next(lines) == f"# TYPE {name} counter"
            announced.append(name)
            continue
        match = SAMPLE.fullmatch(line)
        assert match is not None, line
        name, label, kind, value = match.groups()
        assert name == announced[-1]
        assert name.endswith("_total")
        assert label in (None, "kind")
        assert (name, kind) not in found
        found[name, kind] = int(value)
    assert {name for name, _ in found} == set(announced)
    return found


def test_prometheus_reads_all_counters():
    before = samples(telemetry.prometheus())
    vyre.compile(counting(3), engine=OwnMemory())(a=np.zeros(4, np.int32))
    after = samples(telemetry.prometheus())
    assert before.keys() == after.keys()
    assert len(after) == len(fields(Counters))
    changed = {key: after[key] - before[key] for key in after if after[key] != before[key]}
    splits = "vyre_grid_sync_splits_total"
    assert changed == {
        ("vyre_dispatches_total", None): 1,
        ("vyre_passes_total", None): 1,
        ("vyre_launches_total", None): 3,
        ("vyre_input_bytes_total", None): 16,
        ("vyre_output_bytes_total", None): 16,
        ("vyre_uploaded_bytes_total", None): 16,
        ("vyre_downloaded_bytes_total", None): 16,
        ("vyre_storage_moved_total", None): 1,
        (splits, "programs"): 1,
        (splits, "segments"): 3,
        (splits, "sync_points"): 2,
    }


def test_tallies_are_added_once_also_when_they_are_gone():
    before = telemetry.snapshot()
    tally = telemetry.Tally({"dispatches": 1, "output_bytes": 8})
    tally.count(2, 6)
    first = telemetry.snapshot() - before
    assert (first.dispatches, first.output_bytes) == (1, 8)
    assert (first.passes, first.launches) == (2, 6)
    tally.count(1, 1)
    del tally
    second = telemetry.snapshot() - before
    assert (second.dispatches, second.passes, second.launches) == (2, 3, 7)


def test_tallies_of_several_threads():
    before = telemetry.snapshot()
    tally = telemetry.Tally({"dispatches": 1})

    def count() -> None:
        for _ in range(2000):
            tally.count(1, 2)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = telemetry.snapshot() - before
    assert (found.dispatches, found.passes, found.launches) == (8000, 8000, 16000)


LASTING = """
import string  # A module that is cleared after those of Vyre.
import numpy, vyre
exe = vyre.compile({text!r}, engine="cpu")
bound = exe.bind({{name: numpy.zeros(16, numpy.int32) for name in "ab"}})
bound()
string.kept = lambda: bound
"""


def test_what_outlives_the_modules_ends_quietly():
    """Python clears modules when it ends, one after the other."""
    text = LASTING.format(text=segments_of_two_buffers(3))
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
