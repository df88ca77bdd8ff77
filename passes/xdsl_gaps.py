"""
What xDSL's verifiers leave unchecked, and everything after them relies on.

`scf.while` carries matching types through `scf.condition`, `scf.yield` and both regions;
both arms of an `scf.if` yield its results; branches pass what blocks take; comparisons have
a predicate that exists; a bitcast keeps the width. `verify_ops` applies these rules
together with the operations' own.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.attributes import byte_width, is_scalar

if TYPE_CHECKING:
    from xdsl.dialects import cf


def _verify_if(op: scf.IfOp) -> None:
    for region in op.regions:
        block = region.blocks.first
        if block is not None:
            if block.args:
                raise Refusal(
                    "an arm of an if has block arguments",
                    fix="use the values around the if directly",
                    at=op,
                )
            arm = _yield_of(block.last_op, op)
            _expect_types(arm, "yields", arm.arguments, "the results are", op.output)
        elif op.output:
            raise Refusal(
                "has results but no else branch to give them",
                fix="add an `else` that yields one value for each result",
                at=op,
            )


def _verify_switch(op: scf.IndexSwitchOp) -> None:
    for region in op.regions:
        if region.block.args:
            raise Refusal(
                "a case of a switch has block arguments",
                fix="use the values around the switch directly",
                at=op,
            )


def _verify_while(op: scf.WhileOp) -> None:
    before, after = op.before_region.block, op.after_region.block
    condition = before.last_op
    if not isinstance(condition, scf.ConditionOp):
        raise Refusal(
            "the first region of a while loop does not end with 'scf.condition'",
            fix="end it with `scf.condition(%go)` and what the second region takes",
            at=condition or op,
        )
    again = _yield_of(after.last_op, op)
    _expect_types(op, "starts with", op.arguments, "the first region takes", before.args)
    _expect_types(again, "yields", again.arguments, "the first region takes", before.args)
    passed = condition.args
    _expect_types(condition, "passes", passed, "the second region takes", after.args)
    _expect_types(condition, "passes", passed, "the results are", op.res)


def _yield_of(last: Operation | None, parent: Operation) -> scf.YieldOp:
    if isinstance(last, scf.YieldOp):
        return last
    raise Refusal(
        f"a region of '{parent.name}' does not end with 'scf.yield'",
        fix="end the region with `scf.yield`",
        at=last or parent,
    )


def _verify_branch(op: "cf.BranchOp") -> None:
    _expect_types(op, "passes", op.arguments, "the block takes", op.successor.args)


def _verify_conditional_branch(op: "cf.ConditionalBranchOp") -> None:
    taken = "the block takes"
    _expect_types(op, "passes", op.then_arguments, taken, op.then_block.args)
    _expect_types(op, "passes", op.else_arguments, taken, op.else_block.args)


def _expect_types(
    at: Operation,
    gives: str,
    given: Iterable[SSAValue],
    taker: str,
    taken: Iterable[SSAValue],
) -> None:
    given_types = [value.type for value in given]
    taken_types = [value.type for value in taken]
    if given_types != taken_types:
        raise Refusal(
            f"{gives} ({', '.join(map(str, given_types))}), but {taker} "
            f"({', '.join(map(str, taken_types))})",
            fix="make number and types agree",
            at=at,
        )


def _verify_predicate(op: arith.CmpiOp | arith.CmpfOp) -> None:
    predicate = op.predicate.value.data
    count = 10 if isinstance(op, arith.CmpiOp) else 16
    if not 0 <= predicate < count:
        raise Refusal(
            f"there is no predicate {predicate}",
            fix=f"use one of the predicates 0 to {count - 1}, or write it by name",
        )


def _verify_bitcast(op: arith.BitcastOp) -> None:
    """xDSL does not ask for the width of `index`."""
    types = op.input.type, op.result.type
    scalars = filter(is_scalar, types)
    widths = {1 if type == i1 else 8 * byte_width(type) for type in scalars}
    if len(widths) > 1:
        raise Refusal(
            f"from {types[0]} to {types[1]}, which are not equally wide",
            fix="cast between types of the same width",
        )


GAPS: dict[str, Callable[[Any], None]] = {
    "arith.bitcast": _verify_bitcast,
    "arith.cmpf": _verify_predicate,
    "arith.cmpi": _verify_predicate,
    "cf.br": _verify_branch,
    "cf.cond_br": _verify_conditional_branch,
    "scf.if": _verify_if,
    "scf.index_switch": _verify_switch,
    "scf.while": _verify_while,
}
"""The missing verifiers, by operation; names, so that no dialect is loaded for them."""
