"""Native float arithmetic, against the reference engine."""

import numpy as np
import pytest
from awkward_values import Array, around_halves, columns, products_near_ties
from llvm_kernels import MACHINES, compiled, operations
from operations import FLOATS
from same_bytes import assert_same, check, reference

pytestmark = pytest.mark.parametrize("machine", MACHINES)

BINARY = (
    *("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "math.copysign"),
    *("arith.minimumf", "arith.maximumf", "arith.minnumf", "arith.maxnumf"),
)
UNARY = (
    *("arith.negf", "math.absf", "math.ceil", "math.floor", "math.trunc"),
    *("math.round", "math.roundeven", "math.sqrt", "math.rsqrt"),
)
ORDERED = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord")
UNORDERED = ("ueq", "ugt", "uge", "ult", "ule", "une", "uno")


@pytest.mark.parametrize("name", BINARY)
def test_arithmetic(machine: str, name: str):
    check(machine, [f"%r = {name} %{t}_a, %{t}_b : {t}" for t in FLOATS])


@pytest.mark.parametrize("name", UNARY)
def test_functions(machine: str, name: str):
    check(machine, [f"%r = {name} %{t}_a : {t}" for t in FLOATS])


@pytest.mark.parametrize("type", FLOATS)
def test_comparisons(machine: str, type: str):
    predicates = ("false", *ORDERED, *UNORDERED, "true")
    lines = [f"%r = arith.cmpf {p}, %{type}_a, %{type}_b : {type}" for p in predicates]
    check(machine, lines)


@pytest.mark.parametrize("type", FLOATS)
def test_multiply_add_rounds_once(machine: str, type: str):
    line = f"%r = math.fma %{type}_a, %{type}_b, %{type}_c : {type}"
    [op], [kernel] = operations(line), compiled(machine, line)
    a, b, c = columns(type, type, type)
    numbers = ~(np.isfinite(a) & np.isfinite(b) & np.isinf(c))
    for operands in (products_near_ties(type), (a[numbers], b[numbers], c[numbers])):
        [found] = kernel(operands, len(operands[0]))
        [wanted] = reference(op, operands)
        assert_same(line, found, wanted, operands)


@pytest.mark.parametrize("type", FLOATS)
def test_an_infinite_addend_wins_over_a_product_of_numbers(machine: str, type: str):
    """Even if the product is too large to be represented."""
    line = f"%r = math.fma %{type}_a, %{type}_b, %{type}_c : {type}"
    a, b, c = columns(type, type, type)
    numbers = np.isfinite(a) & np.isfinite(b) & np.isinf(c)
    operands = a[numbers], b[numbers], c[numbers]
    [kernel] = compiled(machine, line)
    [found] = kernel(operands, int(numbers.sum()))
    assert_same(line, found, c[numbers], operands)


def test_halves_round_as_their_operation_says(machine: str):
    """Sums of halves fall on ties and next to them, also where they are subnormal."""
    generator = np.random.default_rng(7)
    bits: Array = generator.integers(0, 2**16, (2, 200_003), np.uint16)
    bits[1] = np.where(bits[1] % 2 == 0, bits[1], bits[0] ^ bits[1] % 9)
    a, b = bits.view(np.float16)
    lines = [f"%r = arith.{name} %f16_a, %f16_b : f16" for name in ("addf", "mulf", "divf")]
    for line, op, kernel in zip(lines, operations(*lines), compiled(machine, *lines)):
        [found], [wanted] = kernel((a, b), len(a)), reference(op, (a, b))
        assert_same(line, found, wanted, (a, b))


@pytest.mark.parametrize("type", ["f32", "f64"])
def test_rounding_to_half(machine: str, type: str):
    line = f"%r = arith.truncf %{type}_a : {type} to f16"
    [op], [kernel] = operations(line), compiled(machine, line)
    values = around_halves(type)
    [found], [wanted] = kernel((values,), len(values)), reference(op, (values,))
    assert_same(line, found, wanted, (values,))
