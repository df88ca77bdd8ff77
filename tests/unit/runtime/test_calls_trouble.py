"""
Calls on the short way that fail, come from many threads, or come very often: they leave
everything usable, and nothing behind.
"""

import gc
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from called_again import (
    STEPS,
    SUM,
    Array,
    assert_same,
    compiled,
    ints,
    long_calls,
    summed,
)
from split_cases import A, program, split

from vyre.diagnostics import VyreError
from vyre.runtime import calls, telemetry
from vyre.runtime.errors import OutOfMemory, Timeout, Trapped


def failure(work: Callable[[], object]) -> tuple[type, str, telemetry.Counters]:
    """What is raised, and what is counted."""
    before = telemetry.snapshot()
    with pytest.raises(VyreError) as raised:
        work()
    return type(raised.value), str(raised.value), telemetry.snapshot() - before


@pytest.mark.parametrize("source", [STEPS, split(STEPS)])
def test_a_timeout_on_the_short_way(source: Any):
    exe, engine = compiled(source)
    array = ints(1, 2, 3, 4)
    exe(a=array, n=0)
    for number in range(3):
        assert exe(a=array, n=number, timeout=1.0)["a"][0] == 1 + number
    wanted = failure(lambda: exe.timed(a=array, n=2**40, timeout=1.0))
    assert wanted[0] is Timeout
    before = engine.long
    for _ in range(2):
        assert failure(lambda: exe(a=array, n=2**40, timeout=1.0)) == wanted
        assert exe(a=array, n=5, timeout=1.0)["a"].tolist() == [6, 7, 8, 9]
    assert engine.long == before + 2  # What has failed is not used again.


def test_a_trap_on_the_short_way():
    text = program(
        A,
        """
          %v = vyre.load %a[%x] : memref<?xi32>
          %is_bad = arith.cmpi slt, %v, %i0 : i32
          scf.if %is_bad {
            vyre.trap "negative" at %v : i32
          }
        """,
    )
    exe, engine = compiled(text)
    good, bad = ints(1, 2, 3, 4), ints(1, 2, -3, 4)
    wanted = failure(lambda: exe.timed(a=bad))
    for _ in range(3):
        exe(a=good)
    before = engine.long
    for _ in range(3):
        assert failure(lambda: exe(a=bad)) == wanted
        assert exe(a=good)["a"].tolist() == [1, 2, 3, 4]
    with pytest.raises(Trapped) as raised:
        exe(a=bad)
    assert (raised.value.invocation, raised.value.value) == (2, -3)
    assert engine.long == before + 3


def test_ctrl_c_on_the_short_way():
    exe, engine = compiled(STEPS)
    array = ints(1, 2, 3, 4)
    for number in range(3):
        exe(a=array, n=number)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        exe(a=array, n=2**40)
    timer.join()
    assert exe(a=array, n=5)["a"].tolist() == [6, 7, 8, 9]
    assert engine.long == 2  # What was interrupted is not used again.


def test_no_memory_for_results(monkeypatch: pytest.MonkeyPatch):
    """The long way says so."""

    def fail(*_: Any) -> Array:
        raise MemoryError

    exe, engine = compiled(SUM)
    wanted = exe(summed())
    for _ in range(3):
        exe(summed())
    monkeypatch.setattr(calls.np, "zeros", fail)
    with pytest.raises(VyreError, match="not enough memory for 'out'"):
        exe(summed())
    monkeypatch.undo()
    assert long_calls(engine, lambda: assert_same(exe(summed()), wanted)) == 0


def test_what_cannot_be_prepared_is_refused(monkeypatch: pytest.MonkeyPatch):
    """Until it can."""

    def fail(*_: Any) -> None:
        raise MemoryError

    exe, engine = compiled(STEPS)
    with monkeypatch.context() as patch:
        patch.setattr(type(engine), "prepare", fail)
        for number in range(2):
            with pytest.raises(OutOfMemory, match="launch @p"):
                exe(a=ints(1, 2), n=number)
    assert [long_calls(engine, lambda: exe(a=ints(1, 2), n=1)) for _ in "12"] == [1, 0]


# Threads, and what is kept in memory


def test_threads_do_not_share_what_they_run():
    exe, engine = compiled(STEPS)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    start = threading.Barrier(8)

    def thread(number: int) -> None:
        start.wait()
        for call in range(200):
            array = np.full(8, 1000 * number + call, np.int32)
            found = exe(a=array, n=number)["a"]
            assert found.tolist() == [1001 * number + call] * 8

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(thread, range(8)))
    finally:
        sys.setswitchinterval(usual)
    assert engine.long <= 8


def test_nothing_is_kept_of_a_call():
    exe, _ = compiled(SUM)
    for _ in range(4):
        given = summed()
        found = exe(given)
        kept = [weakref.ref(a) for a in [*given.values(), *found.values()] if np.ndim(a)]
        del given, found
        gc.collect()
        assert [ref() for ref in kept] == [None] * len(kept)


def test_an_executable_goes_with_its_last_reference():
    exe, _ = compiled(STEPS)
    for number in range(4):
        exe(a=ints(1, 2), n=number)
    gone = weakref.ref(exe)
    gc.disable()
    try:
        del exe
        assert gone() is None
    finally:
        gc.enable()


def test_only_so_many_kinds_are_remembered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(calls, "MOST", 3)
    exe, engine = compiled(STEPS)

    def call(size: int) -> int:
        array = np.zeros(size, np.int32)
        return long_calls(engine, lambda: exe(a=array, n=1, grid=1))

    assert [call(size) for size in (1, 2, 3) * 3] == [1] * 3 + [0] * 6
    assert call(4) == 1
    assert [call(size) for size in (2, 3, 1)] == [0, 0, 1]
