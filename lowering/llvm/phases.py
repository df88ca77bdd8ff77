"""
A program without barriers as an LLVM function that runs a range of its workgroups.

```llvm
define internal void @"phase.p"(ptr %job, i64 %worker, ptr %memory,
    i64 %groups.x, i64 %groups.y, i64 %groups.z, i64 %first, i64 %end, ...)
```

Workgroups are numbered with x fastest. After their range come the buffers and parameters
of the program's table: for a buffer its address and sizes, for a parameter its value. The
loops over invocations are around the program's code, innermost over x, where LLVM can
vectorise them. If nobody asks for places in workgroups along x, the loop goes through all
workgroups of a row at once.
"""

from collections.abc import Generator
from contextlib import contextmanager
from math import prod

from llvmlite import ir

from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import (
    uses_workgroups,
)
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.costs import LONGEST_PIECE, operations
from vyre.lowering.llvm.counting import counted
from vyre.lowering.llvm.folding import FoldingBuilder
from vyre.lowering.llvm.grids import Row, each_workgroup, rows
from vyre.lowering.llvm.invocation_rows import InvocationRows, Surroundings
from vyre.lowering.llvm.invocations import Three, pieces
from vyre.lowering.llvm.row_parts import (
    FEW,
)
from vyre.lowering.llvm.spending import Spending
from vyre.lowering.llvm.values import INDEX, Environment
from vyre.lowering.llvm.workgroup_memory import (
    clear,
    has_workgroup_memory,
    workgroup_layout,
)
from vyre.lowering.loops import has_long_loops, stretch_around


class Phase:
    """
    Writes the loops over workgroups, and over places in them along y and z.

    `is_alone` says that the program is made for a grid of one workgroup, which stands for
    the workgroups from `first` to `end` of a larger one. Then there may be a byte for each
    invocation in the workgroup's memory, from `ended` on, for those that have trapped.
    """

    def __init__(
        self,
        function: ir.Function,
        values: Environment,
        program: vyre.ProgramOp,
        traps: list[vyre.TrapOp],
        *,
        is_alone: bool,
        ended: int | None = None,
    ):
        self._ended = ended
        self._program = program
        self._values = values
        self._traps = traps
        self._is_alone = is_alone
        job, worker, memory, *groups, first, end = function.args[:8]
        self._context = Context(job, worker, memory)
        self._grid: Three = groups
        self._first, self._end = first, end
        self._builder = FoldingBuilder(function.append_basic_block("entry"))
        self._over = function.append_basic_block("over")
        self._sizes = [ir.Constant(INDEX, size) for size in program.workgroup]

    def emit(self) -> None:
        """Write the function."""
        builder = self._builder
        spending = None
        if has_long_loops(self._program):
            spending = Spending(builder, stretch_around(1))
            self._context = self._context.put_aside(builder)
        around = Surroundings(
            self._context,
            self._over,
            self._traps,
            self._grid,
            self._first,
            spending,
            self._is_alone,
            self._ended,
        )
        self._invocations = InvocationRows(builder, self._values, self._program, around)
        self._piece = max(1, LONGEST_PIECE // max(1, operations(self._program)))
        is_huge = prod(self._program.workgroup) > self._piece
        self._spent = Spending(builder, self._piece) if is_huge else None
        if self._is_alone:
            self._alone()
        elif uses_workgroups(self._program) or has_workgroup_memory(self._program):
            self._workgroups()
        else:
            self._rows()
        builder.branch(self._over)
        builder.position_at_end(self._over)
        builder.ret_void()

    def _alone(self) -> None:
        zero, one = ir.Constant(INDEX, 0), ir.Constant(INDEX, 1)
        with self._places_in_workgroup() as (y, z):
            row = Row(zero, (zero, zero, zero), one)
            self._row((one, one, one), row, zero, self._sizes[0], y, z)

    def _workgroups(self) -> None:
        """One workgroup after the other."""
        builder = self._builder
        with each_workgroup(builder, self._first, self._end, self._grid) as row:
            self._clear_workgroup_memory()
            self._run_row(row)

    def _rows(self) -> None:
        """As many workgroups at once as are in a row along x."""
        with rows(self._builder, self._first, self._end, self._grid) as row:
            self._run_row(row)

    def _run_row(self, row: Row) -> None:
        builder = self._builder
        start = builder.mul(row.ids[0], self._sizes[0], flags=FEW)
        length = builder.mul(row.count, self._sizes[0], flags=FEW)
        end = builder.add(start, length, flags=FEW)
        with self._places_in_workgroup() as (y, z):
            self._row(self._grid, row, start, end, y, z)

    def _row(
        self,
        groups: Three,
        row: Row,
        start: ir.Value,
        end: ir.Value,
        y: ir.Value,
        z: ir.Value,
    ) -> None:
        """
        The invocations along x. Who launches looks whether to stop between workgroups, so
        a workgroup that alone takes long looks itself.
        """
        builder, emit = self._builder, self._invocations.emit
        if self._spent is None:
            emit(groups, row.group, row.ids, start, end, y, z)
            return
        with pieces(builder, start, end, self._piece) as (first, last):
            emit(groups, row.group, row.ids, first, last, y, z)
            self._spent.add(builder, builder.sub(last, first))
            with self._spent.when_due(builder):
                self._look()

    def _look(self) -> None:
        builder = self._builder
        on = builder.append_basic_block("on")
        builder.cbranch(self._context.is_over(builder), self._over, on)
        builder.position_at_end(on)

    @contextmanager
    def _places_in_workgroup(self) -> Generator[tuple[ir.Value, ir.Value]]:
        """Loops over places along z and y, where there are more than one."""
        builder, zero = self._builder, ir.Constant(INDEX, 0)
        with (
            counted(builder, zero, self._sizes[2], "z") as (z, _),
            counted(builder, zero, self._sizes[1], "y") as (y, _),
        ):
            yield y, z

    def _clear_workgroup_memory(self) -> None:
        """Zeros at the start of each workgroup, in the worker's memory."""
        offsets, size = workgroup_layout(self._program)
        builder = self._builder
        if size:
            clear(builder, self._context.workgroup_memory(builder, 0), size)
        for entry, offset in offsets.items():
            address = self._context.workgroup_memory(builder, offset)
            sizes = [ir.Constant(INDEX, size) for size in entry.type.get_shape()]
            self._values.bind([entry.memref], [address, *sizes])
