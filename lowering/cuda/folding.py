"""
Which values are written where they are used, without a variable of their own.

A value that is used once, by an operation that writes it down once and runs as often, may
stand there. A load may, too, if nothing between it and the place where it ends up can
change memory.
"""

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue, Use

from vyre.analysis.purity import is_pure
from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    AtomicCasOp,
    AtomicOp,
    LoadOp,
    ProgramOp,
    StoreOp,
    YieldOp,
)

_FAR = 64
"""Operations that a load may wait for; more are not looked at."""

_CHECKED = (LoadOp, StoreOp, AtomicOp, AtomicCasOp)


def folded_values(program: ProgramOp) -> set[SSAValue]:
    """
    The values that may be written where they are used.

    Example: `%sum` in `vyre.store %sum, %a[%i] inbounds : memref<?xf32>`
    """
    found: set[SSAValue] = set()
    for op in program.body.walk():
        if len(op.results) != 1 or not (is_pure(op) or isinstance(op, LoadOp)):
            continue
        use = _only_use(op.results[0])
        if use is not None and _is_written_once(use) and _runs_as_often(op, use.operation):
            found.add(op.results[0])
    for op in program.body.walk():
        if isinstance(op, LoadOp) and op.value in found and not _may_wait(op, found):
            found.discard(op.value)
    return found


def _only_use(value: SSAValue) -> Use | None:
    uses = list(value.uses)
    return uses[0] if len(uses) == 1 else None


def _is_written_once(use: Use) -> bool:
    """Whether the operation that uses a value has its text once and no more."""
    op = use.operation
    if isinstance(op, _CHECKED) and op.inbounds is None:
        # Its index is compared, too.
        return op.operands[use.index] not in op.indices
    if isinstance(op, arith.CmpfOp):
        return op.predicate.value.data not in (7, 14)
    if isinstance(op, scf.ForOp):
        return use.index >= 3 or use.index == 0  # Bounds are looked at in every trip.
    if isinstance(op, YieldOp | AsyncLoadOp | AsyncStoreOp):
        return False  # What a region gives may be used anywhere.
    return len(op.results) <= 1 or isinstance(op, scf.IfOp | scf.WhileOp)


def _runs_as_often(op: Operation, user: Operation) -> bool:
    """Whether no loop lies between the two."""
    inner = user
    while inner.parent is not op.parent:
        parent = inner.parent_op()
        if parent is None or isinstance(parent, scf.ForOp | scf.WhileOp):
            return False
        inner = parent
    return True


def _may_wait(load: LoadOp, folded: set[SSAValue]) -> bool:
    """Whether memory is the same where the loaded value is written down."""
    value: SSAValue = load.value
    user = load
    while value in folded:
        use = _only_use(value)
        assert use is not None
        user = use.operation
        if user.parent is not load.parent or (
            user.regions and not isinstance(user, scf.IfOp)
        ):
            return False
        if len(user.results) != 1:
            break
        value = user.results[0]
    return _is_quiet(load, user)


def _is_quiet(first: Operation, last: Operation) -> bool:
    """Whether the operations between two can change nothing, if they are not too many."""
    op = first.next_op
    for _ in range(_FAR):
        if op is last:
            return True
        if op is None or not (is_pure(op) or isinstance(op, LoadOp)):
            return False
        op = op.next_op
    return False
