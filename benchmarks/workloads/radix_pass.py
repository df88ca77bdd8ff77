"""
Passes of a radix sort by 4 bits each, of keys with values; three phases a pass.

The small one sorts by all 32 bits. The large one makes two passes, so that the records end
where they began.
"""

import numpy as np

from benchmarks.workloads.case import Case, Size, groups, program_text, random

COUNT = {"small": 1 << 10, "large": 1 << 22}
CHUNK = {"small": 1 << 6, "large": 1 << 14}
PASSES = {"small": 8, "large": 2}


def case(size: Size) -> Case:
    count, chunk, passes = COUNT[size], CHUNK[size], PASSES[size]
    keys = random(7).integers(-(1 << 31), 1 << 31, count).astype(np.int32)
    values = np.arange(count, dtype=np.int32)
    bits = keys.view(np.uint32).astype(np.uint64) & np.uint64((1 << 4 * passes) - 1)
    order = np.argsort(bits, kind="stable")
    chunks = groups(count, chunk)
    return Case(
        workload="radix_pass",
        size=size,
        phases=3 * passes,
        arrays={
            "keys": keys,
            "values": values,
            "spare_keys": np.zeros(count, np.int32),
            "spare_values": np.zeros(count, np.int32),
            "places": np.zeros((chunks, 16), np.int32),
        },
        numbers={"chunk_length": chunk, "passes": passes},
        changed=("keys", "values", "spare_keys", "spare_values", "places"),
        expected={"keys": keys[order], "values": values[order]},
        grid=(groups(chunks, 4),),
        program=program_text("radix_pass"),
    )
