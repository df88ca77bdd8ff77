"""
Conjugate gradients, with a sparse matrix by rows: 1 + 3 phases for each round.

The matrix is that of a square plate, with 4.1 on the diagonal and -1 for each of up to four
neighbours. The tolerance is zero, so that all peers make the same number of rounds; they
test it all the same.
"""

import numpy as np

from benchmarks.workloads.case import Array, Case, Size, groups, program_text, random

SIDE = {"small": 32, "large": 512}
ROUNDS = {"small": 16, "large": 30}
DIAGONAL = 4.1


def case(size: Size) -> Case:
    side, rounds = SIDE[size], ROUNDS[size]
    rows = side * side
    offsets, columns, values = matrix(side)
    b = random(8).random(rows)
    parts = groups(rows, 256)
    empty = {name: np.zeros(rows) for name in ("x", "residual", "direction", "image")}
    return Case(
        workload="conjugate_gradient",
        size=size,
        phases=1 + 3 * rounds,
        arrays={
            "offsets": offsets,
            "columns": columns,
            "values": values,
            "b": b,
            **empty,
            "square_parts": np.zeros(parts),
            "energy_parts": np.zeros(parts),
        },
        numbers={"tolerance": 0.0, "max_rounds": rounds},
        changed=("x", "residual", "direction", "image", "square_parts", "energy_parts"),
        expected={"x": oracle(b, side, rounds)},
        grid=(parts,),
        program=program_text("conjugate_gradient"),
        tolerance=1e-7,
    )


def matrix(side: int) -> tuple[Array, Array, Array]:
    rows = side * side
    cell = np.arange(rows)
    y, x = np.divmod(cell, side)
    near = np.stack([cell - side, cell - 1, cell, cell + 1, cell + side], axis=1)
    exists = np.stack([y > 0, x > 0, y >= 0, x < side - 1, y < side - 1], axis=1)
    value = np.broadcast_to(np.array([-1.0, -1.0, DIAGONAL, -1.0, -1.0]), near.shape)
    offsets = np.zeros(rows + 1, np.int32)
    offsets[1:] = np.cumsum(exists.sum(axis=1))
    return offsets, near[exists].astype(np.int32), value[exists]


def oracle(b: Array, side: int, rounds: int) -> Array:
    """On the plate, without the matrix."""

    def times_matrix(v: Array) -> Array:
        plate = np.pad(v.reshape(side, side), 1)
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        return (DIAGONAL * plate[1:-1, 1:-1] - around).ravel()

    x = np.zeros_like(b)
    residual, direction = b.copy(), b.copy()
    square = residual @ residual
    for _ in range(rounds):
        image = times_matrix(direction)
        far = square / (direction @ image)
        x += far * direction
        residual -= far * image
        before, square = square, residual @ residual
        direction = residual + square / before * direction
    return x
