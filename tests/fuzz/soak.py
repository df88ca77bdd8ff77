"""
All fuzzers in turn, with a new seed in each round, until the time is over.

Each command is printed before it runs, and again at the end if it failed, so that it can be
repeated. With `--seeds` there is one round for each of them, however long it takes.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from secrets import randbelow

HERE = Path(__file__).parent
ROUND = (
    "split_soundness.py --count 300",
    "split_soundness.py --count 30 --stages --variants",
    "cuda_soundness.py --count 100",
    "mutated_ir.py --count 2000",
    "wave_soundness.py --count 200",
    "literal_soundness.py --count 100",
    "row_soundness.py --count 100",
    "mutants.py",
    "source_score.py --count 20",
)
"""Minutes each."""


def seeds_until(end: float) -> Iterator[int]:
    """New seeds as long as there is time."""
    for _ in count():
        if time.monotonic() > end:
            return
        yield randbelow(2**31)


def soak(seeds: Iterable[int], end: float) -> list[str]:
    """The commands that failed."""
    failed: list[str] = []
    for seed in seeds:
        for fuzzer in ROUND:
            if time.monotonic() > end:
                break
            name, *options = fuzzer.split()
            command = [sys.executable, str(HERE / name), *options, "--seed", str(seed)]
            print(*command, flush=True)
            if subprocess.call(command):
                failed.append(" ".join(command))
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=8)
    parser.add_argument("--seeds", type=int, nargs="*", help="instead of new ones")
    options = parser.parse_args()
    end = time.monotonic() + 3600 * options.hours
    if options.seeds:
        failed = soak(options.seeds, float("inf"))
    else:
        failed = soak(seeds_until(end), end)
    print(f"{len(failed)} failed", *failed, sep="\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
