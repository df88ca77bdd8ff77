"""
Functions of `math` that CUDA has its own of, against the reference engine.

Here the host's C library computes them. That says whether the right function is called with
the right operands, not how exact CUDA's are.
"""

import numpy as np
import pytest
from awkward_values import Array, edges
from cuda_kernels import computed
from llvm_kernels import operations
from operations import DTYPES, FLOATS, WIDTHS
from same_bytes import reference
from xdsl.dialects import math

from vyre.lowering.cuda.functions import FUNCTIONS

OF_TWO = (math.Atan2Op, math.PowFOp)
OF_ONE = [op for op in FUNCTIONS if op not in (*OF_TWO, math.FPowIOp)]


def usual(type: str, seed: int) -> Array:
    """Where most functions do something interesting, and special values."""
    generator = np.random.default_rng(seed)
    spans = [(-1, 1), (0, 3), (-8, 8), (0, 100), (-750, 750)]
    numbers = np.concatenate([generator.uniform(*span, 400) for span in spans])
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
    return np.concatenate([numbers, special]).astype(DTYPES[type])


def assert_close(bodies: list[str], operands: list[tuple[Array, ...]]) -> None:
    ops = operations(*bodies)
    for body, op, given, found in zip(bodies, ops, operands, computed(bodies, operands)):
        [wanted] = reference(op, given)
        units = 3 if wanted.dtype != np.float64 else 40
        with np.errstate(all="ignore"):
            near = units * np.spacing(np.abs(wanted))
            close = np.abs(found[0] - wanted) <= near
            close |= (found[0] == wanted) | (np.isnan(found[0]) & np.isnan(wanted))
        assert close.all(), (body, [x[~close][:3] for x in given], found[0][~close][:3])


def test_functions_of_one_operand():
    for type in FLOATS:
        bodies = [f"%r = {op.name} %{type}_a : {type}" for op in OF_ONE]
        assert_close(bodies, [(usual(type, 1),)] * len(bodies))


def test_functions_of_two_operands():
    bodies = [f"%r = {op.name} %{t}_a, %{t}_b : {t}" for t in FLOATS for op in OF_TWO]
    pairs = [(usual(t, 2), usual(t, 3)) for t in FLOATS for _ in OF_TWO]
    assert_close(bodies, pairs)


@pytest.mark.parametrize("type", FLOATS)
def test_whole_powers(type: str):
    """Also of exponents that single precision does not hold, which decide about signs."""
    bodies = [f"%r = math.fpowi %{type}_a, %{e}_b : {type}, {e}" for e in WIDTHS]
    bases = np.array([-1.0, -2.0, 0.5, 1.0, 0.0, 3.0]).astype(DTYPES[type])
    exponents = [edges(e) for e in WIDTHS]
    exponents = [e[np.abs(e.astype(np.float64)) < 2**53] for e in exponents]
    assert_close(
        bodies,
        [(np.repeat(bases, len(e)), np.tile(e, len(bases))) for e in exponents],
    )
