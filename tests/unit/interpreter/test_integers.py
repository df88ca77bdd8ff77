"""What integer operations compute, against Python's unbounded integers."""

from collections.abc import Callable

import pytest
from operations import (
    WIDTHS,
    as_signed,
    edge_integers,
    numbers,
    pairs,
    run,
    stored,
)


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


# Signed operands unless the name says otherwise; results are wrapped by the test.
BINARY: dict[str, Callable[[int, int, int], int]] = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "divsi": lambda a, b, w: -1 if b == 0 else truncated(a, b),
    "divui": lambda a, b, w: -1 if b == 0 else (a % 2**w) // (b % 2**w),
    "floordivsi": lambda a, b, w: -1 if b == 0 else a // b,
    "ceildivsi": lambda a, b, w: -1 if b == 0 else -(-a // b),
    "ceildivui": lambda a, b, w: -1 if b == 0 else -(-(a % 2**w) // (b % 2**w)),
    "remsi": lambda a, b, w: 0 if b == 0 else a - truncated(a, b) * b,
    "remui": lambda a, b, w: 0 if b == 0 else (a % 2**w) % (b % 2**w),
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "shli": lambda a, b, w: a << (b % w),
    "shrui": lambda a, b, w: (a % 2**w) >> (b % w),
    "shrsi": lambda a, b, w: a >> (b % w),
    "minsi": lambda a, b, w: min(a, b),
    "maxsi": lambda a, b, w: max(a, b),
    "minui": lambda a, b, w: min(a % 2**w, b % 2**w),
    "maxui": lambda a, b, w: max(a % 2**w, b % 2**w),
}


@pytest.mark.parametrize("type", WIDTHS)
@pytest.mark.parametrize("name", BINARY)
def test_integer_operations(name: str, type: str):
    left, right = pairs(type)
    inputs = {"a": (type, stored(left, type)), "b": (type, stored(right, type))}
    found = numbers(run(f"%r = arith.{name} %a, %b : {type}", inputs, type), type)
    width = WIDTHS[type]
    wanted = [as_signed(BINARY[name](a, b, width), width) for a, b in zip(left, right)]
    assert found == wanted


PREDICATES: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("type", WIDTHS)
@pytest.mark.parametrize(
    "name", ["eq", "ne", *(s + p for s in "su" for p in list(PREDICATES)[2:])]
)
def test_integer_comparisons(name: str, type: str):
    left, right = pairs(type)
    inputs = {"a": (type, stored(left, type)), "b": (type, stored(right, type))}
    found = run(f"%r = arith.cmpi {name}, %a, %b : {type}", inputs, "i1")
    compare = PREDICATES[name[-2:]]
    modulus = 2 ** WIDTHS[type]
    unsigned = name[0] == "u"
    wanted = [
        compare(a % modulus, b % modulus) if unsigned else compare(a, b)
        for a, b in zip(left, right)
    ]
    assert list(found) == wanted


@pytest.mark.parametrize("half", ["low", "high"])
@pytest.mark.parametrize("sign", ["s", "u"])
@pytest.mark.parametrize("type", ["i1", "i8", "i16", "i32", "i64"])
def test_extended_multiplication(type: str, sign: str, half: str):
    left, right = pairs(type)
    width = WIDTHS[type]
    names = "%r, %rest" if half == "low" else "%rest, %r"
    inputs = {"a": (type, stored(left, type)), "b": (type, stored(right, type))}
    body = f"{names} = arith.mul{sign}i_extended %a, %b : {type}"
    found = numbers(run(body, inputs, type), type)
    modulus = 2**width if sign == "u" else None
    exact = [
        a * b if modulus is None else (a % modulus) * (b % modulus)
        for a, b in zip(left, right)
    ]
    shift = 0 if half == "low" else width
    assert found == [as_signed(product >> shift, width) for product in exact]


@pytest.mark.parametrize("type", ["i1", "i8", "i16", "i32", "i64"])
def test_extended_addition(type: str):
    left, right = pairs(type)
    modulus = 2 ** WIDTHS[type]
    inputs = {"a": (type, stored(left, type)), "b": (type, stored(right, type))}
    body = f"%sum, %r = arith.addui_extended %a, %b : {type}, i1"
    found = run(body, inputs, "i1")
    assert list(found) == [
        a % modulus + b % modulus >= modulus for a, b in zip(left, right)
    ]


UNARY: dict[str, Callable[[int, int], int]] = {
    "absi": lambda a, w: abs(a),
    "ctpop": lambda a, w: (a % 2**w).bit_count(),
    "ctlz": lambda a, w: w - (a % 2**w).bit_length(),
    "cttz": lambda a, w: w if a == 0 else (a & -a).bit_length() - 1,
}


@pytest.mark.parametrize("type", WIDTHS)
@pytest.mark.parametrize("name", UNARY)
def test_integer_functions(name: str, type: str):
    values = edge_integers(WIDTHS[type])
    body = f"%r = math.{name} %a : {type}"
    found = numbers(run(body, {"a": (type, stored(values, type))}, type), type)
    width = WIDTHS[type]
    assert found == [as_signed(UNARY[name](value, width), width) for value in values]


@pytest.mark.parametrize("type", ["i8", "i32", "i64"])
def test_integer_power(type: str):
    left, right = pairs(type)
    kept = [(a, b) for a, b in zip(left, right) if abs(b) < 100]
    width = WIDTHS[type]

    def power(base: int, exponent: int) -> int:
        if exponent >= 0:
            return base**exponent
        if base == 0:
            return -1
        return base**-exponent if abs(base) == 1 else 0

    inputs = {
        name: (type, stored([pair[place] for pair in kept], type))
        for place, name in enumerate("ab")
    }
    found = numbers(run(f"%r = math.ipowi %a, %b : {type}", inputs, type), type)
    assert found == [as_signed(power(a, b), width) for a, b in kept]


CASTS = [
    ("extsi", "i1", "i8"),
    ("extsi", "i8", "i64"),
    ("extui", "i1", "i32"),
    ("extui", "i16", "i64"),
    ("trunci", "i64", "i1"),
    ("trunci", "i32", "i8"),
    ("index_cast", "i32", "index"),
    ("index_cast", "i1", "index"),
    ("index_cast", "index", "i16"),
]


@pytest.mark.parametrize(("name", "source", "target"), CASTS)
def test_integer_casts(name: str, source: str, target: str):
    values = edge_integers(WIDTHS[source])
    body = f"%r = arith.{name} %a : {source} to {target}"
    found = numbers(run(body, {"a": (source, stored(values, source))}, target), target)
    modulus = 2 ** WIDTHS[source]
    seen = [value % modulus if name == "extui" else value for value in values]
    assert found == [as_signed(value, WIDTHS[target]) for value in seen]
