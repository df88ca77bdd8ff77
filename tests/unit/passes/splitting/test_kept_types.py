"""Values of every type are kept across a barrier bit by bit, however many share them."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from split_cases import Way, program

pytestmark = pytest.mark.core

NUMBERS: dict[str, NDArray[Any]] = {
    "i1": np.array([True, False, True, True, False, False, True, False]),
    "i8": np.array([-128, 127, -1, 0, 1, 85, -86, 2], np.int8),
    "i16": np.array([-32768, 32767, -1, 0, 1, 0x5555, -0x5556, 2], np.int16),
    "i32": np.array([-(2**31), 2**31 - 1, -1, 0, 1, 1 << 24, 3, 2], np.int32),
    "i64": np.array([-(2**63), 2**63 - 1, -1, 0, 1, 1 << 53, 3, 2], np.int64),
    "index": np.array([-(2**63), 2**63 - 1, -1, 0, 1, 1 << 40, 3, 2], np.int64),
    "f16": np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 6e-8, 65504, 1 / 3], np.float16),
    "f32": np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.4e38, 0.1, 0], np.float32),
    "f64": np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1.7e308, 0.1, 0]),
}


def table(type: str) -> str:
    return f"""
      %v = vyre.buffer "v" read_write binding 0 : memref<?x{type}>
      %out = vyre.buffer "out" read_write binding 1 : memref<?x{type}>
      %mirrored = arith.subi %c7, %x : index
    """


@pytest.mark.parametrize("at", ["%x", "%g", "%c0"])
@pytest.mark.parametrize("type", NUMBERS)
def test_kept(behaves: Way, type: str, at: str):
    """Each invocation, workgroup or the grid has a value, and overwrites its source."""
    code = f"""
      %kept = vyre.load %v[{at}] : memref<?x{type}>
      %other = vyre.load %v[%mirrored] : memref<?x{type}>
      vyre.barrier grid_sync
      vyre.store %other, %v[%x] : memref<?x{type}>
      vyre.store %kept, %out[%x] : memref<?x{type}>
    """
    numbers = NUMBERS[type]
    places = {"%x": range(8), "%g": [0] * 4 + [1] * 4, "%c0": [0] * 8}[at]
    behaves(
        program(table(type), code),
        {"v": numbers, "out": np.zeros_like(numbers)},
        gives={"v": numbers[::-1], "out": numbers[list(places)]},
    )


@pytest.mark.parametrize("type", NUMBERS)
def test_carried_by_a_loop(behaves: Way, type: str):
    """Three trips, each passing the value on to the mirrored invocation and back."""
    code = f"""
      %start = vyre.load %v[%x] : memref<?x{type}>
      %last = scf.for %k = %c0 to %c3 step %c1 iter_args(%c = %start) -> ({type}) {{
        vyre.barrier grid_sync
        vyre.store %c, %v[%mirrored] : memref<?x{type}>
        vyre.barrier grid_sync
        %next = vyre.load %v[%x] : memref<?x{type}>
        scf.yield %next : {type}
      }}
      vyre.store %last, %out[%x] : memref<?x{type}>
    """
    numbers = NUMBERS[type]
    behaves(
        program(table(type), code),
        {"v": numbers, "out": np.zeros_like(numbers)},
        gives={"v": numbers[::-1], "out": numbers[::-1]},
    )


@pytest.mark.parametrize("type", NUMBERS)
def test_chosen_by_a_branch_with_a_barrier(behaves: Way, type: str):
    """The branch gives one value from before its barrier and one from after it."""
    code = f"""
      %n = vyre.param "n" : i1
      %before = vyre.load %v[%x] : memref<?x{type}>
      %one, %two = scf.if %n -> ({type}, {type}) {{
        vyre.barrier grid_sync
        vyre.store %before, %v[%mirrored] : memref<?x{type}>
        vyre.barrier grid_sync
        %after = vyre.load %v[%x] : memref<?x{type}>
        scf.yield %before, %after : {type}, {type}
      }} else {{
        scf.yield %before, %before : {type}, {type}
      }}
      vyre.barrier grid_sync
      vyre.store %one, %out[%x] : memref<?x{type}>
      vyre.store %two, %v[%x] : memref<?x{type}>
    """
    numbers = NUMBERS[type]
    for n in (0, 1):
        behaves(
            program(table(type), code),
            {"v": numbers, "out": np.zeros_like(numbers), "n": n},
            gives={"v": numbers[::-1] if n else numbers, "out": numbers},
        )
