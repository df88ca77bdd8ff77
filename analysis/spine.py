"""
The spine of a program that is to be cut: what is left when plain code is taken away.

A *cut* is an operation at which the program is to be taken apart, here a grid barrier. A
*holder* is control flow with a cut in it. What stands between cuts and holders in a block
is a *run*: code that stays together, and becomes one launch.

```mlir
%n = ...                      // run 0
vyre.barrier grid_sync        // cut
scf.for %k = ... {            // holder, after run 1, which is empty
  ...                         // run 2
  vyre.barrier grid_sync
  ...                         // run 3
}                             // run 4, the loop's tail, and run 5 after the loop
```

Runs are numbered in the order of the text. There is one, perhaps empty, for every place
where code can stand, so that there is always a run before a holder and at the end of a
block. A loop's block has one more at its end, its *tail*: a place that nothing else is in,
for copies that may not share a run with what they overwrite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, OpResult, SSAValue

from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.purity import PURE_OPS
from vyre.analysis.walking import operations_in, operations_of
from vyre.dialects.refusal import Refusal
from vyre.dialects.terminators import is_terminator
from vyre.dialects.vyre import (
    AssignOp,
    BarrierOp,
    BufferOp,
    GetOp,
    LetOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    ReturnOp,
    ScratchOp,
    YieldOp,
)

Holder: TypeAlias = scf.IfOp | scf.ForOp | scf.WhileOp
TABLE_OPS = (BufferOp, ParamOp, ScratchOp)
_CELL_OPS = (LetOp, GetOp, AssignOp)


@dataclass(eq=False)
class Loop:
    """A holder that repeats, and the runs in it: from `first` to `last`."""

    op: scf.ForOp | scf.WhileOp
    outer: Loop | None
    first: int
    last: int = -1

    @property
    def depth(self) -> int:
        return 1 if self.outer is None else self.outer.depth + 1


@dataclass(eq=False)
class Run:
    """A stretch of plain operations that stays together."""

    index: int
    block: Block
    loop: Loop | None
    """The innermost loop of the spine around it."""
    ops: list[Operation] = field(default_factory=list[Operation])
    end: Operation | None = None
    """What follows it in its block: a cut, a holder or the terminator."""
    following: list[int] = field(default_factory=list[int])
    """The runs that may come next."""

    @property
    def takes_code(self) -> bool:
        """Whether it is not empty, and no collective, which stays alone."""
        return bool(self.ops) and not isinstance(self.ops[0], COLLECTIVES)

    def walk(self) -> Iterator[Operation]:
        """All operations of the run, nested ones too."""
        for op in self.ops:
            yield from operations_of(op)

    def unconditional(self) -> Iterator[Operation]:
        """The operations that run exactly when the run does, out of regions too."""
        for op in self.ops:
            yield from _unconditional(op)


def _unconditional(op: Operation) -> Iterator[Operation]:
    if type(op) is not RegionOp:
        yield op
        return
    for inner in op.body.block.ops:
        yield from _unconditional(inner)


@dataclass(eq=False)
class Spine:
    """
    The runs, holders and cuts of a program.

    Example: `Spine.of(program).runs[0].ops`
    """

    program: ProgramOp
    runs: list[Run] = field(default_factory=list[Run])
    run_of: dict[Operation | Block, Run] = field(
        default_factory=dict["Operation | Block", Run]
    )
    """The run of each operation that stands in one, nested operations not counted."""
    holders: list[Holder] = field(default_factory=list[Holder])
    """In the order of the text, outer ones first."""
    before: dict[Operation, Run] = field(default_factory=dict[Operation, Run])
    """The run that each holder and terminator of the spine ends."""
    blocks: dict[Block, list[Run]] = field(default_factory=dict[Block, list[Run]])
    """The runs that stand directly in each block of the spine."""
    loops: dict[Operation, Loop] = field(default_factory=dict[Operation, Loop])

    @staticmethod
    def of(program: ProgramOp, is_cut: Callable[[Operation], bool] | None = None) -> Spine:
        """The spine of a program, with grid barriers as cuts if no others are named."""
        cut = is_grid_cut if is_cut is None else is_cut
        holders = _holders(program, cut)
        while True:
            spine = Spine(program)
            _Walk(spine, cut, holders).block(program.body.block, None)
            givers = spine.givers_of_buffers()
            if not givers:
                return spine
            for loop in givers:
                _add_holders(loop, program, holders)

    def givers_of_buffers(self) -> list[Operation]:
        """
        Loops in runs whose results stand for buffers in other runs. Only the host can
        carry a buffer from run to run, so such a loop is a holder although it has no cut.
        """
        return [
            op
            for run in self.runs
            for op in run.unconditional()
            if op.regions
            and isinstance(op, scf.ForOp | scf.WhileOp)
            and any(is_memref(r) and self._leaves(r, run) for r in op.results)
        ]

    def _leaves(self, value: SSAValue, run: Run) -> bool:
        """Whether a value of a run is used outside it."""
        for use in value.uses:
            user = use.operation
            if self.run_around(user) is not run:
                return True
            if isinstance(user, YieldOp):
                region = user.parent_op()
                assert region is not None
                if self._leaves(region.results[use.index], run):
                    return True
        return False

    def run_around(self, inner: Operation | Block) -> Run | None:
        """The run that code is in, at any depth; None for what holds runs."""
        op = inner.parent_op() if isinstance(inner, Block) else inner
        while op is not None and op not in self.run_of:
            op = None if op in self.before else op.parent_op()
        return None if op is None else self.run_of[op]

    def home(self, value: SSAValue) -> Run | None:
        """The run that computes a value; None for tables and what holders pass on."""
        return self.run_of.get(value.owner) or self.run_around(value.owner)

    def is_local(self, memref: SSAValue) -> bool:
        """
        Whether only one run can name a buffer: a loop in the run gives it. Other runs have
        the buffers of the table, and those that holders pass on.
        """
        return self.home(through_regions(memref)) is not None

    def outer_operands(self, run: Run) -> Iterator[tuple[Operation, int, SSAValue]]:
        """Operands in a run that it does not compute: the operation, which, and what."""
        run_of = self.run_of
        for op in run.ops:
            for index, operand in enumerate(op.operands):
                if run_of.get(operand.owner) is not run:
                    yield op, index, operand
            if op.regions:
                yield from self._outer_operands_inside(op, run)

    def _outer_operands_inside(
        self, op: Operation, run: Run
    ) -> Iterator[tuple[Operation, int, SSAValue]]:
        inside: set[SSAValue] = set()
        for inner in operations_of(op):
            for index, operand in enumerate(inner.operands):
                if inner is op or operand in inside:
                    continue
                if self.run_of.get(operand.owner) is not run:
                    yield inner, index, operand
            if inner is not op:
                inside.update(inner.results)
            for region in inner.regions:
                for block in region.blocks:
                    inside.update(block.args)

    def end_of_life(self, start: int, use: int) -> int:
        """
        The last run up to which a value lives that is made in run `start` and used in run
        `use`: a loop around the use but not around the start comes back to the use, so
        the value lives to the loop's end.
        """
        loop = self.runs[use].loop
        end = use
        while loop is not None and start < loop.first:
            end = loop.last
            loop = loop.outer
        return end


def through_regions(value: SSAValue) -> SSAValue:
    """The value behind one that `vyre.region`s only hand out."""
    while type(value.owner) is RegionOp:
        assert isinstance(value, OpResult)
        last = value.owner.body.block.last_op
        assert last is not None
        value = last.operands[value.index]
    return value


def is_grid_cut(op: Operation) -> bool:
    """Whether the whole grid meets at the operation."""
    return type(op) in COLLECTIVES or (type(op) is BarrierOp and op.is_grid_sync)


def needs_cut(program: ProgramOp) -> bool:
    """Whether the program is to be cut; a collective all alone is a launch as it is."""
    body = [op for op in program.body.block.ops if not isinstance(op, TABLE_OPS)]
    if len(body) == 1 and isinstance(body[0], COLLECTIVES):
        return False
    return any(map(is_grid_cut, operations_in(program.body)))


def _holders(program: ProgramOp, is_cut: Callable[[Operation], bool]) -> set[Operation]:
    """The operations with a cut somewhere inside."""
    holders: set[Operation] = set()
    for op in operations_in(program.body):
        if type(op) in PURE_OPS:
            continue
        if type(op) is ReturnOp:
            _refuse(op, "an invocation may return here", "vyre-predicate-returns")
        if type(op) in _CELL_OPS:
            _refuse(op, "variables are not values yet", "vyre-promote-lets")
        if is_cut(op):
            parent = op.parent_op()
            assert parent is not None
            if isinstance(parent, RegionOp):
                _refuse(op, "a cut stands in a region", "vyre-hoist-grid-sync")
            _add_holders(parent, program, holders)
    return holders


def _add_holders(op: Operation | None, program: ProgramOp, holders: set[Operation]) -> None:
    """The operation and all around it are holders."""
    while op is not None and op is not program and op not in holders:
        holders.add(op)
        if isinstance(op.parent_op(), RegionOp):
            raise Refusal(
                "what happens here goes on after a grid barrier outside, so the program "
                "cannot be cut",
                fix="run vyre-hoist-grid-sync first; let regions end before loops whose "
                "buffers are used after a grid barrier",
                at=op,
            )
        op = op.parent_op()


def _refuse(op: Operation, cause: str, remedy: str) -> None:
    raise Refusal(
        f"{cause}, so the program cannot be cut", fix=f"run {remedy} first", at=op
    )


class _Walk:
    """Numbers the runs of blocks, and says which may follow which."""

    def __init__(
        self, spine: Spine, is_cut: Callable[[Operation], bool], holders: set[Operation]
    ):
        self.spine = spine
        self.is_cut = is_cut
        self.holders = holders

    def block(self, block: Block, loop: Loop | None) -> tuple[Run, Run]:
        """The first and the last run of the block."""
        self.spine.blocks[block] = []
        first = run = self._run(block, loop)
        for op in block.ops:
            if type(op) in PURE_OPS:
                self._put(op, run)
            elif op in self.holders and isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp):
                run.end = op
                self.spine.before[op] = run
                self.spine.holders.append(op)
                exits = self._holder(op, run, loop)
                run = self._run(block, loop, *exits)
            elif self.is_cut(op):
                run.end = op
                if isinstance(op, COLLECTIVES):
                    run = self._run(block, loop, run)
                    self._put(op, run)
                run = self._run(block, loop, run)
            elif is_terminator(op):
                run.end = op
                if isinstance(block.parent_op(), scf.ForOp | scf.WhileOp):
                    run = self._run(block, loop, run)
                    run.end = op
                self.spine.before[op] = run
            elif not isinstance(op, TABLE_OPS):
                self._put(op, run)
        return first, run

    def _run(self, block: Block, loop: Loop | None, *before: Run) -> Run:
        run = Run(len(self.spine.runs), block, loop)
        self.spine.runs.append(run)
        self.spine.blocks[block].append(run)
        for previous in before:
            previous.following.append(run.index)
        return run

    def _put(self, op: Operation, run: Run) -> None:
        run.ops.append(op)
        self.spine.run_of[op] = run

    def _holder(self, op: Holder, run: Run, loop: Loop | None) -> list[Run]:
        """Number what is inside; the runs from which control comes out."""
        if isinstance(op, scf.IfOp):
            exits: list[Run] = []
            for region in op.regions:
                if region.blocks.first is None:
                    exits.append(run)
                    continue
                first, last = self.block(region.block, loop)
                run.following.append(first.index)
                exits.append(last)
            return exits
        inner = Loop(op, loop, len(self.spine.runs))
        self.spine.loops[op] = inner
        first, last = self.block(op.regions[0].block, inner)
        run.following.append(first.index)
        if isinstance(op, scf.ForOp):
            last.following.append(first.index)
            exits = [run, last]
        else:
            entry, back = self.block(op.after_region.block, inner)
            last.following.append(entry.index)
            back.following.append(first.index)
            exits = [last]
        inner.last = len(self.spine.runs) - 1
        return exits
