"""
Every value is defined before it is used, on every path.

Control flow in a program is structured: a region has one block, so what comes first in the
text comes first in every execution. A use sees what is defined above it in its block, and
what is defined above the operations around it.

One walk: values become visible as their definitions are passed and are hidden again when
their region is left.
"""

from xdsl.dialects import scf
from xdsl.ir import Operation, Region, SSAValue

from vyre.dialects.refusal import Note, Refusal, name_of
from vyre.dialects.vyre import ProgramOp, ScheduleOp


def verify_dominance(program: ProgramOp | ScheduleOp) -> None:
    """Refuse a use that its definition does not dominate."""
    _enter(program, program.body, set())


def _enter(parent: Operation, region: Region, visible: set[SSAValue]) -> None:
    block = region.blocks.first
    if block is None:
        return
    if isinstance(parent, scf.ExecuteRegionOp):
        # It exists to hold several blocks, and xDSL prints it without its terminator.
        raise Refusal(
            "control flow in a program is structured and needs no 'scf.execute_region'",
            fix="use 'vyre.region'",
            at=parent,
        )
    if block.next_block is not None:
        raise Refusal(
            f"a region of '{name_of(parent)}' has several blocks",
            fix="express the control flow with scf.if, scf.for and scf.while",
            at=parent,
        )
    defined: list[SSAValue] = list(block.args)
    visible.update(block.args)
    for op in block.ops:
        if op.successors:
            _refuse_branch(op)
        for operand in op.operands:
            if operand not in visible:
                _refuse(op, operand)
        for inner in op.regions:
            _enter(op, inner, visible)
        visible.update(op.results)
        defined.extend(op.results)
    visible.difference_update(defined)


def _refuse_branch(op: Operation) -> None:
    raise Refusal(
        "branches to a block, but control flow in a program is structured",
        fix="express the control flow with scf.if, scf.for and scf.while",
        at=op,
    )


def _refuse(op: Operation, operand: SSAValue) -> None:
    name = f"%{operand.name_hint}" if operand.name_hint else "a value"
    raise Refusal(
        f"uses {name}, which is not defined on every path to here",
        fix="move the definition above the use, or the use below the definition; "
        "a value leaves a region only as a result of the operation around it",
        at=op,
        notes=[Note(operand, "defined here")],
    )
