"""Integer arithmetic as CUDA C++, against the reference engine."""

import pytest
from cuda_kernels import check_operations
from operations import WIDTHS
from scalar_bodies import (
    BINARY_INTEGER,
    UNARY_INTEGER,
    WHOLE_PRODUCTS,
    binary_integers,
    comparisons,
    powers,
    unary_integers,
    whole_products,
    wrapping_sums,
)


@pytest.mark.parametrize("name", BINARY_INTEGER)
def test_arithmetic(name: str):
    check_operations(binary_integers(name))


@pytest.mark.parametrize("name", WHOLE_PRODUCTS)
def test_whole_products(name: str):
    check_operations(whole_products(name))


def test_sums_that_tell_whether_they_wrapped():
    check_operations(wrapping_sums())


@pytest.mark.parametrize("name", UNARY_INTEGER)
def test_functions(name: str):
    check_operations(unary_integers(name))


def test_powers():
    check_operations(powers())


@pytest.mark.parametrize("type", WIDTHS)
def test_comparisons(type: str):
    check_operations(comparisons(type))
