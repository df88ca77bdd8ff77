"""
How an `scf.for` counts.

It makes no trip unless its lower bound is below its upper one and its step is positive, as
signed numbers. Where neither bound is ever negative it counts unsigned, and then adding the
step never wraps: both numbers are below 2^63. Else it counts signed, and where adding the
step may overflow it stops at the end.
"""

from dataclasses import dataclass

from xdsl.dialects import scf

from vyre.lowering.cuda.comparisons import related
from vyre.lowering.cuda.expressions import Expression, comparison, conjunction
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.numbers import Numbers
from vyre.lowering.cuda.scalar_code import ScalarCode, converted, implied
from vyre.lowering.cuda.types import SIGNED, UINT, UNSIGNED, CType, width


@dataclass(frozen=True)
class Counting:
    """The three parts of a C++ `for`, given its variable."""

    type: CType
    condition: str
    step: str


def counting_type(code: ScalarCode, op: scf.ForOp, end: Expression) -> CType:
    """The type of a loop's variable."""
    start, stop, step = (code.numbers.range(value) for value in (op.lb, op.ub, op.step))
    bits = max(32, width(op.lb.type))
    if start.lo < 0 or stop.lo < 0:
        return SIGNED[bits]
    is_short = end.type == UINT or end.number is not None
    if bits == 64 and is_short and stop.hi + step.hi < 2**32 and start.hi < 2**32:
        return UINT
    return UNSIGNED[bits]


def most_trips(numbers: Numbers, op: scf.ForOp) -> int:
    """
    How many trips a loop makes at most.

    Example: from an id to 1000 with a step of 256, it is 4.
    """
    start, stop, step = (numbers.range(value) for value in (op.lb, op.ub, op.step))
    distance, least_step = max(0, stop.hi - start.lo), max(1, step.lo)
    return (distance + least_step - 1) // least_step


def counting(
    code: ScalarCode, op: scf.ForOp, k: Expression, end: Expression, step: Expression
) -> Counting:
    """
    How a loop goes on.

    Example: `k < n` and `++k`
    """
    bits = width(op.lb.type)
    stop, by = code.numbers.range(op.ub), code.numbers.range(op.step)
    limit = widened(end, bits, k.type, plain=True)
    conditions = [comparison(k, "<", limit)]
    if by.lo < 1:
        zero = integer_literal(0, step.type)
        conditions.insert(0, related(step, ">", zero, bits, signed=True))
    text = conjunction(conditions).text
    if step.number == 1:
        return Counting(k.type, text, f"++{k.text}")
    if k.type.is_signed and stop.hi + by.hi - 1 >= 2 ** (k.type.bits - 1):
        operands = [k, widened(step, bits, k.type), limit]
        following = code.library.call("vyre_next", operands, k.type)
        return Counting(k.type, text, f"{k.text} = {following.text}")
    by_step = widened(step, bits, k.type, plain=True)
    return Counting(k.type, text, f"{k.text} += {by_step.text}")


def widened(
    number: Expression, bits: int, type: CType, *, plain: bool = False
) -> Expression:
    """
    A number of so many bits in a type of the same size or a larger one; `plain` if C++
    widens it by itself.
    """
    if number.number is not None or number.type.bits == bits:
        number = converted(number, (SIGNED if type.is_signed else UNSIGNED)[bits])
    return (implied if plain else converted)(number, type)
