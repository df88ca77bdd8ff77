"""Inputs and an independent answer for examples/jacobi.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = dict[str, Any]

SIZES = (1, 3, 5, 9, 20)
CHECK_SIZE = 5
TOLERANCE = 1e-12


def grid(given: Values, groups: int) -> tuple[int, int]:
    """Several workgroups along both axes, if there are several."""
    return groups, (groups + 1) // 2


def inputs(rng: np.random.Generator, size: int) -> Values:
    """A plate with a random rim; large ones have no time to settle."""
    shape = size, size + 2
    return {
        "plate": rng.random(shape),
        "spare": rng.random(shape),
        "group_change": rng.random(40),
        "result": np.empty(shape),
        "tolerance": 0.01,
        "max_steps": 7 if size > 10 else 60,
    }


def expected(given: Values) -> Values:
    """Write a step as one matrix; if it settles, it must be near the exact solution."""
    plate = given["plate"]
    step = matrix_of_step(plate.shape)
    values, count = plate.ravel(), 0
    change = np.inf
    while change > given["tolerance"] and count < given["max_steps"]:
        before, values = values, step @ values
        change, count = np.max(np.abs(values - before)), count + 1
    if change <= given["tolerance"]:
        near = 20 * given["tolerance"]
        np.testing.assert_allclose(values, exact(step, plate.ravel()), atol=near)
    return {"result": values.reshape(plate.shape), "steps": np.array([count])}


def matrix_of_step(shape: tuple[int, int]) -> NDArray[Any]:
    """The mean of the neighbours for inner cells, the cell itself for the rim."""
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    matrix = np.eye(cells.size)
    inner = cells[1:-1, 1:-1].ravel()
    matrix[inner, inner] = 0
    for distance in (1, -1, shape[1], -shape[1]):
        matrix[inner, inner + distance] = 0.25
    return matrix


def exact(step: NDArray[Any], start: NDArray[Any]) -> NDArray[Any]:
    """Values that a step leaves as they are, with the rim that was given."""
    rim = step.diagonal() == 1
    return np.linalg.solve(np.eye(len(step)) - step + np.diag(rim), np.where(rim, start, 0))
