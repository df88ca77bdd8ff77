"""
On which invocations of a fused program a wave runs.

| layout | what happens |
|---|---|
| `AS_IS` | every invocation does its own part |
| `BY_INVOCATION` | the invocations of the wave are shared out among all |
| `BY_WORKGROUP` | the workgroups of the wave are shared out among all |

A wave runs as it is if it has the grid of the dispatch and the workgroups of the fused
program. Otherwise it is shared out: by invocation if workgroups mean nothing to its program
but ids, and else by workgroup, which must have the size of those of the fused program.

Workgroups mean something to a program with barriers, workgroup memory, scratch of
workgroups, subgroup operations, or operations that Vyre does not know.
"""

from collections.abc import Sequence
from enum import Enum, auto
from math import prod

from xdsl.ir import Operation

from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.purity import is_known
from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Note, Refusal, name_of
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    ProgramOp,
    ScratchOp,
    SubgroupBallotOp,
    SubgroupLocalIdOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    SubgroupSizeOp,
    WaveOp,
)
from vyre.dialects.vyre.attributes import Access, ScratchScope
from vyre.dialects.vyre.megakernel import MAX_INVOCATIONS

_MOST_PER_WORKGROUP = 2**20
"""So that no number of an invocation overflows, whatever the grid is."""

_MEETING = (
    BarrierOp,
    SubgroupBallotOp,
    SubgroupLocalIdOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    SubgroupSizeOp,
)


class Layout(Enum):
    """How the invocations of a wave are those of the fused program."""

    AS_IS = auto()
    BY_INVOCATION = auto()
    BY_WORKGROUP = auto()


def needs_its_workgroups(program: ProgramOp) -> Operation | None:
    """
    The first operation for which it counts who is in a workgroup, if there is one.

    Example: `needs_its_workgroups(program) is None` for a program of loads and stores.
    """
    for op in operations_in(program.body):
        if _is_of_workgroup(op) or type(op) in _MEETING or not is_known(op):
            return op
    return None


def _is_of_workgroup(op: Operation) -> bool:
    """Whether it declares memory that a workgroup shares."""
    if type(op) is ScratchOp:
        return op.scope.data is ScratchScope.PER_WORKGROUP
    return type(op) is BufferOp and op.access.data is Access.WORKGROUP


def fused_workgroup(
    waves: Sequence[WaveOp], programs: Sequence[ProgramOp]
) -> tuple[int, ...]:
    """
    The workgroups of those waves that need theirs, which must be the same; else those of
    the first wave.
    """
    fixed: tuple[WaveOp, ProgramOp] | None = None
    needs: dict[ProgramOp, Operation | None] = {}
    for wave, program in zip(waves, programs):
        if program not in needs:
            needs[program] = needs_its_workgroups(program)
        needed = needs[program]
        if needed is None:
            continue
        fixed = fixed or (wave, program)
        if fixed[1].workgroup != program.workgroup:
            raise Refusal(
                f"the wave needs its workgroups of {list(program.workgroup)}, and another "
                f"one needs workgroups of {list(fixed[1].workgroup)}",
                fix="use one size for all programs with barriers, workgroup memory or "
                "subgroup operations",
                at=wave,
                notes=[Note(needed, "for this"), Note(fixed[0], "the other wave")],
            )
    if fixed is not None:
        return fixed[1].workgroup
    return programs[0].workgroup if programs else (1, 1, 1)


def layout_of(wave: WaveOp, program: ProgramOp, workgroup: tuple[int, ...]) -> Layout:
    """How a wave runs in workgroups of this size; refused if it cannot."""
    for op in operations_in(program.body):
        if type(op) in COLLECTIVES:
            raise Refusal(
                "a collective cannot be in a wave",
                fix="run its program on its own",
                at=wave,
                notes=[Note(op, "the collective")],
            )
    if wave.workgroups is None and program.workgroup == workgroup:
        return Layout.AS_IS
    size, groups = prod(program.workgroup), prod(wave.workgroups or (1,))
    if size > _MOST_PER_WORKGROUP or size * groups > MAX_INVOCATIONS:
        raise Refusal(
            f"{groups} workgroups of {list(program.workgroup)} are too many invocations",
            fix="use at most 2**20 in a workgroup and 2**40 in all",
            at=wave,
        )
    if needs_its_workgroups(program) is None:
        return Layout.BY_INVOCATION
    for op in operations_in(program.body):
        meets = type(op) is BarrierOp and op.is_grid_sync
        if meets or not is_known(op):
            raise Refusal(
                f"the wave has a grid of its own and '{name_of(op)}', which is about the "
                "whole grid of the dispatch",
                fix="leave out `grid`, or divide the program into several waves",
                at=wave,
                notes=[Note(op, "the operation")],
            )
    return Layout.BY_WORKGROUP
