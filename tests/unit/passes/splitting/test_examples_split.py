"""Every example gives the same bytes after it is split, and the right answer."""

from functools import cache
from pathlib import Path

import pytest
from split_cases import (
    MAY_BE_FOUND_AFTER_SPLIT,
    ORDERS,
    TIME_LIMIT,
    grid_barriers,
    split,
    texts_of,
)
from worked_examples import EXAMPLES, example_of, fault_size
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.runtime.config import Order


@cache
def split_once(path: Path) -> ModuleOp:
    return split(path.read_text())


@pytest.mark.covering(1)
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_same_bytes(path: Path, order: Order, groups: int):
    example = example_of(path, fault_size(path))
    grid = example.grid(groups)
    whole = vyre.compile(path, engine="reference")(example.inputs, grid=grid, order=order)
    parts = vyre.compile(split_once(path), engine="reference")
    results = parts(example.inputs, grid=grid, order=order, timeout=TIME_LIMIT)
    example.verify(results)
    assert results.keys() == whole.keys()
    for name, array in whole.items():
        assert results[name].dtype == array.dtype
        assert results[name].tobytes() == array.tobytes(), name


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_still_valid(path: Path):
    """No race between what an example does itself and what keeps its values."""
    example = example_of(path, fault_size(path))
    parts = vyre.compile(split_once(path), engine="reference")
    found = parts.check(example.inputs, grid=example.grid(3), timeout=TIME_LIMIT)
    assert {finding.kind for finding in found} <= MAY_BE_FOUND_AFTER_SPLIT, texts_of(found)


def test_most_examples_have_grid_barriers():
    """Otherwise the test above would say little."""
    with_barriers = [path for path in EXAMPLES if grid_barriers(vyre.parse(path))]
    assert len(with_barriers) > 10
