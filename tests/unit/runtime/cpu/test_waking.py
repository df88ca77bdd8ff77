"""Threads that sleep are woken if the job is over sooner with them."""

import time
from collections.abc import Callable, Generator

import numpy as np
import pytest
from numpy.typing import NDArray
from pool_jobs import OWN, make_job, run, works

from vyre.lowering.llvm.job import (
    ALONE,
    CHOICE,
    CHOSE_ALONE,
    CHOSE_NOTHING,
    CHOSE_TO_WAKE,
    MAY_BE_ALONE,
    STATUS_DONE,
    WOKE,
)
from vyre.runtime.cpu.pool import WorkerPool, default_count
from vyre.runtime.cpu.pool_words import EXPECTED, LAST_END, SLOT_SIZE, SLOTS

ASLEEP = 2
THERE = OWN + 3
"""How many workers ran the job; see `pool_jobs.py`."""


class Watched(WorkerPool):
    """A pool of which one can see who sleeps."""

    def sleeps(self, worker: int) -> bool:
        return int(self._words[SLOTS + SLOT_SIZE * worker]) == ASLEEP

    def wait_for_sleep(self) -> None:
        wait_until(lambda: all(self.sleeps(worker) for worker in range(1, self.count)))

    @property
    def expected(self) -> int:
        return int(self._words[EXPECTED])

    def seem_idle(self) -> None:
        """As if the last dispatch had been long ago."""
        self._words[LAST_END] = 0


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(1e-3)


@pytest.fixture
def pool() -> Generator[Watched]:
    pool = Watched(2)
    assert works(pool, 2)
    pool.wait_for_sleep()
    yield pool
    pool.close()


def job_of_two(pool: Watched, *, woke: int = 0, alone: int = 0) -> NDArray[np.uint64]:
    """A job that may be alone, with what it is said to have taken."""
    words = make_job(pool, "phases", 2, 5)
    words[MAY_BE_ALONE] = 1
    words[WOKE], words[ALONE] = woke, alone
    return words


def workers_of(pool: Watched, words: NDArray[np.uint64]) -> int:
    words[OWN + 1] = 0  # Sections that were run.
    assert run(pool, words) == STATUS_DONE
    return int(words[THERE])


def test_what_nobody_has_measured_wakes_threads(pool: Watched):
    words = job_of_two(pool)
    assert workers_of(pool, words) == 2
    assert words[CHOICE] == CHOSE_TO_WAKE
    assert words[WOKE] > 0


def test_then_it_is_tried_alone(pool: Watched):
    words = job_of_two(pool, woke=1000)
    assert workers_of(pool, words) == 1
    assert words[CHOICE] == CHOSE_ALONE
    assert words[ALONE] > 0


@pytest.mark.parametrize(("woke", "alone", "workers"), [(5000, 4999, 1), (4999, 5000, 2)])
def test_what_was_shorter_is_taken(pool: Watched, woke: int, alone: int, workers: int):
    assert workers_of(pool, job_of_two(pool, woke=woke, alone=alone)) == workers


def test_what_is_long_with_others_is_not_tried_alone(pool: Watched):
    assert workers_of(pool, job_of_two(pool, woke=2**40)) == 2


def test_a_job_that_may_not_be_alone_is_not(pool: Watched):
    words = job_of_two(pool, woke=5000, alone=1)
    words[MAY_BE_ALONE] = 0
    assert workers_of(pool, words) == 2


def test_waking_is_tried_again_one_day(pool: Watched):
    words = job_of_two(pool, woke=2**20, alone=1)
    for _ in range(2000):
        words[ALONE] = 2**19
        pool.seem_idle()
        if workers_of(pool, words) == 2:
            return
    raise AssertionError("it never was")


@pytest.mark.skipif(default_count() < 2, reason="threads do not spin on one core")
def test_threads_are_roused_if_dispatches_come_in_a_row(pool: Watched):
    """They would stay asleep if it depended on what each takes alone."""
    words = job_of_two(pool, woke=2**20, alone=1)

    def is_shared() -> bool:
        for _ in range(100):
            words[WOKE], words[ALONE] = 2**20, 1
            if workers_of(pool, words) == 2:
                return True
        return False

    wait_until(is_shared)
    assert words[CHOICE] == CHOSE_NOTHING


@pytest.mark.skipif(default_count() < 2, reason="threads do not spin on one core")
@pytest.mark.parametrize(("alone", "expected"), [(2**21, 2**21), (0, None)])
def test_roused_threads_wait_until_the_job_is_over(
    pool: Watched, alone: int, expected: int | None
):
    """Else they would sleep again when the next one comes, if it takes long enough."""
    words = job_of_two(pool)

    def is_roused() -> bool:
        for _ in range(100):
            words[WOKE], words[ALONE] = 2**22 - 1, alone
            workers_of(pool, words)
            if pool.expected:
                return True
        return False

    wait_until(is_roused)
    assert pool.expected > (2**22 if expected is None else expected)


def test_threads_are_not_roused_if_they_do_not(pool: Watched):
    words = job_of_two(pool, woke=2**20, alone=1)
    for _ in range(20):
        pool.seem_idle()
        words[WOKE], words[ALONE] = 2**20, 1
        assert workers_of(pool, words) == 1
        assert pool.sleeps(1)


def test_roused_threads_fall_asleep_again_and_work(pool: Watched):
    for _ in range(50):
        words = job_of_two(pool, woke=2**20, alone=1)
        for _ in range(3):
            workers_of(pool, words)
        assert works(pool, 2)
    pool.wait_for_sleep()


def test_a_pool_is_closed_while_threads_are_roused():
    for _ in range(30):
        pool = Watched(2)
        assert works(pool, 2)
        pool.wait_for_sleep()
        words = job_of_two(pool, woke=2**20, alone=1)
        workers_of(pool, words)
        workers_of(pool, words)
        pool.close()
        assert pool.threads == 0
