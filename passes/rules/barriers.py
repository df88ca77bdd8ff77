"""
Everyone who should meet at a barrier gets there.

A grid barrier stands in grid-uniform control and a workgroup barrier in workgroup-uniform
control, and so do subgroup operations; a memref is carried only by a grid-uniform loop.
Otherwise some invocations would wait for others that never come.
"""

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.uniformity import Level, Uniformity, uniformity
from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Note, Refusal, name_of
from vyre.dialects.vyre import (
    BarrierOp,
    ProgramOp,
    RegionOp,
    ScheduleOp,
    SubgroupBallotOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
)

SUBGROUP_OPS = (SubgroupBallotOp, SubgroupReduceOp, SubgroupShuffleOp)
_MEETINGS = frozenset[type[Operation]]((BarrierOp, *SUBGROUP_OPS))


def verify_barriers(program: ProgramOp | ScheduleOp) -> None:
    """Refuse barriers and subgroup operations that only some invocations reach."""
    if isinstance(program, ScheduleOp):
        return
    found = [op for op in operations_in(program.body) if _may_meet(op)]
    if not found:
        return
    facts = uniformity(program)
    for op in found:
        match op:
            case BarrierOp() if op.is_grid_sync:
                _require(op, op, Level.GRID, "a grid barrier", facts)
            case BarrierOp():
                _require(op, op, Level.WORKGROUP, "a workgroup barrier", facts)
            case scf.ForOp() | scf.WhileOp():
                inner = op.regions[-1].block.first_op
                if inner is not None:
                    _require(op, inner, Level.GRID, "a loop that carries a buffer", facts)
            case _:
                _require(op, op, Level.WORKGROUP, "a subgroup operation", facts)


def _may_meet(op: Operation) -> bool:
    """
    Whether it takes more than a look to see that all come here: what stands in a program,
    or in regions of it, without control flow around it, is executed by everyone.
    """
    if op.regions and isinstance(op, scf.ForOp | scf.WhileOp):
        return any(map(is_memref, op.operands))
    if type(op) not in _MEETINGS:
        return False
    parent = op.parent_op()
    while isinstance(parent, RegionOp):
        parent = parent.parent_op()
    return not isinstance(parent, ProgramOp)


def _require(
    at: Operation, inside: Operation, level: Level, what: str, facts: Uniformity
) -> None:
    if facts.control(inside) <= level:
        return
    decider = facts.diverging_value(inside)
    scope = "grid" if level is Level.GRID else "workgroup"
    raise Refusal(
        f"{what} stands in control that is not {scope}-uniform"
        + ("" if decider is None else f": {_name(decider)} may differ between invocations"),
        fix=f"let the condition depend only on what is the same in the whole {scope}, or "
        "move the operation out of the branch or loop",
        at=at,
        notes=_unknown(inside) if decider is None else _explanation(decider, facts),
    )


def _unknown(op: Operation) -> list[Note]:
    parent = op.parent_op()
    assert parent is not None
    return [
        Note(parent, f"nothing is known about when '{name_of(parent)}' runs its region")
    ]


def _explanation(decider: SSAValue, facts: Uniformity) -> list[Note]:
    """The condition, and where its divergence began."""
    origin = facts.origin(decider)
    if origin is None:
        return [Note(decider, f"{_name(decider)} decides")]
    value, reason = origin
    if value is decider:
        notes = [Note(decider, f"{_name(decider)} decides, and {reason.text}")]
    else:
        notes = [
            Note(decider, f"{_name(decider)} decides"),
            Note(value, f"{_name(value)} {reason.text}"),
        ]
    if reason.at not in (value.owner, decider.owner):
        notes.append(Note(reason.at, "here"))
    if reason.also is not None:
        notes.append(Note(reason.also, "written here"))
    return notes


def _name(value: SSAValue) -> str:
    return f"%{value.name_hint}" if value.name_hint else "a value"
