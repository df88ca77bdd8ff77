"""
What operations of `arith` and `math` tell about their results.

The range of a result follows from the ranges of the operands (`result_range`). Some
operations also tell how their result compares with an operand (`define_result`): a sum
with a constant is a term, a minimum is at most each operand, a remainder is below the
divisor. Every rule here is about signed numbers and says why it holds although integers
wrap.
"""

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, OpResult, SSAValue

from vyre.analysis import ranges
from vyre.analysis.facts import Facts, Term, bits
from vyre.analysis.ranges import Range

_BINARY: dict[type[Operation], ranges.Binary] = {
    arith.AddiOp: ranges.add,
    arith.SubiOp: ranges.subtract,
    arith.MuliOp: ranges.multiply,
    arith.DivUIOp: ranges.divide_unsigned,
    arith.DivSIOp: ranges.divide_signed,
    arith.FloorDivSIOp: ranges.divide_floor,
    arith.CeilDivSIOp: ranges.divide_ceiling_signed,
    arith.CeilDivUIOp: ranges.divide_ceiling_unsigned,
    arith.RemUIOp: ranges.remainder_unsigned,
    arith.RemSIOp: ranges.remainder_signed,
    arith.MinSIOp: ranges.minimum,
    arith.MaxSIOp: ranges.maximum,
    arith.MinUIOp: ranges.minimum_unsigned,
    arith.MaxUIOp: ranges.maximum_unsigned,
    arith.AndIOp: ranges.bits_and,
    arith.OrIOp: ranges.bits_or,
    arith.XOrIOp: ranges.bits_xor,
    arith.ShLIOp: ranges.shift_left,
    arith.ShRUIOp: ranges.shift_right_unsigned,
    arith.ShRSIOp: ranges.shift_right_signed,
}

_UNARY: dict[type[Operation], Callable[[Range, int, int], Range]] = {
    arith.ExtUIOp: ranges.extend_unsigned,
    arith.ExtSIOp: ranges.convert,
    arith.TruncIOp: ranges.convert,
    arith.IndexCastOp: ranges.convert,
    math.AbsIOp: ranges.absolute,
    math.CtPopOp: ranges.count_bits,
    math.CountLeadingZerosOp: ranges.count_bits,
    math.CountTrailingZerosOp: ranges.count_bits,
}

_SUMS = frozenset[type[Operation]](
    (
        arith.AddiOp,
        arith.SubiOp,
        arith.ExtSIOp,
        arith.TruncIOp,
        arith.IndexCastOp,
        arith.ExtUIOp,
    )
)


def result_range(op: Operation, range_of: Callable[[SSAValue], Range]) -> Range | None:
    """
    The range of an operation's result by those of its operands; None if the operation is
    not one of integers.
    """
    width = bits(op.results[0].type) if len(op.results) == 1 else None
    if width is None:
        return None
    if isinstance(op, arith.ConstantOp):
        number = literal(op)
        return None if number is None else Range(number, number)
    if isinstance(op, arith.SelectOp):
        return range_of(op.lhs).joined(range_of(op.rhs))
    binary = _BINARY.get(type(op))
    if binary is not None:
        return binary(range_of(op.operands[0]), range_of(op.operands[1]), width)
    unary = _UNARY.get(type(op))
    if unary is None:
        return None
    taken = bits(op.operands[0].type)
    assert taken is not None
    return unary(range_of(op.operands[0]), taken, width)


def literal(op: arith.ConstantOp) -> int | None:
    """The signed number that a constant stands for."""
    value, width = op.value, bits(op.results[0].type)
    if width is None or not isinstance(value, IntegerAttr):
        return None
    return ranges.wrapped(value.value.data, width)


def literal_of(value: SSAValue) -> int | None:
    """
    The signed number that a value is, if it is a constant.

    Example: `literal_of(op.step)` is 1 for `scf.for ... step %c1`.
    """
    owner = value.owner
    return literal(owner) if isinstance(owner, arith.ConstantOp) else None


def define_result(op: Operation, facts: Facts) -> bool:
    """
    Add what an operation tells about its result; whether it is one of integers.

    Example: after `%j = arith.addi %i, %c1 : index` for an `%i` below some bound, `%j` is
    known as `%i` plus 1.
    """
    if type(op) is arith.ConstantOp:
        return _define_literal(op, facts)
    found = result_range(op, facts.range_of)
    if found is None:
        return False
    result = op.results[0]
    term = _as_term(op, facts)
    if term is not None:
        facts.equate(result, term)
        return True
    facts.define(result, found)
    compare = _COMPARISONS.get(type(op))
    if compare is not None:
        compare(facts, Term(result), *map(facts.term, op.operands))
    return True


