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

from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import replace

from llvmlite import ir

from vyre.analysis.uniformity import Level
from vyre.dialects import vyre
from vyre.lowering.llvm.aligned_blocks import LowBits, low_bits
from vyre.lowering.llvm.clipping import (
    Along,
    Condition,
    Guard,
    effect_level,
    guards,
    row_conditions,
    uses_workgroups,
)
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.counting import counted, larger, smaller
from vyre.lowering.llvm.folding import FoldingBuilder, literal
from vyre.lowering.llvm.free_parts import FreePart, RowIndex
from vyre.lowering.llvm.grids import Row, each_workgroup, rows
from vyre.lowering.llvm.invocations import Exits, InvocationCode, Position, Three
from vyre.lowering.llvm.metadata import Parallel
from vyre.lowering.llvm.prefixes import Prefix, prefix_of
from vyre.lowering.llvm.row_bounds import Access as RowAccess
from vyre.lowering.llvm.row_bounds import RowAccesses, row_accesses
from vyre.lowering.llvm.row_loads import row_loads
from vyre.lowering.llvm.row_parts import (
    FAR,
    FEW,
    RowCode,
    around,
    blocks,
    few,
    has_low_bits_only,
    is_worth_blocks,
    numbers,
)
from vyre.lowering.llvm.shifted_rows import (
    Shift,
    base_of,
    shifted_places,
    shifted_row,
)
from vyre.lowering.llvm.sifting import Flags, conditions_ahead, row_blocks
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
    Writes the loops around the code of an invocation.

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
        self._parallel = Parallel(function.module)
        self._sizes = [ir.Constant(INDEX, size) for size in program.workgroup]
        found = guards(program.body.block)
        self._clipping = [guard for guard in found if guard.predicate != "ne"]
        self._level = effect_level(program)
        self._low_bits = low_bits(program)
        leaving_out = (guard for guard in found if guard.predicate == "ne")
        self._leaving_out = None if self._low_bits else next(leaving_out, None)
        self._conditions = conditions_ahead(program)
        self._row_conditions = row_conditions(program.body.block)
        self._spending: Spending | None = None
        is_shifted = is_alone and has_long_loops(program)
        self._shifted = shifted_places(program) if is_shifted else []
        is_plain = is_alone and not (self._clipping or self._low_bits or self._conditions)
        self._prefix = prefix_of(program) if is_plain else None

    def emit(self) -> None:
        """Write the function."""
        builder = self._builder
        if has_long_loops(self._program):
            self._spending = Spending(builder, stretch_around(1))
            self._context = self._context.put_aside(builder)
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
            self._row((one, one, one), zero, (zero, zero, zero), zero, self._sizes[0], y, z)

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
            self._row(self._grid, row.group, row.ids, start, end, y, z)

    @contextmanager
    def _places_in_workgroup(self) -> Generator[tuple[ir.Value, ir.Value]]:
        """Loops over places along z and y, where there are more than one."""
        builder, zero = self._builder, ir.Constant(INDEX, 0)
        with (
            counted(builder, zero, self._sizes[2], "z") as (z, _),
            counted(builder, zero, self._sizes[1], "y") as (y, _),
        ):
            yield y, z

    def _row(
        self,
        groups: Three,
        group: ir.Value,
        group_ids: Three,
        start: ir.Value,
        end: ir.Value,
        local_y: ir.Value,
        local_z: ir.Value,
    ) -> None:
        """The invocations of a row along x, from `start` to before `end`."""
        builder = self._builder
        ids = [
            builder.add(builder.mul(before, size, flags=FEW), local, flags=FEW)
            for before, size, local in zip(
                group_ids[1:], self._sizes[1:], (local_y, local_z)
            )
        ]
        ahead = Position(groups, self._sizes, group, group_ids, [start, *ids])
        code = self._code(ahead, self._over)
        row = RowCode(groups, group, group_ids, ids, start, end, {})
        if not self._row_conditions:
            self._clipped_row(code, ahead, row)
            return
        with builder.if_then(code.holds(self._row_conditions), likely=True):
            self._clipped_row(code, ahead, row)

    def _clipped_row(self, code: InvocationCode, ahead: Position, row: RowCode) -> None:
        """Those of a row that have something to do, with what is loaded for all of them."""
        builder, start, end = self._builder, row.start, row.end
        for guard in self._clipping:
            start, end = self._clipped(code, guard, ahead, start, end)
        if self._level < Level.INVOCATION:
            end = smaller(builder, end, builder.add(start, ir.Constant(INDEX, 1)))
        loads = {load: code.load_ahead(load) for load in row_loads(self._program)}
        row = replace(row, start=start, end=end, loads=loads)
        if self._leaving_out is not None:
            left_out = self._numbers_of(code, self._leaving_out, ahead)[0]
            row = replace(row, left_out=left_out)
        if self._prefix is None:
            self._part(row)
            return
        middle = self._end_of_prefix(code, self._prefix, row)
        self._part(replace(row, end=middle, holds=self._prefix.op))
        self._part(replace(row, start=middle, is_rare=True))

    def _end_of_prefix(
        self, code: InvocationCode, prefix: Prefix, row: RowCode
    ) -> ir.Value:
        base = None if prefix.base is None else code.invariant(prefix.base)
        bound = code.invariant(prefix.op.rhs)
        return prefix.end(self._builder, base, bound, (row.start, row.end))

    def _part(self, row: RowCode) -> None:
        """
        A part of a row where guards are true, without comparisons for those whose accesses
        are inside the buffers.
        """
        bits = self._low_bits
        low_bits = () if bits is None else bits.ops
        accesses = row_accesses(self._program, {load.value for load in row.loads}, low_bits)
        if not accesses.ops:
            self._invocations(row, ())
            return
        with self._free_part(row, accesses).parts() as (part, is_free):
            with self._builder.if_else(is_free, likely=True) as (then, otherwise):
                with then:
                    self._invocations(part, accesses.ops)
                with otherwise:
                    self._loop(replace(part, as_written=True), ())

    def _free_part(self, row: RowCode, accesses: RowAccesses) -> FreePart:
        """The invocations of a row whose accesses are inside their buffers."""
        builder = self._builder
        free = FreePart(builder, row)
        last_x = builder.sub(row.end, ir.Constant(INDEX, 1))
        ends = [self._code(self._position(row, x), self._over) for x in (row.start, last_x)]
        for code in ends:
            for load, register in row.loads.items():
                code.values.bind([load.value], [register])
        for op in accesses.ops:
            sizes = self._values.place(op.buffer).sizes
            for index, size in zip(op.indices, sizes, strict=True):
                first, last = (code.invariant(index) for code in ends)
                free.need(RowIndex(accesses.growth[index], first, last, size))
        if accesses.need_low_bits() and self._low_bits is not None:
            mask = ends[0].invariant(self._low_bits.mask)
            free.need_all(has_low_bits_only(builder, mask))
        return free

    def _invocations(self, row: RowCode, inside: Collection[RowAccess]) -> None:
        """
        The invocations of a part, in blocks if they take low bits of their places, and on
        both sides of one that is left out.
        """
        if self._low_bits is not None:
            self._in_blocks(row, inside, self._low_bits)
        elif row.left_out is not None:
            self._around(row, inside, row.left_out)
        else:
            self._loop(row, inside)

    def _around(
        self, row: RowCode, inside: Collection[RowAccess], left_out: ir.Value
    ) -> None:
        """All but one: those near it compare themselves with it, the others do not."""
        builder = self._builder
        with around(builder, row, left_out) as (part, is_near):
            with builder.if_else(is_near) as (then, otherwise):
                with then:
                    self._near(part, inside)
                with otherwise:
                    self._loop(replace(part, left_out=None), inside)

    def _near(self, row: RowCode, inside: Collection[RowAccess]) -> None:
        """Those near one that is left out: few, or whatever the end of the row leaves."""
        builder = self._builder
        near, is_whole = few(builder, row)
        with builder.if_else(is_whole) as (then, otherwise):
            with then:
                self._loop(near, inside)
            with otherwise:
                self._loop(row, inside)

    def _in_blocks(
        self, row: RowCode, inside: Collection[RowAccess], bits: LowBits
    ) -> None:
        builder = self._builder
        ahead = self._position(row, row.start)
        mask = self._code(ahead, self._over).invariant(bits.mask)
        offset = self._offset_of(bits.along, ahead)
        with builder.if_else(is_worth_blocks(builder, mask)) as (then, otherwise):
            with then, blocks(builder, row, mask, offset) as (block, begin):
                self._loop(block, inside, begin)
            with otherwise:
                self._loop(row, inside)

    def _loop(
        self,
        row: RowCode,
        inside: Collection[RowAccess],
        block: ir.Value | None = None,
    ) -> None:
        """The loop over x, in a row or in a block of it that begins somewhere."""
        builder = self._builder
        with self._each(row, inside) as (x, following, shift):
            code = self._code(self._position(row, x), following, inside, row.is_rare)
            if shift is not None:
                code.count_by(shift, self._shifted)
            holds = ir.Constant(ir.IntType(1), 1)
            if row.holds is not None:
                code.settled[row.holds] = holds
            for guard in self._clipping:
                _settle(code, (guard.op, guard.is_negated), holds)
            for condition in self._row_conditions:
                _settle(code, condition, holds)
            if self._leaving_out is not None and not row.as_written:
                guard = self._leaving_out
                takes_part = row.takes_part(builder, x)
                _settle(code, (guard.op, guard.is_negated), takes_part)
            code.settled |= row.loads
            if block is not None and self._low_bits is not None:
                low = builder.sub(x, block)
                code.settled |= dict.fromkeys(self._low_bits.ops, low)
            code.skip_if_ended()
            if code.block(self._program.body.block) is not None:
                builder.branch(following)

    @contextmanager
    def _each(
        self, row: RowCode, inside: Collection[RowAccess]
    ) -> Generator[tuple[ir.Value, ir.Block, Shift | None]]:
        """
        A loop over the invocations that may have something to do: gives x, the block to
        branch to for the next one, and what x is with something added, if that is counted.
        """
        builder, parallel = self._builder, self._parallel
        if self._shifted and self._is_whole(row) and not row.is_rare:
            ahead = self._code(self._position(row, row.start), self._over)
            by = ahead.invariant(base_of(self._shifted[0]))
            with shifted_row(builder, row.end, by, parallel) as (shift, following):
                yield shift.place, following, shift
            return
        if not self._conditions:
            marks = None if row.is_rare else parallel
            with counted(builder, row.start, row.end, "x", marks) as (x, following):
                yield x, following, None
            return
        flags = Flags(builder)
        with row_blocks(builder, row) as block:
            with counted(builder, block.start, block.end, "sift", parallel) as (x, unused):
                code = self._code(self._position(row, x), unused, inside)
                code.settled |= row.loads
                parallel.mark(flags.set(block, x, code.holds(self._conditions)))
            with flags.each(block) as (x, following):
                yield x, following, None

    def _is_whole(self, row: RowCode) -> bool:
        """Whether a row begins with the workgroup, and does not end before that."""
        is_clipped = self._clipping or self._conditions
        return not is_clipped and literal(row.start) == 0

    def _position(self, row: RowCode, x: ir.Value) -> Position:
        return Position(row.groups, self._sizes, row.group, row.group_ids, [x, *row.ids])

    def _code(
        self,
        position: Position,
        following: ir.Block,
        inside: Collection[RowAccess] = (),
        is_rare: bool = False,
    ) -> InvocationCode:
        builder = self._builder
        ended = self._ended_address(position)
        exits = Exits(following, self._over, self._traps, ended, self._spending)

        def trapped() -> Position:
            if not self._is_alone:
                return position
            return position.in_grid_of(builder, self._grid, self._first)

        return InvocationCode(
            builder,
            self._values.inner(),
            self._context,
            self._parallel,
            position,
            exits,
            trapped=trapped,
            inside=frozenset(inside),
            is_rare=is_rare,
        )

    def _ended_address(self, position: Position) -> ir.Value | None:
        if self._ended is None:
            return None
        bytes = self._context.workgroup_memory(self._builder, self._ended)
        number = position.linear_local_id(self._builder)
        return self._builder.gep(bytes, [number], source_etype=ir.IntType(8))

    def _clipped(
        self,
        code: InvocationCode,
        guard: Guard,
        ahead: Position,
        start: ir.Value,
        end: ir.Value,
    ) -> tuple[ir.Value, ir.Value]:
        """The part of a row where the guard is true."""
        builder = self._builder
        first, limit = self._numbers_of(code, guard, ahead)
        return larger(builder, start, first), smaller(builder, end, limit)

    def _numbers_of(
        self, code: InvocationCode, guard: Guard, ahead: Position
    ) -> tuple[ir.Value, ir.Value]:
        """The places along x from which on, and up to which, the guard is true."""
        builder = self._builder
        bound = code.invariant(guard.bound)
        offset = self._offset_of(guard.along, ahead)
        first, limit = numbers(builder, guard.predicate, bound)
        return (
            builder.add(offset, smaller(builder, first, FAR)),
            builder.add(offset, smaller(builder, limit, FAR)),
        )

    def _offset_of(self, along: Along, position: Position) -> ir.Value:
        """Where places along x are counted from."""
        if along is Along.GRID:
            return ir.Constant(INDEX, 0)
        return self._builder.mul(position.group_ids[0], self._sizes[0], flags=FEW)

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


def _settle(code: InvocationCode, condition: Condition, holds: ir.Value) -> None:
    """Say what the comparison of a condition gives."""
    op, is_negated = condition
    code.settled[op] = code.builder.not_(holds) if is_negated else holds
