"""Dispatches that are enqueued one after the other, and end together."""

import time
from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from cuda_devices import EVERY_DEVICE, MakeDevice
from split_cases import A, program

import vyre
from vyre.runtime.config import DispatchConfig
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.errors import Timeout
from vyre.runtime.row import Row

pytestmark = pytest.mark.core

WAITING = program(
    A,
    """
  scf.while : () -> () {
    %v = vyre.load %a[%c0] : memref<?xi32>
    %go = arith.cmpi eq, %v, %i0 : i32
    scf.condition(%go)
  } do {
    scf.yield
  }
""",
)
"""Never ends if the first element is zero."""


def row_of(exe: Any, first: int, timeout: float) -> Row:
    a = np.full(8, first, np.int32)
    return Row(exe, exe.checked({"a": a}), DispatchConfig(timeout=timeout, grid=1), ["a"])


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_all_of_a_batch_are_told_to_end(make_device: MakeDevice):
    """Not one after the other: the first would be waited for behind one that never ends."""
    exe = vyre.compile(WAITING, engine=CudaBackend(make_device()))
    rows = [row_of(exe, first, 0.3) for first in (1, 0, 0, 1)]
    started = time.monotonic()
    with pytest.raises(Timeout):
        Row.submit_all(rows)
    assert time.monotonic() - started < 20
    rows = [row_of(exe, 1, 20.0) for _ in range(3)]
    Row.submit_all(rows)


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_a_long_batch_does_not_fill_the_queue(make_device: MakeDevice):
    exe = vyre.compile(counting(30), engine=CudaBackend(make_device()), mode="split")
    rows = [row_of(exe, 0, 60.0) for _ in range(50)]
    for _ in range(2):
        Row.submit_all(rows)
    found = {"a": np.zeros(8, np.int32)}
    rows[-1].fetch(found, "reused")
    assert found["a"][0] == 60
