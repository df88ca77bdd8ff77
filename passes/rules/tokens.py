"""
Every asynchronous copy is waited for, once, on every path.

A token is used exactly once, in the block that defines it or in `vyre.region`s there: by a
`vyre.async_wait`, or to hand it on, into a loop, or out of a loop, branch or region. By
induction over the structure every path from a copy passes exactly one wait for it, unless
the invocation ends.
"""

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import (
    AsyncWaitOp,
    ProgramOp,
    RegionOp,
    ScheduleOp,
    TokenType,
    YieldOp,
)

_TAKERS = (
    AsyncWaitOp,
    scf.ForOp,
    scf.WhileOp,
    scf.YieldOp,
    scf.ConditionOp,
    YieldOp,
)


def verify_tokens(program: ProgramOp | ScheduleOp) -> None:
    """Refuse copies that are not waited for exactly once on every path."""
    for op in operations_in(program.body):
        for value in op.results:
            _verify_token(op, value)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    _verify_token(op, argument)


def _reaches(op: Operation, block: Block | None) -> bool:
    """Whether `op` runs exactly when its block does: it is in it, or in regions of it."""
    while op.parent is not block:
        parent = op.parent_op()
        if not isinstance(parent, RegionOp):
            return False
        op = parent
    return True


def _verify_token(op: Operation, value: SSAValue) -> None:
    if not isinstance(value.type, TokenType):
        return
    uses = [use.operation for use in value.uses]
    if not uses:
        raise Refusal(
            "nothing waits for this copy, so nothing says when it is done",
            fix="pass its token to a 'vyre.async_wait'",
            at=op,
        )
    block = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    for use in uses:
        reached = _reaches(use, block)
        if len(uses) > 1 or not reached or not isinstance(use, _TAKERS):
            raise Refusal(
                "the copy is not waited for exactly once on every path",
                fix="wait for its token once, in the block that has it",
                at=op,
                notes=[Note(use, "used here")],
            )
