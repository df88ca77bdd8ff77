"""Declarations and assignments, with names that nothing else has."""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from vyre.lowering.cuda.expressions import Expression, name
from vyre.lowering.cuda.names import Names
from vyre.lowering.cuda.scalar_code import implied
from vyre.lowering.cuda.types import CType
from vyre.lowering.cuda.writer import Writer


def declaration(type: CType, variable: str) -> str:
    """
    A type and a name, as they stand in a declaration.

    Example: `float x`, or `float *x`.
    """
    space = "" if type.name.endswith("*") else " "
    return f"{type.name}{space}{variable}"


def constant(type: CType, variable: str) -> str:
    """
    The same of a variable that keeps its value.

    Example: `const float x`, or `float *const x`.
    """
    is_pointer = type.pointee is not None
    return f"{type.name}const {variable}" if is_pointer else f"const {type.name} {variable}"


class Statements:
    """
    Writes a function's statements.

    Example: `total = statements.constant("total", binary(a, "+", b, a.type))`
    """

    def __init__(self, names: Names):
        self.writer = Writer()
        self.names = names

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """Statements between braces."""
        with self.writer.block(head), self.names.scope():
            yield

    @contextmanager
    def apart(self) -> Generator[Writer]:
        """Statements of a block that are written down later, or never."""
        before, self.writer = self.writer, self.writer.inner()
        with self.names.scope():
            yield self.writer
        self.writer = before

    def constant(
        self, hint: str | None, value: Expression, *, called: str | None = None
    ) -> Expression:
        """A variable that keeps its value; none if there is a name for it already."""
        if value.is_simple:
            return value
        found = called or self.names.new(hint)
        self.writer.line(f"{constant(value.type, found)} = {value.text};")
        return name(found, value.type)

    def variable(
        self,
        hint: str | None,
        type: CType,
        value: Expression | None = None,
        *,
        called: str | None = None,
    ) -> Expression:
        """A variable that is assigned to; `called` if it has a name already."""
        found = called or self.names.new(hint)
        initial = "" if value is None else f" = {value.text}"
        self.writer.line(f"{declaration(type, found)}{initial};")
        return name(found, type, changes=True)

    def assign(self, variables: Sequence[Expression], values: Sequence[Expression]) -> None:
        """Give variables their next values, all at the same time."""
        pending = [
            (variable, implied(value, variable.type))
            for variable, value in zip(variables, values, strict=True)
            if variable.text != value.text
        ]
        while pending:
            pending = self._assign_some(pending)

    def _assign_some(
        self, pending: list[tuple[Expression, Expression]]
    ) -> list[tuple[Expression, Expression]]:
        """Those that no other value reads; if all are read, one is kept aside first."""
        for position, (variable, value) in enumerate(pending):
            rest = pending[:position] + pending[position + 1 :]
            if not any(variable.text in other.reads for _, other in rest):
                self.writer.line(_assignment(variable, value))
                return rest
        (variable, value), *rest = pending
        kept = self.names.new(f"next_{variable.text}")
        self.writer.line(f"{constant(variable.type, kept)} = {value.text};")
        return [*rest, (variable, name(kept, variable.type))]


_OPERAND = re.compile(r"[\w.]+(\[[^\[\]]*\])?")
"""A name, a literal or an element."""


def _assignment(variable: Expression, value: Expression) -> str:
    for operator in "+-*&|^":
        start = f"{variable.text} {operator} "
        rest = value.text.removeprefix(start)
        # What follows must be a single operand, or the operator would not be the last.
        if rest != value.text and _OPERAND.fullmatch(rest):
            return f"{variable.text} {operator}= {rest};"
    return f"{variable.text} = {value.text};"
