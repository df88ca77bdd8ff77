"""Where a program returns."""

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from vyre.analysis.purity import is_pure
from vyre.analysis.uniformity import Level, uniformity
from vyre.dialects.refusal import Refusal, name_of
from vyre.dialects.vyre import ProgramOp, RegionOp, ReturnOp


def drop_last_returns(block: Block) -> None:
    """
    Remove the returns after which nothing is left to do, if a program ends with the block.

    Example: `drop_last_returns(program.body.block)`
    """
    op = block.last_op
    while op is not None and (is_pure(op) or isinstance(op, scf.YieldOp | ReturnOp)):
        previous = op.prev_op
        if isinstance(op, ReturnOp):
            Rewriter.erase_op(op)
        op = previous
    if isinstance(op, scf.IfOp | RegionOp):
        for region in op.regions:
            if region.blocks:
                drop_last_returns(region.block)


def returned_inside(
    program: ProgramOp, returns: Sequence[ReturnOp]
) -> dict[Operation, Level]:
    """
    For each operation that is or holds a return, how uniform it is who returns there: the
    worst level of the control around these returns.

    Example: `returned_inside(program, returns).get(loop)`
    """
    facts = uniformity(program)
    found: dict[Operation, Level] = {}
    for op in returns:
        level = facts.control(op)
        holder: Operation | None = op
        while holder is not None and holder is not program:
            if found.get(holder, Level.GRID) < level or holder not in found:
                found[holder] = level
            holder = holder.parent_op()
            _require_structure(op, holder)
    return found


def _require_structure(op: ReturnOp, holder: Operation | None) -> None:
    known = (ProgramOp, RegionOp, scf.IfOp, scf.ForOp, scf.WhileOp)
    if holder is not None and not isinstance(holder, known):
        raise Refusal(
            f"nothing is known about when '{name_of(holder)}' runs its region, which "
            "returns",
            fix="use scf.if, scf.for, scf.while or vyre.region",
            at=op,
        )
