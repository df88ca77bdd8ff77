"""Index arithmetic that computes what is known at once."""

from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from vyre.passes.code_writer import CodeWriter

Number: TypeAlias = int | SSAValue
"""A number that is known, or a value of type `index` that is not negative."""


class IndexCode:
    """
    Writes arithmetic on numbers; what needs no operation gets none.

    Example: `IndexCode(code).times(value, 1)` is `value`.
    """

    def __init__(self, code: CodeWriter):
        self.code = code

    def value(self, number: Number) -> SSAValue:
        """The number as a value."""
        if isinstance(number, SSAValue):
            return number
        return self.code.constant(number, IndexType())

    def plus(self, one: Number, other: Number) -> Number:
        if isinstance(one, int) and isinstance(other, int):
            return one + other
        if one == 0 or other == 0:
            return other if one == 0 else one
        return self.code.put(arith.AddiOp(self.value(one), self.value(other)))

    def minus(self, one: Number, other: Number) -> Number:
        """The difference, which must not be negative."""
        if isinstance(one, int) and isinstance(other, int):
            return one - other
        if other == 0:
            return one
        return self.code.put(arith.SubiOp(self.value(one), self.value(other)))

    def times(self, one: Number, other: Number) -> Number:
        if isinstance(one, int) and isinstance(other, int):
            return one * other
        if one == 1 or other == 1:
            return other if one == 1 else one
        if one == 0 or other == 0:
            return 0
        return self.code.put(arith.MuliOp(self.value(one), self.value(other)))

    def over(self, one: Number, other: Number) -> Number:
        """The quotient; the divisor must not be zero."""
        if isinstance(one, int) and isinstance(other, int):
            return one // other
        if other == 1 or one == 0:
            return one
        return self.code.put(arith.DivUIOp(self.value(one), self.value(other)))

    def modulo(self, one: Number, other: Number) -> Number:
        """The remainder; the divisor must not be zero."""
        if isinstance(one, int) and isinstance(other, int):
            return one % other
        if other == 1 or one == 0:
            return 0
        return self.code.put(arith.RemUIOp(self.value(one), self.value(other)))

    def product(self, numbers: tuple[Number, Number, Number]) -> Number:
        """The product of three numbers."""
        x, y, z = numbers
        return self.times(self.times(x, y), z)

    def linear(
        self,
        position: tuple[Number, Number, Number],
        extent: tuple[Number, Number, Number],
    ) -> Number:
        """One number for a position, x fastest."""
        (x, y, z), (width, height, _) = position, extent
        row = self.plus(self.times(z, height), y)
        return self.plus(self.times(row, width), x)

    def position(
        self, linear: Number, extent: tuple[Number, Number, Number]
    ) -> tuple[Number, Number, Number]:
        """The position that a linear number below the product of the extents stands for."""
        width, height, depth = extent
        if height == depth == 1:
            return linear, 0, 0
        rows = self.over(linear, width)
        x = self.modulo(linear, width)
        if depth == 1:
            return x, rows, 0
        return x, self.modulo(rows, height), self.over(rows, height)
