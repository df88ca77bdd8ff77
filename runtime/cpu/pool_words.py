"""The words of a worker pool, an array in memory as a job is. Only the pool uses them."""

LOCK = 0
"""1 while some dispatch uses the threads, or they are told to end."""
RUNNING = 1
"""The job that the threads run, or 0."""

SIZE = 16
"""The most workers of a job, one of them the caller; 1 for a pool that is closed."""
CORES = 17
"""How many can run at once."""
MAIN_THREAD = 18
"""The thread in which Python runs signal handlers."""
STARTED = 19
"""How many threads have been started and not been told to end."""
ALIVE = 20
"""How many threads have not ended."""

LAST_END = 21
"""Ticks when the last dispatch ended."""
EXPECTED = 22
"""How many ticks threads that are roused wait for a dispatch."""

LEFT = 32
"""How many threads have not left the job; 32 bits."""
WATCHED = 33
"""Not 0 if somebody sleeps until `LEFT` is 0."""

SLOTS = 48
"""Where the slots of the workers begin; worker 0 uses only `SLOT_CORE` of its own."""
SLOT_SIZE = 16

SLOT_STATE = 0
"""See `pool.ll`; 32 bits."""
SLOT_JOB = 1
SLOT_WORKERS = 2
SLOT_POOL = 3
SLOT_WORKER = 4
SLOT_THREAD = 5
"""The system's number of the thread; 0 if unknown."""
SLOT_LEFT_OUT = 6
"""The number of a core, plus 1, where the thread may not run until it has been woken; -1
while somebody changes where it may run."""
SLOT_CORE = 8
"""The number of the core on which the worker was last, plus 1; 0 if unknown, and while it
sleeps between jobs. On a cache line that otherwise nobody writes."""


def words_of_pool(size: int) -> int:
    """
    How many words a pool has whose jobs have so many workers at most.

    Example: `words_of_pool(2)` is 80.
    """
    return SLOTS + SLOT_SIZE * size
