"""
Threads that run jobs together with the thread that asks for it.

```python
pool = WorkerPool()
words = new_job()
pool.prepare(words)
words[ENTRY], words[WORKERS] = address_of_generated_code, pool.count
status = pool.dispatch(words.ctypes.data)
```

The threads are native (`pool.ll`) and never hold the GIL. They start with the first job
that wants more than one worker, and then wait for the next, asleep soon. When another
Python thread has work for them already, a job runs in its caller alone.

After a fork the child's pools start threads of their own. A fork by a signal handler in
the middle of a dispatch ends that dispatch in the child, with `STATUS_CLOSED`. At exit of
Python the pools are closed, and jobs that daemon threads still run are told to stop.
"""

import ctypes
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vyre.lowering.llvm.job import (
    MEET,
    PULSE,
    RELEASE,
    STATUS_CLOSED,
    aligned_words,
)
from vyre.runtime.cpu import pool_words as at
from vyre.runtime.cpu.native import Native, load
from vyre.runtime.errors import InvalidArgument

COUNT_VARIABLE = "VYRE_NUM_THREADS"
"""The environment variable that says how many workers there are."""

_GRACE = 2.0
"""Seconds that a pool waits for its threads to end when it is closed."""


def default_count(environ: Mapping[str, str] = os.environ) -> int:
    """
    How many workers a pool has: what `VYRE_NUM_THREADS` says, or as many as there are
    cores for this process.

    Example: `default_count({"VYRE_NUM_THREADS": "3"})` is 3.
    """
    text = environ.get(COUNT_VARIABLE, "").strip()
    if not text:
        return _cores()
    if not text.isdecimal() or int(text) == 0:
        raise InvalidArgument(
            f"the environment variable {COUNT_VARIABLE} is {text!r}, not a number of "
            "threads",
            "set it to 1 or more, or unset it",
        )
    return int(text)


def _cores() -> int:
    """How many threads of this process can run at once."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class WorkerPool:
    """
    So many workers, the caller of `dispatch` being one of them. Without a count there are
    as many as `default_count` says. `object_code` is what `compile_object` returned once.

    Example: `WorkerPool(2).dispatch(words.ctypes.data)`
    """

    def __init__(self, count: int | None = None, *, object_code: bytes | None = None):
        self.count = default_count() if count is None else count
        if self.count < 1:
            raise InvalidArgument(
                f"a pool of {self.count} workers", "ask for at least one worker"
            )
        self._native = load(object_code)
        self._words = _new_pool(self.count)
        address = self._words.ctypes.data
        self.dispatch: Callable[[int], int] = partial(
            self._native.function("dispatch", 2), address
        )
        """Run the job at an address; returns its `STOP`, or raises what a signal handler
        raised. The caller keeps the job's memory alive until then."""
        self.close = weakref.finalize(self, _close, self._native, self._words)
        """End the threads; happens by itself when the pool is gone or Python exits. Jobs
        that come later run in their callers alone."""
        _pools.add(self)

    def prepare(self, job: NDArray[np.uint64]) -> None:
        """
        Tell a job where the functions are that its code calls.

        Example: `pool.prepare(words)`
        """
        for word, name in ((MEET, "meet"), (RELEASE, "release"), (PULSE, "pulse")):
            job[word] = self._native.addresses[name]

    @property
    def threads(self) -> int:
        """
        How many threads the pool has at the moment.

        Example: `WorkerPool(4).threads` is 0, and 3 once a job has wanted 4 workers.
        """
        return int(self._words[at.ALIVE])

    def forget_threads(self) -> None:
        """
        Begin anew in a child process, which has none of the parent's threads.

        Example: `if not os.fork(): pool.forget_threads()`, which happens by itself.
        """
        words = self._words
        if running := int(words[at.RUNNING]):
            self._native.function("halt", 2)(running, STATUS_CLOSED)
        for word in (at.LOCK, at.RUNNING, at.STARTED, at.ALIVE, at.LEFT, at.WATCHED):
            words[word] = 0
        words[at.MAIN_THREAD] = threading.get_ident()


_pools: "weakref.WeakSet[WorkerPool]" = weakref.WeakSet()


def _forget_threads() -> None:
    for pool in list(_pools):
        pool.forget_threads()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget_threads)


def _new_pool(count: int) -> NDArray[np.uint64]:
    """The words of a pool. Never freed: a thread that does not end may still use them."""
    words = aligned_words(at.words_of_pool(count))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(words))
    words[at.SIZE] = count
    words[at.CORES] = _cores()
    words[at.MAIN_THREAD] = threading.main_thread().ident or 0
    return words


def _close(native: Native, words: NDArray[np.uint64]) -> None:
    """End the threads of a pool, unless they are in code that does not look at `STOP`."""
    retire = native.function("retire", 1)
    end = time.monotonic() + _GRACE
    while not retire(words.ctypes.data) and time.monotonic() < end:
        time.sleep(1e-3)
    while words[at.ALIVE] and time.monotonic() < end:
        time.sleep(1e-4)