def _define_literal(op: arith.ConstantOp, facts: Facts) -> bool:
    number = literal(op)
    if number is not None:
        facts.equate(op.results[0], Term(None, number))
    return number is not None


def _as_term(op: Operation, facts: Facts) -> Term | None:
    """The symbol and constant that a result is the sum of, if it does not wrap."""
    if type(op) not in _SUMS:
        return None
    match op:
        case arith.AddiOp():
            a, b = facts.term(op.lhs), facts.term(op.rhs)
            if a.symbol is None:
                a, b = b, a
            sum = a.plus(b.offset)
            return sum if b.symbol is None and _fits(op, facts, sum) else None
        case arith.SubiOp():
            a, b = facts.term(op.lhs), facts.term(op.rhs)
            if a.symbol == b.symbol:
                # The same symbol on both sides leaves a constant.
                a, b = Term(None, a.offset), Term(None, b.offset)
            difference = a.plus(-b.offset)
            return difference if b.symbol is None and _fits(op, facts, difference) else None
        case arith.ExtSIOp() | arith.TruncIOp() | arith.IndexCastOp():
            # The number stays the same if the type can hold it.
            same = facts.term(op.operands[0])
            return same if _fits(op, facts, same) else None
        case arith.ExtUIOp():
            same = facts.term(op.input)
            return same if facts.range(same).lo >= 0 else None
        case _:
            return None


def _fits(op: Operation, facts: Facts, term: Term) -> bool:
    width = bits(op.results[0].type)
    return width is not None and ranges.fits(facts.range(term), width)


# How a result compares with the operands.


def _sum(facts: Facts, result: Term, a: Term, b: Term) -> None:
    # Only if the sum does not wrap is it that far from its parts.
    one, other = facts.range(a), facts.range(b)
    width = _width(result)
    if ranges.fits(Range(one.lo + other.lo, one.hi + other.hi), width):
        for part, rest in ((a, other), (b, one)):
            facts.limit(result, part.plus(rest.hi))
            facts.limit(part.plus(rest.lo), result)
        _two_halves(facts, result, a, b)
        _two_halves(facts, result, b, a)


def _two_halves(facts: Facts, result: Term, a: Term, b: Term) -> None:
    # If b is n / 2 or less and a is at most b + c, their sum is at most n + c.
    n, divisor = _quotient_of(b, facts)
    if divisor >= 2:
        facts.limit(result, n.plus(facts.excess(a, b)))


def _difference(facts: Facts, result: Term, a: Term, b: Term) -> None:
    # What is known about a compared with b limits a - b, and may rule out wrapping.
    one, other = facts.range(a), facts.range(b)
    lo = max(one.lo - other.hi, -facts.excess(b, a))
    hi = min(one.hi - other.lo, facts.excess(a, b))
    if lo <= hi and ranges.fits(Range(lo, hi), _width(result)):
        facts.narrow(result, lo, hi)
        facts.limit(result, a.plus(-other.lo))
        facts.limit(a.plus(-other.hi), result)


def _product(facts: Facts, result: Term, a: Term, b: Term) -> None:
    # A factor of at least 1 makes a number that is not negative no smaller.
    one, other = facts.range(a), facts.range(b)
    if min(one.lo, other.lo) < 0:
        return
    if not ranges.fits(Range(0, one.hi * other.hi), _width(result)):
        return
    if other.lo >= 1:
        facts.limit(a, result)
        _multiple(facts, result, a, other.hi)
    if one.lo >= 1:
        facts.limit(b, result)
        _multiple(facts, result, b, one.hi)


def _multiple(facts: Facts, result: Term, a: Term, factor: int) -> None:
    # If a is at most n / k + c, then a times k or less is at most n + c * k. What a is
    # multiplied with may be less than `factor`: a is not negative.
    for symbol, constant in facts.limits(a).items():
        n, divisor = _quotient_of(Term(symbol), facts)
        if divisor >= factor:
            facts.limit(result, n.plus(constant * factor))


def _quotient_of(term: Term, facts: Facts) -> tuple[Term, int]:
    """Dividend and divisor, if a term is a number that is not negative by a constant."""
    none = Term(None), 0
    op = term.symbol.op if isinstance(term.symbol, OpResult) and not term.offset else None
    if not isinstance(op, arith.DivUIOp | arith.DivSIOp | arith.ShRUIOp | arith.ShRSIOp):
        return none
    n, by = facts.term(op.lhs), facts.term(op.rhs)
    if by.symbol is not None or facts.range(n).lo < 0:
        return none
    if isinstance(op, arith.ShRUIOp | arith.ShRSIOp):
        return (n, 2**by.offset) if 0 <= by.offset < _width(term) else none
    return (n, by.offset) if by.offset >= 1 else none


