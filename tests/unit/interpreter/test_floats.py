"""What float operations compute, against exact fractions."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from operations import (
    DTYPES,
    FLOATS,
    WIDTHS,
    as_signed,
    edge_floats,
    edge_integers,
    float_pairs,
    numbers,
    rounded,
    run,
    same_floats,
    stored,
)

PREDICATES: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", ["addf", "subf", "mulf", "divf"])
def test_float_operations_round_once(name: str, type: str):
    a, b = float_pairs(type)
    finite = np.isfinite(a) & np.isfinite(b) & ((name != "divf") | (b != 0))
    a, b = a[finite], b[finite]
    found = run(
        f"%r = arith.{name} %a, %b : {type}", {"a": (type, a), "b": (type, b)}, type
    )
    for x, y, r in zip(a, b, found):
        left, right = Fraction(float(x)), Fraction(float(y))
        exact = {
            "addf": lambda: left + right,
            "subf": lambda: left - right,
            "mulf": lambda: left * right,
            "divf": lambda: left / right,
        }[name]()
        # Single precision holds enough bits to round once more to half.
        assert float(r) == float(rounded(exact, type)), (x, y, r)


@pytest.mark.parametrize("type", FLOATS)
def test_float_special_cases(type: str):
    a, b = float_pairs(type)
    with np.errstate(all="ignore"):
        for name, function in (
            ("addf", np.add),
            ("mulf", np.multiply),
            ("divf", np.divide),
        ):
            body = f"%r = arith.{name} %a, %b : {type}"
            found = run(body, {"a": (type, a), "b": (type, b)}, type)
            wide = np.float32 if type == "f16" else DTYPES[type]
            wanted = function(a.astype(wide), b.astype(wide)).astype(a.dtype)
            same_floats(found, wanted)


def less(a: float, b: float) -> bool:
    """Smaller, with -0 below +0."""
    return (a, math.copysign(1, a)) < (b, math.copysign(1, b))


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", ["minimumf", "maximumf", "minnumf", "maxnumf"])
def test_float_minimum_and_maximum(name: str, type: str):
    a, b = float_pairs(type)
    found = run(
        f"%r = arith.{name} %a, %b : {type}", {"a": (type, a), "b": (type, b)}, type
    )

    def answer(x: float, y: float) -> float:
        if math.isnan(x) or math.isnan(y):
            number = y if math.isnan(x) else x
            return number if "num" in name else math.nan
        smaller, larger = (x, y) if less(x, y) else (y, x)
        return smaller if name.startswith("min") else larger

    wanted = [answer(float(x), float(y)) for x, y in zip(a, b)]
    same_floats(found, np.array(wanted, a.dtype))


ORDERED = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord"]
UNORDERED = ["ueq", "ugt", "uge", "ult", "ule", "une", "uno"]


@pytest.mark.parametrize("name", ["false", *ORDERED, *UNORDERED, "true"])
def test_float_comparisons(name: str):
    a, b = float_pairs("f32")
    body = f"%r = arith.cmpf {name}, %a, %b : f32"
    found = run(body, {"a": ("f32", a), "b": ("f32", b)}, "i1")

    def answer(x: float, y: float) -> bool:
        if name in ("true", "false"):
            return name == "true"
        nan = math.isnan(x) or math.isnan(y)
        if name in ("ord", "uno"):
            return nan == (name == "uno")
        return (PREDICATES[name[1:]](x, y) and not nan) or (nan and name[0] == "u")

    assert list(found) == [answer(float(x), float(y)) for x, y in zip(a, b)]


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", ["i1", "i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("sign", ["s", "u"])
def test_float_to_integer_saturates(source: str, target: str, sign: str):
    more = [1e5, -1e5, 2.0**31, 2.0**63, -(2.0**63), 2.0**64, 127.9, 255.9, -0.9]
    with np.errstate(over="ignore"):
        values = np.array([*edge_floats(source), *more], DTYPES[source])
    body = f"%r = arith.fpto{sign}i %a : {source} to {target}"
    found = numbers(run(body, {"a": (source, values)}, target), target)
    width = WIDTHS[target]
    low = -(2 ** (width - 1)) if sign == "s" else 0
    high = 2 ** (width - 1) - 1 if sign == "s" else 2**width - 1

    def answer(x: float) -> int:
        if math.isnan(x):
            return 0
        if math.isinf(x):
            return high if x > 0 else low
        return max(low, min(high, math.trunc(x)))

    assert found == [as_signed(answer(float(x)), width) for x in values]


@pytest.mark.parametrize("source", ["i1", "i8", "i32", "i64"])
@pytest.mark.parametrize("target", ["f32", "f64"])
@pytest.mark.parametrize("sign", ["s", "u"])
def test_integer_to_float_is_nearest(source: str, target: str, sign: str):
    width = WIDTHS[source]
    values = [*edge_integers(width), *(as_signed(v, width) for v in (2**24 + 1, 2**53 + 1))]
    body = f"%r = arith.{sign}itofp %a : {source} to {target}"
    found = run(body, {"a": (source, stored(values, source))}, target)
    seen = [
        value if sign == "s" else value % 2**width
        for value in map(lambda v: as_signed(v, width), values)
    ]
    assert [float(x) for x in found] == [float(rounded(Fraction(v), target)) for v in seen]


def test_bitcasts_show_one_nan():
    patterns = np.array([0x7FC00000, 0xFFC12345, 0x7F800001, 0x3F800000], np.uint32)
    body = "%r = arith.bitcast %a : f32 to i32"
    found = run(body, {"a": ("f32", patterns.view(np.float32))}, "i32")
    assert [hex(x) for x in found.view(np.uint32)] == [
        "0x7fc00000",
        "0x7fc00000",
        "0x7fc00000",
        "0x3f800000",
    ]
    body = "%r = arith.bitcast %a : i32 to f32"
    assert run(body, {"a": ("i32", np.array([0x40490FDB], np.int32))}, "f32") == np.float32(
        math.pi
    )


@pytest.mark.parametrize("type", FLOATS)
def test_rounding_functions(type: str):
    values = edge_floats(type)
    more = np.array([0.49999997, 2.5, 3.5, -3.5, 1e3 + 0.5, -0.4], DTYPES[type])
    values = np.concatenate([values, more])
    answers: dict[str, Callable[[float], float]] = {
        "floor": lambda x: math.floor(x),
        "ceil": lambda x: math.ceil(x),
        "trunc": lambda x: math.trunc(x),
        "roundeven": lambda x: round(x),
        "round": lambda x: math.copysign(math.floor(abs(Fraction(x)) + Fraction(1, 2)), x),
    }
    for name, function in answers.items():
        found = run(f"%r = math.{name} %a : {type}", {"a": (type, values)}, type)
        wanted = [
            x if not math.isfinite(x) else math.copysign(function(x), x)
            for x in map(float, values)
        ]
        same_floats(found, np.array(wanted, DTYPES[type]))
