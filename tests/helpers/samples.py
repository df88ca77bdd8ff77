"""
How much of a large space `make test` looks at. With `VYRE_TESTS=all` in the environment, as
`make test-all` has it, tests look at all of it.

Of a parametrised test, `@pytest.mark.covering(2)` keeps cases in which each two values of
two parameters occur together, and `covering(1)` cases in which each value occurs.
`@pytest.mark.few(10)` keeps ten cases, evenly spread.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import TypeVar

import pytest

T = TypeVar("T")

ALL = os.environ.get("VYRE_TESTS") == "all"


def sampled(few: int, full: int) -> int:
    """
    Returns `full`, or `few` where a sample is enough.

    Example: `for seed in range(sampled(10, 100))`.
    """
    return full if ALL else few


def left_out(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Returns the cases of marked tests that a sample is without; none that needs a GPU."""
    tests: defaultdict[str, list[pytest.Function]] = defaultdict(list)
    for item in sorted(items, key=_place):
        if isinstance(item, pytest.Function) and not item.get_closest_marker("gpu"):
            tests[item.nodeid.partition("[")[0]].append(item)
    out: set[pytest.Item] = set()
    for cases in tests.values():
        out |= set(cases) - set(_sample(cases))
    return out


def _place(item: pytest.Item) -> tuple[int, ...]:
    """Where it stands among the cases of its test, in whatever order they run."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return ()
    return tuple(item.callspec.indices[name] for name in sorted(item.callspec.indices))


def _sample(cases: list[pytest.Function]) -> list[pytest.Function]:
    strength = cases[0].get_closest_marker("covering")
    count = cases[0].get_closest_marker("few")
    if strength is not None:
        places = covering([_choice(case) for case in cases], *strength.args)
        return [cases[place] for place in places]
    return evenly(cases, *count.args) if count is not None else cases


def _choice(case: pytest.Function) -> tuple[Hashable, ...]:
    """Returns what identifies the values of each `parametrize`, which all cases share."""
    found: list[Hashable] = []
    for mark in case.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        found.append(tuple(id(case.callspec.params[name.strip()]) for name in names))
    return tuple(found)


def evenly(cases: Sequence[T], count: int) -> list[T]:
    """
    Returns some cases that are evenly spread.

    Example: `evenly(range(100), 3) == [0, 33, 66]`
    """
    count = min(count, len(cases))
    return [cases[number * len(cases) // count] for number in range(count)]


def covering(choices: Sequence[tuple[Hashable, ...]], strength: int) -> list[int]:
    """
    Returns the places of choices, one value of each axis, such that values of `strength`
    axes that occur together in any choice do so in these. Next is greedily the choice that
    covers most; among equals, the one whose values occurred least.
    """
    parts = [
        list(combinations(enumerate(choice), min(strength, len(choice))))
        for choice in choices
    ]
    missing = {part for own in parts for part in own}
    used: Counter[tuple[int, Hashable]] = Counter()
    chosen: list[int] = []
    while missing:

        def gain(place: int) -> tuple[int, int]:
            new = len(missing.intersection(parts[place]))
            return new, -sum(used[value] for value in enumerate(choices[place]))

        best = max(range(len(choices)), key=gain)
        missing.difference_update(parts[best])
        used.update(enumerate(choices[best]))
        chosen.append(best)
    return chosen
