"""Native functions from the C library, against the reference engine."""

import numpy as np
import pytest
from awkward_values import Array, columns
from llvm_kernels import MACHINES, compiled, operations
from llvmlite import binding
from numpy.typing import NDArray
from operations import DTYPES, FLOATS, WIDTHS
from same_bytes import reference
from xdsl.dialects import math
from xdsl.ir import Operation

from vyre.lowering.llvm.functions import LIBRARY

OF_TWO = (math.Atan2Op, math.PowFOp)
OF_ONE = [op for op in LIBRARY if op not in (*OF_TWO, math.FPowIOp)]


def places(x: Array) -> NDArray[np.uint64]:
    """Floats as whole numbers that count them, from the most negative on."""
    width = 8 * x.dtype.itemsize
    bits = x.view(f"u{width // 8}").astype(np.uint64)
    middle = np.uint64(1 << (width - 1))
    return np.where(bits >= middle, middle - (bits - middle), bits + middle)


def units_apart(found: Array, wanted: Array) -> Array:
    """Units in the last place; a NaN is far from every number, and -0 from +0."""
    a, b = places(found), places(wanted)
    apart = (np.maximum(a, b) - np.minimum(a, b)).astype(np.float64)
    zeros = (found == 0) & (wanted == 0)
    unlike = zeros & (np.signbit(found) != np.signbit(wanted))
    unlike |= np.isnan(found) != np.isnan(wanted)
    return np.where(np.isnan(found) & np.isnan(wanted), 0, np.where(unlike, np.inf, apart))


def usual(type: str) -> Array:
    """Where most functions do something interesting."""
    generator = np.random.default_rng(8)
    spans = [(-1, 1), (0, 3), (-8, 8), (0, 100), (-750, 750)]
    return np.concatenate([generator.uniform(*span, 999) for span in spans]).astype(
        DTYPES[type]
    )


def assert_close(machine: str, function: type[Operation], body: str) -> None:
    [op], [kernel] = operations(body), compiled(machine, body)
    types = [str(operand.type) for operand in op.operands]
    operands = list(columns(*types))
    operands[0] = np.concatenate([operands[0], usual(types[0])])
    for n in range(1, len(types)):
        more = np.random.default_rng(9).permutation(usual("f64")).astype(DTYPES[types[n]])
        operands[n] = np.concatenate([operands[n], more])
    [found], [wanted] = kernel(operands, len(operands[0])), reference(op, operands)
    apart = units_apart(found, wanted)
    worst = int(np.argmax(apart))
    units = LIBRARY[function].units if types[0] == "f64" else 1
    given = [x[worst] for x in operands]
    assert apart[worst] <= units, (body, given, found[worst], wanted[worst])
    if types[0] != "f64":
        # Double precision decides the last place of single in all but rare cases.
        assert np.count_nonzero(apart) <= 2


@pytest.mark.covering(1)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", OF_ONE, ids=lambda op: op.name)
def test_functions_of_one_operand(machine: str, function: type[Operation]):
    for type in FLOATS:
        assert_close(machine, function, f"%r = {function.name} %{type}_a : {type}")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("function", OF_TWO, ids=lambda op: op.name)
def test_functions_of_two_operands(machine: str, function: type[Operation]):
    for t in FLOATS:
        assert_close(machine, function, f"%r = {function.name} %{t}_a, %{t}_b : {t}")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("type", FLOATS)
def test_whole_powers(machine: str, type: str):
    for exponent in WIDTHS:
        body = f"%r = math.fpowi %{type}_a, %{exponent}_b : {type}, {exponent}"
        assert_close(machine, math.FPowIOp, body)


def test_every_function_is_in_the_process():
    for function in LIBRARY.values():
        assert binding.address_of_symbol(function.symbol), function.symbol
