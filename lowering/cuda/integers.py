"""Integer arithmetic: wrapping, total, the same for every width."""

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from vyre.lowering.cuda.comparisons import compare
from vyre.lowering.cuda.division import DIVISION
from vyre.lowering.cuda.expressions import (
    Expression,
    binary,
    call,
    comparison,
    negation,
)
from vyre.lowering.cuda.literals import integer_literal, typed
from vyre.lowering.cuda.scalar_code import (
    Emitter,
    ScalarCode,
    combined,
    converted,
    implied,
)
from vyre.lowering.cuda.types import (
    BOOL,
    INT,
    LONG,
    SIGNED,
    UINT,
    ULONG,
    UNSIGNED,
    CType,
    integer_type,
    width,
)

_FALSE = integer_literal(0, BOOL)


def of_one_bit(one_bit: Callable[..., Expression | tuple[Expression, ...]]):
    """An emitter for more bits, with another one for a single bit."""

    def decorate(emit: Emitter) -> Emitter:
        def emitter(code: ScalarCode, op: Operation, *operands: Expression):
            if width(op.operands[0].type) == 1:
                return one_bit(*operands)
            return emit(code, op, *operands)

        return emitter

    return decorate


def _both(a: Expression, b: Expression) -> Expression:
    return binary(a, "&&", b, BOOL)


def _either(a: Expression, b: Expression) -> Expression:
    return binary(a, "||", b, BOOL)


def _unlike(a: Expression, b: Expression) -> Expression:
    for one, other in ((a, b), (b, a)):
        if other.number is not None:
            return negation(one) if other.number else one
    return comparison(a, "!=", b)


def _first(a: Expression, *others: Expression) -> Expression:
    return a


def _wrapping(operator: str, one_bit: Callable[..., Expression]) -> Emitter:
    """A sum, difference or product; unsigned, for C++ says what becomes of that."""

    @of_one_bit(one_bit)
    def emit(code: ScalarCode, op: Operation, a: Expression, b: Expression) -> Expression:
        bits = width(op.results[0].type)
        if bits == 64 and code.numbers.is_short(op.results[0]) and _are_short(a, b):
            bits = 32
        if bits >= 32:
            return _added(a, operator, b, UNSIGNED[bits])
        # The product of two shorts may be too large for an int.
        return converted(_added(a, operator, b, UINT), UNSIGNED[bits])

    return emit


def _are_short(*operands: Expression) -> bool:
    """Whether all are unsigned and have 32 bits, or are literals that need no more."""
    return all(
        0 <= operand.number < 2**32 if operand.number is not None else operand.type == UINT
        for operand in operands
    )


def _added(a: Expression, operator: str, b: Expression, type: CType) -> Expression:
    """With literals to the right, and without negative ones."""
    if operator == "+" and a.number is not None and b.number is None:
        a, b = b, a
    if operator == "+" and b.number is not None:
        number = integer_literal(b.number, SIGNED[type.bits]).number
        assert number is not None
        if number < 0:
            operator, b = "-", integer_literal(-number, type)
    return combined(a, operator, b, type)


def _bitwise(operator: str, one_bit: Callable[..., Expression]) -> Emitter:
    @of_one_bit(one_bit)
    def emit(code: ScalarCode, op: Operation, a: Expression, b: Expression) -> Expression:
        bits = width(op.results[0].type)
        if bits == 64 and _are_short(a, b):
            bits = 32
        if bits >= 32:
            return combined(a, operator, b, UNSIGNED[bits])
        return converted(combined(a, operator, b, UINT), UNSIGNED[bits])

    return emit


def _shift(operator: str, *, signed: bool) -> Emitter:
    """A shift by the amount modulo the width."""

    @of_one_bit(_first)
    def emit(code: ScalarCode, op: Operation, x: Expression, by: Expression) -> Expression:
        bits = width(op.results[0].type)
        is_signed = signed and not code.numbers.is_natural(op.operands[0])
        type = integer_type(bits, signed=is_signed)
        amount = _amount(code, op, by, bits)
        if x.type == UINT and bits == 64 and operator == ">>" and _is_below(amount, 32):
            type = UINT
        shifted = binary(typed(converted(x, type)), operator, amount, type)
        return shifted if bits >= 32 else converted(_as_int(shifted), type)

    return emit


def _amount(code: ScalarCode, op: Operation, by: Expression, bits: int) -> Expression:
    if by.number is not None:
        return integer_literal(by.number % bits, INT)
    range = code.numbers.range(op.operands[1])
    if range.lo >= 0 and range.hi < bits:
        return by
    return combined(by, "&", integer_literal(bits - 1, by.type), by.type)


def _is_below(amount: Expression, limit: int) -> bool:
    return amount.number is not None and amount.number < limit


def _as_int(operand: Expression) -> Expression:
    """What C++ makes of operands that are narrower than an `int`."""
    return Expression(operand.text, INT, operand.level, operand.reads)


def _chosen(function: str, one_bit: Callable[..., Expression], *, signed: bool) -> Emitter:
    """The smaller or the larger."""

    @of_one_bit(one_bit)
    def emit(code: ScalarCode, op: Operation, a: Expression, b: Expression) -> Expression:
        bits = width(op.results[0].type)
        if bits == 64 and a.type == b.type == UINT:
            return call(function, [a, b], UINT)
        is_natural = all(map(code.numbers.is_natural, op.operands))
        own = integer_type(bits, signed=signed and not is_natural)
        wide = integer_type(max(32, bits), signed=own.is_signed)
        operands = [typed(converted(converted(x, own), wide)) for x in (a, b)]
        return converted(call(function, operands, wide), own)

    return emit


