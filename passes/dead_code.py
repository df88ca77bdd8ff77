"""Removes what a block computes and nobody uses."""

from xdsl.dialects import scf
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import MemoryEffectKind

from vyre.analysis.purity import PURE_OPS, effects_of, is_known, is_pure
from vyre.analysis.walking import operations_in, operations_of
from vyre.dialects.terminators import is_terminator
from vyre.dialects.vyre import BarrierOp, LoadOp, ReadBackOp, RegionOp, ScratchOp


def remove_dead_code(block: Block, *, keeps_whiles: bool = False) -> None:
    """
    Remove operations that only compute values which are not used, inner ones too.

    Uses come after definitions, so one walk from the end finds all of them. Control flow
    goes with everything in it if none of it has an effect: programs that do not end are
    not valid, so nothing can depend on a loop not ending. Who wants to see that a program
    does not end `keeps_whiles`.
    """
    for op in reversed(list(block.ops)):
        if type(op) in PURE_OPS:
            if _is_dead(op):
                Rewriter.erase_op(op)
            continue
        if is_terminator(op):
            continue
        if isinstance(op, RegionOp):
            op = _without_unused_results(op)
        for region in op.regions:
            for inner in region.blocks:
                remove_dead_code(inner, keeps_whiles=keeps_whiles)
        if keeps_whiles and any(
            isinstance(inner, scf.WhileOp) for inner in operations_of(op)
        ):
            continue
        if _is_dead(op):
            Rewriter.erase_op(op)


def writes_memory(block: Block) -> bool:
    """Whether anything in the block does more than compute values and wait for others."""
    return any(_has_effect(op) for op in block.walk())


def _without_unused_results(op: RegionOp) -> RegionOp:
    used = [i for i, result in enumerate(op.results) if result.first_use is not None]
    if len(used) == len(op.results):
        return op
    last = op.body.block.last_op
    assert last is not None
    last.operands = [last.operands[index] for index in used]
    new = RegionOp.create(
        result_types=[op.results[index].type for index in used],
        properties=op.properties,
        attributes=op.attributes,
        regions=[op.detach_region(0)],
        location=op.location,
    )
    for index, result in zip(used, new.results):
        result.name_hint = op.results[index].name_hint
        op.results[index].replace_all_uses_with(result)
    Rewriter.insert_op(new, InsertPoint.before(op))
    Rewriter.erase_op(op)
    return new


def _is_dead(op: Operation) -> bool:
    if any(result.first_use is not None for result in op.results):
        return False
    if type(op) in PURE_OPS:
        return True
    if isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp | RegionOp):
        return not any(
            _has_effect(inner) or isinstance(inner, BarrierOp)
            for region in op.regions
            for inner in operations_in(region)
        )
    return is_pure(op) or isinstance(op, LoadOp | ReadBackOp | ScratchOp)


def _has_effect(op: Operation) -> bool:
    """Whether the operation itself writes memory, ends an invocation or is unknown."""
    if type(op) in PURE_OPS or isinstance(op, BarrierOp) or is_terminator(op):
        return False
    if not is_known(op):
        return True
    if op.regions:
        return False
    return any(e.kind is MemoryEffectKind.WRITE for e in effects_of(op) or ())
