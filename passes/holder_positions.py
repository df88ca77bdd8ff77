"""Takes out of loops and branches what they need not carry and give any more."""

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.positions import Position, Role
from vyre.analysis.spine import Holder


def drop_positions(
    holder: Holder, positions: Sequence[Position], kept: set[Position]
) -> None:
    """
    Replace a holder by one that passes on only the positions in `kept`. What the others
    pass on is not used by anything but other positions that are dropped.
    """
    if kept.issuperset(positions):
        return
    carried = [p.index for p in positions if p in kept and p.role is not Role.PASSED]
    passed = [p.index for p in positions if p in kept and p.role is Role.PASSED]
    match holder:
        case scf.ForOp():
            _narrow_operands(holder, 3, carried)
            _narrow_operands(holder.body.block.last_op, 0, carried)
            _narrow_arguments(holder.body.block, 1, carried)
            results = carried
        case scf.WhileOp():
            before, after = holder.before_region.block, holder.after_region.block
            _narrow_operands(holder, 0, carried)
            _narrow_operands(before.last_op, 1, passed)
            _narrow_operands(after.last_op, 0, carried)
            _narrow_arguments(before, 0, carried)
            _narrow_arguments(after, 0, passed)
            results = passed
        case scf.IfOp():
            for region in holder.regions:
                if region.blocks:
                    _narrow_operands(region.block.last_op, 0, carried)
            results = carried
    _narrow_results(holder, results)


def _narrow_operands(op: Operation | None, fixed: int, kept: list[int]) -> None:
    """Keep the first `fixed` operands, and of the others those at the given places."""
    assert op is not None
    op.operands = [*op.operands[:fixed], *(op.operands[fixed + i] for i in kept)]


def _narrow_arguments(block: Block, fixed: int, kept: list[int]) -> None:
    dropped = [a for a in block.args[fixed:] if a.index - fixed not in kept]
    for argument in dropped:
        # Whoever still uses it is dropped as well.
        block.erase_arg(argument, safe_erase=False)


def _narrow_results(op: Operation, kept: list[int]) -> None:
    new = type(op).create(
        operands=op.operands,
        result_types=[op.results[i].type for i in kept],
        properties=op.properties,
        attributes=op.attributes,
        regions=[op.detach_region(0) for _ in list(op.regions)],
        location=op.location,
    )
    for i, result in zip(kept, new.results, strict=True):
        result.name_hint = op.results[i].name_hint
        op.results[i].replace_all_uses_with(result)
    Rewriter.insert_op(new, InsertPoint.before(op))
    Rewriter.erase_op(op, safe_erase=False)
