"""What the builder leaves out is what LLVM would find: all numbers of four bits."""

import re

import pytest
from llvmlite import ir

from vyre.lowering.llvm.counting import counted
from vyre.lowering.llvm.folding import FoldingBuilder, literal
from vyre.lowering.llvm.values import INDEX
from vyre.runtime.cpu.machine import Processor, optimised

pytestmark = pytest.mark.core

FOUR_BITS = ir.IntType(4)
BINARY = ("add", "sub", "mul", "udiv", "urem", "and_", "or_", "xor")
COMPARED = ("==", "!=", "<", "<=", ">", ">=")


def emit(builder: ir.IRBuilder, operation: str, one: ir.Value, other: ir.Value) -> ir.Value:
    kind, _, predicate = operation.partition(" ")
    return getattr(builder, kind)(*([predicate] if predicate else []), one, other)


def new_function(module: ir.Module, name: str, result: ir.Type) -> ir.Function:
    type = ir.FunctionType(result, [FOUR_BITS])
    return ir.Function(module, type, name)


def operands(x: ir.Value) -> list[ir.Value]:
    return [x, *(ir.Constant(FOUR_BITS, number) for number in range(-8, 8))]


def known(operation: str, result: ir.Type) -> dict[tuple[int, int], str]:
    """What LLVM makes of an operation on pairs of operands, where it is one of them."""
    module = ir.Module()
    pairs = [(one, other) for one in range(17) for other in range(17)]
    for one, other in pairs:
        function = new_function(module, f"f.{one}.{other}", result)
        builder = ir.IRBuilder(function.append_basic_block())
        given = operands(function.args[0])
        builder.ret(emit(builder, operation, given[one], given[other]))
    text = str(optimised(str(module), Processor.host()))
    found: dict[tuple[int, int], str] = {}
    for body in re.findall(r"^define .*?^}", text, re.M | re.S):
        name = re.search(r"@f\.(\d+)\.(\d+)", body)
        returned = re.search(r"ret i\d+ (\S+)", body)
        assert name
        assert returned
        found[int(name[1]), int(name[2])] = returned[1]
    return found


@pytest.mark.parametrize(
    "operation",
    [
        *BINARY,
        *(f"icmp_{sign} {how}" for sign in ("signed", "unsigned") for how in COMPARED),
    ],
)
def test_results_are_those_of_llvm(operation: str):
    result = ir.IntType(1) if operation.startswith("icmp") else FOUR_BITS
    expected = known(operation, result)
    function = new_function(ir.Module(), "f", result)
    builder = FoldingBuilder(function.append_basic_block())
    given = operands(function.args[0])
    left_out = 0
    for (one, other), of_llvm in expected.items():
        value = emit(builder, operation, given[one], given[other])
        if isinstance(value, ir.Instruction):
            continue
        left_out += 1
        if of_llvm == "poison":  # A division by zero: anything will do.
            continue
        number = literal(value)
        if number is None:
            assert value is function.args[0]
            assert not re.fullmatch(r"-?\d+|true|false", of_llvm)
        else:
            bits = {"true": 1, "false": 0}.get(of_llvm)
            assert number == (int(of_llvm) % 16 if bits is None else bits)
    assert left_out


def test_choices_that_are_known():
    one, other = ir.Constant(FOUR_BITS, 1), ir.Constant(FOUR_BITS, 2)
    function = new_function(ir.Module(), "f", FOUR_BITS)
    builder = FoldingBuilder(function.append_basic_block())
    assert builder.select(ir.Constant(ir.IntType(1), 1), one, other) is one
    assert builder.select(ir.Constant(ir.IntType(1), 0), one, other) is other
    assert "select" not in str(function)


def test_undefined_and_floats_are_no_literals():
    assert literal(ir.Constant(FOUR_BITS, ir.Undefined)) is None
    assert literal(ir.Constant(ir.FloatType(), 1.0)) is None


@pytest.mark.parametrize(
    ("first", "end", "trips"), [(0, 1, 1), (5, 6, 1), (0, 2, 2), (3, 3, 0)]
)
def test_loops_of_a_single_trip(first: int, end: int, trips: int):
    """All loops count, but there is none around a single trip."""
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [ir.PointerType()]), "f")
    builder = FoldingBuilder(function.append_basic_block())
    bounds = (ir.Constant(INDEX, first), ir.Constant(INDEX, end))
    with counted(builder, *bounds, "x") as (x, _):
        before = builder.load(function.args[0], typ=INDEX)
        number = builder.add(builder.mul(before, ir.Constant(INDEX, 10)), x)
        builder.store(number, function.args[0])
    builder.ret_void()
    assert ("phi" in str(function)) == (trips != 1)
    optimised(str(module), Processor.host())  # It is valid.
