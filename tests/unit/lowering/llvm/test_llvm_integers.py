"""Native integer arithmetic, against the reference engine."""

import pytest
from llvm_kernels import MACHINES
from operations import WIDTHS
from same_bytes import check

pytestmark = pytest.mark.parametrize("machine", MACHINES)

BINARY = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "shli", "shrui", "shrsi"),
    *("divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "remsi", "remui"),
    *("minsi", "maxsi", "minui", "maxui"),
)
UNARY = ("absi", "ctlz", "cttz", "ctpop")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


@pytest.mark.parametrize("name", BINARY)
def test_arithmetic(machine: str, name: str):
    check(machine, [f"%r = arith.{name} %{t}_a, %{t}_b : {t}" for t in WIDTHS])


@pytest.mark.parametrize("name", ["mulsi_extended", "mului_extended"])
def test_whole_products(machine: str, name: str):
    check(machine, [f"%r:2 = arith.{name} %{t}_a, %{t}_b : {t}" for t in WIDTHS])


def test_sums_that_tell_whether_they_wrapped(machine: str):
    types = [type for type in WIDTHS if type != "index"]  # xDSL has none for it.
    name = "arith.addui_extended"
    check(machine, [f"%r:2 = {name} %{t}_a, %{t}_b : {t}, i1" for t in types])


@pytest.mark.parametrize("name", UNARY)
def test_functions(machine: str, name: str):
    check(machine, [f"%r = math.{name} %{t}_a : {t}" for t in WIDTHS])


def test_powers(machine: str):
    check(machine, [f"%r = math.ipowi %{t}_a, %{t}_b : {t}" for t in WIDTHS])


@pytest.mark.parametrize("type", WIDTHS)
def test_comparisons(machine: str, type: str):
    lines = [f"%r = arith.cmpi {p}, %{type}_a, %{type}_b : {type}" for p in PREDICATES]
    check(machine, lines)
