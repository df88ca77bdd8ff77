"""Inputs and an independent answer for examples/heat_3d.mlir."""

from typing import Any

import numpy as np

Values = dict[str, Any]

SIZES = (1, 2, 5, 6, 9)
CHECK_SIZE = 5
TOLERANCE = 1e-5


def grid(given: Values, groups: int) -> tuple[int, int, int]:
    """Several workgroups along every axis, if there are several."""
    return groups, (groups + 1) // 2, (groups + 2) // 3


def inputs(rng: np.random.Generator, size: int) -> Values:
    """A block with three different edges, and up to five steps."""
    shape = size, size + 1, size + 3
    return {
        "heat": rng.random(shape, np.float32),
        "spare": rng.random(shape, np.float32),
        "result": np.empty(shape, np.float32),
        "steps": size % 6,
        "rate": 0.125,
    }


def expected(given: Values) -> Values:
    """One matrix per axis takes second differences; only inner cells change."""
    heat = given["heat"].astype(np.float64)
    inner = np.zeros(heat.shape)
    inner[1:-1, 1:-1, 1:-1] = given["rate"]
    of_layers, of_rows, of_columns = map(second_difference, heat.shape)
    for _ in range(given["steps"]):
        change = np.einsum("ij,jyx->iyx", of_layers, heat)
        change += np.einsum("ij,zjx->zix", of_rows, heat)
        change += np.einsum("ij,zyj->zyi", of_columns, heat)
        heat = heat + inner * change
    return {"result": heat}


def second_difference(size: int) -> Any:
    return np.eye(size, k=-1) - 2 * np.eye(size) + np.eye(size, k=1)
