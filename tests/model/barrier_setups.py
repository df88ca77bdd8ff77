"""The grids and events that the grid barrier is checked with."""

from collections.abc import Iterator
from dataclasses import replace

from barrier_state import Setup

from vyre.lowering.cuda.grid_protocol import Steps, grid_barrier_steps

PLAIN = grid_barrier_steps(has_traps=False)
TRAPPING = grid_barrier_steps(has_traps=True)
WATCHED = grid_barrier_steps(has_traps=True, watchdog=1)

_LAST_GENERATION = 2**32 - 2


def setups(blocks: int, block_threads: int, rounds: int) -> Iterator[tuple[str, Setup]]:
    """
    All that may happen in a grid of this size: nothing, a trap anywhere, the host or the
    watchdog at any moment.

    Example: `for name, setup in setups(2, 2, 3): ...`
    """

    def setup(steps: Steps) -> Setup:
        return Setup(steps, blocks, block_threads, rounds)

    yield "nothing", setup(PLAIN)
    yield "wrap-around", replace(setup(PLAIN), first_generation=_LAST_GENERATION)
    for round in range(rounds):
        for place in range(block_threads):  # All blocks are alike.
            trap = replace(setup(TRAPPING), trap=(place, round))
            yield f"trap of thread {place} in round {round}", trap
    stop = replace(setup(TRAPPING), host_stops=True)
    yield "stop", stop
    yield "stop and trap", replace(stop, trap=(0, rounds - 1))
    if blocks * block_threads <= 6:  # Millions of states for more.
        yield "stop, also heard while working", replace(stop, threads_look=True)
    # Each block may give up whenever it looks: more rounds have far more states.
    last = rounds - 1 if blocks <= 3 else 0
    watched = replace(setup(WATCHED), rounds=last + 1)
    yield "watchdog", watched
    yield "watchdog and trap", replace(watched, trap=(0, last))
    yield "watchdog and missing block", replace(watched, missing=(0, last))
    yield "watchdog and endless loop", replace(watched, lingering=(0, last))
