"""Inputs and an independent answer for examples/rules.mlir."""

from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

FIELDS = range(8)
SIZES = (0, 1)
"""Two tables; they are of the same size, which the example fixes."""


def inputs(rng: np.random.Generator, size: int) -> Arrays:
    """Fields with many small values, which are alike to a different degree."""
    large = rng.integers(1024, size=(8, 1024))
    few = large >> rng.integers(5, size=(8, 1024))
    return {"fields": np.minimum(few, 1023 - 90 * np.arange(8)[:, None]).astype(np.int32)}


def expected(given: Arrays) -> Arrays:
    """The kinds of rules one after the other, and then the slots that they have."""
    fields = given["fields"]
    over = {(f, b): np.sum(fields[f] > b) for f in FIELDS for b in range(75, 1000, 75)}
    peak = {
        (f, other): fields[f][fields[other] < 32].max(initial=0)
        for f, other in permutations(FIELDS, 2)
    }
    agree = {
        (f, other): np.sum(fields[f] % 16 == fields[other] % 16)
        for f, other in combinations(FIELDS, 2)
    }
    slots: list[Any] = []
    peaks: list[Any] = []
    for f in FIELDS:
        slots += [over[f, bound] for bound in range(75, 1000, 75)]
        for other in (other for other in FIELDS if other != f):
            slots.append(peak[f, other])
            slots += [agree[f, other]] if other > f else []
            peaks.append(peak[f, other])
        mixed = fields[f] ^ fields[(f + 1) % 8]
        slots += [np.bincount(mixed % 32).argmax(), np.bincount(mixed // 32).argmax()]
    near = [
        [np.sum(fields[f] > peaks[(7 * f + k) % 56] // 2) for k in range(10)]
        for f in FIELDS
    ]
    slots += [count for counts in near for count in counts]
    slots += [count for n in near for count in (n[0] > n[1], n[2] > n[9])]
    return {"results": np.array(slots, np.int32)}
