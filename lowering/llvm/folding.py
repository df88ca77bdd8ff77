"""
A builder that leaves out what is known already: operations on literals, and those that give
one of their operands back, such as a sum with zero.

LLVM would find the same, but it takes a tenth of a millisecond for each instruction, and
workgroups have sizes of one along most axes, so that there are many.

Meaning is kept: numbers wrap as they do in registers. Where LLVM says that a result is
poison, as that of a sum that must not wrap and does, any result will do.
"""

from collections.abc import Callable, Sequence

from llvmlite import ir
from typing_extensions import override

_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


def literal(value: ir.Value) -> int | None:
    """
    The number that an integer literal is, unsigned.

    Example: `literal(ir.Constant(ir.IntType(8), -1))` is 255, and that of an argument None.
    """
    if not isinstance(value, ir.Constant) or not isinstance(value.type, ir.IntType):
        return None
    number = value.constant
    return number % (1 << value.type.width) if isinstance(number, int) else None


def _new(type: ir.Type, number: int) -> ir.Constant:
    """A literal, written as one would: negative if it is more than half of all numbers."""
    assert isinstance(type, ir.IntType)
    number %= 1 << type.width
    is_negative = type.width > 1 and number >> (type.width - 1)
    return ir.Constant(type, number - (1 << type.width) if is_negative else number)


def _signed(number: int, type: ir.Type) -> int:
    assert isinstance(type, ir.IntType)
    return number - (1 << type.width) if number >> (type.width - 1) else number


class FoldingBuilder(ir.IRBuilder):
    """
    Emits instructions, but not those whose results are known.

    Example: `FoldingBuilder(block).mul(x, ir.Constant(INDEX, 1))` is `x`.
    """

    @override
    def add(
        self, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Sequence[str] = ()
    ) -> ir.Value:
        if (known := _folded(lambda a, b: a + b, lhs, rhs)) is not None:
            return known
        if literal(lhs) == 0:
            return rhs
        return lhs if literal(rhs) == 0 else super().add(lhs, rhs, name, flags)

    @override
    def sub(
        self, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Sequence[str] = ()
    ) -> ir.Value:
        if (known := _folded(lambda a, b: a - b, lhs, rhs)) is not None:
            return known
        return lhs if literal(rhs) == 0 else super().sub(lhs, rhs, name, flags)

    @override
    def mul(
        self, lhs: ir.Value, rhs: ir.Value, name: str = "", flags: Sequence[str] = ()
    ) -> ir.Value:
        if (known := _folded(lambda a, b: a * b, lhs, rhs)) is not None:
            return known
        for one, other in ((lhs, rhs), (rhs, lhs)):
            match literal(one):
                case 0:
                    return one
                case 1:
                    return other
                case _:
                    pass
        return super().mul(lhs, rhs, name, flags)

    @override
    def udiv(self, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        return lhs if literal(rhs) == 1 else super().udiv(lhs, rhs, name)

    @override
    def urem(self, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        return _new(lhs.type, 0) if literal(rhs) == 1 else super().urem(lhs, rhs, name)

    @override
    def and_(self, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        if (known := _folded(lambda a, b: a & b, lhs, rhs)) is not None:
            return known
        for one, other in ((lhs, rhs), (rhs, lhs)):
            if literal(one) == 0:
                return one
            if _is_ones(one):
                return other
        return super().and_(lhs, rhs, name)

    @override
    def or_(self, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        if (known := _folded(lambda a, b: a | b, lhs, rhs)) is not None:
            return known
        for one, other in ((lhs, rhs), (rhs, lhs)):
            if literal(one) == 0:
                return other
            if _is_ones(one):
                return one
        return super().or_(lhs, rhs, name)

    @override
    def xor(self, lhs: ir.Value, rhs: ir.Value, name: str = "") -> ir.Value:
        if (known := _folded(lambda a, b: a ^ b, lhs, rhs)) is not None:
            return known
        return lhs if literal(rhs) == 0 else super().xor(lhs, rhs, name)

    @override
    def icmp_unsigned(
        self, cmpop: str, lhs: ir.Value, rhs: ir.Value, name: str = ""
    ) -> ir.Value:
        one, other = literal(lhs), literal(rhs)
        if one is None or other is None:
            return super().icmp_unsigned(cmpop, lhs, rhs, name)
        return ir.Constant(ir.IntType(1), int(_COMPARED[cmpop](one, other)))

    @override
    def icmp_signed(
        self, cmpop: str, lhs: ir.Value, rhs: ir.Value, name: str = ""
    ) -> ir.Value:
        one, other = literal(lhs), literal(rhs)
        if one is None or other is None:
            return super().icmp_signed(cmpop, lhs, rhs, name)
        holds = _COMPARED[cmpop](_signed(one, lhs.type), _signed(other, rhs.type))
        return ir.Constant(ir.IntType(1), int(holds))

    @override
    def select(
        self, cond: ir.Value, lhs: ir.Value, rhs: ir.Value, name: str = ""
    ) -> ir.Value:
        chosen = literal(cond)
        if chosen is None:
            return lhs if lhs is rhs else super().select(cond, lhs, rhs, name)
        return lhs if chosen else rhs


def _folded(
    compute: Callable[[int, int], int], lhs: ir.Value, rhs: ir.Value
) -> ir.Value | None:
    """What an operation gives if both operands are literals."""
    one, other = literal(lhs), literal(rhs)
    return None if one is None or other is None else _new(lhs.type, compute(one, other))


def _is_ones(value: ir.Value) -> bool:
    """Whether it is a literal whose bits are all one."""
    number = literal(value)
    return number is not None and number == literal(ir.Constant(value.type, -1))
