"""Launches of a program that run together are a loop over what they pass."""

import re

import numpy as np
import pytest
from cpu_runs import Everywhere

import vyre
from vyre.lowering.llvm.batches import FEW

PROGRAM = """
vyre.program @put [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<40xf32>
  %a = vyre.buffer "a" read_only binding 1 : memref<40xf32>
  %n = vyre.param "n" : f32
  %at = vyre.param "at" : index
  %x = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %is_mine = arith.cmpi eq, %x, %zero : index
  scf.if %is_mine {
    %v = vyre.load %a[%at] : memref<40xf32>
    %s = arith.mulf %v, %n : f32
    vyre.store %s, %out[%at] : memref<40xf32>
  }
}
"""
NUMBERS = ("0.0", "-0.0", "1.5", "-2.0", "0x7F800000", "0.1", "1.5", "3.0")


def waves(count: int, buffers: tuple[str, ...] = ("a",)) -> str:
    """Waves that write an element each, from one of the buffers in turn."""
    lines = [
        f'vyre.wave "w{at}" @put grid [1, 1, 1] after [] with '
        f'{{a = "{buffers[at % len(buffers)]}", '
        f"n = {NUMBERS[at % len(NUMBERS)]} : f32, at = {at} : index}}"
        for at in range(count)
    ]
    return f"{PROGRAM}vyre.megakernel @m {{\n{chr(10).join(lines)}\n}}\n"


def calls(text: str) -> int:
    """Calls of phases that are written."""
    (source,) = vyre.compile(text, engine="cpu").sources.values()
    return len(re.findall(r"call void @\"phase", source))


def check(text: str) -> None:
    names = ("out", "a", "b", "c")
    given = {name: np.arange(40, dtype=np.float32) + n for n, name in enumerate(names)}
    everywhere = Everywhere(text, workers=(1, 3))
    for grid in (1, 5):
        everywhere.check(given, grid=grid)


@pytest.mark.parametrize("count", [2, FEW])
def test_few_are_called_one_by_one(count: int):
    assert calls(waves(count)) == count
    check(waves(count))


@pytest.mark.parametrize("count", [FEW + 1, 30])
def test_many_are_a_loop(count: int):
    assert calls(waves(count)) == 1
    check(waves(count))


def test_what_is_no_literal_is_passed():
    text = waves(30, ("a", "b", "c"))
    assert calls(text) == 3
    check(text)


def test_zeros_with_different_signs_are_different():
    exe = vyre.compile(waves(16), engine="cpu")
    found = exe(out=np.ones(40, np.float32), a=np.ones(40, np.float32), grid=2)["out"]
    assert np.signbit(found[:16]).tolist() == [False, True, False, True, *4 * [False]] * 2
