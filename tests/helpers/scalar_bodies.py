"""Texts of operations such as `%r = arith.addi %i32_a, %i32_b : i32`, for all types."""

from operations import FLOATS, WIDTHS
from xdsl.dialects import math

from vyre.lowering.cuda.functions import FUNCTIONS

INTEGERS = tuple(type for type in WIDTHS if type != "index")
GROWING = [(a, b) for a in INTEGERS for b in INTEGERS if WIDTHS[a] < WIDTHS[b]]

BINARY_INTEGER = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "shrsi"),
    *("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui"),
    *("minsi", "maxsi", "minui", "maxui"),
)
UNARY_INTEGER = ("absi", "ctlz", "cttz", "ctpop")
WHOLE_PRODUCTS = ("mulsi_extended", "mului_extended")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

BINARY_FLOAT = (
    *("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "math.copysign"),
    *("arith.minimumf", "arith.maximumf", "arith.minnumf", "arith.maxnumf"),
)
UNARY_FLOAT = (
    *("arith.negf", "math.absf", "math.ceil", "math.floor", "math.trunc"),
    *("math.round", "math.roundeven", "math.sqrt"),
)
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def binary_integers(name: str) -> list[str]:
    return [f"%r = arith.{name} %{t}_a, %{t}_b : {t}" for t in WIDTHS]


def unary_integers(name: str) -> list[str]:
    return [f"%r = math.{name} %{t}_a : {t}" for t in WIDTHS]


def whole_products(name: str) -> list[str]:
    return [f"%r:2 = arith.{name} %{t}_a, %{t}_b : {t}" for t in WIDTHS]


def wrapping_sums() -> list[str]:
    """xDSL has none for `index`."""
    name = "arith.addui_extended"
    return [f"%r:2 = {name} %{t}_a, %{t}_b : {t}, i1" for t in INTEGERS]


def powers() -> list[str]:
    return [f"%r = math.ipowi %{t}_a, %{t}_b : {t}" for t in WIDTHS]


def comparisons(type: str) -> list[str]:
    return [f"%r = arith.cmpi {p}, %{type}_a, %{type}_b : {type}" for p in PREDICATES]


def binary_floats(name: str) -> list[str]:
    return [f"%r = {name} %{t}_a, %{t}_b : {t}" for t in FLOATS]


def unary_floats(name: str) -> list[str]:
    return [f"%r = {name} %{t}_a : {t}" for t in FLOATS]


def float_comparisons(type: str) -> list[str]:
    predicates = FLOAT_PREDICATES
    return [f"%r = arith.cmpf {p}, %{type}_a, %{type}_b : {type}" for p in predicates]


def multiply_adds() -> list[str]:
    return [f"%r = math.fma %{t}_a, %{t}_b, %{t}_c : {t}" for t in FLOATS]


def casts(name: str, pairs: list[tuple[str, str]]) -> list[str]:
    return [f"%r = arith.{name} %{a}_a : {a} to {b}" for a, b in pairs]


def integer_casts() -> list[str]:
    return [
        *casts("extsi", GROWING),
        *casts("extui", GROWING),
        *casts("trunci", [(b, a) for a, b in GROWING]),
        *casts("index_cast", [(type, "index") for type in INTEGERS]),
        *casts("index_cast", [("index", type) for type in INTEGERS]),
    ]


def float_casts() -> list[str]:
    """xDSL lets `extf` and `truncf` go in either direction."""
    floats = [(a, b) for a in FLOATS for b in FLOATS]
    return [
        *casts("extf", floats),
        *casts("truncf", floats),
        *casts("fptosi", [(a, b) for a in FLOATS for b in INTEGERS]),
        *casts("fptoui", [(a, b) for a in FLOATS for b in INTEGERS]),
        *casts("sitofp", [(a, b) for a in INTEGERS for b in FLOATS]),
        *casts("uitofp", [(a, b) for a in INTEGERS for b in FLOATS]),
    ]


def bitcasts() -> list[str]:
    pairs = [("f16", "i16"), ("f32", "i32"), ("f64", "i64"), ("f64", "index")]
    pairs += [(b, a) for a, b in pairs]
    pairs += [(type, type) for type in (*WIDTHS, *FLOATS)]
    return casts("bitcast", [*pairs, ("i64", "index"), ("index", "i64")])


def choices() -> list[str]:
    types = (*WIDTHS, *FLOATS)
    return [f"%r = arith.select %i1_a, %{t}_b, %{t}_c : {t}" for t in types]


def integer_literals(type: str) -> list[str]:
    if type == "i1":
        return ["%r = arith.constant true", "%r = arith.constant false"]
    limit = 2 ** (WIDTHS[type] - 1)
    values = (0, 1, -1, limit - 1, -limit)
    return [f"%r = arith.constant {value} : {type}" for value in values]


def float_literals(type: str) -> list[str]:
    values = ["0.0", "-0.0", "1.0", "-2.5", "0.1", "3.0e-8", "1.0e-45", "1.1754944e-38"]
    values += ["5.0e-324", "6.0e-8", "-65519.0"]
    values += {"f16": [], "f32": ["3.4e38"], "f64": ["3.5e38", "1.0e300"]}[type]
    values += {
        "f16": ["0x7C00", "0xFC00", "0x7E00"],
        "f32": ["0x7F800000", "0xFF800000", "0x7FC00000"],
        "f64": ["0x7FF0000000000000", "0xFFF0000000000000", "0x7FF8000000000000"],
    }[type]
    return [f"%r = arith.constant {value} : {type}" for value in values]


def exact_bodies() -> list[str]:
    """All operations that every engine computes alike."""
    return [
        *(body for name in BINARY_INTEGER for body in binary_integers(name)),
        *(body for name in UNARY_INTEGER for body in unary_integers(name)),
        *(body for name in WHOLE_PRODUCTS for body in whole_products(name)),
        *wrapping_sums(),
        *powers(),
        *(body for type in WIDTHS for body in comparisons(type)),
        *(body for name in BINARY_FLOAT for body in binary_floats(name)),
        *(body for name in UNARY_FLOAT for body in unary_floats(name)),
        *(body for type in FLOATS for body in float_comparisons(type)),
        *multiply_adds(),
        *integer_casts(),
        *float_casts(),
        *bitcasts(),
        *choices(),
        *(body for type in WIDTHS for body in integer_literals(type)),
        *(body for type in FLOATS for body in float_literals(type)),
    ]


def inexact_bodies() -> list[str]:
    """All functions that engines may round differently."""
    pairs = (math.Atan2Op, math.PowFOp)
    of_one = [op for op in FUNCTIONS if op not in (*pairs, math.FPowIOp)]
    return [
        *(f"%r = {op.name} %{t}_a : {t}" for op in of_one for t in FLOATS),
        *(f"%r = {op.name} %{t}_a, %{t}_b : {t}" for op in pairs for t in FLOATS),
        *(f"%r = math.fpowi %{t}_a, %{e}_b : {t}, {e}" for t in FLOATS for e in WIDTHS),
    ]
