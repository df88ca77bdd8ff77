"""Inputs and an independent answer for examples/conjugate_gradient.mlir."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arguments = dict[str, Any]

SIZES = (1, 7, 64, 150)
CHECK_SIZE = 70
TOLERANCE = 1e-10


def inputs(rng: np.random.Generator, size: int) -> Arguments:
    """
    A sparse matrix by rows, whose diagonal outweighs the rest. The rounds are enough for
    small ones only, so that both ways to end the loop occur.
    """
    half = np.tril(rng.standard_normal((size, size)), -1)
    half[rng.random((size, size)) > 3 / size] = 0
    matrix = half + half.T
    matrix += np.diag(np.abs(matrix).sum(axis=1) + rng.uniform(0.1, 0.2, size))
    places = matrix != 0
    return {
        "offsets": np.r_[0, np.cumsum(places.sum(axis=1))].astype(np.int32),
        "columns": np.nonzero(places)[1].astype(np.int32),
        "values": matrix[places],
        "b": rng.standard_normal(size),
        "x": rng.standard_normal(size),
        "residual": np.full(size, np.nan),
        "direction": np.full(size, np.nan),
        "image": np.full(size, np.nan),
        "square_parts": np.full(64, np.nan),
        "energy_parts": np.full(64, np.nan),
        "tolerance": 1e-12,
        "max_rounds": 9,
    }


def expected(given: Arguments) -> dict[str, NDArray[Any]]:
    """
    Conjugate gradients find the best combination of b, A b, A A b, ..., as many as there
    are rounds. Here it is found at once, with an orthonormal basis of these.
    """
    b = given["b"]
    rows = np.repeat(np.arange(len(b)), np.diff(given["offsets"]))
    matrix = np.zeros((len(b), len(b)))
    matrix[rows, given["columns"]] = given["values"]
    basis = np.zeros((len(b), 0))
    vector = b
    for _ in range(given["max_rounds"]):
        for _ in range(2):
            vector = vector - basis @ (basis.T @ vector)
        length = np.linalg.norm(vector)
        if length < 1e-9:
            break
        basis = np.c_[basis, vector / length]
        vector = matrix @ basis[:, -1]
    return {"x": basis @ np.linalg.solve(basis.T @ matrix @ basis, basis.T @ b)}
