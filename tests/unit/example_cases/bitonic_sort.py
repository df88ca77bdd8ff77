"""Inputs and an independent answer for examples/bitonic_sort.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

SIZES = (1, 2, 64, 256)


def inputs(rng: np.random.Generator, size: int) -> Arrays:
    """Keys of both signs, some of them equal, with the smallest and largest there are."""
    keys = rng.integers(-size, size, size).astype(np.int32)
    ends = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    some = rng.random(size) < 0.1
    keys[some] = rng.choice(ends, some.sum())
    return {"keys": keys}


def expected(given: Arrays) -> Arrays:
    """Leave it to NumPy."""
    return {"keys": np.sort(given["keys"])}
