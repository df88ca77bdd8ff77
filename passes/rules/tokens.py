"""
Every asynchronous copy is waited for.

A copy's token is used, and so is every value that carries it on through loops and regions;
the last use of such a chain can only be a `vyre.async_wait`.
"""

from xdsl.ir import SSAValue

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import ProgramOp, ScheduleOp, TokenType


def verify_tokens(program: ProgramOp | ScheduleOp) -> None:
    """Refuse copies whose token is dropped."""
    for op in program.body.walk():
        carried = (arg for region in op.regions for b in region.blocks for arg in b.args)
        for value in (*op.results, *carried):
            if isinstance(value.type, TokenType) and not _is_used(value):
                raise Refusal(
                    "nothing waits for this copy, so nothing says when it is done",
                    fix="pass its token to a 'vyre.async_wait'",
                    at=op,
                )


def _is_used(value: SSAValue) -> bool:
    return value.first_use is not None
