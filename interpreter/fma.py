"""
Multiply and add with one rounding.

NumPy has none. The exact value of `a * b + c` is the sum of a rounded double and an error
that is known exactly. Rounding that to the nearest double with an *odd* last bit keeps
enough information for one more, correct, rounding to the wanted precision: the last bit
says on which side of a tie the exact value lies.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


def fma(a: Any, b: Any, c: Any) -> Any:
    """`a * b + c`, rounded once to the type of the operands."""
    dtype = a.dtype
    shape = np.broadcast(a, b, c).shape
    wide = [np.atleast_1d(x).astype(np.float64) for x in np.broadcast_arrays(a, b, c)]
    if dtype == np.float64:
        result = _fma_double(*wide)
    else:
        # The product of two floats of half the precision is exact.
        result = _sum_to_odd(wide[0] * wide[1], wide[2]).astype(dtype)
    return result.reshape(shape)[()]


def _two_sum(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """The rounded sum and its exact error (Knuth)."""
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


def _sum_to_odd(a: Doubles, b: Doubles) -> Doubles:
    """The sum, rounded to odd: exact, or the neighbour whose last bit is set."""
    total, error = _two_sum(a, b)
    even = total.view(np.int64) & 1 == 0
    inexact = np.isfinite(total) & np.isfinite(error) & (error != 0)
    towards = np.where(error > 0, np.inf, -np.inf)
    return np.where(inexact & even, np.nextafter(total, towards), total)


def _two_product(a: Doubles, b: Doubles) -> tuple[Doubles, Doubles]:
    """The rounded product and its exact error (Dekker), for moderate exponents."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _split(a: Doubles) -> tuple[Doubles, Doubles]:
    scaled = a * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def _fma_double(a: Doubles, b: Doubles, c: Doubles) -> Doubles:
    """Boldo and Melquiond's algorithm; exactly, by rationals, near the exponent limits."""
    product, low = _two_product(a, b)
    inner, inner_error = _two_sum(c, low)
    outer, outer_error = _two_sum(product, inner)
    result = outer + _sum_to_odd(inner_error, outer_error)

    special = ~np.isfinite(a) | ~np.isfinite(b) | ~np.isfinite(c) | (a == 0) | (b == 0)
    result = np.where(special | (c == 0), a * b + c, result)
    exponents = np.frexp(a)[1] + np.frexp(b)[1]
    largest = np.maximum.reduce([np.frexp(x)[1] for x in (a, b, c)])
    extreme = ~special & ((exponents < -900) | (exponents > 1000) | (largest > 990))
    for index in zip(*np.nonzero(extreme)):
        result[index] = _exactly(float(a[index]), float(b[index]), float(c[index]))
    # A product that overflows is finite all the same.
    wins = np.isfinite(a) & np.isfinite(b) & np.isinf(c)
    return np.where(wins, c, result)


def _exactly(a: float, b: float, c: float) -> float:
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if a * b == 0 else 0.0
    try:
        rounded = float(exact)
    except OverflowError:
        rounded = float("inf") if exact > 0 else float("-inf")
    return rounded if rounded != 0 or exact > 0 else -0.0
