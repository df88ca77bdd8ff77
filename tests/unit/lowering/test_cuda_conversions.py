"""Conversions, literals and choice as CUDA C++, against the reference engine."""

import pytest
from cuda_kernels import check_operations
from operations import FLOATS, WIDTHS
from scalar_bodies import (
    bitcasts,
    choices,
    float_casts,
    float_literals,
    integer_casts,
    integer_literals,
)


def test_integers():
    check_operations(integer_casts())


def test_floats():
    check_operations(float_casts())


def test_bits():
    check_operations(bitcasts())


def test_choice():
    check_operations(choices())


@pytest.mark.parametrize("type", WIDTHS)
def test_integer_literals(type: str):
    check_operations(integer_literals(type))


@pytest.mark.parametrize("type", FLOATS)
def test_float_literals(type: str):
    check_operations(float_literals(type))
