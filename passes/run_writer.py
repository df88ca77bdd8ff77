"""Adds code to the beginning and the end of a run."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.slots import Slot
from vyre.analysis.spine import Run, is_grid_cut
from vyre.analysis.uniformity import Level
from vyre.dialects.vyre import BarrierOp, LinearIdOp, LoadOp, ScratchOp, StoreOp
from vyre.dialects.vyre.attributes import LinearScope, Ordering

_SCOPES = {Level.INVOCATION: LinearScope.INVOCATION, Level.WORKGROUP: LinearScope.WORKGROUP}


def separate(run: Run) -> None:
    """Let a grid barrier follow a run that is not empty, if something else follows now."""
    following = run.end
    if following is None or is_grid_cut(following):
        return
    barrier = BarrierOp(Ordering.GRID_SYNC)
    barrier.location = (run.ops[-1] if run.ops else following).location
    Rewriter.insert_op(barrier, InsertPoint.before(following))
    run.end = barrier


class RunWriter:
    """
    Adds code to a run. Slots are read before the run's own operations, and written when
    the value is there: so every read comes before every write.
    """

    def __init__(self, run: Run):
        self.run = run
        self._positions: dict[Level, SSAValue] = {}
        self._computed = set(run.unconditional())
        self._first_of_last: Operation | None = None
        self.is_used = False
        """Whether anything was added."""

    def first(self, *ops: Operation) -> None:
        """Put operations before those of the run, after what was put there before."""
        anchor = self.run.ops[0] if self.run.ops else self._first_of_last or self.run.end
        self._insert(ops, anchor)

    def last(self, *ops: Operation) -> None:
        """Put operations after those of the run, and of what was put there before."""
        self._first_of_last = self._first_of_last or ops[0]
        self._insert(ops, self.run.end)

    def _insert(self, ops: tuple[Operation, ...], anchor: Operation | None) -> None:
        point = (
            InsertPoint.at_end(self.run.block)
            if anchor is None
            else InsertPoint.before(anchor)
        )
        Rewriter.insert_op(ops, point)
        self.is_used = True

    def load(self, slot: Slot, scratch: ScratchOp) -> SSAValue:
        """Read a slot at the beginning."""
        load = LoadOp(scratch.memref, [self.position(slot.level)])
        self.first(load)
        return load.value

    def store(self, value: SSAValue, slot: Slot, scratch: ScratchOp) -> None:
        """Write a slot, right after the value if the run computes it, else at the end."""
        store = StoreOp(value, scratch.memref, [self.position(slot.level)])
        owner = value.owner
        if isinstance(owner, Operation) and owner in self._computed:
            Rewriter.insert_op(store, InsertPoint.after(owner))
        else:
            self.last(store)

    def position(self, level: Level) -> SSAValue:
        """Where this invocation's element of a slot is."""
        if level not in self._positions:
            scope = _SCOPES.get(level)
            if scope is None:
                op = arith.ConstantOp.from_int_and_width(0, IndexType())
            else:
                op = LinearIdOp(scope)
            self.first(op)
            self._positions[level] = op.results[0]
        return self._positions[level]
