"""Literals as LLVM IR has them."""

from llvmlite import ir
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import SCALAR_NAMES
from vyre.lowering.llvm.types import register_type


def constant(value: Attribute) -> ir.Constant:
    """
    A literal in a register. xDSL has rounded floats to their type; integers are wrapped
    to their width here.

    Example: `constant(FloatAttr(0.1, f16))` is `float 0.0999755859375`.
    """
    if isinstance(value, FloatAttr):
        return ir.Constant(register_type(value.get_type()), value.value.data)
    if isinstance(value, IntegerAttr):
        type = register_type(value.get_type())
        assert isinstance(type, ir.IntType)
        return ir.Constant(type, value.value.data & (2**type.width - 1))
    raise Refusal(f"has the value {value}", fix=f"use a literal of type {SCALAR_NAMES}")
