"""
Every operation's own rules, reported at the operation.

This is xDSL's `Operation.verify` for a whole module, with two differences that users
notice: a failure names the operation and its place in the source instead of printing the
module, and the cost stays linear where xDSL counts a region's blocks again for each
terminator.
"""

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import (
    IsTerminator,  # noqa: TID251
    NoTerminator,
)

from vyre.diagnostics import InvalidProgram, invalid
from vyre.dialects.refusal import Note, Refusal, name_of
from vyre.dialects.vyre import ScheduleOp
from vyre.passes.xdsl_gaps import GAPS


def verify_ops(module: ModuleOp) -> None:
    """
    Check each operation of the module, inner ones before outer ones.

    Raises `InvalidProgram` at the first operation that breaks a rule of its dialect.

    Example: `verify_ops(vyre.parse("reach.mlir"))`
    """
    # A schedule's verifier reads the programs beside it, so these come first.
    ops = list(module.walk(region_first=True))
    ops.sort(key=_reads_its_siblings)
    for op in ops:
        try:
            op.verify_()
            if op.name in GAPS:
                GAPS[op.name](op)
            for region in op.regions:
                single = region.blocks.first is region.blocks.last
                for block in region.blocks:
                    _verify_block_end(op, block, single)
        except Exception as error:
            # Verifiers of other dialects also raise plain exceptions on broken input.
            raise _explained(op, error) from None


def _reads_its_siblings(op: Operation) -> bool:
    in_module = isinstance(op.parent_op(), ModuleOp)
    return isinstance(op, ModuleOp) or (isinstance(op, ScheduleOp) and in_module)


def _verify_block_end(op: Operation, block: Block, single: bool) -> None:
    """That the block ends with a terminator if it must, and only its end branches."""
    last = block.last_op
    if single and op.has_trait(NoTerminator, value_if_unregistered=True):
        return
    if last is None or not _may_be_terminator(last):
        raise Refusal(
            f"a block of '{name_of(op)}' does not end with a terminator",
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


def _may_be_terminator(op: Operation) -> bool:
    """Nobody knows of an operation that no dialect defines; it gets the benefit."""
    return op.has_trait(IsTerminator, value_if_unregistered=True)


def _explained(op: Operation, error: Exception) -> InvalidProgram:
    """The error at the operation that the user has to change."""
    text = str(error)
    if text.startswith("Operation using value defined out of its IsolatedFromAbove"):
        refusal = _isolation_refusal(op)
    elif text.startswith("Redefinition of symbol"):
        refusal = _symbol_refusal(op)
    else:
        return invalid(op, error)
    return invalid(op, refusal or error)


def _isolation_refusal(op: Operation) -> Refusal | None:
    """Which operation uses a value from around `op`."""
    inside: set[SSAValue] = set()
    for inner in op.walk():
        inside.update(inner.results)
        inside.update(a for region in inner.regions for b in region.blocks for a in b.args)
    for inner in op.walk():
        for operand in inner.operands:
            if inner is not op and operand not in inside:
                return Refusal(
                    f"uses a value from outside its '{name_of(op)}'",
                    fix=f"compute the value inside, or pass it to the '{name_of(op)}'",
                    at=inner,
                    notes=[Note(operand, "defined here")],
                )
    return None


def _symbol_refusal(table: Operation) -> Refusal | None:
    """Which operation takes a name that is taken."""
    first: dict[str, Operation] = {}
    for op in table.regions[0].block.ops:
        name = op.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr) and first.setdefault(name.data, op) is not op:
            return Refusal(
                f"the name @{name.data} is taken",
                fix="rename one of the two",
                at=op,
                notes=[Note(first[name.data], "first used here")],
            )
    return None
