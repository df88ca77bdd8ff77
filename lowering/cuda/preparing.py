"""A program in the form in which it becomes a kernel."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.spine import needs_cut
from vyre.dialects.vyre import BarrierOp, ProgramOp, ReturnOp
from vyre.dialects.vyre.attributes import Ordering
from vyre.passes.dead_code import remove_dead_code
from vyre.passes.predicate_returns import predicate_returns
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.return_at_traps import return_at_traps


def prepared(program: ProgramOp) -> ProgramOp:
    """
    A copy without variables, in a module of its own. If workgroups wait for each other, it
    is also without returns, and what traps has no effects afterwards: then everyone can
    come to every barrier.

    Example: `prepared(program)`
    """
    copy = program.clone()
    module = ModuleOp([copy])
    PromoteLetsPass().apply(Context(), module)
    if needs_cut(copy):
        _predicate(copy)
    remove_dead_code(copy.body.block, keeps_whiles=True)
    return copy


def _predicate(program: ProgramOp) -> None:
    """
    Nobody may return before a collective, for which other ranks would wait. But those who
    trap may: then the grid does not come to it. So for traps it is only two barriers.
    """
    collectives = [op for op in program.body.walk() if isinstance(op, COLLECTIVES)]
    if collectives and any(isinstance(op, ReturnOp) for op in program.body.walk()):
        predicate_returns(program)
    barriers = {op: _as_barriers(op) for op in collectives}
    return_at_traps(program)
    predicate_returns(program)
    for op, (before, after) in barriers.items():
        Rewriter.insert_op(op, InsertPoint.before(before))
        Rewriter.erase_op(before)
        Rewriter.erase_op(after)


def _as_barriers(collective: Operation) -> tuple[BarrierOp, BarrierOp]:
    """Take a collective out, and let barriers stand where it was."""
    barriers = BarrierOp(Ordering.GRID_SYNC), BarrierOp(Ordering.GRID_SYNC)
    Rewriter.insert_op(barriers, InsertPoint.before(collective))
    collective.detach()
    return barriers
