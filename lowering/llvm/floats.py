"""
Float arithmetic that every engine rounds alike: IEEE, to nearest, one rounding each.

No operation carries a fast-math flag, so LLVM neither contracts nor reorders. Where the
machine has no instruction for a function, LLVM calls that of the C library: `fma` and
`fmaf` without FMA, `floor`, `ceil`, `trunc`, `rint` and `round` without SSE 4.1. All of
them are exact.
"""

from collections.abc import Callable

from llvmlite import ir
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float16Type
from xdsl.ir import Operation

from vyre.lowering.llvm import half
from vyre.lowering.llvm.emitter import Emitter, by, call_intrinsic

_PREDICATES = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 6: "!="}


def is_half(op: Operation) -> bool:
    """Whether the result is a half, which is computed in single precision."""
    return isinstance(op.results[0].type, Float16Type)


def is_nan(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    """
    Whether a float is not a number.

    Example: `builder.select(is_nan(builder, x), zero, x)`
    """
    return builder.fcmp_unordered("uno", x, x)


def _rounded(compute: Callable[..., ir.Value]) -> Emitter:
    """An operation whose result may not be a half where its operands are."""

    def emit(builder: ir.IRBuilder, op: Operation, *operands: ir.Value) -> ir.Value:
        result = compute(builder, *operands)
        return half.rounded(builder, result) if is_half(op) else result

    return emit


def _intrinsic(name: str) -> Callable[..., ir.Value]:
    def compute(builder: ir.IRBuilder, *operands: ir.Value) -> ir.Value:
        return call_intrinsic(builder, name, operands[0].type, operands)

    return compute


def _number(name: str) -> Emitter:
    """The smaller or the larger; a number wins over a NaN."""
    choose = _intrinsic(name)

    def emit(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        chosen = builder.select(is_nan(builder, b), a, choose(builder, a, b))
        return builder.select(is_nan(builder, a), b, chosen)

    return by(emit)


def _copy_sign(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
    """A NaN has no sign; it counts as positive."""
    sign = builder.select(is_nan(builder, b), ir.Constant(b.type, 0.0), b)
    return _intrinsic("llvm.copysign")(builder, a, sign)


def _multiply_add(
    builder: ir.IRBuilder, op: math.FmaOp, a: ir.Value, b: ir.Value, c: ir.Value
) -> ir.Value:
    if is_half(op):
        return half.multiply_add(builder, a, b, c)
    return builder.fma(a, b, c)


def _compare(builder: ir.IRBuilder, op: arith.CmpfOp, a: ir.Value, b: ir.Value) -> ir.Value:
    """Predicates 0 to 7 fail if an operand is a NaN; 8 to 15 hold then."""
    predicate = op.predicate.value.data
    if predicate in (0, 15):
        return ir.Constant(ir.IntType(1), int(predicate == 15))
    if predicate in (7, 14):
        return builder.fcmp_ordered("ord" if predicate == 7 else "uno", a, b)
    if predicate < 7:
        return builder.fcmp_ordered(_PREDICATES[predicate], a, b)
    return builder.fcmp_unordered(_PREDICATES[predicate - 7], a, b)


FLOATS: dict[type[Operation], Emitter] = {
    arith.AddfOp: _rounded(ir.IRBuilder.fadd),
    arith.SubfOp: _rounded(ir.IRBuilder.fsub),
    arith.MulfOp: _rounded(ir.IRBuilder.fmul),
    arith.DivfOp: _rounded(ir.IRBuilder.fdiv),
    math.SqrtOp: _rounded(_intrinsic("llvm.sqrt")),
    math.FmaOp: _multiply_add,
    # Of halves these give halves.
    arith.NegfOp: by(ir.IRBuilder.fneg),
    arith.MinimumfOp: by(_intrinsic("llvm.minimum")),
    arith.MaximumfOp: by(_intrinsic("llvm.maximum")),
    arith.MinnumfOp: _number("llvm.minimum"),
    arith.MaxnumfOp: _number("llvm.maximum"),
    arith.CmpfOp: _compare,
    math.AbsFOp: by(_intrinsic("llvm.fabs")),
    math.CeilOp: by(_intrinsic("llvm.ceil")),
    math.CopySignOp: by(_copy_sign),
    math.FloorOp: by(_intrinsic("llvm.floor")),
    math.RoundEvenOp: by(_intrinsic("llvm.rint")),
    math.RoundOp: by(_intrinsic("llvm.round")),
    math.TruncOp: by(_intrinsic("llvm.trunc")),
}
"""Exactly rounded operations on floats, by what LLVM IR they become."""
