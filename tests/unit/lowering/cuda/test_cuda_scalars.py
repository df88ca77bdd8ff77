"""The tables of scalar operations, and the arithmetic that is done on literals."""

from itertools import product

import numpy as np
import pytest
from awkward_values import around_halves
from llvm_kernels import operations
from operations import (
    DTYPES,
    FLOATS,
    WIDTHS,
    as_signed,
    edge_floats,
    edge_integers,
    float_pairs,
    same_floats,
)
from same_bytes import reference

from vyre.lowering.cuda import scalars as cuda
from vyre.lowering.llvm import scalars as llvm
from vyre.passes.evaluation import evaluated, evaluated_floats
from vyre.runtime.scalars import dtype_of

EVALUATED = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "shrsi"),
    *("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui"),
    *("minsi", "maxsi", "minui", "maxui"),
)


def test_no_operation_is_forgotten():
    assert set(cuda.EMITTERS) == set(llvm.EMITTERS)


@pytest.mark.parametrize("name", EVALUATED)
def test_literals_are_computed_with_as_numbers_are(name: str):
    for type, bits in WIDTHS.items():
        [op] = operations(f"%r = arith.{name} %{type}_a, %{type}_b : {type}")
        dtype = dtype_of(op.results[0].type)
        for a, b in product(edge_integers(bits), repeat=2):
            found = evaluated(op, a, b, bits)
            assert found is not None
            operands = (np.array([a]).astype(dtype), np.array([b]).astype(dtype))
            [wanted] = reference(op, operands)
            assert as_signed(found, bits) == as_signed(int(wanted[0]), bits), (a, b, type)


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", ["addf", "subf", "mulf", "divf"])
def test_float_literals_are_computed_with_as_numbers_are(name: str, type: str):
    [op] = operations(f"%r = arith.{name} %{type}_a, %{type}_b : {type}")
    a, b = float_pairs(type)
    found = [evaluated_floats(op, float(x), float(y)) for x, y in zip(a, b)]
    [wanted] = reference(op, (a, b))
    same_floats(np.array(found).astype(DTYPES[type]), wanted)


@pytest.mark.parametrize("type", ["f16", "f32"])
def test_float_literals_are_rounded_once(type: str):
    [op] = operations(f"%r = arith.truncf %f64_a : f64 to {type}")
    values = np.concatenate([edge_floats("f64"), around_halves("f64")[::97]])
    found = [evaluated_floats(op, float(x)) for x in values]
    [wanted] = reference(op, (values,))
    same_floats(np.array(found).astype(DTYPES[type]), wanted)
