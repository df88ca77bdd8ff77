"""Workers of a job do not stay on one core while others are free."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from ctypes import CFUNCTYPE, c_int64, c_void_p
from functools import cache

import llvmlite.binding as llvm
import pytest
from pool_jobs import compiled, works

from vyre.lowering.llvm.job import aligned_words
from vyre.runtime.cpu import native
from vyre.runtime.cpu.pool import WorkerPool
from vyre.runtime.cpu.pool_words import SLOT_CORE, SLOT_SIZE, SLOTS, words_of_pool

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
"""


@cache
def engine() -> llvm.ExecutionEngine:
    return compiled(native.native_text() + OUTSIDE)


class TwoWorkers:
    """A pool without threads: who calls is the worker that it says."""

    def __init__(self):
        prototype = CFUNCTYPE(c_int64, c_void_p, c_int64)
        self._note = prototype(engine().get_function_address("note"))
        self._sit = prototype(engine().get_function_address("sit"))
        self._words = aligned_words(words_of_pool(2))

    def note(self, worker: int) -> int:
        return self._note(self._words.ctypes.data, worker)

    def sit(self, worker: int) -> None:
        self._sit(self._words.ctypes.data, worker)

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


def test_threads_may_run_everywhere_after_jobs():
    pool = WorkerPool(2)
    try:
        assert all(works(pool, 2) for _ in range(100))
        everywhere = os.sched_getaffinity(0)
        threads = [int(name) for name in os.listdir("/proc/self/task")]
        assert all(os.sched_getaffinity(thread) == everywhere for thread in threads)
    finally:
        pool.close()
