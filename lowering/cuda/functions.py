"""
Functions of `math` that CUDA rounds in its own way.

They are computed in the precision of the operation; halves in single precision, and
rounded once more. Whole powers are computed in double precision, where a large exponent
does not lose the bit that decides about the sign. These are the largest errors that NVIDIA
documents, in units of the last place, from tests that are not exhaustive:

| functions | `float` | `double` |
|---|---|---|
| `cbrt`, `expm1`, `log`, `log1p`, `log2` | 1 | 1 |
| `cosh`, `exp`, `exp2`, `log10`, `rsqrt`, `tanh` | 2 | 1 |
| `atan`, `cos`, `erf`, `sin` | 2 | 2 |
| `acos`, `atan2`, `atanh`, `sinh` | 3 | 2 |
| `asinh` | 3 | 3 |
| `acosh` | 4 | 3 |
| `asin`, `tan` | 4 | 2 |
| `pow` | 9 | 2 |
"""

from xdsl.dialects import math
from xdsl.ir import Operation

from vyre.lowering.cuda.expressions import Expression, call, cast
from vyre.lowering.cuda.floats import function_name, is_half
from vyre.lowering.cuda.scalar_code import Emitter, ScalarCode, as_float, converted
from vyre.lowering.cuda.types import DOUBLE, FLOAT

_LIBRARY: dict[type[Operation], str] = {
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanOp: "atan",
    math.Atan2Op: "atan2",
    math.AtanhOp: "atanh",
    math.CbrtOp: "cbrt",
    math.CosOp: "cos",
    math.CoshOp: "cosh",
    math.ErfOp: "erf",
    math.ExpOp: "exp",
    math.Exp2Op: "exp2",
    math.ExpM1Op: "expm1",
    math.LogOp: "log",
    math.Log10Op: "log10",
    math.Log1pOp: "log1p",
    math.Log2Op: "log2",
    math.PowFOp: "pow",
    math.RsqrtOp: "rsqrt",
    math.SinOp: "sin",
    math.SinhOp: "sinh",
    math.TanOp: "tan",
    math.TanhOp: "tanh",
}
"""What each operation calls, for doubles."""


def _library(name: str) -> Emitter:
    def emit(code: ScalarCode, op: Operation, *operands: Expression) -> Expression:
        type = operands[0].type
        result = call(function_name(name, operands[0]), list(operands), type)
        return code.library.call("vyre_half", [result], FLOAT) if is_half(op) else result

    return emit


def _whole_power(
    code: ScalarCode, op: math.FPowIOp, base: Expression, exponent: Expression
) -> Expression:
    number = as_float(code, op.rhs, exponent, DOUBLE, signed=True)
    result = call("pow", [converted(base, DOUBLE), number], DOUBLE)
    if base.type == DOUBLE:
        return result
    if is_half(op):
        return code.library.call("vyre_half_from_double", [result], FLOAT)
    return cast(result, FLOAT)


FUNCTIONS: dict[type[Operation], Emitter] = {
    **{op: _library(name) for op, name in _LIBRARY.items()},
    math.FPowIOp: _whole_power,
}
"""Functions that engines may round differently, by what C++ they become."""
