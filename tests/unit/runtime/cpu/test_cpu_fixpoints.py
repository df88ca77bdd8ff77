"""Fixpoints in native code make as many passes as everywhere, also over NaNs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cpu_runs import CPUS, MODES, differing
from numpy.typing import NDArray

import vyre

Array = NDArray[Any]


def step(type: str, code: str) -> str:
    """A program that computes `%w` from each element `%v`, with scratch on its way."""
    return f"""
vyre.program @p [4, 1, 1] {{
  %a = vyre.buffer "a" read_write binding 0 : memref<?x{type}>
  %n = vyre.length %a, 0 : memref<?x{type}>
  %x = vyre.invocation_id x
  %inside = arith.cmpi ult, %x, %n : index
  %v = vyre.load %a[%x] : memref<?x{type}>
  vyre.barrier grid_sync
  scf.if %inside {{
    {code}
    vyre.store %w, %a[%x] : memref<?x{type}>
  }}
}}"""


def halves(type: str) -> str:
    return f"%half = arith.constant 0.5 : {type}\n%w = arith.mulf %v, %half : {type}"


def or_nan(dtype: Any) -> Callable[[np.random.Generator, int], Array]:
    def make(rng: np.random.Generator, size: int) -> Array:
        small = rng.random(size) * np.finfo(dtype).tiny
        return np.where(rng.random(size) < 0.5, np.nan, small).astype(dtype)

    return make


CASES: dict[str, tuple[str, Callable[[np.random.Generator, int], Array]]] = {
    "i32": (
        step("i32", "%two = arith.constant 2 : i32\n%w = arith.divsi %v, %two : i32"),
        lambda rng, size: rng.integers(-(2**31), 2**31 - 1, size).astype(np.int32),
    ),
    "i1": (
        step("i1", "%yes = arith.constant true\n%w = arith.xori %v, %yes : i1"),
        lambda rng, size: rng.random(size) < 0.5,
    ),
    "f16": (step("f16", halves("f16")), or_nan(np.float16)),
    "f32": (step("f32", halves("f32")), or_nan(np.float32)),
    "f64, signs of NaNs": (
        step("f64", "%w = arith.negf %v : f64"),
        lambda rng, size: np.full(size, np.nan),
    ),
    "f64, signs of zeros": (
        step("f64", "%w = arith.negf %v : f64"),
        lambda rng, size: np.zeros(size),
    ),
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("name", CASES)
def test_passes_are_counted_alike(name: str):
    text, make = CASES[name]
    reference = vyre.compile(text, engine="reference")
    exes = {
        (workers, mode): vyre.compile(text, engine=CPUS[workers], mode=mode)
        for workers, mode in zip((1, 2, 3, 8), (*MODES, *MODES))
    }
    for size in (0, 1, 37):
        array = make(np.random.default_rng(size), size)
        for most in (1, 2, 3, 4, 40):
            for interval in (None, 1, 2, 3):
                options: dict[str, Any] = {
                    "fixpoint_iterations": most,
                    "check_interval": interval,
                }
                wanted = reference.timed(a=array, grid=10, **options)
                for key, exe in exes.items():
                    found = exe.timed(a=array, grid=10, **options)
                    assert found.report.passes == wanted.report.passes, (key, options)
                    assert not differing(found.results, wanted.results), (key, options)


def test_a_bound_fixpoint_starts_anew_each_time():
    text, _ = CASES["i32"]
    array = np.array([1000, -7, 0], np.int32)
    bound = vyre.compile(text, engine=CPUS[3]).bind(a=array, fixpoint_iterations=40)
    for start in (1000, 3, 0):
        array[:] = start
        bound()
        assert not array.any()
