"""
Memory that a program without returns has in addition, to ask whether anyone is alive.

Whoever is alive stores one value in a word, all meet, and all load it. What it held before
is another value: zero, because it is asked once or is reset, or an earlier round. All meet
again before the next answer, so nobody loads that. So those who are alive load their own
answer, and if there are none, everybody loads something else.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, i1
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.purity import is_pure
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LoadOp,
    ProgramOp,
    RegionOp,
    ScratchOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import Access, ScratchScope
from vyre.validation.execution import SUBGROUP_OPS
from vyre.validation.footprints import COLLECTIVES, Footprints, is_memref
from vyre.validation.levels import GRID, INVOCATION, WORKGROUP
from vyre.validation.report import Mismatch


class Words:
    """
    Example: `Words(program, original).barriers`
    """

    def __init__(self, program: ProgramOp, original: ProgramOp):
        self.answers: dict[Operation, StoreOp] = {}
        self.barriers: set[Operation] = set()
        self.memrefs: set[SSAValue] = set()
        self.loops: dict[SSAValue, tuple[Operation, int]] = {}
        for entry in _added(program, original):
            self._word(entry)
        self.needs_levels = any(level < INVOCATION for _, level in self.loops.values())

    def _word(self, entry: BufferOp | ScratchOp) -> None:
        is_grid = isinstance(entry, ScratchOp)
        self.memrefs.add(entry.results[0])
        users = [use.operation for use in entry.results[0].uses]
        loads = [op for op in users if isinstance(op, LoadOp)]
        stores = [op for op in users if isinstance(op, StoreOp)]
        answers = [op for op in stores if _is_alone(op)]
        resets = [op for op in stores if op not in answers]
        known = len(loads) == len(answers) == 1 and len(users) == len(loads) + len(stores)
        is_known = known and len(resets) <= 1 and all(map(_is_first, (*loads, *stores)))
        if not (is_known and _is_shared(entry)):
            raise Mismatch("the program does not have this memory", entry)
        guard = answers[0].parent_op()
        assert isinstance(guard, scf.IfOp)
        ways = [self._next(guard), self._previous(loads[0])]
        if guard.false_region.blocks or ways[0] is not ways[1]:
            raise Mismatch("this does not ask whether anyone is alive", guard)
        self._meet(ways[0], is_grid)
        self.answers[guard] = answers[0]
        self._check_loop(loads[0], ways[0], resets, is_grid)

    def _check_loop(
        self,
        load: LoadOp,
        met: Operation | None,
        resets: Sequence[StoreOp],
        is_grid: bool,
    ) -> None:
        level = INVOCATION
        around, loop = load.parent_op(), self._next(load)
        outer: Operation | None = load
        if isinstance(around, scf.WhileOp) and isinstance(loop, scf.ConditionOp):
            inner = (op for region in around.regions for op in _straight(region.block))
            if not any(_is_meeting(op, is_grid) and op is not met for op in inner):
                raise Mismatch("nobody waits until all know whether anyone is alive", load)
            outer = around
        elif loop is not None and not any(keeps_step(op, is_grid) for op in loop.walk()):
            # The loop keeps step only if what decides about it is the same for all.
            level = GRID if is_grid else WORKGROUP
        if not isinstance(loop, scf.WhileOp | scf.ConditionOp):
            raise Mismatch("nobody asks whether anyone is alive", load)
        asking = outer if isinstance(loop, scf.ConditionOp) else loop
        self.loops[load.buffer] = asking, level
        for reset in resets:
            if not _is_zero(reset.value) or reset.parent is not outer.parent:
                raise Mismatch("this does not ask again whether anyone is alive", reset)
            self._meet(self._previous(reset), is_grid)
            self._meet(self._next(reset), is_grid)
        if not resets and not _is_once(outer):
            raise Mismatch("nobody forgets who was alive before", load)

    def _meet(self, op: Operation | None, is_grid: bool) -> None:
        if op is None or not _is_meeting(op, is_grid):
            raise Mismatch("no barrier comes between answers", op)
        self.barriers.add(op)

    def _next(self, op: Operation) -> Operation | None:
        following = op.next_op
        while following is not None and is_pure(following):
            following = following.next_op
        return following

    def _previous(self, op: Operation) -> Operation | None:
        before = op.prev_op
        while before is not None and is_pure(before):
            before = before.prev_op
        return before


_ZEROS = (IntegerAttr(0, i1), IntegerAttr(0, IndexType()))


def _is_zero(value: SSAValue) -> bool:
    owner: Any = value.owner
    return isinstance(owner, arith.ConstantOp) and owner.value in _ZEROS


def _is_first(op: LoadOp | StoreOp) -> bool:
    """Whether the first element is accessed."""
    return len(op.indices) == 1 and _is_zero(op.indices[0])


def _is_alone(store: StoreOp) -> bool:
    """Whether a store is all that is done in a branch."""
    block, branch = store.parent, store.parent_op()
    if block is None or not isinstance(branch, scf.IfOp) or branch.results:
        return False
    others = [op for op in block.ops if not is_pure(op)]
    return len(others) == 2 and block is branch.true_region.blocks.first


def _is_meeting(op: Operation, is_grid: bool) -> bool:
    return isinstance(op, BarrierOp) and (op.is_grid_sync or not is_grid)


def keeps_step(op: Operation, is_grid: bool = False) -> bool:
    """Whether programs verify only if those who meet all come here."""
    if isinstance(op, scf.ForOp | scf.WhileOp):
        return any(map(is_memref, op.operands))
    others = COLLECTIVES if is_grid else (*COLLECTIVES, *SUBGROUP_OPS)
    return _is_meeting(op, is_grid) or isinstance(op, others)


def _straight(block: Block) -> Iterator[Operation]:
    for op in block.ops:
        yield op
        if isinstance(op, RegionOp):
            yield from _straight(op.body.block)


def _is_once(op: Operation | None) -> bool:
    """Whether an operation is executed once."""
    holder = None if op is None else op.parent_op()
    while isinstance(holder, RegionOp):
        holder = holder.parent_op()
    return isinstance(holder, ProgramOp)


def _is_shared(entry: BufferOp | ScratchOp) -> bool:
    """Whether memory is one element for all who meet."""
    type_ = entry.results[0].type
    if not isinstance(type_, MemRefType) or type_.get_shape() != (1,):
        return False
    if isinstance(entry, ScratchOp):
        return entry.scope.data is ScratchScope.SINGLE
    return entry.access.data is Access.WORKGROUP


def _added(program: ProgramOp, original: ProgramOp) -> list[BufferOp | ScratchOp]:
    """The memory that only a program without returns has."""
    names = {entry.entry_name.data for entry in original.table}
    count = len(Footprints(original).having(ScratchOp))
    scratch = Footprints(program).having(ScratchOp)[count:]
    entries = [e for e in program.table if e.entry_name.data not in names]
    return [*scratch, *(entry for entry in entries if isinstance(entry, BufferOp))]
