"""
One executable and many threads: right answers, nothing lost, nothing done twice; and ends
that come from outside, by Ctrl-C or a timeout.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from engines import KINDS, Arguments, Closure, Kind, OwnMemory, make_engine
from entries import ENTRIES, Entry, dispatch
from split_cases import OUT, A, program

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.runtime.backend import Launch
from vyre.runtime.errors import Timeout
from vyre.runtime.executable import Executable
from vyre.runtime.geometry import Geometry
from vyre.runtime.times import Times

THREADS, CALLS = 8, 16

MIRRORS = program(
    A,
    """
      %n = vyre.param "n" : index
      %other = arith.subi %c7, %x : index
      scf.for %k = %c0 to %n step %c1 {
        %v = vyre.load %a[%other] : memref<?xi32>
        %more = arith.addi %v, %i1 : i32
        vyre.barrier grid_sync
        vyre.store %more, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
      }
    """,
)
"""Mirrors `a` and adds one, n times; what crosses the barrier is kept for each lane."""


@pytest.fixture(autouse=True)
def impatient() -> Generator[None]:
    """Let threads take turns as often as possible."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


def at_once(work: Callable[[int], object], calls: int = CALLS) -> list[Any]:
    """Run `work` in all threads, so many times each; all start together."""
    start = threading.Barrier(THREADS)

    def thread(number: int) -> list[object]:
        start.wait()
        return [work(number * calls + k) for k in range(calls)]

    with ThreadPoolExecutor(THREADS) as pool:
        return [found for part in pool.map(thread, range(THREADS)) for found in part]


def is_mirrored(exe: Executable, number: int, **options: Any) -> None:
    """Call it with arguments of its own and look at the results."""
    rounds = 1 + number % 3
    start = np.arange(8, dtype=np.int32) + 100 * number
    found = exe(a=start, n=rounds, grid=2, **options)["a"]
    expected = (start[::-1] if rounds % 2 else start) + rounds
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("kind", "mode"), [("reference", "native"), *((kind, "split") for kind in KINDS)]
)
def test_calls_from_many_threads_are_right(kind: Kind, mode: Any):
    """Also the first ones, which all want the program split and compiled."""
    exe = vyre.compile(MIRRORS, engine=make_engine(kind), mode=mode)
    at_once(lambda number: is_mirrored(exe, number))


def test_a_program_is_split_and_compiled_once_for_all_threads(
    monkeypatch: pytest.MonkeyPatch,
):
    """However long that takes, the others wait."""

    class Compiling(OwnMemory):
        def compile(self, program: ProgramOp) -> object:
            time.sleep(0.02)
            compiled.append(program)
            return super().compile(program)

    def slow_clone(program: ProgramOp, *arguments: Any) -> Any:
        time.sleep(0.02)
        return clone(program, *arguments)

    clone = ProgramOp.clone
    monkeypatch.setattr(ProgramOp, "clone", slow_clone)

    compiled: list[ProgramOp] = []
    engine = Compiling(grid_sync=True)
    exe = vyre.compile(MIRRORS, engine=engine)
    at_once(lambda number: is_mirrored(exe, number, mode="split"), calls=2)
    assert [segment.sym_name.data for segment in compiled] == ["p.0", "p.1"]
    at_once(lambda number: is_mirrored(exe, number, workgroup=8), calls=2)
    assert len(compiled) == 3
    assert not engine.live_count


def test_independent_executables_do_not_meet():
    exes = [vyre.compile(MIRRORS, engine=OwnMemory()) for _ in range(4)]
    at_once(lambda number: is_mirrored(exes[number % 4], number), calls=8)


COUNTER = """
vyre.program @p [1, 1, 1] {
  %kept = vyre.buffer "kept" read_write binding 0 kind persistent : memref<1xi32>
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %v = vyre.load %kept[%c0] : memref<1xi32>
  vyre.barrier grid_sync
  %w = arith.addi %v, %one : i32
  vyre.store %w, %kept[%c0] : memref<1xi32>
}
"""


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_counts_every_call(kind: Kind):
    exe = vyre.compile(COUNTER, engine=make_engine(kind), mode="split")
    found = at_once(lambda _: int(exe()["kept"][0]))
    assert sorted(found) == list(range(1, THREADS * CALLS + 1))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_kept_counts_every_run_of_bound_programs(kind: Kind):
    exe = vyre.compile(COUNTER, engine=make_engine(kind), mode="split")
    step = exe.bind()
    at_once(lambda _: step())
    assert exe()["kept"] == THREADS * CALLS + 1


@pytest.mark.parametrize("kind", KINDS)
def test_threads_take_turns_on_held_memory(kind: Kind):
    exe = vyre.compile(counting(2), engine=make_engine(kind), mode="split")
    with exe.resident(a=np.zeros(1, np.int32)) as held:
        at_once(lambda _: held.run())
        assert held.read("a") == 2 * THREADS * CALLS
    array = np.zeros(1, np.int32)
    with exe.bind(a=array) as step:
        at_once(lambda _: step())
    assert array == 2 * THREADS * CALLS


def test_errors_stay_in_their_thread():
    exe = vyre.compile(MIRRORS, engine=OwnMemory())

    def work(number: int) -> bool:
        if number % 2:
            is_mirrored(exe, number)
            return False
        with pytest.raises(vyre.VyreError, match="'n' is missing"):
            exe(a=np.zeros(8, np.int32))
        return True

    assert sum(at_once(work, calls=4)) == THREADS * 2


# Ctrl-C


ENDLESS = program(
    OUT,
    """
      scf.while : () -> () {
        scf.condition(%yes)
      } do {
        vyre.store %i1, %out[%x] : memref<?xi32>
        SYNC
        scf.yield
      }
    """,
)


