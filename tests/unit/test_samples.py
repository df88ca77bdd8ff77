"""Samples of parametrised tests have every value, or all pairs."""

from itertools import combinations, product

import pytest
from samples import covering, evenly, left_out

pytestmark = pytest.mark.core


def choices(*sizes: int) -> list[tuple[int, ...]]:
    return list(product(*map(range, sizes)))


@pytest.mark.parametrize("sizes", [(2, 2), (5, 3, 5), (2, 3, 4, 5), (7, 1, 2), (4,) * 5])
def test_every_pair_occurs(sizes: tuple[int, ...]):
    given = choices(*sizes)
    chosen = [given[place] for place in covering(given, 2)]
    for one, other in combinations(range(len(sizes)), 2):
        pairs = {(choice[one], choice[other]) for choice in chosen}
        assert pairs == set(product(range(sizes[one]), range(sizes[other])))


def test_what_occurs_nowhere_is_not_asked_for():
    """As where a mark or `-k` takes cases away."""
    given = [choice for choice in choices(3, 3, 2) if choice[:2] != (1, 1)]
    assert {given[place][:2] for place in covering(given, 2)} == {c[:2] for c in given}


def test_samples_are_small():
    assert len(covering(choices(5, 3, 5), 2)) < 30
    assert len(covering(choices(4, 4, 4, 4, 4), 2)) < 30
    assert len(covering(choices(12, 3), 1)) == 12
    assert covering([()], 2) == [0]


def test_values_take_turns():
    given = choices(12, 3)
    turns = [given[place][1] for place in covering(given, 1)]
    assert [turns.count(value) for value in range(3)] == [4, 4, 4]


def test_evenly():
    assert evenly(range(100), 3) == [0, 33, 66]
    assert evenly("ab", 5) == ["a", "b"]


@pytest.mark.parametrize(("one", "two"), [("a", 1), ("a", 2), ("b", 3)])
@pytest.mark.parametrize("four", range(4))
@pytest.mark.covering(1)
def test_values_of_one_mark_belong_together(
    one: str, two: int, four: int, request: pytest.FixtureRequest
):
    """The greatest number of values decides."""
    own = [item for item in request.session.items if "belong_together" in item.name]
    assert len(own) - len(left_out(own)) == 4


@pytest.mark.parametrize("mode", ["a", pytest.param("b", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("number", range(7))
@pytest.mark.few(2)
def test_what_is_marked_is_sampled(number: int, mode: str, request: pytest.FixtureRequest):
    """Cases for a GPU are left to those who have one."""
    own = [item for item in request.session.items if item.name.startswith("test_what_is_m")]
    rest = left_out(own)
    assert not any(item.get_closest_marker("gpu") for item in rest)
    assert len(own) - len(rest) == 2 + sum("b" in item.name.split("[")[1] for item in own)
