"""
Half precision without instructions for it.

A half is kept in a register as the `float` of the same value, so loading widens it, storing
narrows it, and each operation rounds its result to what a half can hold. All of this is
integer and float arithmetic without branches and without calls, so that loops over it
vectorise on every machine; the C library may lack `__truncsfhf2`.

Adding 0.5 to a number below 2**-14 leaves it as a count of 2**-24 in the low bits, rounded
to even: the grid of subnormal halves. No step makes a subnormal float.
"""

from llvmlite import ir

BITS = ir.IntType(16)
_WORD = ir.IntType(32)
_LONG = ir.IntType(64)
_SINGLE = ir.FloatType()
_DOUBLE = ir.DoubleType()

_MAGNITUDE = 0x7FFF_FFFF
_SIGN = 0x8000_0000
_INFINITY = 0x7F80_0000
_SMALLEST_NORMAL = 0x3880_0000
"""2**-14, the smallest normal half, as bits of a float."""
_BEYOND = 0x4780_0000
"""2**16, the first power of two that a half cannot hold, as bits of a float."""
_REBIASED = 112 << 23
"""What exponents of floats have more than those of halves."""
_EXTRA = 13
"""Bits of a float's significand that a half lacks."""


def from_bits(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """
    The `float` of the same value as a half with these bits, an `i16`.

    Example: of 0x3C00 it is 1.0.
    """
    wide = builder.zext(bits, _WORD)
    shifted = builder.shl(builder.and_(wide, _word(0x7FFF)), _word(_EXTRA))
    normal = builder.add(shifted, _word(_REBIASED))
    # As if the leading bit were not left out; then that bit is taken away.
    counted = _as_single(builder, builder.add(normal, _word(1 << 23)))
    subnormal = _as_word(builder, builder.fsub(counted, ir.Constant(_SINGLE, 2.0**-14)))
    special = builder.or_(shifted, _word(_INFINITY))
    is_subnormal = builder.icmp_unsigned("<", shifted, _word(1 << 23))
    is_special = builder.icmp_unsigned(">=", shifted, _word(31 << 23))
    finite = builder.select(is_subnormal, subnormal, normal)
    magnitude = builder.select(is_special, special, finite)
    sign = builder.shl(builder.and_(wide, _word(0x8000)), _word(16))
    return _as_single(builder, builder.or_(magnitude, sign))


def to_bits(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """
    The bits of a half, from the `float` of the same value. A NaN gets the quiet bit and
    no payload.

    Example: of 1.0 they are 0x3C00.
    """
    bits, magnitude = _split(builder, value)
    rebiased = builder.sub(magnitude, _word(_REBIASED))
    normal = builder.lshr(rebiased, _word(_EXTRA))
    counted = _as_word(builder, _add_half(builder, magnitude))
    subnormal = builder.and_(counted, _word(0x3FF))
    is_nan = builder.icmp_unsigned(">", magnitude, _word(_INFINITY))
    special = builder.select(is_nan, _word(0x7E00), _word(0x7C00))
    is_subnormal = builder.icmp_unsigned("<", magnitude, _word(_SMALLEST_NORMAL))
    is_special = builder.icmp_unsigned(">=", magnitude, _word(_INFINITY))
    finite = builder.select(is_subnormal, subnormal, normal)
    chosen = builder.select(is_special, special, finite)
    sign = builder.and_(builder.lshr(bits, _word(16)), _word(0x8000))
    return builder.trunc(builder.or_(chosen, sign), BITS)


def rounded(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """
    The half nearest to a `float`, ties to even, still as a `float`.

    Example: of 0.1 it is 0.0999755859375.
    """
    bits, magnitude = _split(builder, value)
    last = builder.and_(builder.lshr(magnitude, _word(_EXTRA)), _word(1))
    carried = builder.add(builder.add(magnitude, _word((1 << (_EXTRA - 1)) - 1)), last)
    cut = builder.and_(carried, _word(-(1 << _EXTRA)))
    too_large = builder.icmp_unsigned(">=", cut, _word(_BEYOND))
    normal = builder.select(too_large, _word(_INFINITY), cut)
    half = ir.Constant(_SINGLE, 0.5)
    grid = builder.fsub(_add_half(builder, magnitude), half)
    is_subnormal = builder.icmp_unsigned("<", magnitude, _word(_SMALLEST_NORMAL))
    finite = builder.select(is_subnormal, _as_word(builder, grid), normal)
    is_special = builder.icmp_unsigned(">=", magnitude, _word(_INFINITY))
    chosen = builder.select(is_special, magnitude, finite)
    sign = builder.and_(bits, _word(_SIGN))
    return _as_single(builder, builder.or_(chosen, sign))


def rounded_from_double(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """
    The half nearest to a `double`, rounded once. By way of the nearest float it would be
    rounded twice; a float with an odd last bit tells on which side of a tie it was.

    Example: of 1 + 2**-11 + 2**-40 it is 1 + 2**-10, and not 1.
    """
    nearest = builder.fptrunc(value, _SINGLE)
    back = builder.fpext(nearest, _DOUBLE)
    inexact = builder.fcmp_ordered("!=", back, value)
    positive = _word_of_double(builder, value)
    further = builder.icmp_unsigned(">", _word_of_double(builder, back), positive)
    return rounded(builder, _to_odd(builder, nearest, inexact, further))


def multiply_add(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
    """
    `a * b + c`, rounded once. The product of two halves is exact as a float, and so is the
    error of the sum (Knuth), which tells on which side of a tie it was.
    """
    product = builder.fmul(a, b)
    total = builder.fadd(product, c)
    virtual = builder.fsub(total, product)
    rest = builder.fsub(product, builder.fsub(total, virtual))
    error = builder.fadd(rest, builder.fsub(c, virtual))
    zero = ir.Constant(_SINGLE, 0.0)
    # An infinite sum has a NaN for an error, and is not inexact.
    inexact = builder.fcmp_ordered("!=", error, zero)
    signs = builder.xor(_as_word(builder, error), _as_word(builder, total))
    further = builder.icmp_signed("<", signs, _word(0))
    return rounded(builder, _to_odd(builder, total, inexact, further))


def _to_odd(
    builder: ir.IRBuilder, nearest: ir.Value, inexact: ir.Value, further: ir.Value
) -> ir.Value:
    """
    If a rounding was inexact: of the two floats around the exact number the one with an
    odd last bit. `further` says that the nearest lies further from zero than the number.
    """
    bits = _as_word(builder, nearest)
    towards_zero = builder.sub(bits, builder.zext(further, _WORD))
    odd = builder.or_(towards_zero, _word(1))
    return _as_single(builder, builder.select(inexact, odd, bits))


def _split(builder: ir.IRBuilder, value: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The bits of a float, and those of its magnitude."""
    bits = _as_word(builder, value)
    return bits, builder.and_(bits, _word(_MAGNITUDE))


def _add_half(builder: ir.IRBuilder, magnitude: ir.Value) -> ir.Value:
    return builder.fadd(_as_single(builder, magnitude), ir.Constant(_SINGLE, 0.5))


def _word_of_double(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Bits of the magnitude: ordered as the magnitudes are."""
    bits = builder.bitcast(value, _LONG)
    return builder.and_(bits, ir.Constant(_LONG, 2**63 - 1))


def _word(value: int) -> ir.Constant:
    return ir.Constant(_WORD, value)


def _as_word(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.bitcast(value, _WORD)


def _as_single(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    return builder.bitcast(value, _SINGLE)
