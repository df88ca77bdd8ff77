"""Inputs and an independent answer for examples/matmul.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

SIZES = (1, 16, 37, 70)
CHECK_SIZE = 37


def inputs(rng: np.random.Generator, size: int) -> Arrays:
    """Whole numbers, so that the order of summation makes no difference."""
    rows, depth, columns = size, size + 3, 2 * size - 1
    return {
        "a": rng.integers(-9, 10, (rows, depth)).astype(np.float32),
        "b": rng.integers(-9, 10, (depth, columns)).astype(np.float32),
        "c": np.zeros((rows, columns), np.float32),
    }


def grid(given: Arrays, groups: int) -> tuple[int, int]:
    """Grids with more and with fewer workgroups than `c` has tiles, along each axis."""
    return groups, 1 + groups // 2


def expected(given: Arrays) -> Arrays:
    """Multiply as integers."""
    return {"c": given["a"].astype(np.int64) @ given["b"].astype(np.int64)}
