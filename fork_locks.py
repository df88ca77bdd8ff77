"""
Locks that are free in a child process.

A fork copies a process with one of its threads. A lock that another thread had taken would
never be freed in the child, and whoever wants it there would wait for ever.
"""

import os
import sys
import threading
import weakref
from types import TracebackType


class ForkLock:
    """
    A lock that one thread may take several times, and that is free after a fork. What it
    guards must make sense whenever a thread is stopped for good between two steps.

    Example: `with ForkLock(): ...`
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Forget who has taken it."""
        self._lock = threading.RLock()


_all: "weakref.WeakSet[ForkLock]" = weakref.WeakSet()


def _renew_all() -> None:
    for lock in list(_all):
        lock.renew()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_renew_all)
