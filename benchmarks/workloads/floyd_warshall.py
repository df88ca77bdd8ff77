"""All shortest ways in a graph; a phase for each node that they may lead through."""

import numpy as np

from benchmarks.workloads.case import Array, Case, Size, groups, program_text, random

NODES = {"small": 32, "large": 512}
NO_WAY = 1 << 29


def case(size: Size) -> Case:
    nodes = NODES[size]
    rng = random(10)
    lengths = rng.integers(1, 1000, (nodes, nodes), np.int32)
    distances = np.where(rng.random((nodes, nodes)) < 0.2, lengths, np.int32(NO_WAY))
    np.fill_diagonal(distances, 0)
    return Case(
        workload="floyd_warshall",
        size=size,
        phases=nodes,
        arrays={"distances": distances},
        numbers={},
        changed=("distances",),
        expected={"distances": oracle(distances)},
        grid=(groups(nodes, 32), nodes),
        program=program_text("floyd_warshall"),
    )


def oracle(distances: Array) -> Array:
    """Ways of at most 1, 2, 4, ... edges, which is another algorithm."""
    nodes, edges = len(distances), 1
    now = distances
    while edges < nodes:
        next = now.copy()
        for row in range(nodes):
            np.minimum(next[row], (now[row][:, None] + now).min(axis=0), out=next[row])
        if np.array_equal(now, next):
            break
        now, edges = next, 2 * edges
    return now
