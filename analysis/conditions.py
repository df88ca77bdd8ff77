"""
What follows from a condition that holds, or does not.

A condition is an `i1` value. If `a and b` holds, both do; if `a or b` does not, neither
does; and so on through negation, `arith.select`, results of `scf.if`, and flags that loops
carry. A carried flag that every trip only ever lowers (`alive = alive and x`) can hold only
if it held before the loop; the same with a flag that is only ever raised.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple, TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Operation, OpResult, Region, SSAValue

from vyre.dialects.vyre import ProgramOp, RegionOp, ScheduleOp

SEARCHED = 64
"""Conditions that one question looks at; it bounds its cost."""


class Literal(NamedTuple):
    """A condition, and whether it holds."""

    value: SSAValue
    holds: bool


Flags: TypeAlias = Mapping[Literal, list[Literal]]
"""What else is so if a flag that was passed on holds or does not."""


def consequences(given: Literal, flags: Flags) -> Iterable[Literal]:
    """
    The condition itself and what follows from it.

    Example: for `%c = arith.andi %a, %b : i1` that holds, `%c`, `%a` and `%b` hold.
    """
    found = {given: None}
    pending = [given]
    for literal in islice(_steps(pending, flags), SEARCHED):
        if literal not in found:
            found[literal] = None
            pending.append(literal)
    return found


def carried_flags(program: ProgramOp | ScheduleOp) -> Flags:
    """What follows from each flag that a loop or region of the program passes on."""
    flags: dict[Literal, list[Literal]] = {}
    # Loops end after the loops inside them: flags often pass through both.
    for op in _from_inside(program.body):
        match op:
            case scf.ForOp():
                _for(op, flags)
            case scf.WhileOp():
                _while(op, flags)
            case RegionOp():
                _pass_on(op.outputs, yielded(op.body), flags)
            case _:
                pass
    return flags


def _from_inside(region: Region) -> Iterator[Operation]:
    """Operations with regions, those inside one before it."""
    for block in region.blocks:
        for op in block.ops:
            if op.regions:
                for inner in op.regions:
                    yield from _from_inside(inner)
                yield op


def yielded(region: Region) -> tuple[SSAValue, ...]:
    """What the terminator of a region's only block passes on."""
    terminator = region.block.last_op
    return () if terminator is None else tuple(terminator.operands)


def _steps(pending: list[Literal], flags: Flags) -> Iterator[Literal]:
    for literal in pending:
        yield from flags.get(literal, ())
        if isinstance(literal.value, OpResult):
            yield from _operands(literal.value.op, literal)


def _operands(op: Operation, literal: Literal) -> Iterator[Literal]:
    """What follows for the operands of an operation from its result."""
    holds = literal.holds
    match op:
        case arith.AndIOp() if holds:
            yield from (Literal(op.lhs, True), Literal(op.rhs, True))
        case arith.OrIOp() if not holds:
            yield from (Literal(op.lhs, False), Literal(op.rhs, False))
        case arith.XOrIOp():
            for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                known = constant(one)
                if known is not None:
                    yield Literal(other, holds != known)
        case arith.SelectOp():
            yield from _choice(op.cond, op.lhs, op.rhs, holds)
        case scf.IfOp():
            assert isinstance(literal.value, OpResult)
            position = literal.value.index
            arms = [yielded(region)[position] for region in op.regions]
            yield from _choice(op.cond, arms[0], arms[1], holds)
        case _:
            return


def _choice(
    condition: SSAValue, first: SSAValue, second: SSAValue, holds: bool
) -> Iterator[Literal]:
    """If one of the two values is not the one chosen, the other one is."""
    if constant(first) == (not holds):
        yield from (Literal(condition, False), Literal(second, holds))
    if constant(second) == (not holds):
        yield from (Literal(condition, True), Literal(first, holds))


def constant(value: SSAValue) -> bool | None:
    """Whether a condition that is written as a constant holds."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data != 0
    return None


def _for(op: scf.ForOp, flags: dict[Literal, list[Literal]]) -> None:
    arguments = op.body.block.args[1:]
    for start, argument, again, result in zip(
        op.iter_args, arguments, yielded(op.body), op.res, strict=True
    ):
        for holds in _only_kept(argument, again, flags):
            for flag in (argument, result):
                flags[Literal(flag, holds)] = [Literal(start, holds)]


def _while(op: scf.WhileOp, flags: dict[Literal, list[Literal]]) -> None:
    before, after = op.before_region.block, op.after_region.block
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    _pass_on(after.args, condition.args, flags)
    _pass_on(op.res, condition.args, flags)
    for start, argument, again in zip(
        op.arguments, before.args, yielded(op.after_region), strict=True
    ):
        for holds in _only_kept(argument, again, flags):
            flags[Literal(argument, holds)] = [Literal(start, holds)]


def _pass_on(
    targets: Iterable[SSAValue],
    origins: Iterable[SSAValue],
    flags: dict[Literal, list[Literal]],
) -> None:
    """A flag that is passed on unchanged tells the same at both places."""
    for target, origin in zip(targets, origins, strict=True):
        if target.type == i1:
            for holds in (True, False):
                flags[Literal(target, holds)] = [Literal(origin, holds)]


def _only_kept(argument: SSAValue, again: SSAValue, flags: Flags) -> Iterator[bool]:
    """What a carried flag is after a trip only if it was so before."""
    if argument.type == i1:
        for holds in (True, False):
            if Literal(argument, holds) in consequences(Literal(again, holds), flags):
                yield holds
