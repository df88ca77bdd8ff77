"""Python's garbage collector, while modules grow."""

import gc
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Generator[None]:
    """
    No garbage collection of cycles: it would go through the whole module again and again
    while that grows, and find nothing.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    if was_enabled:
        _pausing.append(True)
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
            _pausing.pop()


_pausing: list[bool] = []
"""Not empty while the collector is paused and shall go on."""


def _go_on() -> None:
    """In a child process, for threads that are not there any more."""
    if _pausing:
        _pausing.clear()
        gc.enable()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_go_on)
