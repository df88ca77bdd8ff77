"""Float arithmetic as CUDA C++, against the reference engine."""

import numpy as np
import pytest
from awkward_values import Array, around_halves, columns, products_near_ties
from cuda_kernels import check_operations, computed
from llvm_kernels import operations
from operations import FLOATS
from same_bytes import assert_same, reference
from scalar_bodies import (
    BINARY_FLOAT,
    UNARY_FLOAT,
    binary_floats,
    float_comparisons,
    unary_floats,
)


@pytest.mark.parametrize("name", BINARY_FLOAT)
def test_arithmetic(name: str):
    check_operations(binary_floats(name))


@pytest.mark.parametrize("name", UNARY_FLOAT)
def test_functions(name: str):
    check_operations(unary_floats(name))


@pytest.mark.parametrize("type", FLOATS)
def test_comparisons(type: str):
    check_operations(float_comparisons(type))


def check(line: str, *operands: Array) -> None:
    """Compute one operation on these operands, and compare."""
    [op], [[found]] = operations(line), computed([line], [operands])
    [wanted] = reference(op, operands)
    assert_same(line, found, wanted, operands)


@pytest.mark.parametrize("type", FLOATS)
def test_multiply_add_rounds_once(type: str):
    line = f"%r = math.fma %{type}_a, %{type}_b, %{type}_c : {type}"
    a, b, c = columns(type, type, type)
    is_infinite = np.isfinite(a) & np.isfinite(b) & np.isinf(c)
    check(line, a[~is_infinite], b[~is_infinite], c[~is_infinite])
    check(line, *products_near_ties(type))


@pytest.mark.parametrize("type", FLOATS)
def test_an_infinite_addend_wins_over_a_product_of_numbers(type: str):
    """Even if the product is too large to be represented."""
    line = f"%r = math.fma %{type}_a, %{type}_b, %{type}_c : {type}"
    a, b, c = columns(type, type, type)
    numbers = np.isfinite(a) & np.isfinite(b) & np.isinf(c)
    operands = a[numbers], b[numbers], c[numbers]
    [[found]] = computed([line], [operands])
    assert_same(line, found, c[numbers], operands)


def test_halves_round_as_their_operation_says():
    """Sums of halves fall on ties and next to them, also where they are subnormal."""
    generator = np.random.default_rng(7)
    bits: Array = generator.integers(0, 2**16, (2, 200_003), np.uint16)
    bits[1] = np.where(bits[1] % 2 == 0, bits[1], bits[0] ^ bits[1] % 9)
    a, b = bits.view(np.float16)
    for name in ("addf", "mulf", "divf"):
        check(f"%r = arith.{name} %f16_a, %f16_b : f16", a, b)


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_rounding_to_half(type: str):
    check(f"%r = arith.truncf %{type}_a : {type} to f16", around_halves(type))
