"""Traps of waves say which wave it was, and which of its invocations."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from megakernel_programs import EVERY_ENGINE, MAKERS

import vyre
from vyre import Trapped

FAIL = """
vyre.program @fail [2, 2, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  BARRIER
  %i = vyre.linear_id invocation
  %v = vyre.load %x[%i] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %wrong = arith.cmpi slt, %v, %zero : i32
  scf.if %wrong {
    vyre.trap "negative" at %v : i32
  }
  vyre.store %v, %y[%i] : memref<?xi32>
}
vyre.program @meet [2, 2, 1] {
  vyre.barrier acq_rel
}
vyre.megakernel @m {
  vyre.wave "before" @fail GRID with {x = "b", y = "c"}
  vyre.wave "first" @fail GRID
  vyre.wave "other" @fail GRID with {x = "a", y = "z"}
  vyre.wave "meets" @meet
}
"""


@pytest.mark.parametrize("barrier", ["", "vyre.barrier acq_rel"], ids=["flat", "tiled"])
@pytest.mark.parametrize("grid", ["", "grid [3, 1, 1]"], ids=["as it is", "shared out"])
@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_a_trap_names_its_wave(make: Callable[[], Any], grid: str, barrier: str):
    """It is as the wave's own invocation, whoever of the fused program did its work."""
    text = FAIL.replace("GRID", grid).replace("BARRIER", barrier)
    exe = vyre.compile(vyre.parse(text), engine=make())
    buffers = {name: np.zeros(12, np.int32) for name in "abcxyz"}
    buffers["x"][[7, 10]] = -5
    with pytest.raises(Trapped) as caught:
        exe(buffers, grid=2 if grid else 3)
    error = caught.value
    assert (error.wave, error.invocation, error.value) == ("first", 7, -5)
    assert 'invocation 7 of wave "first" trapped: "negative" at -5' in str(error)
    buffers["x"][:] = 0
    buffers["a"][3] = -1
    with pytest.raises(Trapped, match='invocation 3 of wave "other" trapped'):
        exe(buffers, grid=2 if grid else 3)


def test_of_several_waves_the_smallest_invocation_traps():
    """And of the same invocation of several the first wave, on every engine."""
    text = FAIL.replace("GRID", "grid [3, 1, 1]").replace("BARRIER", "")
    buffers = {name: np.zeros(12, np.int32) for name in "abcxyz"}
    buffers["x"][4] = buffers["a"][4] = -1
    for make in MAKERS.values():
        exe = vyre.compile(vyre.parse(text), engine=make())
        with pytest.raises(Trapped, match='invocation 4 of wave "first" trapped'):
            exe(buffers, grid=3)
