"""
Asking whether anyone who meets in a loop is still alive.

Invocations that have returned run along through loops with barriers. Such a loop must end
when none is alive, and everyone must learn that at the same moment. So they ask each other
through a word of memory that they share: scratch of the grid, or workgroup memory.

If nobody returns inside the loop, they ask once, before it:

```mlir
scf.if %alive {
  vyre.store %true, %word[%zero] : memref<1xi1>
}
vyre.barrier grid_sync
%any_alive = vyre.load %word[%zero] : memref<1xi1>
scf.while ... {
  ...
  %and = arith.andi %go, %any_alive : i1
  scf.condition(%and) ...
```

Otherwise they ask in every trip. The word then holds the number of the last round in which
someone was alive, so that it need not be reset between rounds:

```mlir
scf.while (%round = %one) ... {
  ...
  scf.if %alive {
    vyre.store %round, %word[%zero] : memref<1xindex>
  }
  vyre.barrier grid_sync
  %last = vyre.load %word[%zero] : memref<1xindex>
  %any_alive = arith.cmpi eq, %last, %round : index
  ...
} do {
  ...
  vyre.barrier grid_sync       // unless the loop has one in every trip already
  %next = arith.addi %round, %one : index
```

Everyone gets the same answer, because nobody writes the word in the phase that reads it:
between two stores, and between a load and the next store, there is a barrier on every path.
All who store in one phase store the same, so there is no race. Memory that is shared starts
as zeros, and rounds are counted from one. A loop inside another one, or in a branch that
may be passed by, has paths from the load to the store that do not go through it; it sets
the word back to zero between two barriers before it starts.
"""

from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, MemRefType, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vyre.analysis.uniformity import Level
from vyre.dialects.vyre import (
    AssignOp,
    BarrierOp,
    BufferOp,
    GetOp,
    LetOp,
    LoadOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    ScratchOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import Access, Ordering, ScratchScope
from vyre.passes.placing import constant, put_before


@dataclass(frozen=True)
class _Word:
    """One element of memory that everyone who meets shares."""

    memref: SSAValue
    zero: SSAValue
    """The index of the element."""
    scope: Level

    def store(self, anchor: Operation, value: SSAValue) -> None:
        put_before(anchor, StoreOp(value, self.memref, [self.zero]))

    def load(self, anchor: Operation) -> SSAValue:
        return put_before(anchor, LoadOp(self.memref, [self.zero]), "any_alive").value

    def meet(self, anchor: Operation) -> None:
        is_grid = self.scope is Level.GRID
        put_before(anchor, BarrierOp(Ordering.GRID_SYNC if is_grid else Ordering.ACQ_REL))


class AnyAlive:
    """
    Adds questions to the loops of a program, given the variable `alive` of an invocation.

    Example: `any_alive = AnyAlive(program, alive).once(loop, Level.GRID)`
    """

    def __init__(self, program: ProgramOp, alive: SSAValue):
        self._program = program
        self._alive = alive
        self.rounds: list[LetOp] = []
        """The variables that were added, to be promoted."""

    def once(self, loop: scf.WhileOp, scope: Level) -> SSAValue:
        """Ask before the loop whether anyone in the grid or workgroup is alive."""
        word = self._word(loop, scope, i1)
        yes = put_before(loop, constant(1, i1), "true").result
        return self._ask(word, loop, yes)

    def every_trip(self, loop: scf.WhileOp, scope: Level) -> SSAValue:
        """Ask at the end of the loop's first region, in every trip."""
        meets = any(_always_meets(region.block, scope) for region in loop.regions)
        word = self._word(loop, scope, IndexType())
        one = put_before(loop, constant(1, IndexType()), "one").result
        counter = put_before(loop, LetOp("round", one))
        self.rounds.append(counter)
        tested, again = (region.block.last_op for region in loop.regions)
        assert tested is not None
        assert again is not None
        current = put_before(tested, GetOp(counter.cell)).value
        last = self._ask(word, tested, current)
        found = put_before(tested, arith.CmpiOp(last, current, "eq"), "any_alive")
        if not meets:
            word.meet(again)
        current = put_before(again, GetOp(counter.cell)).value
        following = put_before(again, arith.AddiOp(current, one), "round")
        put_before(again, AssignOp(following, counter.cell))
        return found.result

    def _ask(self, word: _Word, anchor: Operation, answer: SSAValue) -> SSAValue:
        """Let everyone who is alive store the answer; what is there after all have."""
        alive = put_before(anchor, GetOp(self._alive)).value
        guard = put_before(anchor, scf.IfOp(alive, [], [Block([end := scf.YieldOp()])]))
        end.location = guard.location
        word.store(end, answer)
        word.meet(anchor)
        return word.load(anchor)

    def _word(self, loop: scf.WhileOp, scope: Level, type: Attribute) -> _Word:
        """A new word, reset before the loop unless the program comes there exactly once."""
        top = self._top()
        if scope is Level.GRID:
            scratch = ScratchOp(ScratchScope.SINGLE, MemRefType(type, [1]))
            memref = put_before(top, scratch, "any_alive").memref
        else:
            buffer = BufferOp(self._new_name(), Access.WORKGROUP, MemRefType(type, [1]))
            memref = put_before(top, buffer, "any_alive").memref
        zero = put_before(top, constant(0, IndexType()), "zero").result
        word = _Word(memref, zero, scope)
        if not _runs_once(loop):
            word.meet(loop)
            word.store(loop, put_before(loop, constant(0, type)).result)
            word.meet(loop)
        return word

    def _top(self) -> Operation:
        """The first operation that is not a declaration."""
        ops = self._program.body.block.ops
        return next(op for op in ops if not isinstance(op, BufferOp | ParamOp | ScratchOp))

    def _new_name(self) -> str:
        taken = {entry.entry_name.data for entry in self._program.table}
        name, count = "any_alive", 1
        while name in taken:
            name, count = f"any_alive_{count}", count + 1
        return name


def _runs_once(op: Operation) -> bool:
    holder = op.parent_op()
    while isinstance(holder, RegionOp):
        holder = holder.parent_op()
    return isinstance(holder, ProgramOp)


def _always_meets(block: Block, scope: Level) -> bool:
    """Whether there is a barrier on every path through the block."""
    return any(
        (isinstance(op, BarrierOp) and (op.is_grid_sync or scope is Level.WORKGROUP))
        or (isinstance(op, RegionOp) and _always_meets(op.body.block, scope))
        for op in block.ops
    )
