"""Inputs and an independent answer for examples/histogram.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = dict[str, Any]

SIZES = (0, 1, 37, 100, 1500)
CHECK_SIZE = 300


def inputs(rng: np.random.Generator, size: int) -> Values:
    """More small values than large ones, some of them beyond the last bin."""
    values = rng.exponential(1e8, size).astype(np.uint32)
    values[::40] = 0xFFFFFFFF
    return {"values": values, "width": 10_000_000}


def expected(given: Values) -> Values:
    """Sort the values, and look up how many lie below each edge between bins."""
    edges = (np.arange(63) + 1) * given["width"]
    values: NDArray[Any] = np.sort(given["values"])
    cumulative: NDArray[Any] = np.searchsorted(values, np.append(edges, 2**32))
    return {"cumulative": cumulative, "counts": np.diff(cumulative, prepend=0)}
