"""Inputs and an independent answer for examples/kmeans.mlir."""

from typing import Any

import numpy as np

Values = dict[str, Any]

SIZES = (1, 5, 60, 300)
CHECK_SIZE = 60


def inputs(rng: np.random.Generator, size: int) -> Values:
    """Clouds of points, and fewer or more centres, one of which is far from everything."""
    clouds = rng.integers(-500, 500, (4, 2))
    points = clouds[rng.integers(4, size=size)] + rng.integers(-200, 200, (size, 2))
    centres = rng.integers(-500, 500, (3 + size % 7, 2))
    centres[1] = 20_000
    return {
        "points": points.astype(np.int32),
        "centres": centres.astype(np.int32),
        "cluster": np.full(size, -1, np.int32),
        "members": np.zeros((len(centres), 3), np.int32),
        "last_move": np.zeros(1, np.int32),
        "max_rounds": 3 if size == 300 else 30,
    }


def expected(given: Values) -> Values:
    """A table of all distances, and the mean of each cluster's points."""
    points, centres = given["points"], given["centres"].copy()
    cluster = given["cluster"]
    for _ in range(given["max_rounds"]):
        before = cluster
        away = points[:, None].astype(np.int64) - centres
        cluster = np.argmin((away**2).sum(axis=2), axis=1)
        for number in np.unique(cluster):
            centres[number] = np.floor(points[cluster == number].mean(axis=0))
        if np.array_equal(cluster, before):
            break
    return {"cluster": cluster, "centres": centres, "members": 0 * given["members"]}
