"""
Sums of all beginnings of a list, in blocks; three phases.

The small one scans its own result again, 16 times: one scan of so few numbers would be
over before anything can be measured.
"""

import numpy as np

from benchmarks.workloads.case import Case, Size, groups, program_text, random

COUNT = {"small": 1 << 10, "large": 1 << 24}
BLOCK = {"small": 1 << 6, "large": 1 << 13}
SCANS = {"small": 16, "large": 1}


def case(size: Size) -> Case:
    count, block, scans = COUNT[size], BLOCK[size], SCANS[size]
    numbers = random(6).integers(-100, 100, count, np.int32)
    sums = numbers
    for _ in range(scans):
        sums = np.cumsum(sums, dtype=np.int32)  # Wraps, as the program does.
    blocks = groups(count, block)
    return Case(
        workload="prefix_sum",
        size=size,
        phases=3 * scans,
        arrays={"numbers": numbers, "block_sums": np.zeros(blocks, np.int32)},
        numbers={"block_length": block, "scans": scans},
        changed=("numbers", "block_sums"),
        expected={"numbers": sums},
        grid=(groups(blocks, 4),),
        program=program_text("prefix_sum"),
    )
