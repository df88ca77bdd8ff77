"""The table of native operations as a whole."""

import re

import numpy as np
import pytest
from llvm_kernels import MACHINES, compiled, optimised
from xdsl.dialects.builtin import BFloat16Type, IntegerType
from xdsl.ir import Attribute

from vyre.dialects.refusal import Refusal
from vyre.interpreter.semantics import SEMANTICS
from vyre.lowering.llvm.scalars import EMITTERS
from vyre.lowering.llvm.types import register_type

VECTORISING = [name for name, machine in MACHINES.items() if machine.vectorised]
VECTORISED = (
    *("arith.addf %f16_a, %f16_b : f16", "math.fma %f16_a, %f16_b, %f16_c : f16"),
    *("arith.truncf %f64_a : f64 to f16", "arith.minnumf %f32_a, %f32_b : f32"),
    *("math.sqrt %f32_a : f32", "arith.fptosi %f32_a : f32 to i32"),
    *("arith.shli %i32_a, %i32_b : i32", "arith.bitcast %f32_a : f32 to i32"),
)


def test_the_table_covers_every_operation_of_the_reference():
    assert set(EMITTERS) == set(SEMANTICS)


@pytest.mark.parametrize("machine", VECTORISING)
@pytest.mark.parametrize("text", VECTORISED)
def test_loops_vectorise_without_calls(machine: str, text: str):
    module, code = optimised(machine, f"%r = {text}")
    assert "vector.body" in str(module)
    assert not re.search(r"\bcall", code.emit_assembly(module))


@pytest.mark.parametrize("machine", VECTORISING)
@pytest.mark.parametrize("name", ["divsi", "divui", "floordivsi", "ceildivui", "remsi"])
def test_division_by_a_literal_costs_no_division(machine: str, name: str):
    text = f"%m = arith.constant 7 : i32\n%r = arith.{name} %i32_a, %m : i32"
    module, code = optimised(machine, text)
    assert "vector.body" in str(module)
    assert not re.search(r"\bi?div[bwlq]", code.emit_assembly(module))


@pytest.mark.parametrize("machine", MACHINES)
def test_a_product_and_a_sum_are_rounded_apart(machine: str):
    """Also where the machine has an instruction for both."""
    multiplied = "%m = arith.mulf %f32_a, %f32_b : f32"
    [kernel] = compiled(machine, f"{multiplied}\n%r = arith.addf %m, %f32_c : f32")
    a = np.full(99, 1 + 2.0**-12, np.float32)
    c = np.full(99, -(1 + 2.0**-11), np.float32)
    [found] = kernel((a, a, c), len(a))
    assert not found.any()


@pytest.mark.parametrize("type", [IntegerType(7), IntegerType(128), BFloat16Type()])
def test_other_types_are_refused(type: Attribute):
    with pytest.raises(Refusal, match="use i1, i8"):
        register_type(type)
