"""
An `scf.for` as an `scf.while`, so that it can be left before its last trip.

```mlir
scf.for %k = %lb to %ub step %step {
  ...
}
```

becomes

```mlir
%some = arith.cmpi slt, %lb, %ub : index
%forward = arith.cmpi sgt, %step, %zero : index
%first = arith.andi %some, %forward : i1
%end = scf.while (%k = %lb, %more = %first) : (index, i1) -> (index) {
  scf.condition(%more) %k : index
} do {
^bb0(%k: index):
  ...
  %left = arith.subi %ub, %k : index
  %more = arith.cmpi ugt, %left, %step : index
  %next = arith.addi %k, %step : index
  scf.yield %next, %more : index, i1
}
```

Both make no trip unless the lower bound is below the upper one and the step is positive,
as signed numbers. In a trip `%k` is below the upper bound, so their distance fits an
unsigned number, and the next trip takes place if it exceeds the step; only then is `%k`
plus the step used, and it does not overflow.
"""

from xdsl.dialects import arith, scf
from xdsl.ir import Block, SSAValue

from vyre.passes.placing import constant, put_before


def for_as_while(op: scf.ForOp) -> scf.WhileOp:
    """
    Replace an `scf.for` by a loop with the same trips and results, and the same block as
    its second region.

    Example: `condition = for_as_while(loop).before_region.block.last_op`
    """
    first = _make_trips(op)
    passed = [op.lb, *op.iter_args]
    body = op.body.detach_block(op.body.block)
    _continue(op, body)
    types = [value.type for value in passed]
    tested = Block(arg_types=[*types, first.type])
    *again, more = tested.args
    condition = scf.ConditionOp(more, *again)
    condition.location = op.location
    tested.add_op(condition)
    more.name_hint = "more"
    for argument, other in zip(again, body.args, strict=True):
        argument.name_hint = other.name_hint
    loop = put_before(op, scf.WhileOp([*passed, first], types, [tested], [body]))
    loop.results[0].name_hint = body.args[0].name_hint
    for old, new in zip(op.results, loop.results[1:], strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
    return loop


def _make_trips(op: scf.ForOp) -> SSAValue:
    """Whether there is a first trip."""
    zero = put_before(op, constant(0, op.lb.type))
    some = put_before(op, arith.CmpiOp(op.lb, op.ub, "slt"), "some")
    forward = put_before(op, arith.CmpiOp(op.step, zero, "sgt"), "forward")
    return put_before(op, arith.AndIOp(some, forward), "more").result


def _continue(op: scf.ForOp, body: Block) -> None:
    """Let the body end with the next trip's variable, and whether that takes place."""
    end = body.last_op
    assert end is not None
    k = body.args[0]
    left = put_before(end, arith.SubiOp(op.ub, k), "left")
    more = put_before(end, arith.CmpiOp(left, op.step, "ugt"), "more")
    following = put_before(end, arith.AddiOp(k, op.step), k.name_hint)
    end.operands = [following.result, *end.operands, more.result]
