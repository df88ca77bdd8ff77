"""y = a x + y, again and again. Each step is a phase."""

import numpy as np

from benchmarks.workloads.case import Case, Size, groups, program_text, random

COUNT = {"small": 1 << 10, "large": 1 << 23}
STEPS = {"small": 64, "large": 10}


def case(size: Size) -> Case:
    count, steps = COUNT[size], STEPS[size]
    rng = random(1)
    x = rng.random(count, np.float32)
    y = rng.random(count, np.float32)
    a = 0.5
    return Case(
        workload="saxpy_chain",
        size=size,
        phases=steps,
        arrays={"x": x, "y": y},
        numbers={"a": a, "steps": steps},
        changed=("y",),
        expected={"y": (steps * a * x.astype(np.float64) + y).astype(np.float32)},
        grid=(groups(count, 256),),
        program=program_text("saxpy_chain"),
        tolerance=1e-5,
    )
