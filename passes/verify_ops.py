"""
Every operation's own rules, reported at the operation.

This is xDSL's `Operation.verify` for a whole module, with two differences that users
notice: a failure names the operation and its place in the source instead of printing the
module, and the cost stays linear where xDSL counts a region's blocks again for each
terminator.
"""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator, NoTerminator

from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal


def verify_ops(module: ModuleOp) -> None:
    """
    Check each operation of the module, inner ones before outer ones.

    Raises `InvalidProgram` at the first operation that breaks a rule of its dialect.

    Example: `verify_ops(vyre.parse("reach.mlir"))`
    """
    for op in module.walk(region_first=True):
        try:
            for region in op.regions:
                single = region.blocks.first is region.blocks.last
                for block in region.blocks:
                    _verify_block_end(op, block, single)
            op.verify_()
        except Exception as error:
            # Verifiers of other dialects also raise plain exceptions on broken input.
            raise invalid(op, error) from None


def _verify_block_end(op: Operation, block: Block, single: bool) -> None:
    """That the block ends with a terminator if it must, and only its end branches."""
    last = block.last_op
    if single and op.has_trait(NoTerminator):
        return
    if last is None or not last.has_trait(IsTerminator):
        raise Refusal(
            f"a block of '{op.name}' does not end with a terminator",
            fix="end it with the operation that its parent expects, such as a yield",
            at=last,
        )
    for inner in block.ops:
        if not inner.successors:
            continue
        if inner is not last:
            raise Refusal(
                "branches to another block before the end of its own",
                fix="move it to the end of the block",
                at=inner,
            )
        if any(target.parent is not block.parent for target in inner.successors):
            raise Refusal(
                "branches to a block of another region",
                fix="branch to a block of the same region",
                at=inner,
            )
