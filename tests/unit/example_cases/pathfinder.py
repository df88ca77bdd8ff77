"""Inputs and an independent answer for examples/pathfinder.mlir."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

SIZES = (1, 2, 41, 150)
CHECK_SIZE = 41


def inputs(rng: np.random.Generator, size: int) -> Arrays:
    """A wall of `size` columns, with one row or a few; costs may be negative."""
    rows = 1 + size % 9
    return {
        "wall": rng.integers(-5, 50, (rows, size), np.int32),
        "costs": rng.integers(100, size=size, dtype=np.int32),
        "spare": rng.integers(100, size=size, dtype=np.int32),
        "best": np.empty(size, np.int32),
    }


def expected(given: Arrays) -> Arrays:
    """Ask from the bottom: what does the cheapest way to a stone cost?"""
    wall = given["wall"]
    rows, columns = wall.shape

    @cache
    def cheapest(row: int, column: int) -> float:
        if not 0 <= column < columns:
            return np.inf
        if row == 0:
            return int(wall[0, column])
        ways = (cheapest(row - 1, column + side) for side in (-1, 0, 1))
        return int(wall[row, column]) + min(ways)

    best = [cheapest(rows - 1, column) for column in range(columns)]
    return {"best": np.array(best, np.int32)}
