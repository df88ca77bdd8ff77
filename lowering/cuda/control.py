"""
Structured control flow, as C++ has it.

What a loop carries and what a branch gives are variables; everything else is a constant or
stands where it is used. Regions are comments.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from vyre.analysis.buffer_sources import is_memref
from vyre.dialects.vyre import RegionOp, ReturnOp, TrapOp, YieldOp
from vyre.lowering.cuda.expressions import Expression, name, negation
from vyre.lowering.cuda.names import Names
from vyre.lowering.cuda.needs import Needs
from vyre.lowering.cuda.scalar_code import ScalarCode, chosen_of
from vyre.lowering.cuda.scalars import EMITTERS, emit_scalar
from vyre.lowering.cuda.statements import Statements
from vyre.lowering.cuda.types import UINT, CType, register_type, width
from vyre.lowering.cuda.values import Environment, placeholders
from vyre.lowering.cuda.writer import Writer

_TERMINATORS = (scf.YieldOp, scf.ConditionOp, YieldOp)
LINE = 80
"""Characters of a line, not counted what it is indented."""
_LONGEST = 72
"""Characters of an expression that has no variable of its own."""

Given = list[Expression] | None
"""What a block passes on; None if its end is never reached."""


class ControlCode(ABC):
    """Writes blocks; what operations with effects become is up to the subclass."""

    def __init__(
        self, names: Names, scalars: ScalarCode, needs: Needs, folded: set[SSAValue]
    ):
        self.statements = Statements(names)
        self.values = Environment()
        self.scalars = scalars
        self.needs = needs
        self._folded = folded
        self.traps_end = True
        """Whether an invocation that traps goes no further."""

    @property
    def writer(self) -> Writer:
        """Where the next line goes."""
        return self.statements.writer

    @abstractmethod
    def effect(self, op: Operation) -> None:
        """Write an operation that is neither pure nor control flow."""

    @abstractmethod
    def loop(self, op: scf.ForOp | scf.WhileOp) -> None:
        """Write a loop."""

    def block(self, block: Block) -> Given:
        """Write a block."""
        for op in block.ops:
            if isinstance(op, _TERMINATORS):
                return self.given(op.operands)
            if not self.operation(op):
                return None
        return []

    def given(self, values: Sequence[SSAValue]) -> list[Expression]:
        """All expressions of some values; of those that nothing needs, empty ones."""
        return [
            expression
            for value in values
            for expression in (
                self.values.expressions([value])
                if value in self.needs.values or is_memref(value)
                else placeholders(value.type)
            )
        ]

    def operation(self, op: Operation) -> bool:
        """Write an operation; whether the code goes on after it."""
        if not self.needs.has(op):
            return True
        match op:
            case _ if type(op) in EMITTERS:
                operands = self.values.scalars(op.operands)
                self.define(op.results, emit_scalar(self.scalars, op, operands))
            case scf.IfOp():
                return self._if(op)
            case scf.ForOp() | scf.WhileOp():
                self.loop(op)
            case RegionOp():
                return self._region(op)
            case _:
                self.effect(op)
        return not self.ends(op)

    def define(self, results: Sequence[SSAValue], values: Sequence[Expression]) -> None:
        """Let results be expressions, or constants with a name of their own."""
        for result, value in zip(results, values, strict=True):
            if result in self.needs.values:
                self._define(result, value)

    def _define(
        self, result: SSAValue, value: Expression, called: str | None = None
    ) -> None:
        is_folded = result in self._folded and len(value.text) <= _LONGEST
        if value.number is None and not is_folded:
            value = self.statements.constant(result.name_hint, value, called=called)
        self.values.bind([result], [value])

    def _region(self, op: RegionOp) -> bool:
        comment = region_comment(op)
        if comment is not None:
            self.writer.space()
            self.writer.line(comment)
        given = self.block(op.body.block)
        if comment is not None:
            self.writer.space()
        if given is not None:
            self.values.bind(op.outputs, given)
        return given is not None

    def _if(self, op: scf.IfOp) -> bool:
        condition = self.values.scalar(op.cond)
        arms = [(condition, op.true_region), (negation(condition), op.false_region)]
        for (decides, ending), (_, other) in (arms, arms[::-1]):
            if self._never_left(ending):
                # What comes after the branch is the other arm.
                with self.statements.apart() as writer:
                    self._arm(ending)
                self._write_arms(decides, writer)
                given = self._arm(other)
                if given is not None:
                    self.values.bind(op.output, given)
                return given is not None
        self._join(op, condition)
        return True

    def _arm(self, region: Region) -> Given:
        return [] if region.blocks.first is None else self.block(region.block)

    def _join(self, op: scf.IfOp, condition: Expression) -> None:
        """Both arms, and variables for what they give."""
        results = [r for r in op.output if r in self.needs.values]
        # Inside the arms, nothing else may be called as the variables are.
        called = [self.statements.names.new(result.name_hint) for result in results]
        written: list[Writer] = []
        given: list[list[Expression]] = []
        for region in op.regions:
            with self.statements.apart() as writer:
                found = self._arm(region)
            assert found is not None
            written.append(writer)
            given.append(found)
        chosen = [
            [value for value, r in zip(values, op.output) if r in self.needs.values]
            for values in given
        ]
        types = [self._common_type(r, *both) for r, *both in zip(results, *chosen)]
        if all(writer.is_empty for writer in written) and len(results) <= 1:
            for result, type, name_, yes, no in zip(results, types, called, *chosen):
                self._define(result, chosen_of(condition, yes, no, type), name_)
            return
        variables = [
            self.statements.variable(None, type, called=name_)
            for type, name_ in zip(types, called)
        ]
        for arm, writer in enumerate(written):
            before, self.statements.writer = self.statements.writer, writer
            with self.statements.names.scope():
                self.statements.assign(variables, chosen[arm])
            self.statements.writer = before
        self._write_arms(condition, *written)
        self.values.bind(results, [name(v.text, v.type) for v in variables])

    def _write_arms(
        self, condition: Expression, first: Writer, second: Writer | None = None
    ) -> None:
        if second is not None and first.is_empty:
            first, second, condition = second, None, negation(condition)
        has_second = second is not None and not second.is_empty
        statement = None if has_second else first.only_statement()
        line = f"if ({condition.text}) {statement}"
        if statement is not None and len(line) <= LINE:
            self.writer.line(line)
            return
        self.writer.line(f"if ({condition.text}) {{")
        self.writer.add(first)
        if second is not None and has_second:
            self.writer.line("} else {")
            self.writer.add(second)
        self.writer.line("}")

    def _common_type(self, value: SSAValue, *ways: Expression) -> CType:
        """The type of a variable that gets one of several expressions."""
        if not ways[0].type.is_integer:
            return ways[0].type
        types = {way.type for way in ways if way.number is None}
        if len(types) == 1:
            found = types.pop()
            if found.bits == width(value.type) or self.scalars.numbers.is_short(value):
                return found
        return self.variable_type(value)

    def variable_type(self, value: SSAValue) -> CType:
        """The type of a variable for a number."""
        type = register_type(value.type)
        is_short = type.is_integer and self.scalars.numbers.is_short(value)
        return UINT if type.bits == 64 and is_short and type.is_integer else type

    def ends(self, op: Operation) -> bool:
        """
        Whether an invocation that comes to an operation ends there.

        Example: `vyre.return`, and a branch with one in each arm.
        """
        match op:
            case ReturnOp():
                return True
            case TrapOp():
                return self.traps_end
            case RegionOp():
                return self._never_left(op.body)
            case scf.WhileOp():
                return self._never_left(op.before_region)
            case scf.IfOp():
                return all(map(self._never_left, op.regions))
            case _:
                return False

    def _never_left(self, region: Region) -> bool:
        """Whether an invocation that enters a region ends in it."""
        return any(self.ends(op) for block in region.blocks for op in block.ops)


def region_comment(op: RegionOp) -> str | None:
    """
    Where a part of a program comes from, if it says so. Quoting keeps it on one line.

    Example: `// region "row_sum" from "blas.gemv"`
    """
    parts: list[str] = []
    if op.generator is not None:
        parts.append(json.dumps(op.generator.data))
    if op.source is not None:
        parts.append(f"from {json.dumps(op.source.data)}")
    return " ".join(["// region", *parts]) if parts else None
