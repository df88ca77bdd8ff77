"""When a dispatch must have ended."""

import time

from vyre.runtime.errors import Timeout

_FAR = 9e9
"""Seconds, whose nanoseconds fit into 64 bits."""


class Deadline:
    """
    Counts from now on; without a timeout it is never over.

    Example: `Deadline(2.5).check()`
    """

    def __init__(self, timeout: float | None = None):
        self._timeout = timeout
        self._end = None if timeout is None else time.monotonic() + timeout
        self.end_ns = 0 if self._end is None else max(1, int(min(self._end, _FAR) * 1e9))
        """When it is over, as `time.monotonic_ns` counts; 0 for never."""

    def check(self) -> None:
        """Raise `Timeout` when the time is over."""
        if self._end is not None and time.monotonic() > self._end:
            raise self.error()

    def error(self) -> Timeout:
        """What to raise when the time is over."""
        return Timeout(
            f"the dispatch took longer than {self._timeout} s",
            "raise the timeout, or find out why the program does not end",
        )
