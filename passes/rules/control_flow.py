"""
`scf` operations pass on what they promise.

xDSL leaves parts of this unchecked: that `scf.while` carries matching types through
`scf.condition`, `scf.yield` and both regions, and that both arms of an `scf.if` yield its
results. Every engine and pass relies on it.
"""

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import ProgramOp, ScheduleOp


def verify_control_flow(program: ProgramOp | ScheduleOp) -> None:
    """Refuse `scf` operations whose regions and results do not fit together."""
    for op in program.body.walk():
        match op:
            case scf.IfOp():
                _verify_if(op)
            case scf.WhileOp():
                _verify_while(op)
            case _:
                pass


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
