"""
Neighbouring operations under one condition.

```mlir
%p = vyre.atomic add %one, %n[%zero] : memref<1xi32>
%q = arith.index_cast %p : i32 to index
%v = arith.addi %a, %b : i32
vyre.store %v, %out[%q] : memref<?xi32>
```

becomes

```mlir
%v = arith.addi %a, %b : i32
scf.if %alive {
  %p = vyre.atomic add %one, %n[%zero] : memref<1xi32>
  %q = arith.index_cast %p : i32 to index
  vyre.store %v, %out[%q] : memref<?xi32>
}
```

Pure operations between the guarded ones come along if they need what these give, and go
before the guard otherwise. Values that are used after the guard are zero where it is not
taken.
"""

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue, Use

from vyre.dialects.vyre import GetOp
from vyre.dialects.vyre.attributes import is_scalar
from vyre.passes.placing import constant


class GuardedRun:
    """
    Collects operations of one block, in order, for one `scf.if` on a variable.

    Example:

    ```python
    run = GuardedRun(alive)
    run.add(store)
    run.pass_by(addition)
    run.add(other_store)
    run.close()
    ```
    """

    def __init__(self, condition: SSAValue):
        self._condition = condition
        self._members: dict[Operation, None] = {}
        self._results: set[SSAValue] = set()
        self._dependents: list[Operation] = []
        """Operations after the last member that need what members give."""

    def add(self, op: Operation) -> None:
        """Put an operation under the guard."""
        self._members.update(dict.fromkeys((*self._dependents, op)))
        self._dependents.clear()
        self._results.update(op.results)

    def pass_by(self, op: Operation) -> None:
        """Tell of a pure operation that needs no guard, but perhaps what one gives."""
        if self._results.isdisjoint(op.operands):
            return
        if not all(is_scalar(result.type) for result in op.results):
            # There is no zero for it where the guard is not taken.
            self.close()
            return
        self._dependents.append(op)
        self._results.update(op.results)

    def close(self) -> None:
        """Make the guard, at the place of its last operation, and start anew."""
        if self._members:
            self._make_guard()
        self._members.clear()
        self._results.clear()
        self._dependents.clear()

    def _make_guard(self) -> None:
        *_, last = self._members
        block = last.parent
        assert block is not None
        condition = GetOp(self._condition)
        leaving = [
            result
            for op in self._members
            for result in op.results
            if any(self._is_outside(use, block) for use in result.uses)
        ]
        zeros = [constant(0, value.type) for value in leaving]
        guard = scf.IfOp(
            condition,
            [value.type for value in leaving],
            [Block()],
            [Block([*zeros, scf.YieldOp(*zeros)])] if leaving else None,
        )
        for value, result in zip(leaving, guard.results, strict=True):
            value.replace_uses_with_if(result, lambda use: self._is_outside(use, block))
        guard.true_region.block.add_op(scf.YieldOp(*leaving))
        for new in (condition, *guard.walk()):
            new.location = last.location
        block.insert_ops_after([condition, guard], last)
        end = guard.true_region.block.last_op
        assert end is not None
        for op in self._members:
            op.detach()
            guard.true_region.block.insert_op_before(op, end)

    def _is_outside(self, use: Use, block: Block) -> bool:
        return block.find_ancestor_op_in_block(use.operation) not in self._members
