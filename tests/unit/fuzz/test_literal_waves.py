"""
Waves that differ in literals, which the CPU engine plans once, give what all of them give.

The random megakernels are those of `tests/fuzz/literal_soundness.py`, which also runs alone
with other seeds.
"""

import importlib
from typing import Any

import pytest
from samples import sampled

fuzzer: Any = importlib.import_module("literal_soundness")

SEEDS = range(3000, 3000 + sampled(4, 25))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_megakernels(seed: int):
    """Every buffer has the same bytes as on the reference engine."""
    found = fuzzer.difference(seed)
    assert found is None, found


def test_most_are_condensed():
    """Otherwise the others would say little."""
    assert sum(map(fuzzer.is_condensed, SEEDS)) >= len(SEEDS) / 2
