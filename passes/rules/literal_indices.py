"""
A literal index lies inside the buffer.

An access outside a buffer is defined (it reads zero or writes nothing), but one that is
written out in numbers is a mistake. The rule is about the text of a program, so it is
checked once after parsing and not by the operations' verifiers: folding can turn a
guarded, correct access into one with a literal index in code that never runs.
"""

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr
from xdsl.ir import SSAValue

from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    LoadOp,
    ProgramOp,
    ScheduleOp,
    StoreOp,
)
from vyre.dialects.vyre.buffers import memref_type


def verify_literal_indices(program: ProgramOp | ScheduleOp) -> None:
    """Refuse an access whose index is a constant outside the buffer's fixed size."""
    for op in operations_in(program.body):
        if isinstance(op, LoadOp | StoreOp | AtomicOp | AtomicCasOp):
            for index, size in zip(op.indices, memref_type(op.buffer).get_shape()):
                literal = _literal(index)
                if literal is None or size == DYNAMIC_INDEX or 0 <= literal < size:
                    continue
                raise Refusal(
                    f"index {literal} is outside a dimension of size {size}",
                    fix=f"use an index from 0 to {size - 1}"
                    if size
                    else "give the buffer a size",
                    at=op,
                    notes=[Note(index, "the index")],
                )


def _literal(value: SSAValue) -> int | None:
    constant = value.owner
    if isinstance(constant, arith.ConstantOp) and isinstance(constant.value, IntegerAttr):
        return constant.value.value.data
    return None
