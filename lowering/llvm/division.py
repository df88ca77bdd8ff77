"""
Integer division that never traps.

The machine traps on a division by zero and of MIN by -1. So these divisors are replaced by
1 first, and the result by the one that the language defines, with selects: branches would
keep loops from being vectorised, and LLVM removes both where it knows the divisor.

Division by what is no literal is a call. LLVM 22 vectorises a conditional division wrongly
where all trips of the loop divide the same: it does so in the first lane only, and not if
the condition is false there, but other lanes use the result. A function that may be called
ahead of its condition is moved out of the loop instead.
"""

from collections.abc import Callable

from llvmlite import ir

Division = Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value]


_ALWAYS_CALLABLE = ("noinline", "nounwind", "readnone", "speculatable", "willreturn")


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


def _unsigned_quotient(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    return builder.udiv(a, _unsigned_divisor(builder, b))


def _signed_divisor(builder: ir.IRBuilder, b: ir.Value) -> ir.Value:
    special = builder.or_(_is(builder, b, 0), _is(builder, b, -1))
    return builder.select(special, _constant(b, 1), b)


def _signed_quotient(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    return builder.sdiv(a, _signed_divisor(builder, b))


def _called(builder: ir.IRBuilder, divide: Division, a: ir.Value, b: ir.Value) -> ir.Value:
    """The quotient, from a function of its own if the divisor is no literal."""
    if isinstance(b, ir.Constant):
        return divide(builder, a, b)
    name = f"{divide.__name__.strip('_')}.{a.type}"
    if name not in builder.module.globals:
        _define(ir.Function(builder.module, _signature(a.type), name), divide)
    return builder.call(builder.module.get_global(name), [a, b])


def _signature(type: ir.Type) -> ir.FunctionType:
    return ir.FunctionType(type, [type, type])


def _define(function: ir.Function, divide: Division) -> None:
    function.linkage = "internal"
    for attribute in _ALWAYS_CALLABLE:
        set[str].add(function.attributes, attribute)  # Its own `add` knows not all.
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    a, b = function.args
    builder.ret(divide(builder, a, b))


def _unless_zero(builder: ir.IRBuilder, b: ir.Value, quotient: ir.Value) -> ir.Value:
    """All bits set where the divisor is 0."""
    return builder.select(_is(builder, b, 0), _constant(b, -1), quotient)


def _unless_special(
    builder: ir.IRBuilder, a: ir.Value, b: ir.Value, quotient: ir.Value
) -> ir.Value:
    """With the results for the divisors 0 and -1."""
    negated = builder.select(_is(builder, b, -1), builder.neg(a), quotient)
    return _unless_zero(builder, b, negated)


@_bits_apart(ir.IRBuilder.zext)
def divide_unsigned(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """x / 0 is all ones."""
    quotient = _called(builder, _unsigned_quotient, a, b)
    return _unless_zero(builder, b, quotient)


@_bits_apart(ir.IRBuilder.zext)
def divide_ceiling_unsigned(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Towards plus infinity; x / 0 is all ones."""
    quotient = _called(builder, _unsigned_quotient, a, b)
    rest = _rest(builder, a, _unsigned_divisor(builder, b), quotient)
    inexact = builder.icmp_unsigned("!=", rest, _constant(a, 0))
    upwards = builder.add(quotient, builder.zext(inexact, a.type))
    return _unless_zero(builder, b, upwards)


@_bits_apart(ir.IRBuilder.zext)
def remainder_unsigned(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """x % 0 is 0, as x % 1 is."""
    quotient = _called(builder, _unsigned_quotient, a, b)
    return _rest(builder, a, _unsigned_divisor(builder, b), quotient)


@_bits_apart(ir.IRBuilder.sext)
def divide_signed(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Towards zero; x / 0 is -1 and MIN / -1 is MIN."""
    quotient = _called(builder, _signed_quotient, a, b)
    return _unless_special(builder, a, b, quotient)


@_bits_apart(ir.IRBuilder.sext)
def divide_floor(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Towards minus infinity; x / 0 is -1 and MIN / -1 is MIN."""
    quotient = _called(builder, _signed_quotient, a, b)
    inexact, opposite = _left_over(builder, a, _signed_divisor(builder, b), quotient)
    below = builder.zext(builder.and_(inexact, opposite), a.type)
    return _unless_special(builder, a, b, builder.sub(quotient, below))


@_bits_apart(ir.IRBuilder.sext)
def divide_ceiling_signed(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """Towards plus infinity; x / 0 is -1 and MIN / -1 is MIN."""
    quotient = _called(builder, _signed_quotient, a, b)
    inexact, opposite = _left_over(builder, a, _signed_divisor(builder, b), quotient)
    above = builder.zext(builder.and_(inexact, builder.not_(opposite)), a.type)
    return _unless_special(builder, a, b, builder.add(quotient, above))


@_bits_apart(ir.IRBuilder.sext)
def remainder_signed(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """With the sign of the dividend; x % 0 and x % -1 are 0, as x % 1 is."""
    quotient = _called(builder, _signed_quotient, a, b)
    return _rest(builder, a, _signed_divisor(builder, b), quotient)


def _rest(
    builder: ir.IRBuilder, a: ir.Value, divisor: ir.Value, quotient: ir.Value
) -> ir.Value:
    """Not a remainder of its own: who also wants the quotient divides once."""
    return builder.sub(a, builder.mul(quotient, divisor))


def _left_over(
    builder: ir.IRBuilder, a: ir.Value, divisor: ir.Value, quotient: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """Whether something is left over, and whether its sign is not the divisor's."""
    zero = _constant(a, 0)
    rest = _rest(builder, a, divisor, quotient)
    inexact = builder.icmp_unsigned("!=", rest, zero)
    return inexact, builder.icmp_signed("<", builder.xor(rest, divisor), zero)