def _add_extended(
    code: ScalarCode, op: Operation, a: Expression, b: Expression
) -> tuple[Expression, Expression]:
    """The sum and whether it wrapped, which makes it smaller."""
    bits = width(op.operands[0].type)
    if bits == 1:
        return _unlike(a, b), _both(a, b)
    total = _wrapping("+", _unlike)(code, op, a, b)
    assert isinstance(total, Expression)
    return total, comparison(total, "<", converted(a, UNSIGNED[bits]))


_HIGH_HALF = {INT: "__mulhi", UINT: "__umulhi", LONG: "__mul64hi", ULONG: "__umul64hi"}


def _multiply_extended(*, signed: bool) -> Emitter:
    """The low and the high half of the exact product."""

    def emit(
        code: ScalarCode, op: Operation, a: Expression, b: Expression
    ) -> tuple[Expression, Expression]:
        bits = width(op.operands[0].type)
        if bits == 1:
            return _both(a, b), _FALSE  # 1 * 1 and -1 * -1 are both 01.
        low = _wrapping("*", _both)(code, op, a, b)
        assert isinstance(low, Expression)
        own = integer_type(bits, signed=signed)
        if bits >= 32:
            operands = [converted(a, own), converted(b, own)]
            return low, call(_HIGH_HALF[own], operands, own)
        wide = integer_type(32, signed=signed)
        left, right = (converted(converted(x, own), wide) for x in (a, b))
        product = binary(left, "*", right, wide)
        return low, converted(binary(product, ">>", integer_literal(bits, INT), wide), own)

    return emit


@of_one_bit(_first)
def _magnitude(code: ScalarCode, op: Operation, x: Expression) -> Expression:
    bits = width(op.operands[0].type)
    own = SIGNED[bits]
    wide = SIGNED[max(32, bits)]
    found = code.library.call("vyre_abs", [implied(converted(x, own), wide)], wide)
    return converted(found, UNSIGNED[bits])


@of_one_bit(negation)
def _leading_zeros(code: ScalarCode, op: Operation, x: Expression) -> Expression:
    bits = width(op.operands[0].type)
    operand = converted(converted(x, UNSIGNED[bits]), SIGNED[max(32, bits)])
    zeros = call("__clzll" if bits == 64 else "__clz", [operand], INT)
    if bits < 32:
        zeros = binary(zeros, "-", integer_literal(32 - bits, INT), INT)
    return converted(zeros, UNSIGNED[bits])


@of_one_bit(negation)
def _trailing_zeros(code: ScalarCode, op: Operation, x: Expression) -> Expression:
    """Reversed, so that zero is no special case."""
    bits = width(op.operands[0].type)
    operand = converted(converted(x, UNSIGNED[bits]), UNSIGNED[max(32, bits)])
    if bits < 32:
        operand = combined(operand, "|", integer_literal(1 << bits, UINT), UINT)
    reverse, count = ("__brevll", "__clzll") if bits == 64 else ("__brev", "__clz")
    reversed = call(reverse, [operand], operand.type)
    reversed = converted(reversed, SIGNED[operand.type.bits])
    return converted(call(count, [reversed], INT), UNSIGNED[bits])


@of_one_bit(_first)
def _ones(code: ScalarCode, op: Operation, x: Expression) -> Expression:
    bits = width(op.operands[0].type)
    operand = converted(x, UNSIGNED[bits])
    found = call("__popcll" if bits == 64 else "__popc", [operand], INT)
    return converted(found, UNSIGNED[bits])


def _one(base: Expression, exponent: Expression) -> Expression:
    return integer_literal(1, BOOL)


@of_one_bit(_one)
def _power(
    code: ScalarCode, op: Operation, base: Expression, exponent: Expression
) -> Expression:
    bits = width(op.results[0].type)
    type = SIGNED[max(32, bits)]
    operands = [converted(converted(x, SIGNED[bits]), type) for x in (base, exponent)]
    return converted(code.library.call("vyre_ipow", operands, type), UNSIGNED[bits])


INTEGERS: dict[type[Operation], Emitter] = {
    arith.AddiOp: _wrapping("+", _unlike),
    arith.SubiOp: _wrapping("-", _unlike),
    arith.MuliOp: _wrapping("*", _both),
    arith.MinSIOp: _chosen("min", _either, signed=True),
    arith.MaxSIOp: _chosen("max", _both, signed=True),
    arith.MinUIOp: _chosen("min", _both, signed=False),
    arith.MaxUIOp: _chosen("max", _either, signed=False),
    arith.AndIOp: _bitwise("&", _both),
    arith.OrIOp: _bitwise("|", _either),
    arith.XOrIOp: _bitwise("^", _unlike),
    arith.ShLIOp: _shift("<<", signed=False),
    arith.ShRUIOp: _shift(">>", signed=False),
    arith.ShRSIOp: _shift(">>", signed=True),
    arith.CmpiOp: compare,
    arith.AddUIExtendedOp: _add_extended,
    arith.MulSIExtendedOp: _multiply_extended(signed=True),
    arith.MulUIExtendedOp: _multiply_extended(signed=False),
    math.AbsIOp: _magnitude,
    math.CountLeadingZerosOp: _leading_zeros,
    math.CountTrailingZerosOp: _trailing_zeros,
    math.CtPopOp: _ones,
    math.IPowIOp: _power,
    **DIVISION,
}
"""Operations on integers, by what C++ they become."""
