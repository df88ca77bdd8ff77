"""The tables of scalar operations, and the arithmetic that is done on literals."""

from itertools import product

import numpy as np
import pytest
from llvm_kernels import operations
from operations import WIDTHS, as_signed, edge_integers
from same_bytes import reference

from vyre.lowering.cuda import scalars as cuda
from vyre.lowering.cuda.evaluation import evaluated
from vyre.lowering.llvm import scalars as llvm
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
