"""
Accesses along a row, whose bounds are compared once for the row and not in each invocation.

An index that is x plus something that is the same along the row takes the values from its
first to its last, one after the other. If both are inside the buffer, so is everything in
between: nothing wraps, because buffers and rows are much shorter than 2^64. So the loop
over a row is there twice, without comparisons for rows that are inside, and with them.
"""

from collections.abc import Container

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue

from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import is_same_along_x

Access = vyre.LoadOp | vyre.StoreOp


def row_accesses(program: vyre.ProgramOp, steady: Container[SSAValue]) -> list[Access]:
    """
    The accesses that are not proved to be inside and are so if their first and last ones
    along a row are. `steady` are values that are known to be the same along rows.

    Example: `vyre.load %a[%x]` without `inbounds`
    """
    found: list[Access] = []
    for op in program.body.walk():
        if isinstance(op, scf.ForOp | scf.WhileOp):
            return []  # Such rows are not vectorised, and comparisons cost little there.
        if isinstance(op, vyre.LoadOp | vyre.StoreOp) and op.inbounds is None:
            is_declared = isinstance(op.buffer.owner, vyre.BufferOp)
            is_plain = isinstance(op, vyre.StoreOp) or op.value not in steady
            if is_declared and is_plain and _is_along_row(op, steady):
                found.append(op)
    return found


def _is_along_row(op: Access, steady: Container[SSAValue]) -> bool:
    """Whether each index is the same in the row, or grows by one with x."""
    return all(
        is_same_along_x(index, steady) or _grows_with_x(index, steady)
        for index in op.indices
    )


def _grows_with_x(value: SSAValue, steady: Container[SSAValue]) -> bool:
    match value.owner:
        case vyre.InvocationIdOp() | vyre.LocalIdOp():
            return value.owner.axis.data.position == 0
        case arith.AddiOp(lhs=lhs, rhs=rhs):
            return (_grows_with_x(lhs, steady) and is_same_along_x(rhs, steady)) or (
                _grows_with_x(rhs, steady) and is_same_along_x(lhs, steady)
            )
        case arith.SubiOp(lhs=lhs, rhs=rhs):
            return _grows_with_x(lhs, steady) and is_same_along_x(rhs, steady)
        case _:
            return False
