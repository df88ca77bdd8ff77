"""
How integers compare.

Where neither number is negative, the signed and the unsigned order are the same, and the
one that needs no conversion is taken.
"""

from collections.abc import Callable
from dataclasses import replace
from operator import eq, ge, gt, le, lt, ne

from xdsl.dialects import arith

from vyre.lowering.cuda.expressions import Expression, comparison
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.scalar_code import ScalarCode, converted
from vyre.lowering.cuda.types import (
    BOOL,
    SIGNED,
    UINT,
    UNSIGNED,
    CType,
    width,
)

_RELATIONS = ("==", "!=", "<", "<=", ">", ">=")
_HOLDS: dict[str, Callable[[int, int], bool]] = {
    "==": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compare(code: ScalarCode, op: arith.CmpiOp, a: Expression, b: Expression) -> Expression:
    """Predicates 0 and 1 are equality, 2 to 5 the signed order, 6 to 9 the unsigned one."""
    predicate = op.predicate.value.data
    relation = _RELATIONS[predicate if predicate < 6 else predicate - 4]
    if width(op.lhs.type) == 1:
        # As signed numbers, a bit that is set is -1, and so the smaller one.
        is_signed = 2 <= predicate < 6
        return comparison(a, _MIRRORED[relation] if is_signed else relation, b)
    are_natural = all(map(code.numbers.is_natural, (op.lhs, op.rhs)))
    is_signed = None if predicate < 2 or are_natural else predicate < 6
    return related(a, relation, b, width(op.lhs.type), signed=is_signed)


def related(
    a: Expression, relation: str, b: Expression, bits: int, *, signed: bool | None
) -> Expression:
    """
    A comparison of integers of so many bits, by the signed or the unsigned order; None if
    these are the same.

    Example: `related(i, "<", n, 64, signed=False)`
    """
    type = _common_type(a, b, bits, signed)
    left, right = _widened(a, b, type), _widened(b, a, type)
    if not type.is_signed and right.number == 0 and relation in ("<", ">="):
        return integer_literal(int(relation == ">="), BOOL)  # Compilers wonder at it.
    if left.number is not None and right.number is not None:
        holds = _HOLDS[relation](left.number, right.number)
        return integer_literal(int(holds), BOOL)
    return comparison(left, relation, right)


def _widened(operand: Expression, other: Expression, type: CType) -> Expression:
    """An operand in a type; C++ makes two unsigned numbers equally wide by itself."""
    is_plain = operand.number is None and other.type == type and other.number is None
    if is_plain and type.bits > operand.type.bits >= 32 and not operand.type.is_signed:
        return replace(operand, type=type)
    return converted(operand, type)


def _common_type(a: Expression, b: Expression, bits: int, signed: bool | None) -> CType:
    """The type to compare in, if possible that of an operand."""
    if bits == 64 and all(_is_short(operand) for operand in (a, b)):
        return UINT
    if signed is not None:
        return (SIGNED if signed else UNSIGNED)[bits]
    types = {operand.type for operand in (a, b) if operand.number is None}
    wide = {type for type in types if type.bits == bits}
    return wide.pop() if len(wide) == 1 else UNSIGNED[bits]


def _is_short(operand: Expression) -> bool:
    """Whether 32 bits hold the number."""
    if operand.number is not None:
        return 0 <= operand.number < 2**32
    return operand.type == UINT
