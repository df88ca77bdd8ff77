"""Inputs and an independent answer for examples/floyd_warshall.mlir."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

NO_WAY = np.iinfo(np.int32).max

SIZES = (1, 2, 9, 33)
CHECK_SIZE = 15


def inputs(rng: np.random.Generator, size: int) -> Arrays:
    """
    A sparse graph. Every node has a height, and going up costs what going down gives
    back: so some edges have negative lengths, but no round trip has.
    """
    height = rng.integers(50, size=size)
    lengths = rng.integers(100, size=(size, size)) + height - height[:, None]
    absent = rng.random((size, size)) > 2.5 / size
    distances = np.where(absent, NO_WAY, lengths).astype(np.int32)
    np.fill_diagonal(distances, 0)
    return {"distances": distances}


def expected(given: Arrays) -> Arrays:
    """From each node by itself: follow edges as long as anything gets shorter."""
    lengths = given["distances"]
    edges = [(int(u), int(v), int(lengths[u, v])) for u, v in np.argwhere(lengths < NO_WAY)]
    shortest = np.full_like(lengths, NO_WAY)
    for start in range(len(lengths)):
        found = {start: 0}
        for _, (u, v, length) in product(range(len(lengths)), edges):
            if u in found:
                found[v] = min(found.get(v, found[u] + length), found[u] + length)
        shortest[start, list(found)] = list(found.values())
    return {"distances": shortest}
