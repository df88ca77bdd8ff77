"""Inputs and an independent answer for examples/minimum_spanning_tree.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

SIZES = (1, 2, 40, 77)
CHECK_SIZE = 120


def inputs(rng: np.random.Generator, size: int) -> Arrays:
    """
    A long chain and random edges, also doubled ones, loops and equal costs; some nodes are
    not connected with the rest.
    """
    chain = np.arange(size // 2)
    count = 2 * size - len(chain)
    heads = np.append(chain, rng.integers(max(1, 4 * size // 5), size=count))
    tails = np.append(chain + 1, rng.integers(max(1, 4 * size // 5), size=count))
    costs = np.append(chain, rng.integers(2 * size, size=count))
    order = rng.permutation(2 * size)
    return {
        "heads": heads[order].astype(np.int32),
        "tails": tails[order].astype(np.int32),
        "costs": costs[order].astype(np.int32),
        "root": rng.integers(size, size=size, dtype=np.int32),
        "parent": rng.integers(size, size=size, dtype=np.int32),
        "cheapest": rng.integers(100, size=size),
        "last_join": np.zeros(1, np.int32),
        "last_jump": np.zeros(1, np.int32),
        "in_tree": np.empty(2 * size, np.int32),
    }


def expected(given: Arrays) -> Arrays:
    """Kruskal: take edges from cheap to expensive, unless both ends are in one part."""
    part = np.arange(given["root"].size)
    in_tree = np.zeros(given["costs"].size, np.int32)
    for edge in np.argsort(given["costs"], kind="stable"):
        head, tail = part[given["heads"][edge]], part[given["tails"][edge]]
        if head != tail:
            part[part == head] = tail
            in_tree[edge] = 1
    return {"in_tree": in_tree, "total": np.array([given["costs"] @ in_tree])}
