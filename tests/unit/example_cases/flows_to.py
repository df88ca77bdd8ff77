"""Inputs and an independent answer for examples/flows_to.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = dict[str, Any]
Bits = NDArray[np.bool_]

SIZES = (1, 33, 150)
FIXPOINT_ITERATIONS = 8
"""One for each hop."""

_MASK = 0b101


def inputs(rng: np.random.Generator, size: int) -> Values:
    """A sparse random graph whose edges are of one of three kinds."""
    edges = rng.random((size, size)) < 2.2 / size
    starts, ends = np.nonzero(edges)
    words = -(-size // 32)
    return {
        "offsets": np.searchsorted(starts, np.arange(size + 1)).astype(np.int32),
        "targets": ends.astype(np.int32),
        "kinds": (1 << rng.integers(3, size=ends.size)).astype(np.int32),
        "mask": _MASK,
        "sources": _words(np.arange(size) % 50 == 0),
        "sinks": _words(rng.random(size) < 0.3),
        **{
            name: np.zeros(words, np.int32) for name in ("reached", "next", "hits", "found")
        },
    }


def expected(given: Values) -> Values:
    """How far each node is from the nearest source, by powers of a matrix of edges."""
    size = len(given["offsets"]) - 1
    flows = np.zeros((size, size), np.bool_)
    starts = np.repeat(np.arange(size), np.diff(given["offsets"]))
    flows[starts, given["targets"]] = given["kinds"] & _MASK != 0
    step = flows | np.eye(size, dtype=np.bool_)
    within = np.linalg.matrix_power(step.astype(np.float64), FIXPOINT_ITERATIONS) > 0
    reached = np.logical_or.reduce(within[_nodes(given["sources"], size)], axis=0)
    found = reached & _nodes(given["sinks"], size)
    return {"reached": _words(reached), "found": _words(found)}


def _words(nodes: Bits) -> NDArray[np.int32]:
    """A set of nodes, 32 in a word."""
    padded = np.pad(nodes, (0, -nodes.size % 32))
    return np.packbits(padded, bitorder="little").view(np.int32)


def _nodes(words: NDArray[np.int32], size: int) -> Bits:
    return np.unpackbits(words.view(np.uint8), bitorder="little")[:size].astype(np.bool_)
