"""
Do programs that are inside their buffers for a part of each row compute what the reference
engine does? `make fuzz-rows N=200 SEED=0`.

They run in place on arrays behind which nothing can be touched, with one worker and with
three. Exits with 1 at the first difference, and prints all that is needed to see it again.
"""

import argparse
import sys
from random import Random

import numpy as np
from guarded_arrays import guarded
from numpy.typing import NDArray
from row_programs import RowProgram, row_program

import vyre
from vyre.runtime.cpu.backend import CpuBackend

WORKERS = (1, 3)
SIZES, CALLS = 2, 12
MASKS = (0, 1, 3, 7, 15, 31, 2, 4, 5, 8, 12, 16, -1, -2)
FAR = (2**62, 2**63 - 1, -(2**63))

Arrays = dict[str, NDArray[np.int32]]
Three = tuple[int, int, int]


def arrays_and_grid(program: RowProgram, rng: Random) -> tuple[Arrays, Three]:
    """Buffers that end near where the grid does, or elsewhere."""
    groups = rng.choice([1, 2, 5]), rng.choice([1, 2])
    width = max(1, program.width * groups[0] + rng.choice([-1, 0, 0, 1, 3]))
    height = max(1, program.height * groups[1] + rng.choice([-1, 0, 1]))
    a = rng.choice([1, 5, width, 2 * width, 3 * width + 1])
    b = rng.choice([1, 4, width, 2 * width + 3])
    arrays: Arrays = {
        "a": np.arange(1, a + 1, dtype=np.int32),
        "b": np.arange(100, 100 + height * b, dtype=np.int32).reshape(height, b),
        "c": np.zeros((height, width), np.int32),
    }
    return arrays, (*groups, 1)


def parameters(arrays: Arrays, rng: Random) -> dict[str, int]:
    """Near the edges of buffers and rows, or very far away."""
    length, width = len(arrays["a"]), arrays["c"].shape[1]
    return {
        "s": rng.choice([0, 1, 2, -1, -2, 5, width, -width, width // 2, *FAR]),
        "t": rng.choice([0, 1, 3, -1, -5, width, length, -length]),
        "k": rng.choice([*range(-1, width + 1), 2**32, 2**62]),
        "mask": rng.choice(MASKS),
    }


def difference(seed: int) -> str | None:
    """What is wrong with a program, if anything."""
    rng = Random(seed)
    program = row_program(rng)
    reference = vyre.compile(program.text, engine="reference")
    cpus = [vyre.compile(program.text, engine=CpuBackend(count, 0)) for count in WORKERS]
    for _ in range(SIZES):
        arrays, grid = arrays_and_grid(program, rng)
        for _ in range(CALLS):
            given = parameters(arrays, rng)
            wanted = reference({**arrays, **given}, grid=grid)["c"]
            for workers, exe in zip(WORKERS, cpus):
                found = {name: guarded(array) for name, array in arrays.items()}
                exe.bind({**found, **given}, grid=grid)()
                if not np.array_equal(found["c"], wanted):
                    shapes = [array.shape for array in arrays.values()]
                    place = f"{workers} workers, grid {grid}, shapes {shapes}, {given}"
                    return f"seed {seed}: {place}:\n{program.text}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    for number in range(args.count):
        wrong = difference(1000 * args.seed + number)
        if wrong is not None:
            sys.exit(wrong)
    print(f"{args.count} programs, no difference")


if __name__ == "__main__":
    main()
