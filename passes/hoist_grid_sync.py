"""
`vyre-hoist-grid-sync`: grid barriers leave the regions they stand in.

Before:

```mlir
vyre.region "step" from "solver" {
  %v = vyre.load %a[%i] : memref<?xf32>
  vyre.store %v, %b[%i] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %v, %c[%i] : memref<?xf32>
}
```

After:

```mlir
%v = vyre.region "step" from "solver" -> (f32) {
  %w = vyre.load %a[%i] : memref<?xf32>
  vyre.store %w, %b[%i] : memref<?xf32>
  vyre.yield %w : f32
}
vyre.barrier grid_sync
vyre.region "step" from "solver" {
  vyre.store %v, %c[%i] : memref<?xf32>
}
```

A region that holds a grid barrier, at any depth, dissolves: its operations move to where
it stood. Loops and branches that hold barriers stay around them. Every run of operations
between barriers, loops and branches of this kind, also inside these, is wrapped in a copy
of the region, so that each operation still says who made it. Regions in regions give
copies in copies.

Why the meaning stays. A region runs where it stands, exactly once each time it is reached,
and adds nothing to what its operations do; so both taking it away and putting one around
consecutive operations change nothing but who sees their values. A value that is used
outside its copy becomes a result of the copy, also a token or a memref; what the dissolved
region yielded takes the place of its results. Constants, ids and sizes that are used
outside their copy are not yielded but stay in front of it: they have the same value
wherever they stand. A `vyre.return` or `vyre.trap` is last in its block, so it is last in
its run and in the copy. Only a variable cannot leave its copy; `vyre-promote-lets` turns
variables into values.

In a program with grid barriers, a loop that gives a buffer counts as if it held one: only
the host can carry a buffer across a barrier, so the loop may have to become the host's.

Regions are divided from the inside out. Each operation is wrapped once, each copy once for
each dissolved region around it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.buffer_sources import is_memref
from vyre.analysis.purity import is_pure
from vyre.analysis.walking import operations_in, units_in
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.terminators import is_terminator
from vyre.dialects.vyre import BarrierOp, LetOp, ProgramOp, RegionOp, YieldOp
from vyre.passes.expand_switches import expand_switches
from vyre.passes.same_grids import same_grids

Run = list[Operation]
"""Consecutive operations of a block that go into one copy."""


@dataclass(frozen=True)
class HoistGridSyncPass(ModulePass):
    """Divides every `vyre.region` that holds a grid barrier."""

    name = "vyre-hoist-grid-sync"

    @same_grids
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        for program in units_in(op, ProgramOp):
            try:
                _Hoisting(program).run()
            except Refusal as refusal:
                raise invalid(program, refusal) from None


class _Hoisting:
    def __init__(self, program: ProgramOp):
        self._program = program
        self._holders = _barrier_holders(program)

    def run(self) -> None:
        self._inside(self._program)

    def _inside(self, holder: Operation) -> None:
        """Dissolve the regions in an operation that holds a barrier, inner ones first."""
        for block in _blocks(holder):
            for op in list(block.ops):
                if op in self._holders:
                    self._inside(op)
                    if isinstance(op, RegionOp):
                        self._dissolve(op)

    def _dissolve(self, region: RegionOp) -> None:
        block = region.body.block
        terminator = block.last_op
        assert isinstance(terminator, YieldOp)
        for output, value in zip(region.outputs, terminator.values, strict=True):
            output.replace_all_uses_with(value)
        Rewriter.erase_op(terminator)
        self._divide(block, region)
        Rewriter.inline_block(block, InsertPoint.before(region))
        Rewriter.erase_op(region)

    def _divide(self, block: Block, region: RegionOp) -> None:
        """Wrap every run of the block, and of the blocks of the holders in it."""
        runs: list[Run] = [[]]
        for op in block.ops:
            if op in self._holders:
                for inner in _blocks(op):
                    self._divide(inner, region)
            if op in self._holders or _is_grid_sync(op) or is_terminator(op):
                runs.append([])
            else:
                runs[-1].append(op)
        for run in runs:
            _wrap(run, block, region)


def _barrier_holders(program: ProgramOp) -> set[Operation]:
    """
    The operations that have a grid barrier somewhere inside; and, in a program with one,
    loops in regions that give buffers, with all around them.
    """
    holders: set[Operation] = {program}
    givers: list[Operation] = []
    for op in operations_in(program.body):
        if _is_grid_sync(op):
            _add_with_parents(op.parent_op(), holders)
        elif op.regions and isinstance(op, scf.ForOp | scf.WhileOp) and _gives_buffer(op):
            givers.append(op)
    if any(map(_is_grid_sync, operations_in(program.body))):
        for op in givers:
            _add_with_parents(op, holders)
    return holders


def _add_with_parents(op: Operation | None, holders: set[Operation]) -> None:
    while op is not None and op not in holders:
        holders.add(op)
        op = op.parent_op()


def _gives_buffer(op: Operation) -> bool:
    """Whether a loop somewhere in a region gives a buffer that is used."""
    if not any(is_memref(r) and r.first_use is not None for r in op.results):
        return False
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, RegionOp):
        parent = parent.parent_op()
    return parent is not None


def _is_grid_sync(op: Operation) -> bool:
    return type(op) is BarrierOp and op.is_grid_sync


def _blocks(op: Operation) -> Iterator[Block]:
    return (block for region in op.regions for block in region.blocks)


def _wrap(run: Run, block: Block, region: RegionOp) -> None:
    """Move a run into a copy of the region, without what stays in front of it."""
    members = set(run)
    kept: Run = []
    leaving: list[SSAValue] = []
    for op in run:
        used = [value for value in op.results if _leaves(value, block, members)]
        if not (used and not op.operands and is_pure(op)):
            kept.append(op)
            leaving += used
    for value in leaving:
        _refuse_variable(value, block, members)
    if kept:
        _move(kept, leaving, block, region)


def _move(run: Run, leaving: list[SSAValue], block: Block, region: RegionOp) -> None:
    """Make the copy where the run ends, and fill it."""
    copy = RegionOp.create(
        result_types=[value.type for value in leaving],
        properties=region.properties,
        attributes=region.attributes,
        regions=[Region(Block())],
        location=region.location,
    )
    Rewriter.insert_op(copy, InsertPoint.after(run[-1]))
    for op in run:
        op.detach()
        copy.body.block.add_op(op)
    for value, result in zip(leaving, copy.outputs, strict=True):
        value.replace_uses_with_if(
            result, lambda use: _place_in(block, use.operation) is not copy
        )
    terminator = YieldOp(*leaving)
    terminator.location = region.location
    copy.body.block.add_op(terminator)


def _leaves(value: SSAValue, block: Block, members: set[Operation]) -> bool:
    return any(_is_outside(use, block, members) for use in value.uses)


def _is_outside(use: Use, block: Block, members: set[Operation]) -> bool:
    return _place_in(block, use.operation) not in members


def _place_in(block: Block, op: Operation) -> Operation | None:
    """The operation of the block that is or holds `op`, if there is one."""
    place: Operation | None = op
    while place is not None and place.parent is not block:
        place = place.parent_op()
    return place


def _refuse_variable(value: SSAValue, block: Block, members: set[Operation]) -> None:
    let = value.owner
    if not isinstance(let, LetOp):
        return
    use = next(use for use in value.uses if _is_outside(use, block, members))
    raise Refusal(
        f'the variable "{let.variable_name.data}" is used across a grid barrier of its '
        "region, and regions cannot yield variables",
        fix="run vyre-promote-lets first",
        at=let,
        notes=[Note(use.operation, "used here")],
    )
