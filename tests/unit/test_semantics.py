"""
What `arith` and `math` operations compute, against Python's own exact numbers.

Every operation is run as a program on all pairs of awkward values, and compared with an
answer worked out with Python's unbounded integers and fractions.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.ir import Operation

import vyre
from vyre.analysis.purity import PURE_OPS
from vyre.runtime.reference.fma import fma
from vyre.runtime.reference.semantics import SEMANTICS

Array = NDArray[Any]
builtins_type = type

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
FLOATS = ("f16", "f32", "f64")


def run(body: str, inputs: dict[str, tuple[str, Array]], result: str) -> Array:
    """Compute `%r` by these operations, for each element of the inputs."""
    count = len(next(iter(inputs.values()))[1])
    declarations, loads = "", ""
    for binding, (name, (type, _)) in enumerate(inputs.items()):
        memref = f"memref<?x{type}>"
        access = f"read_only binding {binding} : {memref}"
        declarations += f'  %{name}_buffer = vyre.buffer "{name}" {access}\n'
        loads += f"  %{name} = vyre.load %{name}_buffer[%i] : {memref}\n"
    exe = vyre.compile(f"""
vyre.program @p [64, 1, 1] {{
{declarations}
  %r_buffer = vyre.buffer "r" write_only binding 9 output : memref<?x{result}>
  %i = vyre.invocation_id x
{loads}
  {body}
  vyre.store %r, %r_buffer[%i] : memref<?x{result}>
}}
""")
    arrays: dict[str, object] = {name: array for name, (_, array) in inputs.items()}
    return exe({**arrays, "r": np.zeros(count, DTYPES[result])})["r"]


def edge_integers(bits: int) -> list[int]:
    """Awkward values, as signed numbers."""
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    values = {0, 1, -1, 2, -2, 3, -3, 7, 10, low, low + 1, high, high - 1, 31, 32, 33, 64}
    return sorted(value for value in values if low <= value <= high)


def as_signed(value: int, bits: int) -> int:
    value &= 2**bits - 1
    return value - 2**bits if value >= 2 ** (bits - 1) else value


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


def pairs(type: str) -> tuple[list[int], list[int]]:
    values = edge_integers(WIDTHS[type])
    return [a for a in values for _ in values], [b for _ in values for b in values]


def stored(values: list[int], type: str) -> Array:
    if type == "i1":
        return np.array([value & 1 for value in values], np.bool_)
    return np.array(values, DTYPES[type])


def numbers(array: Array, type: str) -> list[int]:
    """Elements as signed Python numbers."""
    return [as_signed(int(value), WIDTHS[type]) for value in array]


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


def edge_floats(type: str) -> Array:
    dtype = DTYPES[type]
    info = np.finfo(dtype)
    values = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 3, 1e3, np.inf, -np.inf]
    limits = [info.max, -info.max, info.tiny, info.smallest_subnormal, info.eps]
    return np.array([*values, *limits, np.nan], dtype)


def float_pairs(type: str) -> tuple[Array, Array]:
    values = edge_floats(type)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def same_floats(found: Array, wanted: Array) -> None:
    """Equal bits; any NaN equals any NaN."""
    bits = f"i{found.dtype.itemsize}"
    same = (found.view(bits) == wanted.view(bits)) | (np.isnan(found) & np.isnan(wanted))
    assert same.all(), (found[~same], wanted[~same])


def rounded(exact: Fraction, type: str) -> Any:
    """The nearest float of a type to an exact number, ties to even."""
    if type == "f64":
        try:
            return np.float64(float(exact))
        except OverflowError:
            return np.float64(np.inf if exact > 0 else -np.inf)
    return round_to(exact, DTYPES[type])


def round_to(exact: Fraction, dtype: Any) -> Any:
    """Rounding by hand: scale so that one unit in the last place is 1."""
    info = np.finfo(dtype)
    if exact == 0:
        return dtype(0)
    exponent = math.floor(math.log2(abs(exact)))
    while Fraction(2) ** exponent > abs(exact):
        exponent -= 1
    while Fraction(2) ** (exponent + 1) <= abs(exact):
        exponent += 1
    unit = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    value = round(exact / unit) * unit  # Python rounds fractions half to even.
    if abs(value) > Fraction(float(info.max)):
        return dtype(np.inf if value > 0 else -np.inf)
    return dtype(float(value))


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


def operation(body: str, types: list[str]) -> Operation:
    """The operation of a line of text whose operands are %a, %b, ..."""
    params = "".join(f'%{n} = vyre.param "{n}" : {t}\n' for n, t in zip("abc", types))
    module = vyre.parse(f"vyre.program @p [1, 1, 1] {{\n{params}{body}\n}}")
    program = module.body.block.first_op
    assert program is not None
    found = program.regions[0].block.last_op
    assert found is not None
    return found


@pytest.mark.parametrize("type", [*WIDTHS, *FLOATS])
def test_values_that_all_invocations_share_compute_the_same(type: str):
    """Uniform values are scalars inside the engine, divergent ones are arrays."""
    if type in FLOATS:
        names = ["addf", "mulf", "divf", "minimumf", "maxnumf", "cmpf ult,"]
        left, right = float_pairs(type)
    else:
        names = [*BINARY, "cmpi slt,"]
        left, right = (stored(values, type) for values in pairs(type))
    bodies = [f"%r = arith.{name} %a, %b : {type}" for name in names]
    if type in FLOATS:
        bodies.append(f"%r = math.fma %a, %b, %a : {type}")
    with np.errstate(all="ignore"):
        for body in bodies:
            op = operation(body, [type, type])
            given = (left, right, left)[: len(op.operands)]
            arrays: Any = SEMANTICS[builtins_type(op)](op, *given)
            for position in range(0, len(left), 7):
                scalars: Any = SEMANTICS[builtins_type(op)](
                    op, *(x[position] for x in given)
                )
                assert np.ndim(scalars) == 0
                np.testing.assert_array_equal(scalars, arrays[position], err_msg=body)


def test_the_table_covers_every_pure_operation():
    assert set(SEMANTICS) == PURE_OPS
