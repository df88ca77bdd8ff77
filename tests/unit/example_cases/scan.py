"""Inputs and an independent answer for examples/scan.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

SIZES = (0, 1, 5, 64, 193, 1000)
CHECK_SIZE = 500


def inputs(rng: np.random.Generator, size: int) -> Arrays:
    """Numbers of all magnitudes, so that sums wrap around."""
    return {
        "numbers": rng.integers(-(2**31), 2**31, size).astype(np.int32),
        "sums": np.zeros(size, np.int32),
        "group_sums": rng.integers(100, size=64).astype(np.int32),
    }


def expected(given: Arrays) -> Arrays:
    """Add without wrapping around, and take the low bits at the end."""
    exact = np.cumsum(given["numbers"], dtype=np.int64)
    return {"sums": exact.astype(np.int32)}
