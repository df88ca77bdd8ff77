"""From one scalar type to another, and choice between values of one type."""

from collections.abc import Callable

from llvmlite import ir
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type
from xdsl.ir import Attribute, Operation

from vyre.lowering.llvm import half
from vyre.lowering.llvm.constants import constant
from vyre.lowering.llvm.emitter import Emitter, by, call_intrinsic
from vyre.lowering.llvm.floats import is_half, is_nan
from vyre.lowering.llvm.types import DOUBLE, SINGLE, register_type

_QUIET_NAN = {16: 0x7E00, 32: 0x7FC0_0000, 64: 0x7FF8_0000_0000_0000}
"""What a NaN looks like to a bitcast, by width: positive, quiet, no payload."""


def _result_type(op: Operation) -> ir.Type:
    return register_type(op.results[0].type)


def _constant(builder: ir.IRBuilder, op: arith.ConstantOp) -> ir.Value:
    return constant(op.value)


def _resized(extend: Callable[..., ir.Value]) -> Emitter:
    """The low bits of an integer, or more bits on top of it."""

    def emit(builder: ir.IRBuilder, op: Operation, x: ir.Value) -> ir.Value:
        result = _result_type(op)
        assert isinstance(result, ir.IntType)
        assert isinstance(x.type, ir.IntType)
        if result.width < x.type.width:
            return builder.trunc(x, result)
        return extend(builder, x, result)

    return emit


def _to_integer(intrinsic: str) -> Emitter:
    """Towards zero, saturating at the limits; NaN gives 0."""

    def emit(builder: ir.IRBuilder, op: Operation, x: ir.Value) -> ir.Value:
        result = _result_type(op)
        return call_intrinsic(builder, intrinsic, result, [x], [result, x.type])

    return emit


def _to_float(convert: Callable[..., ir.Value]) -> Emitter:
    """To the nearest float; to half precision by way of single."""

    def emit(builder: ir.IRBuilder, op: Operation, x: ir.Value) -> ir.Value:
        number = convert(builder, x, _result_type(op))
        return half.rounded(builder, number) if is_half(op) else number

    return emit


def to_precision(builder: ir.IRBuilder, x: ir.Value, type: Attribute) -> ir.Value:
    """
    A float in a register, rounded once to the precision of a type.

    Example: `to_precision(builder, double, f16)`
    """
    if isinstance(type, Float16Type):
        narrow = x.type == SINGLE
        return (half.rounded if narrow else half.rounded_from_double)(builder, x)
    if isinstance(type, Float64Type):
        return builder.fpext(x, DOUBLE)
    return builder.fptrunc(x, SINGLE)


def _converted(builder: ir.IRBuilder, op: Operation, x: ir.Value) -> ir.Value:
    if op.operands[0].type == op.results[0].type:
        return x
    return to_precision(builder, x, op.results[0].type)


def _bit_width(type: Attribute) -> int:
    match type:
        case Float16Type():
            return 16
        case Float32Type():
            return 32
        case Float64Type():
            return 64
        case _:
            register = register_type(type)
            assert isinstance(register, ir.IntType)
            return register.width


def _bits(builder: ir.IRBuilder, x: ir.Value, type: Attribute) -> ir.Value:
    """The bits of a value; of a float, every NaN has the same."""
    if isinstance(x.type, ir.IntType):
        return x
    width = _bit_width(type)
    if isinstance(type, Float16Type):
        bits = half.to_bits(builder, x)
    else:
        bits = builder.bitcast(x, ir.IntType(width))
    quiet = ir.Constant(ir.IntType(width), _QUIET_NAN[width])
    return builder.select(is_nan(builder, x), quiet, bits)


def _bitcast(builder: ir.IRBuilder, op: arith.BitcastOp, x: ir.Value) -> ir.Value:
    source, target = op.input.type, op.result.type
    if source == target:
        return x
    bits = _bits(builder, x, source)
    if isinstance(target, Float16Type):
        return half.from_bits(builder, bits)
    return builder.bitcast(bits, register_type(target))


CONVERSIONS: dict[type[Operation], Emitter] = {
    arith.ConstantOp: _constant,
    arith.SelectOp: by(ir.IRBuilder.select),
    arith.BitcastOp: _bitcast,
    arith.IndexCastOp: _resized(ir.IRBuilder.sext),
    arith.ExtSIOp: _resized(ir.IRBuilder.sext),
    arith.ExtUIOp: _resized(ir.IRBuilder.zext),
    arith.TruncIOp: _resized(ir.IRBuilder.sext),
    arith.FPToSIOp: _to_integer("llvm.fptosi.sat"),
    arith.FPToUIOp: _to_integer("llvm.fptoui.sat"),
    arith.SIToFPOp: _to_float(ir.IRBuilder.sitofp),
    arith.UIToFPOp: _to_float(ir.IRBuilder.uitofp),
    arith.ExtFOp: _converted,
    arith.TruncFOp: _converted,
}
"""Conversions, literals and choice, by what LLVM IR they become."""
