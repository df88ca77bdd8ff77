"""Arithmetic on literals, with the results that the language defines."""

from collections.abc import Callable
from operator import add, mul, sub

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float16Type, Float64Type
from xdsl.ir import Operation

Evaluate = Callable[[int, int], int]


def _quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _floor(a: int, b: int) -> int:
    return -1 if b == 0 else a // b


def _ceiling(a: int, b: int) -> int:
    return -1 if b == 0 else -(-a // b)


def _remainder(a: int, b: int) -> int:
    return 0 if b == 0 else a - _quotient(a, b) * b


_SIGNED: dict[type[Operation], Evaluate] = {
    arith.AddiOp: add,
    arith.SubiOp: sub,
    arith.MuliOp: mul,
    arith.AndIOp: int.__and__,
    arith.OrIOp: int.__or__,
    arith.XOrIOp: int.__xor__,
    arith.DivSIOp: _quotient,
    arith.FloorDivSIOp: _floor,
    arith.CeilDivSIOp: _ceiling,
    arith.RemSIOp: _remainder,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
}
_UNSIGNED: dict[type[Operation], Evaluate] = {
    arith.DivUIOp: _quotient,
    arith.CeilDivUIOp: _ceiling,
    arith.RemUIOp: _remainder,
    arith.MinUIOp: min,
    arith.MaxUIOp: max,
}


def evaluated(op: Operation, a: int, b: int, bits: int) -> int | None:
    """
    What an operation gives for two signed numbers of so many bits, or a number that wraps
    to it; None if it is not one of these.

    Example: `evaluated(divsi, 7, -2, 32)` is -3.
    """
    natural = a % 2**bits, b % 2**bits
    match op:
        case arith.ShLIOp():
            return a << natural[1] % bits
        case arith.ShRSIOp():
            return a >> natural[1] % bits
        case arith.ShRUIOp():
            return natural[0] >> natural[1] % bits
        case _ if type(op) in _SIGNED:
            return _SIGNED[type(op)](a, b)
        case _ if type(op) in _UNSIGNED:
            return _UNSIGNED[type(op)](*natural)
        case _:
            return None


_FLOATS: dict[type[Operation], np.ufunc] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
}


def evaluated_floats(op: Operation, *operands: float) -> float | None:
    """
    What an operation gives for floats of its type; None if it is not one of these. Halves
    are computed in single precision.

    Example: `evaluated_floats(divf, 1.0, 0.0)` is infinity.
    """
    type_ = op.results[0].type
    wide = np.float64 if isinstance(type_, Float64Type) else np.float32
    with np.errstate(all="ignore"):
        if isinstance(op, arith.TruncFOp):
            found = np.float64(operands[0])
        elif type(op) in _FLOATS:
            found = _FLOATS[type(op)](*(wide(operand) for operand in operands))
        else:
            return None
        narrow = np.float16 if isinstance(type_, Float16Type) else wide
        return float(narrow(found))
