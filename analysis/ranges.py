"""
Ranges of integers, and what operations do to them.

A range holds every value that an integer of some width may have, read as a signed number.
There is no IR here: numbers go in, numbers come out. A function gives a range that holds
every result that the operation may have by Vyre's total semantics (see
docs/semantics.md); if a result may wrap, it gives up and says that nothing is known,
because after wrapping a value may be anywhere.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Range(NamedTuple):
    """The numbers from `lo` to `hi`, both included."""

    lo: int
    hi: int

    def shifted(self, offset: int) -> "Range":
        """The range of the values plus a constant, if none of them wraps."""
        return Range(self.lo + offset, self.hi + offset)

    def joined(self, other: "Range") -> "Range":
        """What holds the values of both."""
        return Range(min(self.lo, other.lo), max(self.hi, other.hi))

    def narrowed(self, lo: int | None = None, hi: int | None = None) -> "Range":
        """
        The part between two limits. If there is none, the code at hand never runs, and
        the range stays as it is.
        """
        low = self.lo if lo is None else max(self.lo, lo)
        high = self.hi if hi is None else min(self.hi, hi)
        return Range(low, high) if low <= high else self

    def within(self, other: "Range") -> bool:
        """Whether the other range holds all of this one."""
        return other.lo <= self.lo and self.hi <= other.hi


def full(width: int) -> Range:
    """Every value of that many bits. Example: `full(8)` is -128 to 127."""
    return Range(-(2 ** (width - 1)), 2 ** (width - 1) - 1)


def wrapped(number: int, width: int) -> int:
    """The signed number with the same low bits. Example: `wrapped(255, 8)` is -1."""
    half = 2 ** (width - 1)
    return (number + half) % (2 * half) - half


def fits(range: Range, width: int) -> bool:
    """Whether no value of the range wraps in that many bits."""
    return range.within(full(width))


def _exact(values: Iterable[int], width: int) -> Range:
    """From the smallest to the largest, if all are representable."""
    found = list(values)
    range = Range(min(found), max(found))
    return range if fits(range, width) else full(width)


def as_unsigned(range: Range, width: int) -> Range:
    """The same bits read as unsigned numbers."""
    if range.lo >= 0:
        return range
    if range.hi < 0:
        return range.shifted(2**width)
    return Range(0, 2**width - 1)


def from_unsigned(range: Range, width: int) -> Range:
    """The same bits read as signed numbers."""
    if range.hi < 2 ** (width - 1):
        return range
    if range.lo >= 2 ** (width - 1):
        return range.shifted(-(2**width))
    return full(width)


# Functions of two operands: ranges of both and the width, to the range of the result.

Binary = Callable[[Range, Range, int], Range]


def _unsigned(function: Callable[[Range, Range, int], Range]) -> Binary:
    """A function of unsigned ranges as one of signed ranges."""

    def compute(a: Range, b: Range, width: int) -> Range:
        found = function(as_unsigned(a, width), as_unsigned(b, width), width)
        return from_unsigned(found, width)

    return compute


def add(a: Range, b: Range, width: int) -> Range:
    """Sums."""
    return _exact((a.lo + b.lo, a.hi + b.hi), width)


def subtract(a: Range, b: Range, width: int) -> Range:
    """Differences."""
    return _exact((a.lo - b.hi, a.hi - b.lo), width)


def multiply(a: Range, b: Range, width: int) -> Range:
    """Products."""
    # A product is largest and smallest at ends of its factors.
    return _exact((x * y for x in a for y in b), width)


def minimum(a: Range, b: Range, width: int) -> Range:
    """The smaller of two."""
    return Range(min(a.lo, b.lo), min(a.hi, b.hi))


def maximum(a: Range, b: Range, width: int) -> Range:
    """The larger of two."""
    return Range(max(a.lo, b.lo), max(a.hi, b.hi))


def _divide_unsigned(a: Range, b: Range, width: int) -> Range:
    most = 2**width - 1 if b.lo == 0 else a.hi // b.lo  # x / 0 is all ones
    return Range(a.lo // max(b.hi, 1), most)


def _divide_ceiling_unsigned(a: Range, b: Range, width: int) -> Range:
    most = 2**width - 1 if b.lo == 0 else -(-a.hi // b.lo)
    return Range(-(-a.lo // max(b.hi, 1)), most)


def _remainder_unsigned(a: Range, b: Range, width: int) -> Range:
    if a.hi < b.lo:
        return a
    return Range(0, min(a.hi, max(b.hi - 1, 0)))  # x % 0 is 0


def _divide(rounded: Callable[[int, int], int]) -> Binary:
    """A signed division; only the way it rounds differs."""

    def compute(a: Range, b: Range, width: int) -> Range:
        # With divisors of one sign, quotients are largest and smallest at the ends.
        # MIN / -1 does not fit, and `_exact` gives up.
        positive = {max(b.lo, 1), b.hi} if b.hi >= 1 else set[int]()
        negative = {b.lo, min(b.hi, -1)} if b.lo <= -1 else set[int]()
        quotients = [rounded(x, y) for x in a for y in positive | negative]
        by_zero = [-1] if b.lo <= 0 <= b.hi else []
        return _exact(quotients + by_zero, width)

    return compute


def _towards_zero(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def remainder_signed(a: Range, b: Range, width: int) -> Range:
    """Remainders with the sign of the dividend."""
    # The sign of the dividend, and nearer to zero than divisor and dividend; x % 0 is 0.
    most = max(abs(b.lo), abs(b.hi), 1) - 1
    return Range(max(min(a.lo, 0), -most), min(max(a.hi, 0), most))


def bits_and(a: Range, b: Range, width: int) -> Range:
    """Bits that are set in both."""
    # Clearing bits makes a number that is not negative smaller, and never negative.
    limits = [range.hi for range in (a, b) if range.lo >= 0]
    return Range(0, min(limits)) if limits else full(width)


def bits_or(a: Range, b: Range, width: int) -> Range:
    """Bits that are set in one or both."""
    if min(a.lo, b.lo) < 0:
        return full(width)
    return Range(max(a.lo, b.lo), _ones(max(a.hi, b.hi)))


def bits_xor(a: Range, b: Range, width: int) -> Range:
    """Bits that are set in one."""
    return full(width) if min(a.lo, b.lo) < 0 else Range(0, _ones(max(a.hi, b.hi)))


def _ones(number: int) -> int:
    """The largest number with as many bits."""
    return 2 ** number.bit_length() - 1


def shift_amounts(b: Range, width: int) -> Range:
    """By how many bits a shift may go: the amount is taken modulo the width."""
    return b if 0 <= b.lo and b.hi < width else Range(0, width - 1)


def shift_left(a: Range, b: Range, width: int) -> Range:
    """Bits moved up, zeros below."""
    return _exact((x << y for x in a for y in shift_amounts(b, width)), width)


def shift_right_signed(a: Range, b: Range, width: int) -> Range:
    """Bits moved down, the sign above."""
    return _exact((x >> y for x in a for y in shift_amounts(b, width)), width)


def shift_right_unsigned(a: Range, b: Range, width: int) -> Range:
    """Bits moved down, zeros above."""
    # The amount is not an unsigned operand like the other, but a number below the width.
    bits, amounts = as_unsigned(a, width), shift_amounts(b, width)
    found = Range(bits.lo >> amounts.hi, bits.hi >> amounts.lo)
    return from_unsigned(found, width)


divide_unsigned = _unsigned(_divide_unsigned)
divide_ceiling_unsigned = _unsigned(_divide_ceiling_unsigned)
remainder_unsigned = _unsigned(_remainder_unsigned)
minimum_unsigned = _unsigned(minimum)
maximum_unsigned = _unsigned(maximum)
divide_signed = _divide(_towards_zero)
divide_floor = _divide(lambda x, y: x // y)
divide_ceiling_signed = _divide(lambda x, y: -(-x // y))


# Functions of one operand: its range and width, and the width of the result.


def extend_unsigned(a: Range, width: int, result: int) -> Range:
    """To more bits, zeros above."""
    return as_unsigned(a, width)


def convert(a: Range, width: int, result: int) -> Range:
    """To fewer bits, or to more by repeating the sign."""
    return a if fits(a, result) else full(result)


def absolute(a: Range, width: int, result: int) -> Range:
    """Distances from zero."""
    least = 0 if a.lo <= 0 <= a.hi else min(abs(a.lo), abs(a.hi))
    return _exact((least, abs(a.lo), abs(a.hi)), width)  # the one of MIN does not fit


def count_bits(a: Range, width: int, result: int) -> Range:
    """How many bits are set, or are not at one end."""
    return _exact((0, width), result)


# Comparisons.

EQUAL, NOT_EQUAL = 0, 1
SIGNED_LESS, SIGNED_AT_MOST, SIGNED_MORE, SIGNED_AT_LEAST = 2, 3, 4, 5
UNSIGNED_LESS, UNSIGNED_AT_MOST, UNSIGNED_MORE, UNSIGNED_AT_LEAST = 6, 7, 8, 9

NEGATED = (1, 0, 5, 4, 3, 2, 9, 8, 7, 6)
"""The predicate of `arith.cmpi` that holds where the other does not, by its number."""

MIRRORED = (0, 1, 4, 5, 2, 3, 8, 9, 6, 7)
"""The predicate that holds with operands swapped."""

REVERSED = (SIGNED_MORE, SIGNED_AT_LEAST, UNSIGNED_MORE, UNSIGNED_AT_LEAST)
"""Predicates that are one of the others with operands swapped."""


def compared(predicate: int, a: Range, b: Range) -> tuple[Range, Range]:
    """
    What is left of two operands' ranges where `arith.cmpi` holds.

    Example: `compared(UNSIGNED_LESS, full(64), Range(0, 9))` leaves 0 to 8 and 1 to 9.
    """
    if predicate in REVERSED:
        right, left = compared(MIRRORED[predicate], b, a)
        return left, right
    match predicate:
        case 0:
            return a.narrowed(*b), b.narrowed(*a)
        case 1:
            return _without(a, b), _without(b, a)
        case 2 | 3:
            return _at_most(a, b, 1 if predicate == SIGNED_LESS else 0)
        case _:
            # Below a bound that is not negative as a signed number, the unsigned and the
            # signed order are the same. A bound that may be negative says nothing.
            if b.lo < 0:
                return a, b
            gap = 1 if predicate == UNSIGNED_LESS else 0
            return _at_most(a.narrowed(lo=0), b, gap)


def _at_most(a: Range, b: Range, gap: int) -> tuple[Range, Range]:
    """Where a + gap <= b."""
    return a.narrowed(hi=b.hi - gap), b.narrowed(lo=a.lo + gap)


def _without(a: Range, b: Range) -> Range:
    """Where a differs from b: only a known b at an end of a takes something away."""
    if b.lo != b.hi:
        return a
    lo = a.lo + 1 if a.lo == b.lo else a.lo
    hi = a.hi - 1 if a.hi == b.hi else a.hi
    return a.narrowed(lo, hi)
