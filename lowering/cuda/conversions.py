"""From one scalar type to another, and choice between values of one type."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, Float16Type, Float64Type
from xdsl.ir import Operation

from vyre.lowering.cuda.expressions import (
    Expression,
    binary,
    call,
    comparison,
)
from vyre.lowering.cuda.floats import is_half
from vyre.lowering.cuda.literals import float_literal, integer_literal, literal
from vyre.lowering.cuda.scalar_code import (
    Emitter,
    ScalarCode,
    as_float,
    chosen_of,
    converted,
)
from vyre.lowering.cuda.types import (
    DOUBLE,
    FLOAT,
    HALF_BITS,
    INT,
    LONG,
    SIGNED,
    UINT,
    UNSIGNED,
    integer_type,
    register_type,
    width,
)


def _constant(code: ScalarCode, op: arith.ConstantOp) -> Expression:
    return literal(op.value)


def _select(
    code: ScalarCode, op: arith.SelectOp, which: Expression, a: Expression, b: Expression
) -> Expression:
    type = a.type if a.type == b.type else register_type(op.result.type)
    for one, other in ((b, a), (a, b)):
        # A value may have fewer bits than its type, a literal then may need more.
        is_as_wide = one.type.bits == type.bits
        if other.number is not None and (is_as_wide or 0 <= other.number < 2**32):
            type = one.type
    return chosen_of(which, a, b, type)


def _resized(*, signed: bool) -> Emitter:
    """The low bits of an integer, or more bits on top of it."""

    def emit(code: ScalarCode, op: Operation, x: Expression) -> Expression:
        source, target = width(op.operands[0].type), width(op.results[0].type)
        if target == 1 and source > 1:
            one = integer_literal(1, x.type)
            return comparison(binary(x, "&", one, x.type), "!=", integer_literal(0, x.type))
        if source == 1:
            return _extended_bit(x, target, signed=signed)
        if source == target:
            return x
        if target < source:
            return converted(x, UNSIGNED[target])
        is_natural = code.numbers.is_natural(op.operands[0])
        is_signed = signed and not is_natural
        own = integer_type(source, signed=is_signed)
        number = converted(x, own)
        if source == 32 and is_natural and number.type == UINT and number.number is None:
            return number  # As short as it was: C++ widens it where it has to.
        return converted(number, integer_type(target, signed=is_signed))

    return emit


def _extended_bit(x: Expression, bits: int, *, signed: bool) -> Expression:
    """A bit that is set is -1 as a signed number."""
    if bits == 1:
        return x
    type = integer_type(bits, signed=signed)
    one = integer_literal(-1 if signed else 1, type)
    return chosen_of(x, one, integer_literal(0, type), type)


def _to_integer(*, signed: bool) -> Emitter:
    """Towards zero, saturating at the limits; NaN gives 0."""

    def emit(code: ScalarCode, op: Operation, x: Expression) -> Expression:
        bits = width(op.results[0].type)
        if bits == 1:
            limit = float_literal(-1.0 if signed else 1.0, x.type)
            return comparison(x, "<=" if signed else ">=", limit)
        suffix = integer_type(max(32, bits), signed=signed)
        name = code.library.use(f"vyre_to_{'i' if signed else 'u'}{bits}", x.type)
        return converted(call(name, [x], suffix), integer_type(bits, signed=signed))

    return emit


def _to_float(*, signed: bool) -> Emitter:
    """To the nearest float; to half precision by way of single."""

    def emit(code: ScalarCode, op: Operation, x: Expression) -> Expression:
        type = register_type(op.results[0].type)
        number = as_float(code, op.operands[0], x, type, signed=signed)
        return code.library.call("vyre_half", [number], FLOAT) if is_half(op) else number

    return emit


def _to_precision(code: ScalarCode, op: Operation, x: Expression) -> Expression:
    """A float of another precision, rounded once."""
    source, target = op.operands[0].type, op.results[0].type
    if source == target:
        return x
    if isinstance(target, Float16Type):
        name = "vyre_half_from_double" if isinstance(source, Float64Type) else "vyre_half"
        return code.library.call(name, [x], FLOAT)
    return converted(x, register_type(target))


def _bitcast(code: ScalarCode, op: arith.BitcastOp, x: Expression) -> Expression:
    """Of a float, every NaN has the same bits."""
    source, target = op.input.type, op.result.type
    if source == target or not (
        isinstance(source, AnyFloat) or isinstance(target, AnyFloat)
    ):
        return x
    if isinstance(source, AnyFloat):
        if isinstance(source, Float16Type):
            return call(code.library.use("vyre_half_bits"), [x], HALF_BITS)
        type = SIGNED[x.type.bits]
        name = "vyre_bits_f64" if x.type == DOUBLE else "vyre_bits_f32"
        return code.library.call(name, [x], type)
    if isinstance(target, Float16Type):
        return code.library.call("vyre_from_half", [converted(x, HALF_BITS)], FLOAT)
    is_double = isinstance(target, Float64Type)
    make = "__longlong_as_double" if is_double else "__int_as_float"
    operand = converted(x, LONG if is_double else INT)
    return call(make, [operand], DOUBLE if is_double else FLOAT)


CONVERSIONS: dict[type[Operation], Emitter] = {
    arith.ConstantOp: _constant,
    arith.SelectOp: _select,
    arith.BitcastOp: _bitcast,
    arith.IndexCastOp: _resized(signed=True),
    arith.ExtSIOp: _resized(signed=True),
    arith.ExtUIOp: _resized(signed=False),
    arith.TruncIOp: _resized(signed=True),
    arith.FPToSIOp: _to_integer(signed=True),
    arith.FPToUIOp: _to_integer(signed=False),
    arith.SIToFPOp: _to_float(signed=True),
    arith.UIToFPOp: _to_float(signed=False),
    arith.ExtFOp: _to_precision,
    arith.TruncFOp: _to_precision,
}
"""Conversions, literals and choice, by what C++ they become."""
