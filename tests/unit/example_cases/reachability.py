"""Inputs and an independent answer for examples/reachability.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

SIZES = (1, 7, 150)


def inputs(rng: np.random.Generator, size: int) -> Arrays:
    """A sparse random graph of `size` nodes, and one node to start from."""
    edges = rng.random((size, size)) < 1.5 / size
    reached = np.zeros(size, np.int32)
    reached[rng.integers(size)] = 1
    return {
        "offsets": np.r_[0, np.cumsum(edges.sum(axis=1))].astype(np.int32),
        "targets": np.nonzero(edges)[1].astype(np.int32),
        "reached": reached,
        "seen": np.zeros(size, np.int32),
        "fresh": np.zeros(size, np.int32),
        "last_change": np.zeros(1, np.int32),
    }


def expected(given: Arrays) -> Arrays:
    """Follow edges with a list of nodes still to visit."""
    reached = given["reached"].copy()
    pending = list(np.flatnonzero(reached))
    while pending:
        node = pending.pop()
        first, end = given["offsets"][node : node + 2]
        for target in given["targets"][first:end]:
            if not reached[target]:
                reached[target] = 1
                pending.append(target)
    return {"reached": reached}
