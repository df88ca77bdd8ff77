"""
The words of a job: what generated code and the worker pool tell each other.

A job is an array of 64-bit words, aligned to a cache line, that Python allocates and keeps
alive while it runs. It begins with a header, whose words are named here, and after
`HEADER_WORDS` words the program's own ones begin.

The caller sets `ENTRY`, `WORKERS` and `DEADLINE`, `WorkerPool.prepare` the three
function addresses, and a dispatch sets everything else anew. One thread at a time may
dispatch a job.

```python
words = new_job(own_words=4)
words[ENTRY], words[WORKERS] = address, 2
```
"""

import numpy as np
from numpy.typing import NDArray

# First what everybody reads and, while the job runs, hardly anybody writes.

ENTRY = 0
"""Address of `void entry(ptr job, i64 worker, i64 workers)`, which every worker runs."""

WORKERS = 1
"""How many workers are wanted. There may be fewer: `entry` is told."""

STOP = 2
"""Not 0 when all shall return as soon as they can: one of `STATUS_*`. Generated code that
traps sets it (from 0, by compare and exchange) and returns."""

DEADLINE = 3
"""When the job must have ended, as in `time.monotonic_ns()`; 0 for never."""

MEET = 4
"""Address of `i64 meet(ptr job, i64 worker, i64 workers)`, the grid barrier: 1 for the one
who came last, while all others wait, and 0 for these once it has called `release`, or when
`STOP` is set."""

RELEASE = 5
"""Address of `void release(ptr job)`."""

PULSE = 6
"""Address of `preserve_mostcc i64 pulse(ptr job, i64 worker)`: `STOP`, after a look at
signals and the deadline when it is time for one."""

PATIENCE = 7
"""Ticks for which a worker spins before it sleeps; 0 if there are not enough cores."""

POOL = 8
"""Address of the pool's words, if the job has more than one worker."""

# Then what belongs to worker 0.

THREAD_STATE = 16
"""What `PyEval_SaveThread` returned."""

CALLER_FLOATS = 17
"""The floating-point control word of the caller, where there is one."""

HEARS_SIGNALS = 18
"""Not 0 if Python runs signal handlers in this thread."""

LAST_LOOK = 19
"""Ticks at the last look at the clock."""

NEXT_SIGNALS = 20
"""When to look for signals next, in nanoseconds; 0 before the first look at the clock."""

MAY_BE_ALONE = 21
"""Not 0 if one worker may run it where threads sleep and waking them would take longer."""

BEGAN = 22
"""Ticks when the run began."""

WOKE = 23
"""Ticks that the last run took which had to wake threads, less some for each that did not;
0 if none has."""

ALONE = 24
"""Ticks that the last run took which did not because of these; 0 if none has."""

CHOICE = 25
"""`CHOSE_*`, for this run."""

# And the barrier.

GENERATION = 32
"""How often the barrier has opened: 32 bits, as futexes have."""

ARRIVED = 33
"""How many workers wait at the barrier, if they are few."""

PARKED = 34
"""How many workers sleep, or are about to, until `GENERATION` changes."""

ARRIVED_APART = 48
"""How many workers wait at the barrier, if they are many."""

TURNS_OFF = 49
"""How many waits at the barrier shall not let others run before they sleep."""

HEADER_WORDS = 64
"""Where the program's own words begin."""

CHOSE_NOTHING = 0
"""The threads were awake, or there are none."""
CHOSE_TO_WAKE = 1
CHOSE_ALONE = 2

STATUS_DONE = 0
STATUS_INTERRUPTED = 1
"""A signal handler raised; the dispatch raises the same."""
STATUS_TIMEOUT = 2
"""The deadline has passed."""
STATUS_TRAPPED = 3
"""Generated code trapped."""
STATUS_CLOSED = 4
"""The pool was closed meanwhile, as happens to daemon threads when Python exits."""

_ALIGNMENT = 128
"""Two cache lines, since some processors fetch them in pairs."""


def new_job(own_words: int = 0) -> NDArray[np.uint64]:
    """
    Memory for a job, all zero, with so many words after the header.

    Example: `words = new_job(4); words[HEADER_WORDS] = 42`
    """
    return aligned_words(HEADER_WORDS + own_words)


def aligned_words(count: int) -> NDArray[np.uint64]:
    """
    Zeroes that share no cache line with anything else.

    Example: `aligned_words(16).ctypes.data % 64` is 0.
    """
    whole = -(-count * 8 // _ALIGNMENT) * _ALIGNMENT // 8
    try:
        room = np.zeros(whole + _ALIGNMENT // 8, np.uint64)
    except ValueError:  # NumPy says so of more than any memory can hold.
        raise MemoryError from None
    skipped = -room.ctypes.data % _ALIGNMENT // 8
    return room[skipped : skipped + count]
