"""
How much of a large space `make test` looks at. With `VYRE_TESTS=all` in the environment, as
`make test-all` has it, tests look at all of it.
"""

import os
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

ALL = os.environ.get("VYRE_TESTS") == "all"


def sampled(few: int, full: int) -> int:
    """
    Returns `full`, or `few` where a sample is enough.

    Example: `for seed in range(sampled(10, 100))`.
    """
    return full if ALL else few


def combined(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """
    Returns all combinations of values, one of each axis, or a few that cover all pairs.

    Example: `@pytest.mark.parametrize(("form", "kind"), combined(FORMS, KINDS))`
    """
    return list(product(*axes)) if ALL else covering_pairs(*axes)


def covering_pairs(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """
    Returns combinations in which each two values of two axes occur together: greedily the
    combination next that covers most pairs that are not yet covered.
    """
    everything = list(product(*map(range, map(len, axes))))
    pairs = {choice: set(combinations(enumerate(choice), 2)) for choice in everything}
    missing = set[Any]().union(*pairs.values())
    chosen: list[tuple[Any, ...]] = []
    while missing:
        best = max(everything, key=lambda choice: len(pairs[choice] & missing))
        missing -= pairs[best]
        chosen.append(tuple(axis[index] for axis, index in zip(axes, best)))
    return chosen
