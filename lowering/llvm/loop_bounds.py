"""
Accesses along a loop, whose bounds are compared once for the loop and not in each trip.

An index that is the loop's number plus something from outside the loop takes the values
from its first to before its end, one after the other or in steps. If the first is not after
the end, and the end not after the buffer's, all are inside. One that does not move with the
loop is compared as it is. Nothing wraps in between: a loop's numbers are less than 2^64
apart, so an end that is not before the first is as far away as the loop goes.

So the loop is there twice, without comparisons of these accesses and with them. The one
without makes no more trips than there are elements, since each has its own; if these are
not too many, nobody has to look in between whether it shall stop.
"""

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from vyre.dialects import vyre

Access = vyre.LoadOp | vyre.StoreOp


def loop_accesses(loop: scf.ForOp) -> list[Access]:
    """
    The accesses of an innermost loop that are not proved to be inside, and are so if those
    of its first and its last trip are.

    Example: `vyre.load %a[%k]` in `scf.for %k = ...`
    """
    induction = loop.body.block.args[0]
    found: list[Access] = []
    for op in loop.body.walk():
        if isinstance(op, scf.ForOp | scf.WhileOp):
            return []
        if isinstance(op, vyre.LoadOp | vyre.StoreOp) and op.inbounds is None:
            is_outer = is_from_outside(op.buffer, loop)
            if is_outer and all(_is_along(index, loop) for index in op.indices):
                found.append(op)
    is_index = isinstance(induction.type, IndexType)
    uses_it = any(moves_with(index, loop) for op in found for index in op.indices)
    return found if is_index and uses_it else []


def moves_with(index: SSAValue, loop: scf.ForOp) -> bool:
    """
    Whether an index of an access along a loop is another one in each trip. What is computed
    in the loop need not be.

    Example: `%k + %n`, but not `%x + %n`, in `scf.for %k = ...`
    """
    return not is_from_outside(_innermost(index, loop), loop)


def _innermost(index: SSAValue, loop: scf.ForOp) -> SSAValue:
    """
    What is left of an index without the values from outside that are added to it in the
    loop, or taken from it.
    """
    while not is_from_outside(index, loop):
        match index.owner:
            case arith.AddiOp(lhs=lhs, rhs=rhs) if is_from_outside(lhs, loop):
                index = rhs
            case arith.AddiOp(lhs=lhs, rhs=rhs) if is_from_outside(rhs, loop):
                index = lhs
            case arith.SubiOp(lhs=lhs, rhs=rhs) if is_from_outside(rhs, loop):
                index = lhs
            case _:
                break
    return index


def sum_of(index: SSAValue) -> arith.AddiOp | arith.SubiOp:
    """
    The operation that computes an index in a loop: `_is_along` finds no others.

    Example: `sum_of(access.indices[0]).operands`
    """
    if not isinstance(index.owner, arith.AddiOp | arith.SubiOp):
        raise AssertionError("an index of a loop is a sum or a difference")
    return index.owner


def is_from_outside(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether a value is there before the loop."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    while op is not None and op is not loop:
        op = op.parent_op()
    return op is None or (isinstance(owner, Operation) and owner is loop)


def _is_along(index: SSAValue, loop: scf.ForOp) -> bool:
    """Whether an index is the loop's number plus or minus something from outside."""
    found = _innermost(index, loop)
    return found is loop.body.block.args[0] or is_from_outside(found, loop)
