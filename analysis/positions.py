"""
What holders pass on: values that loops carry and branches give.

In SSA form a loop or branch gives a value a new name wherever ways come together. A
*position* is such a place: it has the values that flow into it, and the names that what
flowed in has afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, SSAValue

from vyre.analysis.spine import Holder


class Role(Enum):
    """Where in its holder a position stands."""

    CARRIED = "carried"
    """From trip to trip of a loop."""
    PASSED = "passed"
    """From the test of an `scf.while` to its second region, and out of the loop."""
    CHOSEN = "chosen"
    """By an `scf.if`."""


@dataclass(eq=False)
class Position:
    """
    Example: of `%r = scf.for ... iter_args(%a = %x) { ... scf.yield %b }` the inputs are
    `%x` and `%b`, the values `%a` and `%r`.
    """

    holder: Holder
    role: Role
    index: int
    inputs: tuple[SSAValue, ...]
    values: tuple[SSAValue, ...]

    @property
    def type(self) -> Attribute:
        return self.values[0].type

    @property
    def name(self) -> str | None:
        """A name for people, if one of the values has one."""
        return next((v.name_hint for v in self.values if v.name_hint), None)


def positions_of(holder: Holder) -> list[Position]:
    """What a holder passes on, in order."""
    match holder:
        case scf.ForOp():
            body = holder.body.block
            return _positions(
                holder,
                Role.CARRIED,
                (holder.iter_args, _yielded(body)),
                (body.args[1:], holder.res),
            )
        case scf.WhileOp():
            before, after = holder.before_region.block, holder.after_region.block
            condition = before.last_op
            assert isinstance(condition, scf.ConditionOp)
            carried = _positions(
                holder, Role.CARRIED, (holder.arguments, _yielded(after)), (before.args,)
            )
            passed = _positions(
                holder, Role.PASSED, (condition.args,), (after.args, holder.res)
            )
            return [*carried, *passed]
        case scf.IfOp():
            arms = [_yielded(region.block) for region in holder.regions if region.blocks]
            return _positions(holder, Role.CHOSEN, arms, (holder.output,))


def _positions(
    holder: Holder,
    role: Role,
    inputs: Iterable[Iterable[SSAValue]],
    values: Iterable[Iterable[SSAValue]],
) -> list[Position]:
    given, taken = zip(*inputs, strict=True), zip(*values, strict=True)
    return [
        Position(holder, role, index, ins, outs)
        for index, (ins, outs) in enumerate(zip(given, taken, strict=True))
    ]


def _yielded(block: Block) -> Iterable[SSAValue]:
    last = block.last_op
    return last.operands if isinstance(last, scf.YieldOp) else ()
