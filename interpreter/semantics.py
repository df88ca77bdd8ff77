"""
What each `arith` and `math` operation computes: one table.

A function of the table takes the operation and its operands, one array element per
invocation (or a scalar that all share), and gives its result, or a tuple of results.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation

from vyre.interpreter import floats, integers
from vyre.interpreter.fma import fma
from vyre.interpreter.integers import Array, signed, unsigned, wrapped
from vyre.runtime.scalars import dtype_of

Semantics: TypeAlias = Callable[..., Array | tuple[Array, ...]]


def _result_dtype(op: Operation) -> np.dtype[Any]:
    return dtype_of(op.results[0].type)


def _integer(function: Callable[..., Array], view: Callable[[Array], Array]) -> Semantics:
    """An integer function on operands seen as signed or unsigned, wrapped to the result."""

    def compute(op: Operation, *operands: Array) -> Array:
        return wrapped(function(*map(view, operands)), _result_dtype(op))

    return compute


def _extended(function: Callable[..., tuple[Array, Array]], view: Callable[[Array], Array]):
    """An integer function with two results."""

    def compute(op: Operation, *operands: Array) -> tuple[Array, ...]:
        results = function(*map(view, operands))
        types = [dtype_of(result.type) for result in op.results]
        return tuple(wrapped(x, dtype) for x, dtype in zip(results, types))

    return compute


def _shift(function: Callable[[Array, Array], Array], view: Callable[[Array], Array]):
    """A shift by the amount modulo the width."""

    def compute(op: Operation, x: Array, amount: Array) -> Array:
        within = unsigned(amount) % integers.bits_of(x)
        return wrapped(function(view(x), within.astype(view(x).dtype)), _result_dtype(op))

    return compute


def _float(function: Callable[..., Array]) -> Semantics:
    """An exactly rounded float function; halves are computed in single precision."""

    def compute(op: Operation, *operands: Array) -> Array:
        dtype = _result_dtype(op)
        if dtype == np.float16:
            operands = tuple(x.astype(np.float32) for x in operands)
        return function(*operands).astype(dtype)

    return compute


def _library(function: Callable[..., Array]) -> Semantics:
    """A function that engines may round differently: here in double, then rounded."""

    def compute(op: Operation, *operands: Array) -> Array:
        doubles = map(_quiet_doubles, operands)
        return np.asarray(function(*doubles)).astype(_result_dtype(op))

    return compute


def _quiet_doubles(x: Array) -> Array:
    """
    Numbers in double precision, with one and the same NaN for all: C libraries tell
    signalling ones apart, of which 1 to the power of one is another, and processors differ
    in what they do with them.
    """
    doubles = x.astype(np.float64)
    return np.where(np.isnan(doubles), np.nan, doubles)


def _constant(op: arith.ConstantOp) -> Array:
    return constant(op.value)


def constant(value: Attribute) -> Array:
    """The value of a literal, as a scalar that all invocations share."""
    if isinstance(value, FloatAttr):
        return np.array(value.value.data).astype(dtype_of(value.get_type()))[()]
    assert isinstance(value, IntegerAttr)
    bits = np.array(value.value.data & (2**64 - 1), np.uint64)
    return wrapped(bits, dtype_of(value.get_type()))[()]


_ORDERS = (np.less, np.less_equal, np.greater, np.greater_equal)


def _compare_integers(op: arith.CmpiOp, a: Array, b: Array) -> Array:
    predicate = op.predicate.value.data
    if predicate < 2:
        return (np.equal, np.not_equal)[predicate](a, b)
    view = signed if predicate < 6 else unsigned
    return _ORDERS[(predicate - 2) % 4](view(a), view(b))


_RELATIONS: tuple[Callable[[Array, Array], Array], ...] = (
    lambda a, b: np.not_equal(a, a) & False,
    np.equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
    np.not_equal,
    lambda a, b: np.equal(a, a) | True,
)


def _compare_floats(op: arith.CmpfOp, a: Array, b: Array) -> Array:
    """Predicates 0 to 7 fail if an operand is a NaN; 8 to 15 hold then."""
    predicate = op.predicate.value.data
    unordered = np.isnan(a) | np.isnan(b)
    if predicate < 8:
        return _RELATIONS[predicate](a, b) & ~unordered
    relation = {14: 0, 15: 7}.get(predicate, predicate - 7)
    return _RELATIONS[relation](a, b) | unordered


def _float_to_signed(op: arith.FPToSIOp, x: Array) -> Array:
    dtype = _result_dtype(op)
    bits = 1 if dtype == np.bool_ else 8 * dtype.itemsize
    whole = floats.to_integer(
        x, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, np.dtype(np.int64)
    )
    return wrapped(whole, dtype)


def _float_to_unsigned(op: arith.FPToUIOp, x: Array) -> Array:
    dtype = _result_dtype(op)
    bits = 1 if dtype == np.bool_ else 8 * dtype.itemsize
    return wrapped(floats.to_integer(x, 0, 2**bits - 1, np.dtype(np.uint64)), dtype)


def _integer_to_float(view: Callable[[Array], Array]) -> Semantics:
    """To the nearest float; to half precision by way of single."""

    def compute(op: Operation, x: Array) -> Array:
        dtype = _result_dtype(op)
        number = view(x)
        return (number.astype(np.float32) if dtype == np.float16 else number).astype(dtype)

    return compute


def _bitcast(op: arith.BitcastOp, x: Array) -> Array:
    dtype = _result_dtype(op)
    if x.dtype.kind == "f" and dtype.kind != "f":
        return floats.bits(x, dtype)
    return np.asarray(x).view(dtype)[()]


def _unchanged(x: Array) -> Array:
    return x


def _reciprocal_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


def _select(op: arith.SelectOp, which: Array, a: Array, b: Array) -> Array:
    return np.where(which, a, b)


def _convert(op: Operation, x: Array) -> Array:
    return x.astype(_result_dtype(op))


def _fma(op: math.FmaOp, a: Array, b: Array, c: Array) -> Array:
    return fma(a, b, c)


def _float_power_integer(op: math.FPowIOp, x: Array, n: Array) -> Array:
    return np.power(_quiet_doubles(x), signed(n).astype(np.float64)).astype(x.dtype)


SEMANTICS: dict[type[Operation], Semantics] = {
    arith.ConstantOp: _constant,
    # Integers
    arith.AddiOp: _integer(np.add, signed),
    arith.SubiOp: _integer(np.subtract, signed),
    arith.MuliOp: _integer(np.multiply, signed),
    arith.DivSIOp: _integer(integers.divide_signed, signed),
    arith.DivUIOp: _integer(integers.divide_unsigned, unsigned),
    arith.FloorDivSIOp: _integer(integers.divide_floor, signed),
    arith.CeilDivSIOp: _integer(integers.divide_ceiling_signed, signed),
    arith.CeilDivUIOp: _integer(integers.divide_ceiling_unsigned, unsigned),
    arith.RemSIOp: _integer(integers.remainder_signed, signed),
    arith.RemUIOp: _integer(integers.remainder_unsigned, unsigned),
    arith.MinSIOp: _integer(np.minimum, signed),
    arith.MaxSIOp: _integer(np.maximum, signed),
    arith.MinUIOp: _integer(np.minimum, unsigned),
    arith.MaxUIOp: _integer(np.maximum, unsigned),
    arith.AndIOp: _integer(np.bitwise_and, unsigned),
    arith.OrIOp: _integer(np.bitwise_or, unsigned),
    arith.XOrIOp: _integer(np.bitwise_xor, unsigned),
    arith.ShLIOp: _shift(np.left_shift, unsigned),
    arith.ShRUIOp: _shift(np.right_shift, unsigned),
    arith.ShRSIOp: _shift(np.right_shift, signed),
    arith.CmpiOp: _compare_integers,
    arith.AddUIExtendedOp: _extended(integers.add_extended, _unchanged),
    arith.MulSIExtendedOp: _extended(integers.multiply_extended, signed),
    arith.MulUIExtendedOp: _extended(integers.multiply_extended, unsigned),
    math.AbsIOp: _integer(np.abs, signed),
    math.CountLeadingZerosOp: _integer(integers.leading_zeros, _unchanged),
    math.CountTrailingZerosOp: _integer(integers.trailing_zeros, _unchanged),
    math.CtPopOp: _integer(np.bitwise_count, unsigned),
    math.IPowIOp: _integer(integers.power, signed),
    # Floats, exactly rounded on every engine
    arith.AddfOp: _float(np.add),
    arith.SubfOp: _float(np.subtract),
    arith.MulfOp: _float(np.multiply),
    arith.DivfOp: _float(np.divide),
    arith.NegfOp: _float(np.negative),
    arith.MinimumfOp: _float(floats.minimum),
    arith.MaximumfOp: _float(floats.maximum),
    arith.MinnumfOp: _float(floats.minimum_number),
    arith.MaxnumfOp: _float(floats.maximum_number),
    arith.CmpfOp: _compare_floats,
    math.AbsFOp: _float(np.abs),
    math.CeilOp: _float(np.ceil),
    math.CopySignOp: _float(floats.copy_sign),
    math.FloorOp: _float(np.floor),
    math.FmaOp: _fma,
    math.RoundEvenOp: _float(np.rint),
    math.RoundOp: _float(floats.round_half_away),
    math.SqrtOp: _float(np.sqrt),
    math.TruncOp: _float(np.trunc),
    # Floats, where engines may differ in the last places
    math.AcosOp: _library(np.arccos),
    math.AcoshOp: _library(np.arccosh),
    math.AsinOp: _library(np.arcsin),
    math.AsinhOp: _library(np.arcsinh),
    math.AtanOp: _library(np.arctan),
    math.Atan2Op: _library(np.arctan2),
    math.AtanhOp: _library(np.arctanh),
    math.CbrtOp: _library(np.cbrt),
    math.CosOp: _library(np.cos),
    math.CoshOp: _library(np.cosh),
    math.ErfOp: _library(floats.error_function),
    math.ExpOp: _library(np.exp),
    math.Exp2Op: _library(np.exp2),
    math.ExpM1Op: _library(np.expm1),
    math.FPowIOp: _float_power_integer,
    math.LogOp: _library(np.log),
    math.Log10Op: _library(np.log10),
    math.Log1pOp: _library(np.log1p),
    math.Log2Op: _library(np.log2),
    math.PowFOp: _library(np.power),
    math.RsqrtOp: _library(_reciprocal_root),
    math.SinOp: _library(np.sin),
    math.SinhOp: _library(np.sinh),
    math.TanOp: _library(np.tan),
    math.TanhOp: _library(np.tanh),
    # Conversions and choice
    arith.SelectOp: _select,
    arith.BitcastOp: _bitcast,
    arith.IndexCastOp: _integer(_unchanged, signed),
    arith.ExtSIOp: _integer(_unchanged, signed),
    arith.ExtUIOp: _integer(_unchanged, unsigned),
    arith.TruncIOp: _integer(_unchanged, signed),
    arith.FPToSIOp: _float_to_signed,
    arith.FPToUIOp: _float_to_unsigned,
    arith.SIToFPOp: _integer_to_float(signed),
    arith.UIToFPOp: _integer_to_float(unsigned),
    arith.ExtFOp: _convert,
    arith.TruncFOp: _convert,
}
"""The meaning of every pure operation of `arith` and `math`."""
