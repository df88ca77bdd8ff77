"""
What values of a program are in C++: an expression, a buffer's pointer and sizes, or nothing
at all for tokens, because copies are done when they start.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, SSAValue

from vyre.dialects.vyre.attributes import TokenType
from vyre.dialects.vyre.buffers import memref_type
from vyre.lowering.cuda.expressions import Expression
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.types import ULONG, CType


@dataclass(frozen=True)
class Place:
    """Where a buffer is: a pointer to its first element, and its sizes."""

    pointer: Expression
    element: CType
    """As it is stored."""
    sizes: tuple[Expression, ...]


class Environment:
    """
    The expressions of a function being written, by SSA value.

    A value that flows through control flow is a list of expressions: one for a scalar; for
    a buffer its pointer, and the sizes that its type does not show.

    Example: `values.bind([sum], [expression]); values.scalar(sum)`
    """

    def __init__(self) -> None:
        self._expressions: dict[SSAValue, list[Expression]] = {}

    def scalar(self, value: SSAValue) -> Expression:
        """The expression of a number."""
        (expression,) = self._expressions[value]
        return expression

    def scalars(self, values: Sequence[SSAValue]) -> list[Expression]:
        """The expressions of some numbers."""
        return [self.scalar(value) for value in values]

    def place(self, buffer: SSAValue) -> Place:
        """Where a buffer is."""
        pointer = self._expressions[buffer][0]
        assert pointer.type.pointee is not None
        return Place(pointer, pointer.type.pointee, self.sizes(buffer))

    def sizes(self, buffer: SSAValue) -> tuple[Expression, ...]:
        """The sizes of a buffer."""
        _, *dynamic = self._expressions[buffer]
        rest = iter(dynamic)
        return tuple(
            next(rest) if size == DYNAMIC_INDEX else integer_literal(size, ULONG)
            for size in memref_type(buffer).get_shape()
        )

    def expressions(self, values: Sequence[SSAValue]) -> list[Expression]:
        """All expressions of some values, one after the other."""
        return [e for value in values for e in self._of(value)]

    def _of(self, value: SSAValue) -> list[Expression]:
        return [] if isinstance(value.type, TokenType) else self._expressions[value]

    def bind(self, values: Sequence[SSAValue], expressions: Sequence[Expression]) -> None:
        """Let values be these expressions, as `expressions` would give them."""
        first = 0
        for value in values:
            count = expression_count(value.type)
            self._expressions[value] = list(expressions[first : first + count])
            first += count


def expression_count(type: Attribute) -> int:
    """
    How many expressions a value of a type is.

    Example: of `memref<?x16xf32>` it is 2.
    """
    if isinstance(type, MemRefType):
        return 1 + type.get_shape().count(DYNAMIC_INDEX)
    return 0 if isinstance(type, TokenType) else 1


PLACEHOLDER = Expression("", ULONG)
"""Stands for what nothing needs."""


def placeholders(type: Attribute) -> list[Expression]:
    """Expressions for a value that nothing needs."""
    return [PLACEHOLDER] * expression_count(type)


def size_name(buffer: str, dim: int, rank: int) -> str:
    """
    What the size of a buffer along a dimension is called.

    Example: `a_size`, or `a_size_0` if it has several.
    """
    return f"{buffer}_size" if rank == 1 else f"{buffer}_size_{dim}"
