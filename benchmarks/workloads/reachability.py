"""
Which nodes of a graph can be reached? Rounds until there is nothing new.

The small graph has 32 layers, and edges lead from one to the next, so it takes many short
rounds. The large one is random, and takes few rounds over many edges.
"""

import numpy as np

from benchmarks.workloads.case import Array, Case, Size, groups, program_text, random

NODES = {"small": 1 << 10, "large": 1 << 20}
LAYER = 32
DEGREE = {"small": 4, "large": 8}


def case(size: Size) -> Case:
    nodes, degree = NODES[size], DEGREE[size]
    targets = layered(nodes, degree) if size == "small" else scattered(nodes, degree)
    offsets = np.arange(nodes + 1, dtype=np.int32) * np.int32(degree)
    reached = np.zeros(nodes, np.int32)
    reached[:4] = 1
    found, rounds = oracle(targets.reshape(nodes, degree), reached)
    zeros = np.zeros(nodes, np.int32)
    return Case(
        workload="reachability",
        size=size,
        phases=2 * rounds,
        arrays={
            "offsets": offsets,
            "targets": targets,
            "reached": reached,
            "seen": zeros,
            "fresh": zeros.copy(),
            "last_round": np.zeros(1, np.int32),
        },
        numbers={},
        changed=("reached", "seen", "fresh", "last_round"),
        expected={"reached": found},
        grid=(groups(nodes, 64),),
        program=program_text("reachability"),
    )


def layered(nodes: int, degree: int) -> Array:
    """Edges to any nodes of the next layer; those of the last lead back to the first."""
    layer = np.arange(nodes) // LAYER
    inside = random(4).integers(0, LAYER, (nodes, degree))
    return ((layer[:, None] + 1) * LAYER % nodes + inside).astype(np.int32).ravel()


def scattered(nodes: int, degree: int) -> Array:
    return random(5).integers(0, nodes, nodes * degree, np.int32)


def oracle(targets: Array, start: Array) -> tuple[Array, int]:
    """What is reached, and in how many rounds, the last of which finds nothing new."""
    reached = start != 0
    frontier, rounds = np.flatnonzero(reached), 1
    while len(frontier):
        near = np.unique(targets[frontier])
        frontier = near[~reached[near]]
        reached[frontier] = True
        rounds += 1
    return reached.astype(np.int32), rounds
