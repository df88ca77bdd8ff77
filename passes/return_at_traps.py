"""
`vyre-return-at-traps`: a trap is followed by a return.

Before:

```mlir
scf.if %negative {
  vyre.trap "negative weight"
}
vyre.barrier grid_sync
```

After:

```mlir
scf.if %negative {
  vyre.region {
    vyre.trap "negative weight"
  }
  vyre.return
}
vyre.barrier grid_sync
```

Why the meaning stays. A trap ends its invocation, so nobody comes to what is after it. A
trap is the last operation of its block; inside a region of its own it still is.

What it is for: `vyre-predicate-returns` guards what comes after a return, and knows nothing
about traps. After both passes, a trap that only takes note and lets the invocation go on
does the same as one that ends it: what follows has no effects. A kernel whose workgroups
wait for each other needs that, since all its threads must come to every barrier.
`vyre-return-at-traps{waiting=true}` leaves other programs as they are.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import operations_in, units_in
from vyre.dialects.vyre import ProgramOp, RegionOp, ReturnOp, TrapOp, YieldOp


@dataclass(frozen=True)
class ReturnAtTrapsPass(ModulePass):
    """Adds a `vyre.return` to each `vyre.trap`."""

    name = "vyre-return-at-traps"

    waiting: bool = False
    """Only of programs whose workgroups wait for each other."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in units_in(op, ProgramOp):
            if not self.waiting or needs_cut(program):
                return_at_traps(program)


def return_at_traps(program: ProgramOp) -> None:
    """
    Add a return to each trap of a program.

    Example: `return_at_traps(program); predicate_returns(program)`
    """
    traps = [op for op in operations_in(program.body) if isinstance(op, TrapOp)]
    for trap in traps:
        end = YieldOp()
        region = RegionOp(None, [], [Block([end])])
        returns = ReturnOp()
        for op in (end, region, returns):
            op.location = trap.location
        Rewriter.insert_op([region, returns], InsertPoint.before(trap))
        trap.detach()
        region.body.block.insert_op_before(trap, end)
