"""Native conversions, literals and choice, against the reference engine."""

import pytest
from llvm_kernels import MACHINES
from operations import FLOATS, WIDTHS
from same_bytes import check

pytestmark = pytest.mark.parametrize("machine", MACHINES)

INTEGERS = tuple(type for type in WIDTHS if type != "index")
GROWING = [(a, b) for a in INTEGERS for b in INTEGERS if WIDTHS[a] < WIDTHS[b]]


def casts(name: str, pairs: list[tuple[str, str]]) -> list[str]:
    return [f"%r = arith.{name} %{a}_a : {a} to {b}" for a, b in pairs]


def test_widths_of_integers(machine: str):
    check(machine, casts("extsi", GROWING) + casts("extui", GROWING))
    check(machine, casts("trunci", [(b, a) for a, b in GROWING]))
    check(machine, casts("index_cast", [(type, "index") for type in INTEGERS]))
    check(machine, casts("index_cast", [("index", type) for type in INTEGERS]))


@pytest.mark.parametrize("name", ["fptosi", "fptoui"])
def test_floats_to_integers(machine: str, name: str):
    check(machine, casts(name, [(a, b) for a in FLOATS for b in INTEGERS]))


@pytest.mark.parametrize("name", ["sitofp", "uitofp"])
def test_integers_to_floats(machine: str, name: str):
    check(machine, casts(name, [(a, b) for a in INTEGERS for b in FLOATS]))


@pytest.mark.parametrize("name", ["extf", "truncf"])
def test_precisions(machine: str, name: str):
    """xDSL lets either operation go in either direction."""
    check(machine, casts(name, [(a, b) for a in FLOATS for b in FLOATS]))


def test_bitcasts(machine: str):
    pairs = [("f16", "i16"), ("f32", "i32"), ("f64", "i64"), ("f64", "index")]
    check(machine, casts("bitcast", pairs) + casts("bitcast", [(b, a) for a, b in pairs]))
    check(machine, casts("bitcast", [(type, type) for type in (*WIDTHS, *FLOATS)]))
    check(machine, casts("bitcast", [("i64", "index"), ("index", "i64")]))


def test_choice(machine: str):
    types = (*WIDTHS, *FLOATS)
    check(machine, [f"%r = arith.select %i1_a, %{t}_b, %{t}_c : {t}" for t in types])


@pytest.mark.parametrize("type", INTEGERS)
def test_integer_literals(machine: str, type: str):
    width = WIDTHS[type]
    values = [0, 1, -1, 2 ** (width - 1) - 1, -(2 ** (width - 1))]
    texts = ["true", "false"] if type == "i1" else [f"{v} : {type}" for v in values]
    check(machine, [f"%r = arith.constant {text}" for text in texts])


def test_index_literals(machine: str):
    texts = [f"{value} : index" for value in (0, -1, 2**63 - 1, -(2**63))]
    check(machine, [f"%r = arith.constant {text}" for text in texts])


@pytest.mark.parametrize("type", FLOATS)
def test_float_literals(machine: str, type: str):
    values = ["0.0", "-0.0", "1.0", "-2.5", "0.1", "3.0e-8", "1.0e-45", "1.1754944e-38"]
    values += ["5.0e-324", "6.0e-8", "-65519.0"]
    values += {"f16": [], "f32": ["3.4e38"], "f64": ["3.5e38", "1.0e300"]}[type]
    infinity, nan = {
        "f16": ("0x7C00", "0x7E00"),
        "f32": ("0x7F800000", "0x7FC00000"),
        "f64": ("0x7FF0000000000000", "0x7FF8000000000000"),
    }[type]
    texts = [*values, infinity, nan]
    check(machine, [f"%r = arith.constant {text} : {type}" for text in texts])
