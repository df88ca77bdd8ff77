"""Making new operations and putting them into a program."""

from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

from vyre.dialects.vyre.attributes import is_scalar

OperationT = TypeVar("OperationT", bound=Operation)


def put_before(anchor: Operation, op: OperationT, name: str | None = None) -> OperationT:
    """
    Insert an operation before another one, whose location it gets, and name its result.

    Example: `alive = put_before(store, GetOp(cell)).value`
    """
    assert anchor.parent is not None
    op.location = anchor.location
    if name is not None:
        op.results[0].name_hint = name
    anchor.parent.insert_op_before(op, anchor)
    return op


def constant(value: float, type: Attribute) -> arith.ConstantOp:
    """
    A constant of a scalar type.

    Example: `constant(0, f32)` is `arith.constant 0.0 : f32`.
    """
    assert is_scalar(type)
    if isinstance(type, IntegerType | IndexType):
        return arith.ConstantOp(IntegerAttr(int(value), type))
    return arith.ConstantOp(FloatAttr(value, type))
