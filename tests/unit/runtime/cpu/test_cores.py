"""Workers of a job do not stay on one core while others are free."""

import os
import sys
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import cache

import llvmlite.binding as llvm
import numpy as np
import pytest
from pool_jobs import compiled, works

from vyre.lowering.llvm.job import aligned_words
from vyre.runtime.cpu import native
from vyre.runtime.cpu.pool import WorkerPool
from vyre.runtime.cpu.pool_words import (
    CORES,
    SIZE,
    SLOT_CORE,
    SLOT_LEFT_OUT,
    SLOT_POOL,
    SLOT_SIZE,
    SLOTS,
    words_of_pool,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="nobody is moved elsewhere")

OUTSIDE = """
define i64 @note(ptr %pool, i64 %worker) {
  %core = call i64 @note_core(ptr %pool, i64 %worker)
  ret i64 %core
}

define i64 @sit(ptr %pool, i64 %worker) {
  call void @sit_apart(ptr %pool, i64 %worker, i64 2)
  ret i64 0
}

define i64 @introduced(ptr %pool, i64 %worker) {
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  call void @introduce(ptr %slot)
  ret i64 0
}

define i64 @woken(ptr %pool, i64 %worker) {
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  call void @wake_elsewhere(ptr %slot)
  ret i64 0
}

define i64 @awake(ptr %pool, i64 %worker) {
  %slot = call ptr @slot_of(ptr %pool, i64 %worker)
  call void @return_core(ptr %slot)
  ret i64 0
}
"""


@cache
def engine() -> llvm.ExecutionEngine:
    return compiled(native.native_text() + OUTSIDE)


class TwoWorkers:
    """A pool without threads: who calls is the worker that it says."""

    def __init__(self):
        self._words = aligned_words(words_of_pool(2))
        self._words[SIZE], self._words[CORES] = 2, 2
        for worker in range(2):
            at = SLOTS + SLOT_SIZE * worker
            self._words[at + SLOT_POOL] = self._words.ctypes.data

    def call(self, function: str, worker: int) -> int:
        prototype = CFUNCTYPE(c_int64, c_void_p, c_int64)
        address = engine().get_function_address(function)
        return prototype(address)(self._words.ctypes.data, worker)

    def note(self, worker: int) -> int:
        return self.call("note", worker)

    def sit(self, worker: int) -> None:
        self.call("sit", worker)

    def somebody_changes(self, worker: int) -> None:
        """Somebody else changes where the worker may run, and does not come to an end."""
        self._words[SLOTS + SLOT_SIZE * worker + SLOT_LEFT_OUT] = np.uint64(2**64 - 1)

    def have_cores(self, count: int) -> None:
        self._words[CORES] = count

    def __getitem__(self, worker: int) -> int:
        return int(self._words[SLOTS + SLOT_SIZE * worker + SLOT_CORE])

    def __setitem__(self, worker: int, core: int) -> None:
        self._words[SLOTS + SLOT_SIZE * worker + SLOT_CORE] = core


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_a_worker_leaves_the_core_of_another_and_may_return():
    cores = TwoWorkers()

    def sit() -> None:
        everywhere = os.sched_getaffinity(0)
        for _ in range(20):
            cores[0] = cores.note(1)
            cores.sit(1)
            assert cores[1] not in (0, cores[0])
            assert os.sched_getaffinity(0) == everywhere

    with ThreadPoolExecutor(1) as executor:
        executor.submit(sit).result()


def test_a_worker_without_choice_stays():
    cores = TwoWorkers()

    def sit() -> None:
        only = {min(os.sched_getaffinity(0))}
        os.sched_setaffinity(0, only)
        cores[0] = cores.note(1)
        cores.sit(1)
        assert cores[1] == cores[0] != 0
        assert os.sched_getaffinity(0) == only

    with ThreadPoolExecutor(1) as executor:
        executor.submit(sit).result()


def test_the_caller_is_not_moved():
    cores = TwoWorkers()

    def stays() -> bool:
        cores[1] = cores.note(0)
        cores.sit(0)
        return cores[0] == cores[1]

    # The system itself may move it now and then.
    assert any(stays() for _ in range(20))


