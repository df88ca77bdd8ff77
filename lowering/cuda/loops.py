"""
Loops, and how they are stopped.

A loop that may be long looks at the stop word now and then. One that comes to a grid
barrier in each trip does not: the barrier looks.
"""

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects import scf
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block, SSAValue

from vyre.analysis.buffer_sources import is_memref
from vyre.dialects.vyre import BarrierOp, RegionOp
from vyre.dialects.vyre.buffers import memref_type
from vyre.lowering.cuda.control import ControlCode
from vyre.lowering.cuda.counting import counting, counting_type, most_trips, widened
from vyre.lowering.cuda.expressions import Expression, name, negation
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.scalar_code import implied
from vyre.lowering.cuda.statements import declaration
from vyre.lowering.cuda.types import UINT, width
from vyre.lowering.cuda.values import PLACEHOLDER, placeholders, size_name
from vyre.lowering.cuda.writer import Writer
from vyre.lowering.loops import is_short, stretch


class LoopCode(ControlCode):
    """Writes loops."""

    has_polls: bool = False
    """Whether a loop looks at the stop word."""

    @override
    def loop(self, op: scf.ForOp | scf.WhileOp) -> None:
        if isinstance(op, scf.WhileOp):
            self._while(op)
        elif width(op.lb.type) == 1:
            # No step of a single bit is positive, so there is no trip.
            self.values.bind(op.res, self.given(op.iter_args))
        else:
            self._for(op)

    def _for(self, op: scf.ForOp) -> None:
        induction, *arguments = op.body.block.args
        carried = self._carried(arguments, op.iter_args)
        start, end, step = self.values.scalars((op.lb, op.ub, op.step))
        type = counting_type(self.scalars, op, end)
        trips = None if step.number == 1 else self._trips(op)
        with self.statements.names.scope():
            k = name(self.statements.names.new(induction.name_hint, "k"), type)
            parts = counting(self.scalars, op, k, end, step)
            first = widened(start, width(op.lb.type), type, plain=True)
            head = f"{declaration(type, k.text)} = {first.text}"
            with self.statements.block(f"for ({head}; {parts.condition}; {parts.step})"):
                if self._is_watched(op):
                    self.look((trips or k).text, stretch(op), counts=trips is not None)
                self.values.bind([induction, *arguments], [k, *carried])
                again = self.block(op.body.block)
                if again is not None:
                    self._advance(carried, again)
        self.values.bind(op.res, carried)

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        if self.ends(op):
            # Nobody comes to the test.
            self.values.bind(before.args, self.given(op.arguments))
            self.block(before)
            return
        carried = self._carried(before.args, op.arguments)
        self.values.bind(before.args, carried)
        passed = self._passed(op, condition)
        trips = self._trips(op)
        with self.statements.apart() as head:
            given = self.block(before)
            assert given is not None
            self._advance(passed, given[1:])
            self.values.bind(after.args, passed)
            with self.statements.apart() as body:
                if self._is_watched(op):
                    self.look("" if trips is None else trips.text, stretch(op), counts=True)
                again = self.block(after)
                if again is not None:
                    self._advance(carried, again)
        self._write_loop(given[0], head, body)
        self.values.bind(op.res, passed)

    def _write_loop(self, condition: Expression, head: Writer, body: Writer) -> None:
        """With the test at its beginning, unless something comes before that."""
        opening = condition.text if head.is_empty else "true"
        self.writer.line(f"while ({opening}) {{")
        self.writer.add(head)
        if not head.is_empty:
            with self.writer.indented():
                self.writer.line(f"if ({negation(condition).text}) break;")
        self.writer.add(body, dedent=1)
        self.writer.line("}")

    def _trips(self, op: scf.ForOp | scf.WhileOp) -> Expression | None:
        """A variable that counts trips, if somebody asks how many there were."""
        if not self._is_watched(op) or stretch(op) == 1:
            return None
        return self.statements.variable("trips", UINT, integer_literal(0, UINT))

    def look(self, counter: str, trips: int, *, counts: bool) -> None:
        """
        Leave if the host says so, which is asked once in so many trips: never in the first,
        for the host is far away. `counts` if this is where the counter counts.
        """
        self.has_polls = True
        mask = f"{trips - 1:#x}"
        moment = (
            f"(++{counter} & {mask}) == 0" if counts else f"({counter} & {mask}) == {mask}"
        )
        start = f"{moment} && " if trips > 1 else ""
        self.writer.line(f"if ({start}*vyre_stop != 0) return;")

    def _carried(
        self, arguments: Sequence[SSAValue], values: Sequence[SSAValue]
    ) -> list[Expression]:
        """Variables for what a loop carries, with what it starts with."""
        found: list[Expression] = []
        for argument, value in zip(arguments, values, strict=True):
            initial = self.given([value])
            if is_memref(argument):
                found += self._carried_buffer(argument, initial)
            elif argument not in self.needs.values:
                found += placeholders(argument.type)
            else:
                for start in initial:
                    type = self.variable_type(argument)
                    hint = argument.name_hint
                    found.append(self.statements.variable(hint, type, implied(start, type)))
        return found

    def _carried_buffer(
        self, argument: SSAValue, initial: list[Expression]
    ) -> list[Expression]:
        pointer, *sizes = initial
        shape = memref_type(argument).get_shape()
        dims = [dim for dim, size in enumerate(shape) if size == DYNAMIC_INDEX]
        found = [PLACEHOLDER]
        hint = argument.name_hint or "buffer"
        if argument in self.needs.values:
            found = [self.statements.variable(hint, pointer.type, pointer)]
            hint = found[0].text
        for dim, size in zip(dims, sizes):
            if (argument, dim) in self.needs.sizes:
                called = size_name(hint, dim, len(shape))
                found.append(self.statements.variable(called, size.type, size))
            else:
                found.append(PLACEHOLDER)
        return found

    def _passed(self, op: scf.WhileOp, condition: scf.ConditionOp) -> list[Expression]:
        """Variables for what the test of a loop passes on and nothing else holds."""
        found: list[Expression] = []
        before, after = op.before_region.block, op.after_region.block
        for value, argument, result in zip(condition.args, after.args, op.res):
            if value in before.args or is_memref(value):
                found += self.values.expressions([value])
            elif not self.needs.values & {argument, result}:
                found += placeholders(value.type)
            else:
                type = self.variable_type(value)
                found.append(self.statements.variable(argument.name_hint, type))
        return found

    def _is_watched(self, op: scf.ForOp | scf.WhileOp) -> bool:
        """Whether a loop looks at the stop word, now and then, itself."""
        if isinstance(op, scf.ForOp):
            makes_few = self._most_trips(op) < stretch(op)
            if makes_few or is_short(op, self._most_trips):
                return False
        return not any(_meets(region.block) for region in op.regions)

    def _most_trips(self, op: scf.ForOp) -> int:
        return most_trips(self.scalars.numbers, op)

    def _advance(self, variables: list[Expression], values: list[Expression]) -> None:
        """Assign to those that are variables."""
        pairs = [(v, e) for v, e in zip(variables, values, strict=True) if v.reads]
        self.statements.assign([v for v, _ in pairs], [e for _, e in pairs])


def _meets(block: Block) -> bool:
    """Whether everyone who goes through a block comes to a grid barrier."""
    return any(
        (isinstance(op, BarrierOp) and op.is_grid_sync)
        or (isinstance(op, RegionOp) and _meets(op.body.block))
        for op in block.ops
    )
