"""Conversions, literals and choice as CUDA C++, against the reference engine."""

import numpy as np
import pytest
from cuda_devices import host_device
from cuda_kernels import check_operations
from operations import FLOATS, WIDTHS
from scalar_bodies import (
    bitcasts,
    choices,
    float_casts,
    float_literals,
    integer_casts,
    integer_literals,
)

import vyre
from vyre.runtime.cuda.backend import CudaBackend


def test_integers():
    check_operations(integer_casts())


def test_floats():
    check_operations(float_casts())


def test_bits():
    check_operations(bitcasts())


def test_choice():
    check_operations(choices())


CHOICE = """
vyre.program @choose [4, 1, 1] {{
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" read_write binding 1 : memref<?xi64>
  %takes_first = vyre.param "takes_first" : i1
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  %five = arith.constant 5 : i32
  %rest = arith.remui %v, %five : i32
  %short = arith.extui %rest : i32 to i64
  %long = arith.constant {number} : i64
  %chosen = arith.select %takes_first, {arms} : i64
  vyre.store %chosen, %out[%i] : memref<?xi64>
}}
"""


@pytest.mark.parametrize("arms", ["%long, %short", "%short, %long"])
@pytest.mark.parametrize("number", [-(2**63), -3 * 2**60, -1, 0, 2**32 - 1, 2**32])
def test_choice_between_a_short_value_and_a_long_literal(number: int, arms: str):
    """A value that is known to be short has 32 bits, also if its type has 64."""
    text = CHOICE.format(number=number, arms=arms)
    exe = vyre.compile(text, engine=CudaBackend(host_device()))
    a = np.arange(4, dtype=np.int32)
    for takes_first in (False, True):
        found = exe(a=a, out=np.zeros(4, np.int64), takes_first=takes_first)["out"]
        is_long = takes_first == arms.startswith("%long")
        assert found.tolist() == ([number] * 4 if is_long else a.tolist())


@pytest.mark.parametrize("type", WIDTHS)
def test_integer_literals(type: str):
    check_operations(integer_literals(type))


@pytest.mark.parametrize("type", FLOATS)
def test_float_literals(type: str):
    check_operations(float_literals(type))
