"""
Float arithmetic that every engine rounds alike: IEEE, to nearest, one rounding each.

Kernels are compiled with the options of `vyre.lowering.cuda.options`: without contraction,
with IEEE division and square root, without flushing to zero. Halves are computed in single
precision and rounded after each operation.
"""

from collections.abc import Callable

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float16Type
from xdsl.ir import Operation

from vyre.lowering.cuda.expressions import (
    Expression,
    binary,
    call,
    comparison,
    negation,
    unary,
)
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.scalar_code import Emitter, ScalarCode
from vyre.lowering.cuda.types import BOOL, FLOAT

_PREDICATES = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 6: "!="}
_CONTRARY = {"==": "!=", ">": "<=", ">=": "<", "<": ">=", "<=": ">", "!=": "=="}


def is_half(op: Operation) -> bool:
    """Whether the result is a half, which is computed in single precision."""
    return isinstance(op.results[0].type, Float16Type)


def function_name(name: str, operand: Expression) -> str:
    """
    The name of a function of `math.h` for a precision.

    Example: for a `float`, `sqrt` is `sqrtf`.
    """
    return f"{name}f" if operand.type == FLOAT else name


def _rounded(compute: Callable[..., Expression]) -> Emitter:
    """An operation whose result may not be a half where its operands are."""

    def emit(code: ScalarCode, op: Operation, *operands: Expression) -> Expression:
        result = compute(*operands)
        return code.library.call("vyre_half", [result], FLOAT) if is_half(op) else result

    return emit


def _operator(operator: str) -> Callable[..., Expression]:
    def compute(a: Expression, b: Expression) -> Expression:
        return binary(a, operator, b, a.type)

    return compute


_ZEROS = {
    "0.0": "__longlong_as_double(0)",
    "-0.0": "__longlong_as_double(0x8000000000000000ll)",
    "0.0f": "__int_as_float(0)",
    "-0.0f": "__int_as_float(0x80000000)",
}
"""Zeros by their bits."""


def _divided(a: Expression, b: Expression) -> Expression:
    """Compilers warn of a divisor that they see is zero."""
    divisor = Expression(_ZEROS[b.text], b.type) if b.text in _ZEROS else b
    return binary(a, "/", divisor, a.type)


def _negated(x: Expression) -> Expression:
    return unary("-", x, x.type)


def _function(name: str) -> Callable[..., Expression]:
    def compute(*operands: Expression) -> Expression:
        type = operands[0].type
        return call(function_name(name, operands[0]), list(operands), type)

    return compute


def _exact(compute: Callable[..., Expression]) -> Emitter:
    """An operation that gives halves of halves."""

    def emit(code: ScalarCode, op: Operation, *operands: Expression) -> Expression:
        return compute(*operands)

    return emit


def _own(name: str) -> Emitter:
    """A device function."""

    def emit(code: ScalarCode, op: Operation, *operands: Expression) -> Expression:
        return code.library.call(name, list(operands), operands[0].type)

    return emit


def _multiply_add(code: ScalarCode, op: math.FmaOp, *operands: Expression) -> Expression:
    if is_half(op):
        return code.library.call("vyre_half_fma", list(operands), FLOAT)
    return _function("fma")(*operands)


def _compare(
    code: ScalarCode, op: arith.CmpfOp, a: Expression, b: Expression
) -> Expression:
    """
    Predicates 0 to 7 fail if an operand is a NaN; 8 to 15 hold then: each is what one of
    the others is not. In C++ only `!=` holds of a NaN.
    """
    predicate = op.predicate.value.data
    if predicate in (0, 15):
        return integer_literal(int(predicate == 15), BOOL)
    if predicate in (7, 14):
        nans = [comparison(x, "!=", x) for x in (a, b)]
        unordered = nans[0] if a == b else binary(nans[0], "||", nans[1], BOOL)
        return negation(unordered) if predicate == 7 else unordered
    if predicate == 13:
        return comparison(a, "!=", b)
    if predicate == 6:
        return code.library.call("vyre_unlike", [a, b], a.type)
    if predicate < 6:
        return comparison(a, _PREDICATES[predicate], b)
    if predicate == 8:
        return negation(code.library.call("vyre_unlike", [a, b], a.type))
    return negation(comparison(a, _CONTRARY[_PREDICATES[predicate - 7]], b))


FLOATS: dict[type[Operation], Emitter] = {
    arith.AddfOp: _rounded(_operator("+")),
    arith.SubfOp: _rounded(_operator("-")),
    arith.MulfOp: _rounded(_operator("*")),
    arith.DivfOp: _rounded(_divided),
    math.SqrtOp: _rounded(_function("sqrt")),
    math.FmaOp: _multiply_add,
    # Of halves these give halves.
    arith.NegfOp: _exact(_negated),
    arith.MinimumfOp: _own("vyre_minimum"),
    arith.MaximumfOp: _own("vyre_maximum"),
    arith.MinnumfOp: _own("vyre_minnum"),
    arith.MaxnumfOp: _own("vyre_maxnum"),
    arith.CmpfOp: _compare,
    math.AbsFOp: _exact(_function("fabs")),
    math.CeilOp: _exact(_function("ceil")),
    math.CopySignOp: _own("vyre_copysign"),
    math.FloorOp: _exact(_function("floor")),
    math.RoundEvenOp: _exact(_function("rint")),
    math.RoundOp: _exact(_function("round")),
    math.TruncOp: _exact(_function("trunc")),
}
"""Exactly rounded operations on floats, by what C++ they become."""
