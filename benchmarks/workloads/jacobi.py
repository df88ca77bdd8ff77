"""The mean of four neighbours, in turn from one plate to the other."""

import numpy as np

from benchmarks.workloads.case import Array, Case, Size, groups, program_text, random

INNER = {"small": 32, "large": 2048}
STEPS = {"small": 64, "large": 20}


def case(size: Size) -> Case:
    inner, steps = INNER[size], STEPS[size]
    plate = random(2).random((inner + 2, inner + 2), np.float32)
    return Case(
        workload="jacobi",
        size=size,
        phases=steps,
        arrays={"plate": plate, "spare": plate.copy()},
        numbers={"steps": steps},
        changed=("plate", "spare"),
        expected={"plate": oracle(plate, steps)},
        grid=(groups(inner, 32), inner),
        program=program_text("jacobi"),
        tolerance=1e-6,
    )


def oracle(plate: Array, steps: int) -> Array:
    now = plate.astype(np.float64)
    for _ in range(steps):
        next = now.copy()
        next[1:-1, 1:-1] = 0.25 * (
            now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
        )
        now = next
    return now.astype(np.float32)
