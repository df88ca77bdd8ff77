"""Whether invocations of a program work together, and not only side by side."""

from xdsl.ir import Operation

from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    BarrierOp,
    BufferOp,
    ProgramOp,
    SubgroupBallotOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
)
from vyre.dialects.vyre.attributes import Access

_COOPERATING = frozenset[type[Operation]](
    (AtomicOp, AtomicCasOp, SubgroupBallotOp, SubgroupReduceOp, SubgroupShuffleOp)
)


def cooperates(program: ProgramOp) -> bool:
    """
    Tells whether the program has workgroup memory or barriers, atomics or subgroup
    operations, or had them when it was written. Then inputs may have more elements than
    results, which counts where the grid is inferred. A grid barrier alone does not count:
    phases may work side by side.
    """
    return program.cooperates is not None or any(
        type(op) in _COOPERATING
        or (type(op) is BarrierOp and not op.is_grid_sync)
        or (type(op) is BufferOp and op.access.data is Access.WORKGROUP)
        for op in operations_in(program.body)
    )