class Sleeper:
    """A thread that is worker 1 of a pool, and does what it is told."""

    def __init__(self, cores: TwoWorkers):
        self._cores = cores
        self._executor = ThreadPoolExecutor(1)
        self.number = self._executor.submit(threading.get_native_id).result()
        self._call("introduced")

    def wake_up(self) -> None:
        self._call("awake")

    def may_run_on(self) -> set[int]:
        return os.sched_getaffinity(self.number)

    def end(self) -> None:
        self._executor.shutdown()

    def _call(self, function: str) -> None:
        self._executor.submit(self._cores.call, function, 1).result()


@pytest.fixture
def here() -> Generator[int]:
    """A core that this thread does not leave."""
    everywhere = os.sched_getaffinity(0)
    core = min(everywhere)
    os.sched_setaffinity(0, {core})
    yield core
    os.sched_setaffinity(0, everywhere)


@pytest.fixture
def cores() -> TwoWorkers:
    return TwoWorkers()


@pytest.fixture
def sleeper(cores: TwoWorkers) -> Generator[Sleeper]:
    sleeper = Sleeper(cores)
    yield sleeper
    sleeper.end()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_a_thread_is_woken_on_another_core_and_may_return(
    cores: TwoWorkers, sleeper: Sleeper, here: int
):
    everywhere = sleeper.may_run_on()
    for _ in range(3):
        cores.call("woken", 1)
        assert sleeper.may_run_on() == everywhere - {here}
        sleeper.wake_up()
        assert sleeper.may_run_on() == everywhere


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_two_wakers_leave_out_one_core(cores: TwoWorkers, sleeper: Sleeper, here: int):
    everywhere = sleeper.may_run_on()
    cores.call("woken", 1)
    os.sched_setaffinity(0, {max(everywhere)})
    cores.call("woken", 1)
    sleeper.wake_up()
    assert sleeper.may_run_on() == everywhere


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_nobody_says_where_a_thread_runs_while_another_does(
    cores: TwoWorkers, sleeper: Sleeper, here: int
):
    """Else one of them brings back what the other has left out for a moment."""
    everywhere = sleeper.may_run_on()
    cores.somebody_changes(1)
    cores.call("woken", 1)
    sleeper.wake_up()
    assert sleeper.may_run_on() == everywhere


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_a_worker_stays_while_somebody_says_where_it_runs():
    cores = TwoWorkers()
    cores.somebody_changes(1)

    def stays() -> bool:
        cores[0] = cores.note(1)
        cores.sit(1)
        return cores[1] == cores[0]

    # The system may move it.
    assert any(stays() for _ in range(20))


def test_a_thread_is_woken_anywhere_if_workers_are_more_than_cores(
    cores: TwoWorkers, sleeper: Sleeper
):
    everywhere = sleeper.may_run_on()
    cores.have_cores(1)
    cores.call("woken", 1)
    assert sleeper.may_run_on() == everywhere


def test_a_thread_that_may_run_here_only_is_woken_here(
    cores: TwoWorkers, sleeper: Sleeper, here: int
):
    os.sched_setaffinity(sleeper.number, {here})
    cores.call("woken", 1)
    sleeper.wake_up()
    assert sleeper.may_run_on() == {here}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_cores_that_somebody_forbade_stay_forbidden(
    cores: TwoWorkers, sleeper: Sleeper, here: int
):
    others = sleeper.may_run_on() - {here}
    os.sched_setaffinity(sleeper.number, others)
    cores.call("woken", 1)
    sleeper.wake_up()
    assert sleeper.may_run_on() == others


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
def test_what_an_earlier_thread_should_put_back_is_forgotten(
    cores: TwoWorkers, sleeper: Sleeper, here: int
):
    cores.call("woken", 1)
    others = sleeper.may_run_on()
    after_fork = Sleeper(cores)
    os.sched_setaffinity(after_fork.number, others)
    after_fork.wake_up()
    assert after_fork.may_run_on() == others
    after_fork.end()


def test_threads_may_run_everywhere_after_jobs():
    pool = WorkerPool(2)
    try:
        for _ in range(100):
            assert works(pool, 2)
            time.sleep(1e-4)  # Threads fall asleep, or are about to.
        time.sleep(0.1)  # A core is put back at the latest when they fall asleep.
        everywhere = os.sched_getaffinity(0)
        threads = [int(name) for name in os.listdir("/proc/self/task")]
        assert all(os.sched_getaffinity(thread) == everywhere for thread in threads)
    finally:
        pool.close()
