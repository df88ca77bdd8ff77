"""Literals as C++ has them."""

import math
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import SCALAR_NAMES
from vyre.lowering.cuda.expressions import Expression, Level
from vyre.lowering.cuda.types import BOOL, SIGNED, CType, register_type

_SPECIAL = {
    32: ("__int_as_float", "0x7f800000", "0xff800000", "0x7fc00000"),
    64: (
        "__longlong_as_double",
        "0x7ff0000000000000ll",
        "0xfff0000000000000ll",
        "0x7ff8000000000000ll",
    ),
}
"""Function that makes a float of bits, and those of infinity, minus infinity and NaN."""


def literal(value: Attribute) -> Expression:
    """
    A literal of the IR. xDSL has rounded floats to their type; integers are wrapped to
    their width here.

    Example: `literal(FloatAttr(0.25, f32)).text` is `0.25f`.
    """
    if isinstance(value, FloatAttr):
        return float_literal(value.value.data, register_type(value.get_type()))
    if isinstance(value, IntegerAttr):
        return integer_literal(value.value.data, register_type(value.get_type()))
    raise Refusal(f"has the value {value}", fix=f"use a literal of type {SCALAR_NAMES}")


def integer_literal(number: int, type: CType) -> Expression:
    """
    An integer of a type; one that is too large or too small is wrapped.

    Example: `integer_literal(-1, UNSIGNED[32]).text` is `0xffffffffu`.
    """
    number %= 2**type.bits
    if type == BOOL:
        text = "true" if number else "false"
        return Expression(text, BOOL, number=number, is_literal=True)
    if type.is_signed and number >= 2 ** (type.bits - 1):
        number -= 2**type.bits
    level = Level.UNARY if number < 0 else Level.ATOM
    text = _integer_text(number, type)
    return Expression(text, type, level, number=number, is_literal=True)


def _integer_text(number: int, type: CType) -> str:
    if type.is_signed and type.bits >= 32 and number == -(2 ** (type.bits - 1)):
        # Its magnitude alone is no literal of the type.
        return f"({number + 1}{'ll' if type.bits == 64 else ''} - 1)"
    suffix = "" if type.is_signed else "u"
    if abs(number) >= 2**31 and type.bits == 64:
        suffix += "ll"
    elif number < 2**31:
        suffix = ""
    # The upper half of the unsigned numbers are bits rather than numbers.
    is_bits = not type.is_signed and number >= 2 ** (type.bits - 1)
    return f"{number:#x}{suffix}" if is_bits else f"{number}{suffix}"


def float_literal(value: float, type: CType) -> Expression:
    """
    A float of a type, as the shortest number that is read as it.

    Example: `float_literal(0.1, DOUBLE).text` is `0.1`.
    """
    make, infinity, minus_infinity, nan = _SPECIAL[type.bits]
    if math.isnan(value):
        return Expression(f"{make}({nan})", type, is_literal=True)
    if math.isinf(value):
        bits = infinity if value > 0 else minus_infinity
        return Expression(f"{make}({bits})", type, is_literal=True)
    text = repr(value) if type.bits == 64 else f"{np.float32(value)!s}f"
    level = Level.UNARY if text[0] == "-" else Level.ATOM
    return Expression(text, type, level, is_literal=True)


def typed(operand: Expression) -> Expression:
    """
    A literal whose text alone tells its type, for places where nothing else does.

    Example: `typed(integer_literal(1, UNSIGNED[64])).text` is `1ull`.
    """
    type = operand.type
    if operand.number is None or type in (BOOL, SIGNED[32]):
        return operand
    if type.bits < 32:
        return replace(operand, text=f"({type.name}){operand.text}", level=Level.UNARY)
    text = operand.text.rstrip("ul")
    suffix = ("" if type.is_signed else "u") + ("ll" if type.bits == 64 else "")
    if text.endswith(")"):
        return operand
    return replace(operand, text=f"{text}{suffix}")
