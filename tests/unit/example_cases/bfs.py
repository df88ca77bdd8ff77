"""Inputs and an independent answer for examples/bfs.mlir."""

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arguments = dict[str, Any]

SIZES = (1, 7, 64, 250)


def inputs(rng: np.random.Generator, size: int) -> Arguments:
    """A sparse random graph of `size` nodes; some of them are out of reach."""
    edges = rng.random((size, size)) < 1.7 / size
    return {
        "offsets": np.r_[0, np.cumsum(edges.sum(axis=1))].astype(np.int32),
        "targets": np.nonzero(edges)[1].astype(np.int32),
        "levels": np.zeros(size, np.int32),
        "found": rng.integers(2, size=size).astype(np.int32),
        "source": int(edges.sum(axis=1).argmax()),
    }


def expected(given: Arguments) -> dict[str, NDArray[Any]]:
    """Visit nodes one by one, those that were found first before the others."""
    levels = {given["source"]: 0}
    waiting = deque(levels)
    while waiting:
        node = waiting.popleft()
        first, end = given["offsets"][node : node + 2]
        for target in map(int, given["targets"][first:end]):
            if target not in levels:
                levels[target] = levels[node] + 1
                waiting.append(target)
    nodes = range(len(given["levels"]))
    return {
        "levels": np.array([levels.get(node, -1) for node in nodes]),
        "deepest": np.array([max(levels.values())]),
    }
