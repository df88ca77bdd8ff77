"""
Integer division that never traps.

The machine traps on a division by zero and of MIN by -1. So these divisors are replaced by
1 first, and the result by the one that the language defines, with selects: branches would
keep loops from being vectorised, and LLVM removes both where it knows the divisor.
"""

from collections.abc import Callable

from llvmlite import ir

Division = Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value]


def _constant(like: ir.Value, value: int) -> ir.Constant:
    return ir.Constant(like.type, value)


def _is(builder: ir.IRBuilder, x: ir.Value, value: int) -> ir.Value:
    return builder.icmp_unsigned("==", x, _constant(x, value))


def _bits_apart(extend: Callable[..., ir.Value]) -> Callable[[Division], Division]:
    """Of single bits, 1 is -1; they are divided as bytes."""

    def decorate(divide: Division) -> Division:
        def total(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
            if a.type != ir.IntType(1):
                return divide(builder, a, b)
            byte = ir.IntType(8)
            wide = divide(builder, extend(builder, a, byte), extend(builder, b, byte))
            return builder.trunc(wide, a.type)

        return total

    return decorate


def _unsigned_divisor(builder: ir.IRBuilder, b: ir.Value) -> ir.Value:
    return builder.select(_is(builder, b, 0), _constant(b, 1), b)


def _signed_divisor(builder: ir.IRBuilder, b: ir.Value) -> ir.Value:
    special = builder.or_(_is(builder, b, 0), _is(builder, b, -1))
    return builder.select(special, _constant(b, 1), b)


def _unless_zero(builder: ir.IRBuilder, b: ir.Value, quotient: ir.Value) -> ir.Value:
    """All bits set where the divisor is 0."""
    return builder.select(_is(builder, b, 0), _constant(b, -1), quotient)


def _signed_quotient(
    builder: ir.IRBuilder, a: ir.Value, b: ir.Value, quotient: ir.Value
) -> ir.Value:
    """With the results for the divisors 0 and -1."""
    negated = builder.select(_is(builder, b, -1), builder.neg(a), quotient)
    return _unless_zero(builder, b, negated)


@_bits_apart(ir.IRBuilder.zext)
def divide_unsigned(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """x / 0 is all ones."""
    quotient = builder.udiv(a, _unsigned_divisor(builder, b))
    return _unless_zero(builder, b, quotient)


@_bits_apart(ir.IRBuilder.zext)
def divide_ceiling_unsigned(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Towards plus infinity; x / 0 is all ones."""
    divisor = _unsigned_divisor(builder, b)
    quotient = builder.udiv(a, divisor)
    rest = builder.sub(a, builder.mul(quotient, divisor))
    inexact = builder.icmp_unsigned("!=", rest, _constant(a, 0))
    upwards = builder.add(quotient, builder.zext(inexact, a.type))
    return _unless_zero(builder, b, upwards)


@_bits_apart(ir.IRBuilder.zext)
def remainder_unsigned(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """x % 0 is 0, as x % 1 is."""
    return builder.urem(a, _unsigned_divisor(builder, b))


@_bits_apart(ir.IRBuilder.sext)
def divide_signed(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Towards zero; x / 0 is -1 and MIN / -1 is MIN."""
    quotient = builder.sdiv(a, _signed_divisor(builder, b))
    return _signed_quotient(builder, a, b, quotient)


@_bits_apart(ir.IRBuilder.sext)
def divide_floor(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Towards minus infinity; x / 0 is -1 and MIN / -1 is MIN."""
    divisor = _signed_divisor(builder, b)
    quotient = builder.sdiv(a, divisor)
    inexact, opposite = _rest(builder, a, divisor, quotient)
    below = builder.zext(builder.and_(inexact, opposite), a.type)
    return _signed_quotient(builder, a, b, builder.sub(quotient, below))


@_bits_apart(ir.IRBuilder.sext)
def divide_ceiling_signed(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Towards plus infinity; x / 0 is -1 and MIN / -1 is MIN."""
    divisor = _signed_divisor(builder, b)
    quotient = builder.sdiv(a, divisor)
    inexact, opposite = _rest(builder, a, divisor, quotient)
    above = builder.zext(builder.and_(inexact, builder.not_(opposite)), a.type)
    return _signed_quotient(builder, a, b, builder.add(quotient, above))


@_bits_apart(ir.IRBuilder.sext)
def remainder_signed(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """With the sign of the dividend; x % 0 and x % -1 are 0, as x % 1 is."""
    return builder.srem(a, _signed_divisor(builder, b))


def _rest(
    builder: ir.IRBuilder, a: ir.Value, divisor: ir.Value, quotient: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """Whether something is left over, and whether its sign is not the divisor's."""
    zero = _constant(a, 0)
    rest = builder.sub(a, builder.mul(quotient, divisor))
    inexact = builder.icmp_unsigned("!=", rest, zero)
    return inexact, builder.icmp_signed("<", builder.xor(rest, divisor), zero)
