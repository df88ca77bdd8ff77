"""Bitonic sort: a phase for each distance of the keys that are compared."""

import numpy as np

from benchmarks.workloads.case import Case, Size, groups, program_text, random

LEVELS = {"small": 10, "large": 20}


def case(size: Size) -> Case:
    levels = LEVELS[size]
    count = 1 << levels
    keys = random(11).integers(-(1 << 31), 1 << 31, count).astype(np.int32)
    return Case(
        workload="bitonic_sort",
        size=size,
        phases=levels * (levels + 1) // 2,
        arrays={"keys": keys},
        numbers={},
        changed=("keys",),
        expected={"keys": np.sort(keys)},
        grid=(groups(count // 2, 64),),
        program=program_text("bitonic_sort"),
    )
