"""
`vyre-reach-grid-barriers`: every invocation comes to every grid barrier of its program.

Before:

```mlir
scf.if %outside {
  vyre.return
}
scf.if %negative {
  vyre.trap "negative weight"
}
vyre.barrier grid_sync
vyre.store %v, %a[%i] : memref<?xi32>
```

After:

```mlir
%alive = arith.select %outside, %false, %true : i1
%alive_1 = scf.if %negative -> (i1) {
  vyre.region {
    scf.if %alive {
      vyre.trap "negative weight"
    }
  }
  scf.yield %false : i1
} else {
  scf.yield %alive : i1
}
vyre.barrier grid_sync
scf.if %alive_1 {
  vyre.store %v, %a[%i] : memref<?xi32>
}
```

It is `vyre-return-at-traps` with `vyre-predicate-returns`, for programs with grid barriers
or collectives only. What follows a trap then has no effects, so the text of a kernel may
let a trap take note and go on.

Why the meaning stays. Both passes keep it. But invocations that return before a collective
are refused, for other ranks would wait for them, and ones that trap are not: whoever traps
ends the dispatch on its rank in any case. So returns of the program itself are replaced
first, which refuses. Then each collective is stood in for by two grid barriers: it makes
the whole grid wait before it and after it, and nothing else about it is seen by the rewrite
of returns, which changes neither barriers nor the values that a collective has.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import operations_in, units_in
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import BarrierOp, ProgramOp, ReturnOp
from vyre.dialects.vyre.attributes import Ordering
from vyre.passes.predicate_returns import predicate_returns
from vyre.passes.return_at_traps import return_at_traps
from vyre.passes.same_grids import same_grids


@dataclass(frozen=True)
class ReachGridBarriersPass(ModulePass):
    """Lets no invocation end before a grid barrier."""

    name = "vyre-reach-grid-barriers"

    @same_grids
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in filter(needs_cut, units_in(op, ProgramOp)):
            try:
                _predicate(program)
            except Refusal as refusal:
                raise invalid(program, refusal) from None


def _predicate(program: ProgramOp) -> None:
    inside = list(operations_in(program.body))
    collectives = [op for op in inside if isinstance(op, COLLECTIVES)]
    if collectives and any(isinstance(op, ReturnOp) for op in inside):
        predicate_returns(program)
    barriers = {op: _as_barriers(op) for op in collectives}
    return_at_traps(program)
    predicate_returns(program)
    for op, (before, after) in barriers.items():
        Rewriter.insert_op(op, InsertPoint.before(before))
        Rewriter.erase_op(before)
        Rewriter.erase_op(after)


def _as_barriers(collective: Operation) -> tuple[BarrierOp, BarrierOp]:
    """Takes a collective out, and lets barriers stand where it was."""
    barriers = BarrierOp(Ordering.GRID_SYNC), BarrierOp(Ordering.GRID_SYNC)
    Rewriter.insert_op(barriers, InsertPoint.before(collective))
    collective.detach()
    return barriers
