"""Writing a stretch of new code."""

from __future__ import annotations

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.passes.placing import constant


class CodeWriter:
    """
    Puts operations one after the other at a place, with the location of what they serve.

    Example:

    ```python
    code = CodeWriter(InsertPoint.before(op), op)
    twice = code.put(arith.AddiOp(value, value))
    code.run(StoreOp(twice, buffer, [index]))
    ```
    """

    def __init__(self, point: InsertPoint, serves: Operation):
        self._point = point
        self._serves = serves
        self._constants: dict[tuple[str, Attribute], SSAValue] = {}

    def run(self, op: Operation) -> None:
        """Put an operation without a result."""
        op.location = self._serves.location
        Rewriter.insert_op(op, self._point)

    def put(self, op: Operation, name: str | None = None) -> SSAValue:
        """Put an operation; its result, under a name if one is given."""
        self.run(op)
        result = op.results[0]
        # Entries of tables have names that values cannot have.
        result.name_hint = name if result.is_valid_name(name) else None
        return result

    def constant(self, value: float, type: Attribute) -> SSAValue:
        """A constant; the same one if it is asked for again."""
        key = repr(value), type
        if key not in self._constants:
            self._constants[key] = self.put(constant(value, type))
        return self._constants[key]

    def at_end(self, block: Block) -> CodeWriter:
        """A writer for a block of its own."""
        return CodeWriter(InsertPoint.at_end(block), self._serves)
