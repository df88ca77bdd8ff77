"""Float arithmetic: IEEE, round to nearest; half precision is computed in single."""

from typing import Any

import numpy as np

from vyre.interpreter.integers import Array

QUIET_NAN = {
    np.dtype(np.float16): 0x7E00,
    np.dtype(np.float32): 0x7FC0_0000,
    np.dtype(np.float64): 0x7FF8_0000_0000_0000,
}
"""What a NaN looks like to a bitcast: positive, quiet, no payload."""


def copy_sign(a: Array, b: Array) -> Array:
    """The first with the sign of the second; a NaN counts as positive."""
    return np.copysign(a, np.where(np.isnan(b), np.zeros_like(b), b))


def minimum(a: Array, b: Array) -> Array:
    """The smaller; a NaN wins over a number, and -0 is smaller than +0."""
    smaller = np.where(np.isnan(a) | (a < b), a, b)
    return np.where(a == b, np.where(np.signbit(a), a, b), smaller)


def maximum(a: Array, b: Array) -> Array:
    """The larger; a NaN wins over a number, and +0 is larger than -0."""
    larger = np.where(np.isnan(a) | (a > b), a, b)
    return np.where(a == b, np.where(np.signbit(a), b, a), larger)


def minimum_number(a: Array, b: Array) -> Array:
    """The smaller; a number wins over a NaN, and -0 is smaller than +0."""
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, minimum(a, b)))


def maximum_number(a: Array, b: Array) -> Array:
    """The larger; a number wins over a NaN, and +0 is larger than -0."""
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, maximum(a, b)))


def round_half_away(x: Array) -> Array:
    """To the nearest integer, halves away from zero; keeps the sign of zero."""
    whole = np.trunc(x)
    away = np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)
    return np.copysign(away.astype(x.dtype), x)


def to_integer(x: Array, low: int, high: int, dtype: np.dtype[Any]) -> Array:
    """Towards zero, saturating at the limits; NaN gives 0."""
    wide = x.astype(np.float64)
    # `high + 1` is a power of two and exact, `high` itself may not be.
    below, above = wide <= float(low), wide >= float(high + 1)
    inside = ~(below | above | np.isnan(wide))
    whole = np.where(inside, np.trunc(wide), 0)
    kind = np.uint64 if high > np.iinfo(np.int64).max else np.int64
    result = np.where(below, kind(low), whole.astype(kind))
    return np.where(above, kind(high), result).astype(dtype)


def bits(x: Array, dtype: np.dtype[Any]) -> Array:
    """The bit pattern; every NaN has the same."""
    canonical = np.array(QUIET_NAN[x.dtype]).astype(dtype)
    return np.where(np.isnan(x), canonical, np.asarray(x).view(dtype))


def error_function(x: Array) -> Array:
    """
    erf by its series `2 / sqrt(pi) * x * exp(-x * x) * sum (2 x x)^n / (1 3 5 ... 2n+1)`,
    whose terms are all positive, so that nothing cancels.
    """
    x = np.asarray(x, np.float64)
    inside = np.where(np.abs(x) < 6, x, 0)
    square = inside * inside
    term = np.ones_like(inside)
    total = np.ones_like(inside)
    for n in range(1, 130):
        term = term * (2 * square / (2 * n + 1))
        total = total + term
    value = 2 / np.sqrt(np.pi) * inside * np.exp(-square) * total
    return np.where(np.abs(x) < 6, value, np.where(np.isnan(x), x, np.sign(x)))
