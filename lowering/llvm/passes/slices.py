"""What an operation is computed from, so that it can be computed elsewhere as well."""

from collections.abc import Iterable, Iterator

from xdsl.dialects import scf
from xdsl.ir import Operation

from vyre.analysis.purity import PURE_OPS
from vyre.analysis.walking import operations_of
from vyre.dialects import vyre

_HARMLESS = (
    vyre.LoadOp,
    vyre.LengthOp,
    vyre.WorkgroupCountOp,
    vyre.WorkgroupSizeOp,
    scf.IfOp,
    scf.ForOp,
    scf.YieldOp,
)
_TABLE = (vyre.BufferOp, vyre.ParamOp)


def is_harmless(op: Operation) -> bool:
    """
    Whether an operation has no effect, always ends and does not ask who executes it.

    Example: `is_harmless(load)`
    """
    return type(op) in PURE_OPS or isinstance(op, _HARMLESS)


def unconditional(ops: Iterable[Operation]) -> Iterator[Operation]:
    """
    Operations that every invocation executes, also inside regions.

    Example: `[op for op in unconditional(block.ops) if isinstance(op, scf.ForOp)]`
    """
    for op in ops:
        if isinstance(op, vyre.RegionOp):
            yield from unconditional(op.body.block.ops)
        else:
            yield op


def harmless_slice(root: Operation) -> list[Operation] | None:
    """
    What an operation needs beyond the table, in order; None if that is more than harmless
    operations outside control flow.

    Example: `[*harmless_slice(loop), loop]` can be cloned together.
    """
    inside = set(operations_of(root))
    found: dict[Operation, None] = {}
    pending = [*operations_of(root)][::-1]
    while pending:
        op = pending[-1]
        ahead: list[Operation] = []
        for value in op.operands:
            owner = value.owner
            if not isinstance(owner, Operation):
                if owner.parent_op() not in inside:
                    return None
            elif owner not in found and owner not in inside:
                if not isinstance(owner, _TABLE):
                    ahead.append(owner)
        if any(owner.regions or not is_harmless(owner) for owner in ahead):
            return None
        if ahead:
            pending += reversed(ahead)
            continue
        pending.pop()
        if op not in inside:
            found[op] = None
    return list(found)
