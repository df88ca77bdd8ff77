"""
How long planning many waves takes: `make bench-waves`.

Random graphs whose dependencies go from smaller to larger numbers, one long chain, and
layers. Prints seconds for the barrier plan from an array and from a list of pairs, and for
the memory plan with both kinds of packing.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from vyre.analysis.frontier import WaveBytes, plan_frontier_memory
from vyre.analysis.waves import WaveScratch, plan_barriers

T = TypeVar("T")
Edges = NDArray[np.int64]


def random_edges(waves: int, dependencies: int) -> Edges:
    rng = np.random.default_rng(0)
    edges = np.sort(rng.integers(0, waves, (dependencies, 2)), axis=1)
    return edges[edges[:, 0] != edges[:, 1]]


def chain_edges(waves: int, dependencies: int) -> Edges:
    """Each wave depends on the ones before it, as many as there are dependencies for."""
    per_wave = max(1, dependencies // waves)
    after = np.repeat(np.arange(waves), per_wave)
    edges = np.stack((after - np.tile(np.arange(per_wave) + 1, waves), after), axis=1)
    return edges[edges[:, 0] >= 0]


def layered_edges(waves: int, dependencies: int) -> Edges:
    """Layers of which each wave depends on some of the layer before."""
    rng = np.random.default_rng(1)
    width = max(1, waves // 100)
    after = rng.integers(width, waves, dependencies)
    before = (after // width - 1) * width + rng.integers(0, width, dependencies)
    return np.stack((before, after), axis=1)


GRAPHS = {"random": random_edges, "chain": chain_edges, "layers": layered_edges}


def timed(action: Callable[[], T], repeats: int = 3) -> tuple[float, T]:
    """The fastest of some runs, in seconds, and what it gave."""
    best = float("inf")
    while True:
        started = time.perf_counter()
        result = action()
        best = min(best, time.perf_counter() - started)
        repeats -= 1
        if not repeats:
            return round(best, 3), result


def measure(kind: str, waves: int, dependencies: int) -> dict[str, str | int | float]:
    edges = GRAPHS[kind](waves, dependencies)
    pairs: list[tuple[int, int]] = [(a, b) for a, b in edges.tolist()]
    sizes = [
        WaveBytes(*row)
        for row in np.random.default_rng(2).integers(0, 1000, (waves, 3)).tolist()
    ]
    scratch = WaveScratch()
    from_array, plan = timed(lambda: plan_barriers(waves, edges, scratch))
    from_pairs, _ = timed(lambda: plan_barriers(waves, pairs, scratch))
    in_order, first = timed(lambda: plan_frontier_memory(sizes, edges, budget_bytes=20_000))
    best, packed = timed(
        lambda: plan_frontier_memory(sizes, edges, budget_bytes=20_000, packing="best")
    )
    return {
        "graph": kind,
        "waves": waves,
        "dependencies": len(pairs),
        "layers": len(plan.groups),
        "barriers_from_array": from_array,
        "barriers_from_pairs": from_pairs,
        "memory_in_order": in_order,
        "memory_best": best,
        "groups_in_order": len(first.barriers.groups),
        "groups_best": len(packed.barriers.groups),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waves", type=int, default=100_000)
    parser.add_argument("--dependencies", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = [measure(kind, args.waves, args.dependencies) for kind in GRAPHS]
    if args.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(", ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
