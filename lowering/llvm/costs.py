"""
What an invocation costs, roughly: enough to choose how work is divided, and no more.
"""

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.integer_ops import literal_of
from vyre.analysis.walking import operations_in
from vyre.dialects import vyre

UNKNOWN_TRIPS = 8
"""What is assumed of a loop whose trips nobody knows."""

MOST = 1 << 40

LONGEST_PIECE = 1 << 19
"""Operations between two looks at whether to stop, in launches without long loops: some
can take as long as a hundred others."""

_FREE = (arith.ConstantOp, vyre.BufferOp, vyre.ParamOp)


def operations(program: vyre.ProgramOp) -> int:
    """
    How many operations an invocation executes, if all branches are taken.

    Example: `operations(program) * geometry.invocation_count`
    """
    return min(MOST, _of_block(program.body.block))


def _of_block(block: Block) -> int:
    return sum(map(_of_operation, block.ops))


def _of_operation(op: Operation) -> int:
    if not op.regions:
        return 0 if type(op) in _FREE else 1
    inside = sum(_of_block(block) for region in op.regions for block in region.blocks)
    match op:
        case scf.ForOp():
            return 1 + min(MOST, inside * _trips(op))
        case scf.WhileOp():
            return 1 + min(MOST, inside * UNKNOWN_TRIPS)
        case _:
            return 1 + inside


def _trips(op: scf.ForOp) -> int:
    first, end = literal_of(op.lb), literal_of(op.ub)
    if first is None or end is None:
        return UNKNOWN_TRIPS
    return max(0, end - first) // max(1, literal_of(op.step) or 1)


def is_uneven(program: vyre.ProgramOp) -> bool:
    """
    Whether workgroups may take different times: there is a loop whose trips depend on more
    than literals and parameters.

    Example: `is_uneven(program)` of a loop over the edges of a node
    """
    for op in operations_in(program.body):
        if isinstance(op, scf.WhileOp):
            return True
        if isinstance(op, scf.ForOp):
            if not all(map(_is_even, (op.lb, op.ub, op.step))):
                return True
    return False


def _is_even(value: SSAValue) -> bool:
    """Whether a value is computed without a load or what a loop carries."""
    pending, seen = [value], {value}
    for each in pending:
        owner = each.owner
        if not isinstance(owner, Operation) or isinstance(owner, vyre.LoadOp):
            return False
        new = [operand for operand in owner.operands if operand not in seen]
        pending += new
        seen.update(new)
    return True
