"""Multiply and add with one rounding, and library functions."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operations import (
    DTYPES,
    rounded,
    run,
)

from vyre.interpreter.fma import fma

finite_doubles = st.floats(allow_nan=False, allow_infinity=False)
finite_singles = st.floats(allow_nan=False, allow_infinity=False, width=32)
finite_halves = st.floats(allow_nan=False, allow_infinity=False, width=16)


def exact_fma(a: float, b: float, c: float) -> Fraction:
    return Fraction(a) * Fraction(b) + Fraction(c)


@settings(max_examples=400, deadline=None)
@given(finite_doubles, finite_doubles, finite_doubles)
def test_fma_rounds_once_in_double(a: float, b: float, c: float):
    with np.errstate(all="ignore"):
        found = fma(np.float64(a), np.float64(b), np.float64(c))
    assert float(found) == float(rounded(exact_fma(a, b, c), "f64"))


@settings(max_examples=400, deadline=None)
@given(finite_singles, finite_singles, finite_singles)
def test_fma_rounds_once_in_single(a: float, b: float, c: float):
    with np.errstate(all="ignore"):
        found = fma(np.float32(a), np.float32(b), np.float32(c))
    assert float(found) == float(rounded(exact_fma(a, b, c), "f32"))


@settings(max_examples=200, deadline=None)
@given(finite_halves, finite_halves, finite_halves)
def test_fma_rounds_once_in_half(a: float, b: float, c: float):
    with np.errstate(all="ignore"):
        found = fma(np.float16(a), np.float16(b), np.float16(c))
    assert float(found) == float(rounded(exact_fma(a, b, c), "f16"))


def test_fma_differs_from_two_roundings():
    a = np.float32(1 + 2**-12)
    c = np.float32(-(1 + 2**-11))
    assert fma(a, a, c) == np.float32(2**-24)
    assert a * a + c == 0


def test_fma_of_a_product_that_overflows_and_an_infinity_is_the_infinity():
    with np.errstate(all="ignore"):
        for c in (np.inf, -np.inf):
            assert fma(np.float64(1e300), np.float64(1e300), np.float64(c)) == c


@pytest.mark.parametrize("type", ["f16", "f32", "f64"])
def test_a_nan_counts_as_positive_when_its_sign_is_copied(type: str):
    ones, nans = np.ones(2, DTYPES[type]), np.array([np.nan, -np.nan], DTYPES[type])
    body = f"%r = math.copysign %a, %b : {type}"
    assert run(body, {"a": (type, -ones), "b": (type, nans)}, type).tolist() == [1, 1]


LIBRARY: dict[str, Callable[[float], float]] = {
    "acos": math.acos,
    "acosh": math.acosh,
    "asin": math.asin,
    "asinh": math.asinh,
    "atan": math.atan,
    "atanh": math.atanh,
    "cbrt": math.cbrt,
    "cos": math.cos,
    "cosh": math.cosh,
    "erf": math.erf,
    "exp": math.exp,
    "exp2": math.exp2,
    "expm1": math.expm1,
    "log": math.log,
    "log10": math.log10,
    "log1p": math.log1p,
    "log2": math.log2,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "sin": math.sin,
    "sinh": math.sinh,
    "sqrt": math.sqrt,
    "tan": math.tan,
    "tanh": math.tanh,
}


@pytest.mark.parametrize("name", LIBRARY)
def test_library_functions_are_accurate(name: str):
    points = np.linspace(0.05, 0.95, 40)
    if name in ("acosh", "exp", "log", "sin", "erf", "tanh"):
        points = points * 5 + 1
    for type, units in (("f32", 1), ("f64", 16 if name == "erf" else 4)):
        values = points.astype(DTYPES[type])
        found = run(f"%r = math.{name} %a : {type}", {"a": (type, values)}, type)
        wanted = np.array([LIBRARY[name](float(x)) for x in values])
        error = np.abs(found.astype(np.float64) - wanted) / np.spacing(
            np.abs(wanted).astype(DTYPES[type])
        )
        assert error.max() <= units


@pytest.mark.parametrize("name", ["atan2", "powf", "fpowi"])
def test_library_functions_of_two_operands_are_accurate(name: str):
    for type, units in (("f32", 1), ("f64", 4)):
        left = np.linspace(0.05, 3, 40).astype(DTYPES[type])
        right = np.linspace(-2, 2, 40).astype(DTYPES[type])
        other, signature = (type, right), type
        if name == "fpowi":
            other, signature = ("i32", np.arange(-20, 20, dtype=np.int32)), f"{type}, i32"
        body = f"%r = math.{name} %a, %b : {signature}"
        found = run(body, {"a": (type, left), "b": other}, type)
        exact = math.atan2 if name == "atan2" else math.pow
        wanted = np.array([exact(float(a), float(b)) for a, b in zip(left, other[1])])
        spacing = np.spacing(np.abs(wanted).astype(DTYPES[type]))
        assert (np.abs(found.astype(np.float64) - wanted) / spacing).max() <= units


NANS = np.array(
    [0x7FF8000000000000, 0x7FF0000000000001, 0xFFF8000000000123, 0xFFF0000000000001],
    np.uint64,
).view(np.float64)
"""Quiet ones and such as signal, of both signs."""


def test_powers_that_are_one_whatever_nan_there_is():
    """C libraries except NaNs that signal, and which one is asked depends on the CPU."""
    ones, nothing = np.ones(4), np.zeros(4)
    body = "%r = math.powf %a, %b : f64"
    for a, b in ((ones, NANS), (NANS, nothing)):
        assert run(body, {"a": ("f64", a), "b": ("f64", b)}, "f64").tolist() == [1] * 4
    body = "%r = math.fpowi %a, %b : f64, i32"
    given = {"a": ("f64", NANS), "b": ("i32", np.zeros(4, np.int32))}
    assert run(body, given, "f64").tolist() == [1] * 4
