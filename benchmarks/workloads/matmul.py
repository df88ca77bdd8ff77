"""
Products of matrices, in tiles of 16 x 16; each product is a phase.

The small one multiplies its own result again by a rotation, 15 times.
"""

import numpy as np

from benchmarks.workloads.case import Case, Size, groups, program_text, random

SIDE = {"small": 32, "large": 768}
PRODUCTS = {"small": 15, "large": 1}


def case(size: Size) -> Case:
    side, products = SIDE[size], PRODUCTS[size]
    rng = random(9)
    a = rng.random((side, side), np.float32)
    b = np.linalg.qr(rng.random((side, side)))[0].astype(np.float32)
    product = a.astype(np.float64)
    for _ in range(products):
        product = product @ b.astype(np.float64)
    tiles = groups(side, 16)
    return Case(
        workload="matmul",
        size=size,
        phases=products,
        arrays={"a": a, "b": b, "c": np.zeros_like(a)},
        numbers={"products": products},
        changed=("a", "c"),
        expected={"c": product.astype(np.float32)},
        grid=(tiles, tiles),
        program=program_text("matmul"),
        tolerance=1e-5,
    )