def _left_shift(facts: Facts, result: Term, a: Term, amount: Term) -> None:
    # As a product with a power of two. Where it might wrap, its range begins below zero.
    if facts.range(a).lo >= 0 and facts.range(result).lo >= 0:
        facts.limit(a, result)
        most = ranges.shift_amounts(facts.range(amount), _width(result)).hi
        _multiple(facts, result, a, 2**most)


def _quotient(facts: Facts, result: Term, a: Term, b: Term) -> None:
    # Dividing what is not negative by at least 1; then signed and unsigned are the same.
    if facts.range(a).lo < 0 or facts.range(b).lo < 1:
        return
    facts.limit(result, a)
    # Below p * b, the quotient is below p. This needs no proof that the product does not
    # wrap: if neither factor is negative, what it wraps to is smaller than the product.
    for symbol, constant in facts.limits(a).items():
        if constant < 0 and isinstance(symbol, OpResult):
            for p, q in _factors(symbol.op):
                if facts.term(q) == b and min(facts.range_of(p).lo, facts.range(b).lo) >= 0:
                    facts.limit(result, facts.term(p), 1)


def _factors(op: Operation) -> tuple[tuple[SSAValue, SSAValue], ...]:
    if isinstance(op, arith.MuliOp):
        return (op.lhs, op.rhs), (op.rhs, op.lhs)
    return ()


def _right_shift(facts: Facts, result: Term, a: Term, amount: Term) -> None:
    # As a division by a power of two.
    if facts.range(a).lo >= 0:
        facts.limit(result, a)


def _ceiling(facts: Facts, result: Term, a: Term, b: Term) -> None:
    if facts.range(a).lo >= 0 and facts.range(b).lo >= 1:
        facts.limit(result, a)


def _remainder(facts: Facts, result: Term, a: Term, b: Term) -> None:
    # By zero the remainder is zero, which is not below zero: the divisor must be larger.
    if facts.range(a).lo >= 0:
        facts.limit(result, a)
        if facts.range(b).lo >= 1:
            facts.limit(result, b, 1)


def _remainder_unsigned(facts: Facts, result: Term, a: Term, b: Term) -> None:
    # Here the dividend may be any number: it counts as one that is not negative.
    if facts.range(b).lo >= 1:
        facts.limit(result, b, 1)
    if facts.range(a).lo >= 0:
        facts.limit(result, a)


def _minimum(facts: Facts, result: Term, a: Term, b: Term) -> None:
    facts.limit(result, a)
    facts.limit(result, b)


def _minimum_unsigned(facts: Facts, result: Term, a: Term, b: Term) -> None:
    # Also the unsigned bits of a mask: not above an operand that is not negative.
    for operand in (a, b):
        if facts.range(operand).lo >= 0:
            facts.limit(result, operand)


def _maximum(facts: Facts, result: Term, a: Term, b: Term) -> None:
    assert isinstance(result.symbol, SSAValue)
    facts.assign(result.symbol, facts.joined(facts.summary(a), facts.summary(b)))
    facts.limit(a, result)
    facts.limit(b, result)


def _maximum_unsigned(facts: Facts, result: Term, a: Term, b: Term) -> None:
    if min(facts.range(a).lo, facts.range(b).lo) >= 0:
        _maximum(facts, result, a, b)


def _width(term: Term) -> int:
    assert isinstance(term.symbol, SSAValue)
    width = bits(term.symbol.type)
    assert width is not None
    return width


_COMPARISONS: dict[type[Operation], Callable[[Facts, Term, Term, Term], None]] = {
    arith.AddiOp: _sum,
    arith.SubiOp: _difference,
    arith.MuliOp: _product,
    arith.ShLIOp: _left_shift,
    arith.DivUIOp: _quotient,
    arith.DivSIOp: _quotient,
    arith.FloorDivSIOp: _quotient,
    arith.ShRUIOp: _right_shift,
    arith.ShRSIOp: _right_shift,
    arith.CeilDivUIOp: _ceiling,
    arith.CeilDivSIOp: _ceiling,
    arith.RemUIOp: _remainder_unsigned,
    arith.RemSIOp: _remainder,
    arith.AndIOp: _minimum_unsigned,
    arith.MinSIOp: _minimum,
    arith.MinUIOp: _minimum_unsigned,
    arith.MaxSIOp: _maximum,
    arith.MaxUIOp: _maximum_unsigned,
}
