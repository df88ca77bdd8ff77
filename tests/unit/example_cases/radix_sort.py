"""Inputs and an independent answer for examples/radix_sort.mlir."""

from typing import Any

import numpy as np

Values = dict[str, Any]

SIZES = (0, 1, 15, 100, 264, 333)
CHECK_SIZE = 203
PASSES = {1: 8, 100: 3, 264: 8, 333: 1}


def inputs(rng: np.random.Generator, size: int) -> Values:
    """Few different keys, so that many are equal in the bits that are sorted by."""
    alphabet = rng.integers(2**32, size=1 + size // 4, dtype=np.uint32)
    return {
        "keys": rng.choice(alphabet, size),
        "values": rng.integers(1000, size=size, dtype=np.int32),
        "spare_keys": rng.integers(1000, size=size, dtype=np.uint32),
        "spare_values": rng.integers(1000, size=size, dtype=np.int32),
        "counts": rng.integers(1000, size=(16, 1 + size % 8), dtype=np.int32),
        "starts": rng.integers(1000, size=16, dtype=np.int32),
        "sorted_keys": np.empty(size, np.uint32),
        "sorted_values": np.empty(size, np.int32),
        "passes": PASSES.get(size, 2),
    }


def expected(given: Values) -> Values:
    """Python's sort is stable."""
    low_bits = (1 << (4 * given["passes"])) - 1
    records = list(zip(given["keys"].tolist(), given["values"].tolist()))
    records.sort(key=lambda record: record[0] & low_bits)
    table = np.array(records, np.int64).reshape(-1, 2)
    return {"sorted_keys": table[:, 0], "sorted_values": table[:, 1]}
