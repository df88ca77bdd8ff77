"""Integer arithmetic as CUDA C++, against the reference engine."""

import numpy as np
import pytest
from cuda_devices import host_device
from cuda_kernels import check_operations, kernel_of, program_in, run_kernel
from operations import WIDTHS
from scalar_bodies import (
    BINARY_INTEGER,
    UNARY_INTEGER,
    WHOLE_PRODUCTS,
    binary_integers,
    comparisons,
    powers,
    unary_integers,
    whole_products,
    wrapping_sums,
)

import vyre
from vyre.lowering.cuda.programs import USUAL


@pytest.mark.parametrize("name", BINARY_INTEGER)
def test_arithmetic(name: str):
    check_operations(binary_integers(name))


@pytest.mark.parametrize("name", WHOLE_PRODUCTS)
def test_whole_products(name: str):
    check_operations(whole_products(name))


def test_sums_that_tell_whether_they_wrapped():
    check_operations(wrapping_sums())


@pytest.mark.parametrize("name", UNARY_INTEGER)
def test_functions(name: str):
    check_operations(unary_integers(name))


def test_powers():
    check_operations(powers())


@pytest.mark.parametrize("type", WIDTHS)
def test_comparisons(type: str):
    check_operations(comparisons(type))


LONG = f"""
  %most = arith.constant {2**50 - 1} : index
  %dividend = arith.andi %x, %most : index"""
SHORT = "%dividend = arith.addi %i, %seven : index"
POSITIVE = """
  %low = arith.andi %y, %seven : index
  %divisor = arith.addi %low, %one : index"""
LARGE = f"""
  %large = arith.constant {2**40 - 1} : index
  %some = arith.andi %y, %large : index
  %divisor = arith.addi %some, %one : index"""
NATURAL = "%divisor = arith.andi %y, %seven : index"
ANY = "%divisor = arith.addi %y, %one : index"


@pytest.mark.parametrize(
    ("dividend", "divisor"),
    [(LONG, POSITIVE), (SHORT, POSITIVE), (SHORT, LARGE), (SHORT, NATURAL), (SHORT, ANY)],
    ids=["long", "short", "by long", "by zero", "by any"],
)
def test_divisions_of_what_is_known(dividend: str, divisor: str):
    """Operands that fit 32 bits are divided in 32 bits, and none that do not."""
    names = ["divui", "remui", "divsi", "remsi", "ceildivui"]
    results = "".join(
        f"""
  %r{k} = vyre.buffer "r{k}" write_only binding {k + 2} : memref<8xindex>"""
        for k in range(len(names))
    )
    code = "".join(
        f"""
  %q{k} = arith.{name} %dividend, %divisor : index
  vyre.store %q{k}, %r{k}[%i] : memref<8xindex>"""
        for k, name in enumerate(names)
    )
    text = f"""vyre.program @p [8, 1, 1] {{
  %a = vyre.buffer "a" read_only binding 0 : memref<8xindex>
  %b = vyre.buffer "b" read_only binding 1 : memref<8xindex>{results}
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<8xindex>
  %y = vyre.load %b[%i] : memref<8xindex>
  {dividend}
  {divisor}{code}
}}"""
    values = {f"r{k}": np.zeros(8, np.int64) for k in range(len(names))}
    values["a"] = np.array([0, 1, 2**32 - 1, 2**32, 2**33 + 5, 2**50 - 1, 2**40, 77])
    values["b"] = np.array([0, 1, 2**32, 8, 2**33 + 2, -3, -1, 7])
    wanted = vyre.compile(text, engine="reference")(values, grid=1)
    kernel = kernel_of(program_in(text), USUAL)
    found = run_kernel(kernel, values, (1, 1, 1), host_device())
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array, name)
