"""Integer arithmetic: wrapping, total, the same for every width including one bit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""One element per invocation, or a NumPy scalar for a value that all share."""


def signed(x: Array) -> Array:
    """As two's complement; an `i1` that is set is -1."""
    return np.negative(x.astype(np.int8)) if x.dtype == np.bool_ else x


def unsigned(x: Array) -> Array:
    """The same bits as an unsigned number."""
    if x.dtype == np.bool_:
        return x.astype(np.uint8)
    return x.view(f"u{x.dtype.itemsize}")


def wrapped(x: Array, dtype: np.dtype[Any]) -> Array:
    """The low bits of `x`, as many as `dtype` has."""
    if dtype == np.bool_:
        return (x & 1).astype(np.bool_)
    return x.astype(dtype)


def bits_of(x: Array) -> int:
    """The width of an integer type."""
    return 1 if x.dtype == np.bool_ else 8 * x.dtype.itemsize


def divide_unsigned(a: Array, b: Array) -> Array:
    """x / 0 is all ones."""
    none = b == 0
    return np.where(none, np.array(-1).astype(a.dtype), a // np.where(none, 1, b))


def remainder_unsigned(a: Array, b: Array) -> Array:
    """x % 0 is 0."""
    none = b == 0
    return np.where(none, 0, a % np.where(none, 1, b))


def divide_signed(a: Array, b: Array) -> Array:
    """Towards zero; x / 0 is -1 and MIN / -1 is MIN."""
    quotient = divide_floor(a, b)
    inexact = (quotient * b != a) & (b != 0)
    return quotient + (inexact & ((a < 0) != (b < 0)))


def divide_floor(a: Array, b: Array) -> Array:
    """Towards minus infinity; x / 0 is -1 and MIN / -1 is MIN."""
    special = (b == 0) | (b == -1)
    quotient = a // np.where(special, 1, b)
    return np.where(b == 0, -1, np.where(b == -1, np.negative(a), quotient))


def divide_ceiling_signed(a: Array, b: Array) -> Array:
    """Towards plus infinity; x / 0 is -1 and MIN / -1 is MIN."""
    quotient = divide_floor(a, b)
    return quotient + ((quotient * b != a) & (b != 0))


def divide_ceiling_unsigned(a: Array, b: Array) -> Array:
    """Towards plus infinity; x / 0 is all ones."""
    quotient = divide_unsigned(a, b)
    return quotient + ((quotient * b != a) & (b != 0))


def remainder_signed(a: Array, b: Array) -> Array:
    """With the sign of the dividend; x % 0 and MIN % -1 are 0."""
    return np.where(b == 0, 0, a - divide_signed(a, b) * b)


def add_extended(a: Array, b: Array) -> tuple[Array, Array]:
    """Unsigned sum and whether it wrapped."""
    largest = unsigned(a).dtype.type(2 ** bits_of(a) - 1)
    return unsigned(a) + unsigned(b), unsigned(a) > largest - unsigned(b)


def multiply_extended(a: Array, b: Array) -> tuple[Array, Array]:
    """Low and high half of the exact product, signed or unsigned as the operands are."""
    bits = 8 * a.dtype.itemsize
    low = a * b
    if bits < 64:
        wide = np.int64 if a.dtype.kind == "i" else np.uint64
        return low, ((a.astype(wide) * b.astype(wide)) >> bits).astype(a.dtype)
    high = _high_half_64(a.view(np.uint64), b.view(np.uint64))
    if a.dtype.kind == "i":
        high = high.view(np.int64) - np.where(a < 0, b, 0) - np.where(b < 0, a, 0)
    return low, high


def _high_half_64(a: Array, b: Array) -> Array:
    """The high half of a 128-bit product, by halves of 32 bits as on paper."""
    half, mask = np.uint64(32), np.uint64(0xFFFF_FFFF)
    a_high, a_low, b_high, b_low = a >> half, a & mask, b >> half, b & mask
    low = a_low * b_low
    middle = a_high * b_low + (low >> half)
    other = a_low * b_high + (middle & mask)
    return a_high * b_high + (middle >> half) + (other >> half)


def leading_zeros(x: Array) -> Array:
    """Zeros above the highest bit that is set; the width if there is none."""
    width = bits_of(x)
    bits = unsigned(x)
    shift = 1
    while shift < width:
        bits = bits | (bits >> bits.dtype.type(shift))
        shift *= 2
    return (width - np.bitwise_count(bits).astype(np.int64)).astype(np.int64)


def trailing_zeros(x: Array) -> Array:
    """Zeros below the lowest bit that is set; the width if there is none."""
    if x.dtype == np.bool_:
        return (~x).astype(np.int64)
    bits = unsigned(x)
    return np.bitwise_count(~bits & (bits - bits.dtype.type(1))).astype(np.int64)


def power(base: Array, exponent: Array) -> Array:
    """
    Wrapping power. A negative exponent gives 1 divided by the power, so 0 except for
    bases 1, -1 and 0 (where it is the -1 of a division by zero).
    """
    result = np.ones_like(base)
    factor, left = base, unsigned(np.abs(exponent))
    while np.any(left):
        result = np.where(left & 1, result * factor, result)
        factor, left = factor * factor, left >> 1
    inverse = np.where(np.abs(base) == 1, result, 0)
    inverse = np.where(base == 0, -1, inverse)
    return np.where(exponent < 0, inverse, result)
