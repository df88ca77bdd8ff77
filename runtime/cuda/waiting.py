"""Waiting for a device in a way that deadlines and Ctrl-C can end."""

import threading
import time
from collections import deque

from vyre.runtime.cuda.device import CudaDevice, Handle
from vyre.runtime.deadline import Deadline

_BUSY = 100_000
"""Nanoseconds in which the host asks again and again; then it sleeps in between."""

_NAP = 0.001
"""Seconds that it sleeps at most."""

_STEPS_AHEAD = 128
"""
Steps after which the host sees to it that the device follows. About 1000 launches fit in a
stream's queue. Tapes are of up to `MOST_STEPS`, each of which may have an event before and
behind it; and two times all that may be under way.
"""


def wait_for(device: CudaDevice, event: Handle, deadline: Deadline) -> None:
    """
    Wait for an event, or raise `Timeout`. Python looks for signals meanwhile.

    Example: `wait_for(device, device.record(stream), Deadline(2.5))`
    """
    started = time.perf_counter_ns()
    while not device.is_done(event):
        deadline.check()
        elapsed = time.perf_counter_ns() - started
        if elapsed > _BUSY:
            time.sleep(min(_NAP, elapsed / 10e9))


class Pace:
    """
    Keeps the host from running too far ahead on a stream: a driver whose queue is full
    blocks, where no deadline can help. Several threads may use it.

    Example: `pace.went(len(tape), deadline)` after each tape
    """

    def __init__(self, device: CudaDevice, stream: Handle):
        self._device = device
        self._stream = stream
        self._lock = threading.Lock()
        self._steps = 0
        self._marks: deque[Handle] = deque()

    def went(self, steps: int, deadline: Deadline) -> None:
        """So many steps more were enqueued."""
        with self._lock:
            self._steps += steps
            if self._steps < _STEPS_AHEAD:
                return
            self._steps = 0
            self._marks.append(self._device.record(self._stream))
            late = self._marks.popleft() if len(self._marks) > 1 else None
        if late is not None:
            wait_for(self._device, late, deadline)
