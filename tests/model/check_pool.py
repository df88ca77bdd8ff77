"""
Checks how workers of the CPU engine's pool wait for each other and wake each other:
`python tests/model/check_pool.py`. Minutes; `--workers 2` takes less.

The model executes the text of the pool itself (`runtime/cpu/*.ll`). Prints a line for each
setup: how many states there are, and whether nobody waits in vain, goes on too early, or
touches a job that is gone, in all of them.
"""

import argparse
import gc
import sys
import time

from pool_machine import PoolMachine
from pool_setups import setups
from search import search


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--workers", type=int, default=3, help="at most so many")
    options = arguments.parse_args()
    gc.disable()  # States are many, and hold no cycles.
    is_good = True
    for workers in range(2, options.workers + 1):
        for name, setup in setups(workers):
            start = time.perf_counter()
            finding = search(PoolMachine(setup))
            seconds = time.perf_counter() - start
            figures = f"{finding.states:>8} states {finding.transitions:>9} transitions"
            result = f"{figures} {seconds:6.1f} s  {finding.broken or 'ok'}"
            print(f"{f'{workers} workers, {name}':<40} {result}", flush=True)
            is_good &= not finding.broken
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
