"""What a program needs that not every device has."""

from enum import Enum

from xdsl.dialects.builtin import IndexType, f16, f32, f64, i64
from xdsl.ir import Attribute, Operation

from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    AtomicCasOp,
    AtomicOp,
    ProgramOp,
    ScratchOp,
    SubgroupBallotOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    TrapOp,
)
from vyre.dialects.vyre.buffers import memref_type


class Feature(Enum):
    """Something that an engine may lack; the value is how people call it."""

    F16 = "16-bit floats"
    F64 = "64-bit floats"
    SUBGROUPS = "subgroup operations"
    WIDE_ATOMICS = "64-bit atomics"
    FLOAT_ATOMICS = "atomics on floats"
    ASYNC_COPIES = "asynchronous copies"
    TRAPS = "traps"
    PROGRAM_SCRATCH = "scratch in programs that are not split yet"


_BY_OPERATION: dict[type[Operation], Feature] = {
    SubgroupBallotOp: Feature.SUBGROUPS,
    SubgroupReduceOp: Feature.SUBGROUPS,
    SubgroupShuffleOp: Feature.SUBGROUPS,
    AsyncLoadOp: Feature.ASYNC_COPIES,
    AsyncStoreOp: Feature.ASYNC_COPIES,
    TrapOp: Feature.TRAPS,
    ScratchOp: Feature.PROGRAM_SCRATCH,
}
_OF_TYPES: dict[Attribute, Feature] = {f16: Feature.F16, f64: Feature.F64}


def features(program: ProgramOp) -> dict[Feature, Operation]:
    """
    What the program needs, each with the first operation that needs it.

    Example: `Feature.F64 in features(program)`
    """
    found: dict[Feature, Operation] = {}
    for op in operations_in(program.body):
        if type(op) in _BY_OPERATION:
            found.setdefault(_BY_OPERATION[type(op)], op)
        if isinstance(op, AtomicOp | AtomicCasOp):
            if op.old.type in (f32, f64):
                found.setdefault(Feature.FLOAT_ATOMICS, op)
            if op.old.type in (i64, IndexType(), f64):
                found.setdefault(Feature.WIDE_ATOMICS, op)
        for value in op.results:
            memref = memref_type(value) if is_memref(value) else None
            needed = _OF_TYPES.get(value.type if memref is None else memref.element_type)
            if needed is not None:
                found.setdefault(needed, op)
    return found
