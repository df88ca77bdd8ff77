"""
Where invocations meet, and what decides whether they come.

The grid meets at grid barriers and collectives, a workgroup at its barriers and subgroup
operations. A loop that carries buffers counts as a meeting of the grid: all invocations
must agree on how often the buffers have changed places.

Whoever meets must come by the same way, so control around a meeting is uniform. A rewrite
that sends invocations different ways has to keep that: it leaves whole what holds a
meeting, and it leaves equal the values that decide, directly or through other values,
whether a meeting is reached. The latter are found backwards, from the conditions and bounds
around meetings to what these are computed from.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, OpResult, Region, SSAValue

from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.purity import is_pure
from vyre.analysis.uniformity import Level
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AssignOp,
    BarrierOp,
    GetOp,
    LetOp,
    LoadOp,
    ProgramOp,
    RegionOp,
    SubgroupBallotOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
)

SUBGROUP_OPS = (SubgroupBallotOp, SubgroupReduceOp, SubgroupShuffleOp)


@dataclass(frozen=True)
class Meetings:
    """How uniform a program's control and values have to stay."""

    inside: Mapping[Operation, Level]
    """For operations that hold or are meetings: across what control has to be uniform."""
    deciders: Mapping[SSAValue, Level]
    """For values, and variables, that decide about meetings: across what to be equal."""

    def needed(self, op: Operation, leaving: Iterable[SSAValue]) -> Level:
        """
        How uniform the way through `op` has to stay, for what it holds and for the values
        that leave it. `Level.INVOCATION` means that everyone may go their own way.

        Example: `meetings(program).needed(loop, loop.results)`
        """
        levels = [self.deciders.get(value, Level.INVOCATION) for value in leaving]
        return min([self.inside.get(op, Level.INVOCATION), *levels])


def meetings(program: ProgramOp) -> Meetings:
    """Find the meetings of a program and what decides about them, in linear time."""
    inside: dict[Operation, Level] = {}
    for op in operations_in(program.body):
        level = _own_level(op)
        holder: Operation | None = op
        while holder not in (None, program) and level < inside.get(
            holder, Level.INVOCATION
        ):
            inside[holder] = level
            holder = holder.parent_op()
    return Meetings(inside, _deciders(inside))


def _own_level(op: Operation) -> Level:
    match op:
        case BarrierOp():
            return Level.GRID if op.is_grid_sync else Level.WORKGROUP
        case scf.ForOp() | scf.WhileOp() if any(map(is_memref, op.operands)):
            return Level.GRID
        case _ if isinstance(op, COLLECTIVES):
            return Level.GRID
        case _ if isinstance(op, SUBGROUP_OPS):
            return Level.WORKGROUP
        case _:
            return Level.INVOCATION


def _deciders(inside: Mapping[Operation, Level]) -> dict[SSAValue, Level]:
    """Spread levels backwards, the strictest first, so that each value is settled once."""
    found: dict[SSAValue, Level] = {}
    for level in (Level.GRID, Level.WORKGROUP):
        pending = [v for op, own in inside.items() if own is level for v in _decide(op)]
        while pending:
            value = pending.pop()
            if value not in found:
                found[value] = level
                pending.extend(_origins(value))
    return found


def _decide(op: Operation) -> Iterable[SSAValue]:
    """The values that decide whether, or how often, an operation runs its regions."""
    match op:
        case scf.IfOp():
            return (op.cond,)
        case scf.ForOp():
            return (op.lb, op.ub, op.step)
        case scf.WhileOp():
            return _passed(op.before_region)[:1]
        case _:
            return ()


def _origins(value: SSAValue) -> Iterator[SSAValue]:
    """The values that a value is computed from or chosen by."""
    if isinstance(value, BlockArgument):
        yield from _argument_origins(value)
        return
    assert isinstance(value, OpResult)
    op, position = value.op, value.index
    match op:
        case scf.IfOp() | scf.ForOp() | scf.WhileOp() | RegionOp():
            yield from _decide(op)
            yield from _result_origins(op, position)
        case LoadOp():
            yield from op.indices
        case GetOp():
            yield op.cell
        case LetOp():
            yield op.initial
            for use in value.uses:
                if isinstance(use.operation, AssignOp):
                    yield from _assignment_origins(use.operation)
        case _ if is_pure(op):
            yield from op.operands
        case _:
            pass


def _result_origins(
    op: scf.IfOp | scf.ForOp | scf.WhileOp | RegionOp, position: int
) -> Iterator[SSAValue]:
    match op:
        case scf.ForOp():
            yield op.iter_args[position]
            yield _passed(op.body)[position]
        case scf.WhileOp():
            yield _passed(op.before_region)[position + 1]
        case _:
            for region in op.regions:
                yield _passed(region)[position]


def _argument_origins(argument: BlockArgument) -> Iterator[SSAValue]:
    op, position = argument.block.parent_op(), argument.index
    match op:
        case scf.ForOp() if position == 0:
            yield from _decide(op)
        case scf.ForOp():
            yield op.iter_args[position - 1]
            yield _passed(op.body)[position - 1]
        case scf.WhileOp() if argument.block is op.before_region.block:
            yield op.arguments[position]
            yield _passed(op.after_region)[position]
        case scf.WhileOp():
            yield _passed(op.before_region)[position + 1]
        case _:
            pass


def _assignment_origins(op: AssignOp) -> Iterator[SSAValue]:
    """What is assigned, and what decides whether it is."""
    yield op.value
    holder = op.parent_op()
    while holder is not None and not isinstance(holder, ProgramOp):
        yield from _decide(holder)
        holder = holder.parent_op()


def _passed(region: Region) -> tuple[SSAValue, ...]:
    """The operands of a region's terminator; of a condition, what decides comes first."""
    terminator = region.block.last_op
    return () if terminator is None else tuple(terminator.operands)
