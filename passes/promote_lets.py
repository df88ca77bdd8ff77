"""
`vyre-promote-lets`: variables become SSA values.

Before:

```mlir
%sum = vyre.let "sum" = %zero : i32
scf.for %k = %lb to %ub step %one {
  %old = vyre.get %sum : !vyre.cell<i32>
  %new = arith.addi %old, %x : i32
  vyre.assign %new, %sum : !vyre.cell<i32>
}
%total = vyre.get %sum : !vyre.cell<i32>
```

After:

```mlir
%total = scf.for %k = %lb to %ub step %one iter_args(%sum = %zero) -> (i32) {
  %new = arith.addi %sum, %x : i32
  scf.yield %new : i32
}
```

Why the meaning stays. A variable belongs to one invocation and is used by `vyre.get` and
`vyre.assign` only (its verifier says so), so what it holds at a point is decided by the
assignments on the invocation's own path to that point. The walk keeps, for each variable,
the SSA value that it holds at the current point. Straight-line code only changes that
record. Where paths meet, the operation around them passes the value on: an `scf.if` or
`vyre.region` that assigns a variable yields what its arms leave in it; a loop that assigns
one carries it, so that the body sees what the trip before left, or the initial value, and
the code after the loop what the last trip left, or the initial value after no trip. An
invocation that returns inside takes no path to the code after, so what is yielded for it
does not matter. Only values that dominate the point are recorded: a value recorded inside
a region leaves it only as a result.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from vyre.analysis.walking import operations_in, operations_of, units_in
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal, name_of
from vyre.dialects.vyre import (
    AssignOp,
    CellType,
    GetOp,
    LetOp,
    ProgramOp,
    RegionOp,
    ScheduleOp,
)
from vyre.passes.expand_switches import expand_switches
from vyre.passes.same_grids import same_grids

Cells = dict[SSAValue, SSAValue]
"""What each variable holds at a point."""


@dataclass(frozen=True)
class PromoteLetsPass(ModulePass):
    """Replaces `vyre.let`, `vyre.get` and `vyre.assign` by values that are passed on."""

    name = "vyre-promote-lets"

    @same_grids
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        for program in units_in(op, ProgramOp):
            lets = [let for let in operations_in(program.body) if isinstance(let, LetOp)]
            try:
                promote(program, lets)
            except Refusal as refusal:
                raise invalid(program, refusal) from None


def promote(program: ProgramOp | ScheduleOp, lets: Iterable[LetOp]) -> None:
    """
    Replace the given variables of a program or schedule by values, and leave its others.

    Example: `promote(program, [alive])`
    """
    _Promotion(program, lets).run()


class _Promotion:
    """One walk over a program, in execution order."""

    def __init__(self, program: ProgramOp | ScheduleOp, lets: Iterable[LetOp]):
        self._program = program
        self._promoted = {let.cell for let in lets}
        self._assigned = assigned_inside(program)
        self._cells: Cells = {}
        self._lets: list[LetOp] = []

    def run(self) -> None:
        self._block(self._program.body.block)
        for let in self._lets:
            Rewriter.erase_op(let)

    def _block(self, block: Block) -> None:
        for op in list(block.ops):
            match op:
                case LetOp() if op.cell in self._promoted:
                    self._cells[op.cell] = op.initial
                    self._lets.append(op)
                case GetOp() if op.cell in self._promoted:
                    Rewriter.replace_op(op, [], [self._cells[op.cell]])
                case AssignOp() if op.cell in self._promoted:
                    self._cells[op.cell] = op.value
                    Rewriter.erase_op(op)
                case scf.IfOp():
                    self._if(op)
                case scf.ForOp():
                    self._for(op)
                case scf.WhileOp():
                    self._while(op)
                case RegionOp():
                    self._region(op)
                case _:
                    self._refuse_variables_inside(op)

    def _carried(self, op: Operation) -> list[SSAValue]:
        """The variables from outside `op` that it assigns."""
        return [cell for cell in self._assigned.get(op, ()) if cell in self._cells]

    def _held(self, cells: Sequence[SSAValue]) -> list[SSAValue]:
        return [self._cells[cell] for cell in cells]

    def _enter(self, block: Block, cells: Sequence[SSAValue]) -> None:
        """Give a block one more argument for each variable that is passed into it."""
        for cell in cells:
            argument = block.insert_arg(_held_type(cell), len(block.args))
            argument.name_hint = cell.name_hint
            self._cells[cell] = argument

    def _leave(self, block: Block, cells: Sequence[SSAValue]) -> None:
        """Let a block's terminator pass on what the variables hold at its end."""
        terminator = block.last_op
        assert terminator is not None
        terminator.operands = [*terminator.operands, *self._held(cells)]

    def _replace(
        self, op: Operation, operands: Sequence[SSAValue], cells: Sequence[SSAValue]
    ) -> None:
        """The same operation with more operands, and one more result for each variable."""
        new = type(op).create(
            operands=[*op.operands, *operands],
            result_types=[*op.result_types, *map(_held_type, cells)],
            properties=op.properties,
            attributes=op.attributes,
            regions=[op.detach_region(0) for _ in list(op.regions)],
            location=op.location,
        )
        count = len(op.results)
        Rewriter.replace_op(op, new, new.results[:count])
        for cell, result in zip(cells, new.results[count:], strict=True):
            result.name_hint = cell.name_hint
            self._cells[cell] = result

    def _if(self, op: scf.IfOp) -> None:
        cells = self._carried(op)
        before = self._held(cells)
        if cells and op.false_region.blocks.first is None:
            unchanged = scf.YieldOp()
            unchanged.location = op.location
            op.false_region.add_block(Block([unchanged]))
        for region in op.regions:
            if region.blocks.first is not None:
                self._cells.update(zip(cells, before))
                self._block(region.block)
                self._leave(region.block, cells)
        self._cells.update(zip(cells, before))
        if cells:
            self._replace(op, [], cells)

    def _for(self, op: scf.ForOp) -> None:
        cells = self._carried(op)
        before = self._held(cells)
        self._enter(op.body.block, cells)
        self._block(op.body.block)
        self._leave(op.body.block, cells)
        if cells:
            self._replace(op, before, cells)

    def _while(self, op: scf.WhileOp) -> None:
        cells = self._carried(op)
        before = self._held(cells)
        for region in (op.before_region, op.after_region):
            self._enter(region.block, cells)
            self._block(region.block)
            self._leave(region.block, cells)
        if cells:
            self._replace(op, before, cells)

    def _region(self, op: RegionOp) -> None:
        cells = self._carried(op)
        self._block(op.body.block)
        self._leave(op.body.block, cells)
        if cells:
            self._replace(op, [], cells)

    def _refuse_variables_inside(self, op: Operation) -> None:
        for inner in operations_of(op):
            if (
                (type(inner) is GetOp or type(inner) is AssignOp)
                and inner is not op
                and inner.cell in self._promoted
            ):
                raise Refusal(
                    f"nothing is known about when '{name_of(op)}' runs its region, which "
                    "uses a variable",
                    fix="use scf.if, scf.for, scf.while or vyre.region",
                    at=inner,
                )


def _held_type(cell: SSAValue) -> Attribute:
    assert isinstance(cell.type, CellType)
    return cell.type.value_type


def assigned_inside(
    program: ProgramOp | ScheduleOp,
) -> dict[Operation, dict[SSAValue, None]]:
    """
    The variables that each operation with regions assigns in them, in order.

    Example: `list(assigned_inside(program).get(loop, ()))`
    """
    assigned: dict[Operation, dict[SSAValue, None]] = {}
    for op in operations_in(program.body):
        if isinstance(op, AssignOp):
            parent = op.parent_op()
            while parent is not None and parent is not program:
                cells = assigned.setdefault(parent, {})
                if op.cell in cells:
                    break
                cells[op.cell] = None
                parent = parent.parent_op()
    return assigned
