"""
Integer division for every divisor.

C++ does not say what a division by zero gives, nor one of the smallest number by -1. Where
the divisor may be one of these, a device function gives what the language defines;
elsewhere the operator does.
"""

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.ir import Operation

from vyre.lowering.cuda.expressions import Expression, binary, negation
from vyre.lowering.cuda.literals import integer_literal, typed
from vyre.lowering.cuda.scalar_code import Emitter, ScalarCode, combined, converted
from vyre.lowering.cuda.types import BOOL, SIGNED, UINT, UNSIGNED, CType, width

Divide = Callable[[ScalarCode, Operation, Expression, Expression, CType], Expression]


def _of_single_bits(*, is_remainder: bool, a: Expression, b: Expression) -> Expression:
    """Divided by 1, or by -1, a bit stays and leaves no rest; by 0 it is set."""
    if is_remainder:
        return integer_literal(0, BOOL)
    return binary(a, "||", negation(b), BOOL)


def _division(divide: Divide, *, signed: bool, is_remainder: bool = False) -> Emitter:
    """A division in a type that fits its operands."""

    def emit(code: ScalarCode, op: Operation, a: Expression, b: Expression) -> Expression:
        bits = width(op.results[0].type)
        if bits == 1:
            return _of_single_bits(is_remainder=is_remainder, a=a, b=b)
        # Of numbers that are not negative, signed and unsigned quotients are the same.
        is_signed = signed and not all(map(code.numbers.is_natural, op.operands))
        own = (SIGNED if is_signed else UNSIGNED)[bits]
        if bits == 64 and not is_signed and _are_short(code, op, a, b):
            own = UINT
        a, b = converted(a, own), converted(b, own)
        if own.bits >= 32:
            return divide(code, op, a, b, own)
        wide = SIGNED[32] if is_signed else UINT
        return converted(
            divide(code, op, converted(a, wide), converted(b, wide), wide), own
        )

    return emit


def _are_short(code: ScalarCode, op: Operation, a: Expression, b: Expression) -> bool:
    """Whether 32 bits hold both operands, and the quotient: by zero they do not."""
    divisor = op.operands[1]
    is_short = b.type == UINT or code.numbers.is_short(divisor)
    return a.type == UINT and is_short and code.numbers.range(divisor).lo > 0


def _by(operator: str, function: str) -> Divide:
    """By an operator where the divisor can be nothing special, else by a function."""

    def divide(
        code: ScalarCode, op: Operation, a: Expression, b: Expression, type: CType
    ) -> Expression:
        divisor = code.numbers.range(op.operands[1])
        if divisor.lo > 0 or divisor.hi < (-1 if type.is_signed else 0):
            return combined(a, operator, b, type)
        return code.library.call(function, [a, b], type)

    return divide


def _floor(
    code: ScalarCode, op: Operation, a: Expression, b: Expression, type: CType
) -> Expression:
    if not type.is_signed:
        return _by("/", "vyre_div")(code, op, a, b, type)
    return code.library.call("vyre_floordiv", [a, b], type)


def _ceiling(
    code: ScalarCode, op: Operation, a: Expression, b: Expression, type: CType
) -> Expression:
    dividend, divisor = map(code.numbers.range, op.operands)
    if not type.is_signed and divisor.lo == divisor.hi > 0:
        # As people write it, if the sum does not wrap.
        if dividend.lo >= 0 and dividend.hi + divisor.hi <= 2**type.bits:
            more = integer_literal(divisor.hi - 1, type)
            return combined(combined(a, "+", more, type), "/", typed(b), type)
    return code.library.call("vyre_ceildiv", [a, b], type)


DIVISION: dict[type[Operation], Emitter] = {
    arith.DivSIOp: _division(_by("/", "vyre_div"), signed=True),
    arith.DivUIOp: _division(_by("/", "vyre_div"), signed=False),
    arith.FloorDivSIOp: _division(_floor, signed=True),
    arith.CeilDivSIOp: _division(_ceiling, signed=True),
    arith.CeilDivUIOp: _division(_ceiling, signed=False),
    arith.RemSIOp: _division(_by("%", "vyre_rem"), signed=True, is_remainder=True),
    arith.RemUIOp: _division(_by("%", "vyre_rem"), signed=False, is_remainder=True),
}
"""Divisions, by what C++ they become."""
