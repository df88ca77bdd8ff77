"""Samples of products look at all pairs."""

from itertools import combinations, product

import pytest
from samples import covering_pairs


@pytest.mark.parametrize("sizes", [(2, 2), (5, 3, 5), (2, 3, 4, 5), (7, 1, 2), (4,) * 5])
def test_every_pair_occurs(sizes: tuple[int, ...]):
    axes = [[f"{axis}{value}" for value in range(size)] for axis, size in enumerate(sizes)]
    chosen = covering_pairs(*axes)
    for first, second in combinations(axes, 2):
        for pair in product(first, second):
            assert any(set(pair) <= set(choice) for choice in chosen), pair
    assert all(value in axis for choice in chosen for value, axis in zip(choice, axes))


def test_samples_are_small():
    assert len(covering_pairs(range(5), range(3), range(5))) == 25
    assert len(covering_pairs(*[range(4)] * 5)) < 30
