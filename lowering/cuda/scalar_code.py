"""What the tables of emitters have in common."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import add, mul, sub
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from vyre.lowering.cuda.expressions import (
    Expression,
    binary,
    cast,
    choice,
    comparison,
    negation,
)
from vyre.lowering.cuda.library import Library
from vyre.lowering.cuda.literals import float_literal, integer_literal, typed
from vyre.lowering.cuda.numbers import Numbers
from vyre.lowering.cuda.types import BOOL, CType, integer_type, width

Emitter: TypeAlias = Callable[..., Expression | tuple[Expression, ...]]
"""Takes the code, the operation and its operands; gives a result, or several."""


@dataclass
class ScalarCode:
    """What emitters know beside their operands, and the functions they ask for."""

    library: Library = field(default_factory=Library)
    numbers: Numbers = field(default_factory=Numbers)


def by(emit: Callable[..., Expression | tuple[Expression, ...]]) -> Emitter:
    """
    An emitter that does not look at the code and the operation, only at its operands.

    Example: `by(lambda a, b: binary(a, "+", b, FLOAT))`
    """

    def emitter(code: ScalarCode, op: Operation, *operands: Expression):
        return emit(*operands)

    return emitter


def converted(operand: Expression, type: CType) -> Expression:
    """
    The same value, or the same low bits, as another type.

    Example: of `x`, an `int`, as `unsigned int` it is `(unsigned int)x`.
    """
    if operand.type == type:
        return operand
    if operand.number is not None and not type.is_float:
        return integer_literal(operand.number, type)
    if type == BOOL:
        return comparison(operand, "!=", integer_literal(0, operand.type))
    return cast(operand, type)


def implied(operand: Expression, type: CType) -> Expression:
    """
    The same, where C++ converts by itself: in arithmetic with an operand of the type, in
    assignments and in calls. That a sign is lost is written down.
    """
    loses_sign = operand.type.is_signed and type.is_integer and not type.is_signed
    if operand.number is not None or BOOL in (type, operand.type) or loses_sign:
        return converted(operand, type)
    return replace(operand, type=type)


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {"+": add, "-": sub, "*": mul}
_NEUTRAL = {"+": 0, "-": 0, "*": 1, "/": 1}


def combined(a: Expression, operator: str, b: Expression, type: CType) -> Expression:
    """
    Two integers combined in a type of at least 32 bits. If one of them has it, C++
    converts the other one by itself.

    Example: `combined(i, "+", integer_literal(1, ULONG), ULONG).text` is `i + 1`.
    """
    if b.number is not None and b.number == _NEUTRAL.get(operator):
        return converted(a, type)
    if a.number is not None and b.number is not None:
        if operator in _ARITHMETIC:
            return integer_literal(_ARITHMETIC[operator](a.number, b.number), type)
        a, b = typed(converted(a, type)), converted(b, type)
    elif a.type == type and a.number is None:
        b = implied(b, type)
    elif b.type == type and b.number is None:
        a = implied(a, type)
    else:
        a = a if a.number is not None else converted(a, type)
        b = implied(b, type) if a.number is None else converted(b, type)
        a = converted(a, type)
    return binary(a, operator, b, type)


def chosen_of(
    condition: Expression, first: Expression, second: Expression, type: CType
) -> Expression:
    """One of two values in a type."""
    if type == BOOL:
        return _chosen_bit(condition, first, second)
    a, b = implied(first, type), implied(second, type)
    if type not in (each.type for each in (first, second) if each.number is None):
        # Nothing else says in which type it is.
        a = typed(converted(first, type))
    return choice(condition, a, b, type)


def _chosen_bit(condition: Expression, first: Expression, second: Expression) -> Expression:
    """One of two truth values, as people say it."""
    match first.number, second.number:
        case (1, 0):
            return condition
        case (0, 1):
            return negation(condition)
        case (1, None):
            return binary(condition, "||", second, BOOL)
        case (None, 0):
            return binary(condition, "&&", first, BOOL)
        case (0, None):
            return binary(negation(condition), "&&", second, BOOL)
        case (None, 1):
            return binary(negation(condition), "||", first, BOOL)
        case _:
            return choice(condition, first, second, BOOL)


def as_float(
    code: ScalarCode, value: SSAValue, number: Expression, type: CType, *, signed: bool
) -> Expression:
    """
    An integer as the nearest float of a type, read as a signed or an unsigned number.

    Example: `(float)(int)x`
    """
    bits = width(value.type)
    if bits == 1:
        one = float_literal(-1.0 if signed else 1.0, type)
        return choice(number, one, float_literal(0.0, type), type)
    is_signed = signed and not code.numbers.is_natural(value)
    if number.type.bits == bits:
        number = converted(number, integer_type(bits, signed=is_signed))
    return cast(number, type)
