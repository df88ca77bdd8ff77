"""Ranges of results hold every result, for all operands of a few bits."""

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from vyre.analysis import ranges
from vyre.analysis.ranges import Range, full, wrapped
from vyre.interpreter import integers

WIDTH = 4
NUMBERS = range(-8, 8)
RANGES = [Range(lo, hi) for lo, hi in combinations_with_replacement(NUMBERS, 2)]


def bits(x: int) -> int:
    return x % 2**WIDTH


def wide(function: Callable[..., object]) -> Callable[[int, int], int]:
    """A function of the reference engine on two numbers; it has wider types than ours."""
    return lambda x, y: int(np.asarray(function(np.int64(x), np.int64(y))))


def unsigned(function: Callable[..., object]) -> Callable[[int, int], int]:
    return lambda x, y: wide(function)(bits(x), bits(y))


BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "minimum": min,
    "maximum": max,
    "minimum_unsigned": lambda x, y: min(bits(x), bits(y)),
    "maximum_unsigned": lambda x, y: max(bits(x), bits(y)),
    "divide_unsigned": unsigned(integers.divide_unsigned),
    "divide_ceiling_unsigned": unsigned(integers.divide_ceiling_unsigned),
    "remainder_unsigned": unsigned(integers.remainder_unsigned),
    "divide_signed": wide(integers.divide_signed),
    "divide_floor": wide(integers.divide_floor),
    "divide_ceiling_signed": wide(integers.divide_ceiling_signed),
    "remainder_signed": wide(integers.remainder_signed),
    "bits_and": lambda x, y: x & y,
    "bits_or": lambda x, y: x | y,
    "bits_xor": lambda x, y: x ^ y,
    "shift_left": lambda x, y: x << (bits(y) % WIDTH),
    "shift_right_signed": lambda x, y: x >> (bits(y) % WIDTH),
    "shift_right_unsigned": lambda x, y: bits(x) >> (bits(y) % WIDTH),
}

UNARY: dict[str, Callable[[int], int]] = {
    "extend_unsigned": bits,
    "convert": lambda x: x,
    "absolute": abs,
    "count_bits": lambda x: bits(x).bit_count(),
}

PREDICATES: list[Callable[[int, int], bool]] = [
    lambda x, y: x == y,
    lambda x, y: x != y,
    lambda x, y: x < y,
    lambda x, y: x <= y,
    lambda x, y: x > y,
    lambda x, y: x >= y,
    lambda x, y: bits(x) < bits(y),
    lambda x, y: bits(x) <= bits(y),
    lambda x, y: bits(x) > bits(y),
    lambda x, y: bits(x) >= bits(y),
]


def numbers(held: Range) -> range:
    return range(held.lo, held.hi + 1)


def holds(found: Range, number: int) -> bool:
    return found.lo <= number <= found.hi


def pairs() -> Iterator[tuple[Range, Range]]:
    """Every second pair of ranges: all kinds of them, in half the time."""
    return (pair for k, pair in enumerate(product(RANGES, RANGES)) if k % 2 == 0)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str):
    compute = getattr(ranges, name)
    results = {(x, y): wrapped(BINARY[name](x, y), WIDTH) for x in NUMBERS for y in NUMBERS}
    for a, b in pairs():
        found = compute(a, b, WIDTH)
        assert found.within(full(WIDTH))
        inside = [results[x, y] for x in numbers(a) for y in numbers(b)]
        assert Range(min(inside), max(inside)).within(found), (a, b)


@pytest.mark.parametrize(
    "name", [name for name in BINARY if not name.startswith(("bits", "remainder"))]
)
def test_constants(name: str):
    """Of small constants the result is known, unless it wraps."""
    for x, y in product(range(1, 8), range(1, WIDTH)):
        exact = BINARY[name](x, y)
        if exact in NUMBERS:
            found = getattr(ranges, name)(Range(x, x), Range(y, y), WIDTH)
            assert found == (exact, exact)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("result", [1, 2, 4, 8])
def test_unary(name: str, result: int):
    if (name == "absolute" and result != WIDTH) or (
        name == "extend_unsigned" and result <= WIDTH
    ):
        return
    compute = getattr(ranges, name)
    for a in RANGES:
        found = compute(a, WIDTH, result)
        for x in numbers(a):
            assert holds(found, wrapped(UNARY[name](x), result)), (a, x, found)


@pytest.mark.parametrize("predicate", range(10))
def test_comparisons(predicate: int):
    truth = PREDICATES[predicate]
    for a, b in pairs():
        left, right = ranges.compared(predicate, a, b)
        assert left.within(a)
        assert right.within(b)
        for x, y in product(numbers(a), numbers(b)):
            if truth(x, y):
                assert holds(left, x), (a, b, x, y)
                assert holds(right, y), (a, b, x, y)


def test_opposites():
    for predicate, (x, y) in product(range(10), product(NUMBERS, NUMBERS)):
        truth = PREDICATES[predicate](x, y)
        assert PREDICATES[ranges.NEGATED[predicate]](x, y) is not truth
        assert PREDICATES[ranges.MIRRORED[predicate]](y, x) is truth


def test_reading_the_sign_bit():
    """No result is missing, and no more than there have to be."""
    for a in RANGES:
        found = [bits(x) for x in numbers(a)]
        assert ranges.as_unsigned(a, WIDTH) == (min(found), max(found))
    for lo, hi in combinations_with_replacement(range(2**WIDTH), 2):
        found = [wrapped(x, WIDTH) for x in range(lo, hi + 1)]
        assert ranges.from_unsigned(Range(lo, hi), WIDTH) == (min(found), max(found))