@pytest.mark.covering(1)
@pytest.mark.parametrize("barrier", ["", "vyre.barrier grid_sync"])
@pytest.mark.parametrize("mode", ["native", "split"])
def test_ctrl_c_ends_the_tool(tmp_path: Path, barrier: str, mode: str):
    """Exit code 130, one diagnostic, and no process is left."""
    path = tmp_path / "endless.mlir"
    path.write_text(ENDLESS.replace("SYNC", barrier))
    tool = Path(sys.executable).with_name("vyre-run")
    command = [tool, path, "--in", "out=zeros(8)", "--mode", mode, "--explain"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert "@p" in process.stdout.readline()
        time.sleep(0.3)  # Until it has done its first rounds.
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("launch", [0, 1, 2, 3])
def test_ctrl_c_leaves_nothing_behind(entry: Entry, launch: int):
    """Whenever it comes, memory is freed, and the executable can be used again."""

    class Interrupted(OwnMemory):
        def launch(self, launch: Launch) -> Times | None:
            if len(self.launches) == at:
                signal.raise_signal(signal.SIGINT)
            return super().launch(launch)

    at = launch
    engine = Interrupted()
    exe = vyre.compile(counting(2), engine=engine)
    with pytest.raises(KeyboardInterrupt):
        dispatch(exe, entry, {"a": [0]}, fixpoint_iterations=2)
    assert not engine.live_count
    at = -1
    results, _ = dispatch(exe, entry, {"a": [0]}, fixpoint_iterations=2)
    assert results["a"].tolist() == [4]


def test_ctrl_c_keeps_what_the_last_dispatch_kept():
    """A dispatch that was interrupted has not happened."""

    class Interrupted(Closure):
        def __call__(
            self, program: ProgramOp, arguments: Arguments, geometry: Geometry
        ) -> None:
            super().__call__(program, arguments, geometry)
            if len(self.programs) == 4:
                raise KeyboardInterrupt

    exe = vyre.compile(COUNTER, engine=Interrupted())
    assert exe()["kept"] == 1
    with pytest.raises(KeyboardInterrupt):
        exe()
    assert exe()["kept"] == 2


# Timeouts


class Clock:
    """Time that passes only when somebody lets it."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    time = SimpleNamespace(monotonic=made.monotonic)
    monkeypatch.setattr("vyre.runtime.deadline.time", time)
    return made


def ticking(clock: Clock, kind: Kind) -> Any:
    """An engine on which every launch takes a second."""
    if kind == "closure":
        closure = Closure()

        def launch(program: ProgramOp, arguments: Arguments, geometry: Geometry) -> None:
            clock.now += 1
            closure(program, arguments, geometry)

        return launch

    class Ticking(OwnMemory):
        def launch(self, launch: Launch) -> Times | None:
            clock.now += 1
            return super().launch(launch)

    return Ticking()


@pytest.mark.parametrize("kind", ["closure", "own memory"])
@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize(("segments", "passes"), [(20, 1), (5, 4), (1, 20)])
def test_h30_a_timeout_is_for_the_dispatch_as_a_whole(
    clock: Clock, kind: Kind, entry: Entry, segments: int, passes: int
):
    """No launch takes longer than the timeout; twenty of them do."""
    exe = vyre.compile(counting(segments), engine=ticking(clock, kind))
    options = {"fixpoint_iterations": passes, "grid": 1}
    results, _ = dispatch(exe, entry, {"a": [0]}, timeout=20.0, **options)
    assert results["a"].tolist() == [20]
    with pytest.raises(Timeout, match=r"longer than 7\.5 s") as raised:
        dispatch(exe, entry, {"a": [0]}, timeout=7.5, **options)
    if segments > 1:
        assert raised.value.segment is not None
        # Eight launches have run; the ninth was not begun.
        assert raised.value.segment.index == 8 % segments


def test_every_run_of_held_memory_has_its_own_time(clock: Clock):
    engine = ticking(clock, "own memory")
    exe = vyre.compile(counting(4), engine=engine)
    with exe.resident(a=np.zeros(1, np.int32), timeout=5.0) as held:
        for _ in range(3):
            held.run()
        with pytest.raises(Timeout):
            held.run(timeout=2.5)
        held.run()
    with exe.bind(a=np.zeros(1, np.int32), timeout=5.0) as step:
        for _ in range(3):
            step()
        with pytest.raises(Timeout):
            step(timeout=2.5)
    assert not engine.live_count


@pytest.mark.parametrize(
    ("kind", "barrier"),
    [
        *((kind, "vyre.barrier grid_sync") for kind in KINDS),
        ("reference", ""),
        ("own memory", ""),
    ],
)
def test_endless_programs_end_by_the_timeout(kind: Kind, barrier: str):
    """Loops of the host on all engines, loops inside a launch on those that look."""
    engine = make_engine(kind)
    exe = vyre.compile(ENDLESS.replace("SYNC", barrier), engine=engine, mode="split")
    with pytest.raises(Timeout):
        exe(out=np.zeros(8, np.int32), timeout=0.2)
    assert not isinstance(engine, OwnMemory) or not engine.live_count


def test_loops_of_the_host_without_launches_end_by_the_timeout():
    text = """
vyre.schedule @p {
  scf.while : () -> () {
    %yes = arith.constant true
    scf.condition(%yes)
  } do {
    scf.yield
  }
}
"""
    for engine in (OwnMemory(), Closure()):
        with pytest.raises(Timeout):
            vyre.compile(text, engine=engine)(timeout=0.1)
