"""
Checks the grid barrier in all grids up to 4 blocks of 2 threads that meet 3 times, with a
watchdog once if there are 4: `python tests/model/check_grid_barrier.py`. Minutes;
`--blocks 3` takes less.

Prints a line for each setup: what happens in it, how many states there are, and whether the
barrier keeps its promise in all of them. If not, how that comes about.
"""

import argparse
import gc
import sys
import time

from barrier_machine import Machine
from barrier_search import explore
from barrier_setups import setups
from barrier_state import Setup
from barrier_trace import trace


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--blocks", type=int, default=4, help="at most so many")
    arguments.add_argument("--threads", type=int, default=2, help="of a block, at most")
    arguments.add_argument("--rounds", type=int, default=3, help="how often they meet")
    options = arguments.parse_args()
    gc.disable()  # States are many, and hold no cycles.
    is_good = True
    for blocks in range(2, options.blocks + 1):
        for threads in range(1, options.threads + 1):
            for name, setup in setups(blocks, threads, options.rounds):
                is_good &= checked(name, setup)
    return 0 if is_good else 1


def checked(name: str, setup: Setup) -> bool:
    """Explores a setup and says what came out."""
    start = time.perf_counter()
    finding = explore(setup)
    seconds = time.perf_counter() - start
    grid = f"{setup.blocks}x{setup.block_threads}, {setup.rounds} rounds, {name}"
    figures = (
        f"{finding.states:>8} states {finding.transitions:>9} transitions {seconds:6.1f} s"
    )
    print(f"{grid:<52} {figures}  {finding.broken or 'ok'}", flush=True)
    if finding.broken:
        print(*trace(Machine(setup), explore(setup, is_reduced=False).path), sep="\n")
    return not finding.broken


if __name__ == "__main__":
    sys.exit(main())
