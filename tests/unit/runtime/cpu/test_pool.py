"""The worker pool: its barrier, and whatever ends a job before it is done."""

import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from ctypes import CFUNCTYPE, c_uint32
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from numpy.typing import NDArray
from pool_jobs import OWN, X86, compiled, make_job, run, works
from samples import sampled

from vyre.diagnostics import VyreError
from vyre.lowering.llvm import job
from vyre.lowering.llvm.job import (
    DEADLINE,
    ENTRY,
    HEADER_WORDS,
    STATUS_CLOSED,
    STATUS_DONE,
    STATUS_INTERRUPTED,
    STATUS_TIMEOUT,
    STATUS_TRAPPED,
    STOP,
    aligned_words,
    new_job,
)
from vyre.runtime.cpu import native
from vyre.runtime.cpu.pool import WorkerPool, default_count
from vyre.runtime.errors import InvalidArgument, UnsupportedFeature

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
ENOUGH = 20_000_000
"""Turns after which whoever waits has fallen asleep."""


class Rang(Exception):
    """What the handlers below raise."""


@pytest.fixture
def pool() -> Generator[WorkerPool]:
    pool = WorkerPool(3)
    yield pool
    pool.close()


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Generator[None]:
    """Who runs tests in the background has it ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def alarm() -> Generator[Callable[[Callable[[], None]], None]]:
    """Calls a function in the main thread soon, as a signal handler."""

    def ring(handler: Callable[[], None]) -> None:
        def handle(number: int, frame: FrameType | None) -> None:
            handler()

        signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.1)

    before = signal.getsignal(signal.SIGALRM)
    yield ring
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def soon() -> int:
    return time.monotonic_ns() + 100_000_000


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(1e-3)


def ring() -> None:
    raise Rang


# The barrier.


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 5, 8])
def test_nobody_passes_the_barrier_alone(workers: int):
    """All have arrived, one runs the section, and all see what it did."""
    pool = WorkerPool(workers)
    assert works(pool, workers, rounds=sampled(20_000, 100_000))
    pool.close()


def test_barrier_holds_across_many_dispatches(pool: WorkerPool):
    assert all(works(pool, 2 + k % 2, rounds=k % 4) for k in range(2000))


def test_header_words_do_not_overlap():
    named = {name: value for name, value in vars(job).items() if isinstance(value, int)}
    words = [named[name] for name in named if not name.startswith(("STATUS", "CHOSE", "_"))]
    assert len(set(words)) == len(words)
    assert max(words) == HEADER_WORDS
    assert HEADER_WORDS % 8 == 0


def test_memory_of_jobs_is_aligned():
    assert all(new_job(k).ctypes.data % 64 == 0 for k in range(40))
    assert [len(aligned_words(k)) for k in range(40)] == list(range(40))
    assert len(new_job(5)) == HEADER_WORDS + 5


# How many workers there are.


def test_threads_start_when_they_are_needed(pool: WorkerPool):
    assert works(pool, 1)
    assert pool.threads == 0
    assert works(pool, 2)
    assert pool.threads == 1
    assert works(pool, 3)
    assert pool.threads == 2
    assert works(pool, 2)
    assert pool.threads == 2


@LINUX
def test_threads_do_not_become_more(pool: WorkerPool):
    assert works(pool, 3)
    before = len(os.listdir("/proc/self/task"))
    assert all(works(pool, 3) for _ in range(200))
    assert len(os.listdir("/proc/self/task")) == before


def test_no_more_workers_than_the_pool_has(pool: WorkerPool):
    words = make_job(pool, "phases", 8, 10)
    assert run(pool, words) == STATUS_DONE
    assert words[OWN + 3] == 3


@pytest.mark.parametrize("wanted", [0, 1])
def test_one_worker_at_least(pool: WorkerPool, wanted: int):
    words = make_job(pool, "phases", wanted, 10)
    assert run(pool, words) == STATUS_DONE
    assert words[OWN + 3] == 1


def test_count_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VYRE_NUM_THREADS", " 5 ")
    assert WorkerPool().count == 5
    monkeypatch.delenv("VYRE_NUM_THREADS")
    assert WorkerPool().count == default_count({}) >= 1


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_count_must_be_a_number(text: str):
    with pytest.raises(InvalidArgument, match="VYRE_NUM_THREADS") as caught:
        default_count({"VYRE_NUM_THREADS": text})
    assert caught.value.fix


def test_a_pool_has_a_worker():
    with pytest.raises(InvalidArgument, match="0 workers"):
        WorkerPool(0)


def test_windows_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(UnsupportedFeature, match="Windows") as caught:
        native.native_text()
    assert isinstance(caught.value, VyreError)


# Ends from outside. One worker loops; the others wait at the barrier, or for its end.

STATES = pytest.mark.parametrize("workers", [1, 2, 3])
LOOPERS = pytest.mark.parametrize("looper", [0, 1, 2])
WAITS = pytest.mark.parametrize("waits", [0, 1])


def endless(pool: WorkerPool, workers: int, looper: int, waits: int) -> NDArray[np.uint64]:
    return make_job(pool, "endless", workers, looper % workers, waits)


@STATES
@LOOPERS
@WAITS
def test_deadline_ends_a_job(pool: WorkerPool, workers: int, looper: int, waits: int):
    words = endless(pool, workers, looper, waits)
    words[DEADLINE] = soon()
    assert run(pool, words) == STATUS_TIMEOUT
    assert words[OWN + 2] == workers
    assert works(pool, workers)


@STATES
@LOOPERS
@WAITS
def test_exception_of_a_handler_ends_a_job(
    pool: WorkerPool,
    alarm: Callable[[Callable[[], None]], None],
    workers: int,
    looper: int,
    waits: int,
):
    words = endless(pool, workers, looper, waits)
    alarm(ring)
    with pytest.raises(Rang):
        run(pool, words)
    assert words[STOP] == STATUS_INTERRUPTED
    assert works(pool, workers)


@pytest.mark.parametrize("workers", [1, 3])
def test_ctrl_c_ends_a_job(pool: WorkerPool, workers: int):
    words = endless(pool, workers, workers // 2, 1)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run(pool, words)
    timer.join()
    assert words[STOP] == STATUS_INTERRUPTED
    assert works(pool, 3)


@WAITS
def test_handlers_that_do_not_raise_end_nothing(
    pool: WorkerPool, alarm: Callable[[Callable[[], None]], None], waits: int
):
    words = endless(pool, 2, 1, waits)
    words[DEADLINE] = time.monotonic_ns() + 400_000_000
    rung: list[bool] = []
    alarm(lambda: rung.append(works(pool, 1)))
    assert run(pool, words) == STATUS_TIMEOUT
    assert rung == [True]


@pytest.mark.parametrize("workers", [2, 3])
@LOOPERS
@pytest.mark.parametrize("turns", [0, 1000, ENOUGH])
def test_trap_frees_those_who_wait(pool: WorkerPool, workers: int, looper: int, turns: int):
    words = make_job(pool, "trap", workers, looper % workers, turns)
    for _ in range(1 if turns == ENOUGH else 100):
        assert run(pool, words) == STATUS_TRAPPED
    assert works(pool, workers)


@STATES
@WAITS
def test_another_thread_stops_a_job(pool: WorkerPool, workers: int, waits: int):
    """Which also means that the GIL is free meanwhile."""
    words = endless(pool, workers, 1, waits)
    with ThreadPoolExecutor(1) as other:
        future = other.submit(run, pool, words)
        until(lambda: words[OWN + 2] == workers)
        words[STOP] = STATUS_TRAPPED
        assert future.result() == STATUS_TRAPPED


@LINUX
def test_threads_of_the_pool_hear_no_signals(pool: WorkerPool):
    before = {int(task) for task in os.listdir("/proc/self/task")}
    assert works(pool, 3)
    others = {int(task) for task in os.listdir("/proc/self/task")} - before
    assert len(others) == 2
    for task in others:
        status = Path(f"/proc/self/task/{task}/status").read_text()
        blocked = int(status.split("SigBlk:")[1].split()[0], 16)
        for number in (signal.SIGINT, signal.SIGALRM, signal.SIGTERM):
            assert blocked >> (number - 1) & 1
    mine = Path(f"/proc/self/task/{threading.get_native_id()}/status").read_text()
    assert not int(mine.split("SigBlk:")[1].split()[0], 16) & 1 << (signal.SIGINT - 1)


# Several callers.


def test_a_busy_pool_leaves_the_caller_alone(pool: WorkerPool):
    words = endless(pool, 2, 1, 1)
    with ThreadPoolExecutor(1) as other:
        future = other.submit(run, pool, words)
        until(lambda: words[OWN + 2] == 2)
        mine = make_job(pool, "phases", 2, 10)
        assert run(pool, mine) == STATUS_DONE
        assert mine[OWN : OWN + 4].tolist() == [10, 10, 0, 1]
        words[STOP] = STATUS_TRAPPED
        future.result()
    assert works(pool, 2)


def test_many_callers_at_once(pool: WorkerPool):
    """They share the threads in turn, or do without."""

    def call(number: int) -> list[int]:
        words = make_job(pool, "phases", 3, 20)
        found: list[int] = []
        for _ in range(300):
            words[OWN + 1] = 0
            assert run(pool, words) == STATUS_DONE
            assert words[OWN + 1 : OWN + 3].tolist() == [20, 0]
            found.append(int(words[OWN + 3]))
        return found

    with ThreadPoolExecutor(6) as callers:
        found = {count for part in callers.map(call, range(6)) for count in part}
    assert found <= {1, 3}
    assert pool.threads == 2


# Closing.


def test_closed_pools_have_no_threads(pool: WorkerPool):
    assert works(pool, 3)
    pool.close()
    assert pool.threads == 0
    words = make_job(pool, "phases", 3, 10)
    assert run(pool, words) == STATUS_DONE
    assert words[OWN + 3] == 1
    pool.close()


def test_forgotten_pools_have_no_threads():
    pool = WorkerPool(2)
    assert works(pool, 2)
    close = pool.close
    del pool
    assert not close.alive


def test_closing_stops_who_works(pool: WorkerPool):
    words = endless(pool, 3, 1, 1)
    with ThreadPoolExecutor(1) as other:
        future = other.submit(run, pool, words)
        until(lambda: words[OWN + 2] == 3)
        pool.close()
        assert future.result() == STATUS_CLOSED
    assert pool.threads == 0


# Floating point.


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="has no such register"
)
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    ("factors", "product"),
    [
        ((2.0**-1022, 0.75), 0.75 * 2.0**-1022),
        ((1 + 2.0**-52, 1 + 2.0**-52), 1 + 2.0**-51),
    ],
)
def test_floats_are_as_usual(
    pool: WorkerPool, workers: int, factors: tuple[float, float], product: float
):
    """Whether the caller flushes denormals and rounds up, or the last job did."""
    engine = compiled(X86)
    set_mxcsr = CFUNCTYPE(None, c_uint32)(engine.get_function_address("set_mxcsr"))
    get_mxcsr = CFUNCTYPE(c_uint32)(engine.get_function_address("get_mxcsr"))
    spoil, words = (make_job(pool, "product", workers) for _ in range(2))
    spoil[ENTRY] = engine.get_function_address("spoil")
    floats = words.view(np.float64)
    floats[OWN : OWN + 2] = factors
    usual = get_mxcsr()
    strange = 0xDFC0
    set_mxcsr(strange)
    try:
        assert run(pool, spoil) == STATUS_DONE
        assert run(pool, words) == STATUS_DONE
        assert get_mxcsr() & 0xFFC0 == strange
    finally:
        set_mxcsr(usual)
    assert floats[OWN + 8 : OWN + 8 + workers].tolist() == [product] * workers


def test_the_pool_is_compiled_once_though_asked_for_ahead(monkeypatch: pytest.MonkeyPatch):
    made: list[int] = []

    def compiled_slowly(target: object) -> bytes:
        made.append(threading.get_ident())
        time.sleep(0.05)
        return b"code"

    monkeypatch.setattr(native, "_object", None)
    monkeypatch.setattr(native, "_compiled", compiled_slowly)
    with ThreadPoolExecutor(4) as executor:
        found = [executor.submit(native.compile_object) for _ in range(4)]
    assert [future.result() for future in found] == [b"code"] * 4
    assert len(made) == 1
