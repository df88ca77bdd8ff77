"""
What an invocation that has returned contributes where all of them take part: nothing.

Its copies have no elements. In a subgroup it gives the value that changes no result: with
the fixed tree of a reduction every partial result keeps its bits when a neutral element is
combined with it, as if the lane were absent. For sums of floats that is -0, because +0
would turn a -0 into +0; for minima and maxima of floats NaN, to which any number is
preferred.
"""

from math import nan

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    GetOp,
    LoadOp,
    SubgroupBallotOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
)
from vyre.dialects.vyre.attributes import ReduceKind, is_scalar
from vyre.passes.placing import constant, put_before

_FLOATS = {
    ReduceKind.ADD: -0.0,
    ReduceKind.MUL: 1.0,
    ReduceKind.MIN: nan,
    ReduceKind.MAX: nan,
}


def contribute_nothing(op: Operation, alive: SSAValue) -> bool:
    """
    Let the operation do nothing for others unless the variable `alive` holds true; whether
    that is possible for an operation of this kind.

    Example: `vyre.subgroup_ballot %p` becomes `vyre.subgroup_ballot %p_and_alive`.
    """
    match op:
        case LoadOp():
            # Whoever runs along may be anywhere: what was promised does not hold for them.
            op.inbounds = None
        case AsyncLoadOp() | AsyncStoreOp():
            _replace_unless_alive(op, len(op.operands) - 1, 0, alive)
        case SubgroupBallotOp() | SubgroupShuffleOp():
            _replace_unless_alive(op, 0, 0, alive)
        case SubgroupReduceOp():
            neutral = neutral_element(op.kind.data, op.value.type)
            _replace_unless_alive(op, 0, neutral, alive)
        case _:
            return False
    return True


def _replace_unless_alive(
    op: Operation, position: int, otherwise: float, alive: SSAValue
) -> None:
    value = op.operands[position]
    condition = put_before(op, GetOp(alive)).value
    other = put_before(op, constant(otherwise, value.type)).result
    chosen = arith.SelectOp(condition, value, other)
    op.operands[position] = put_before(op, chosen, value.name_hint).result


def neutral_element(kind: ReduceKind, type: Attribute) -> float:
    """
    The value that changes nothing when it is combined with others.

    Example: `neutral_element(ReduceKind.MIN, i32)` is 2147483647.
    """
    assert is_scalar(type)
    if not isinstance(type, IntegerType | IndexType):
        return _FLOATS[kind]
    bits = 64 if isinstance(type, IndexType) else type.width.data
    match kind:
        case ReduceKind.MUL:
            return 1
        case ReduceKind.AND | ReduceKind.UMIN:
            return -1
        case ReduceKind.MIN:
            return (1 << (bits - 1)) - 1
        case ReduceKind.MAX:
            return -(1 << (bits - 1))
        case ReduceKind.ADD | ReduceKind.OR | ReduceKind.XOR | ReduceKind.UMAX:
            return 0
