"""Passes on the CUDA engine: fixpoints, and how long they take."""

from typing import Any

import numpy as np
import pytest
from counting_programs import ADD_ONE_UP_TO_3, counting
from cuda_devices import MakeDevice
from cuda_engines import MODES, array, on_every_device
from split_cases import A, program

import vyre
from vyre.runtime.cuda.backend import CudaBackend


@pytest.mark.covering(2)
@on_every_device
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("interval", [None, 1, 2, 3, 5, 100])
@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_passes_are_counted_as_on_the_reference_engine(
    make_device: MakeDevice, mode: Any, interval: int | None, most: int
):
    """It adds one up to 3, so the second pass of two segments is the last that changes."""
    text = counting(2, ADD_ONE_UP_TO_3)
    options: Any = {"fixpoint_iterations": most, "check_interval": interval}
    expected = vyre.compile(text, engine="reference").timed(a=array(), **options)
    exe = vyre.compile(text, engine=CudaBackend(make_device()), mode=mode)
    found = exe.timed(a=array(), **options)
    assert found.report.passes == expected.report.passes
    np.testing.assert_array_equal(found.results["a"], expected.results["a"])


FLOATS = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xTYPE>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xTYPE>
  %minus = arith.negf %v : TYPE
  vyre.store %minus, %a[%i] : memref<?xTYPE>
}
"""


@on_every_device
@pytest.mark.parametrize("dtype", ["f16", "f32", "f64"])
@pytest.mark.parametrize(
    ("value", "passes"), [(np.nan, 2), (0.0, 9), (np.inf, 9), (1.0, 9)]
)
def test_nans_are_alike_and_zeros_are_not(
    make_device: MakeDevice, dtype: str, value: float, passes: int
):
    """Each pass changes the sign: of a NaN that means nothing."""
    exe = vyre.compile(FLOATS.replace("TYPE", dtype), engine=CudaBackend(make_device()))
    a = np.full(300, value, f"f{int(dtype[1:]) // 8}")
    assert exe.timed(a=a, fixpoint_iterations=9).report.passes == passes


@on_every_device
def test_one_element_that_differs_is_enough(make_device: MakeDevice):
    """Also the last of many, of the last of several buffers."""
    text = program(
        A,
        '%b = vyre.buffer "b" read_write binding 2 : memref<?xi8>',
        """
  %n = vyre.length %b, 0 : memref<?xi8>
  %last = arith.subi %n, %c1 : index
  %v = vyre.load %b[%last] : memref<?xi8>
  %i8_1 = arith.constant 1 : i8
  %w = arith.addi %v, %i8_1 : i8
  %is_first = arith.cmpi eq, %x, %c0 : index
  scf.if %is_first {
    vyre.store %w, %b[%last] : memref<?xi8>
  }
""",
    )
    exe = vyre.compile(text, engine=CudaBackend(make_device()))
    b = np.zeros(100_001, np.int8)
    results, report = exe.timed(a=array(), b=b, grid=1, fixpoint_iterations=5)
    assert report.passes == 5
    assert results["b"][-1] == 5


@on_every_device
@pytest.mark.parametrize("mode", MODES)
def test_times(make_device: MakeDevice, mode: Any):
    exe = vyre.compile(counting(3), engine=CudaBackend(make_device()), mode=mode)
    _, report = exe.timed(a=array(), fixpoint_iterations=2, check_interval=None)
    assert report.device is not None
    assert 0 < report.device < 10**10
    assert report.enqueue is not None
    assert report.wait is not None
    assert sum(segment.times.device or 0 for segment in report.segments) == report.device
    assert all(segment.launches == 2 for segment in report.segments)
