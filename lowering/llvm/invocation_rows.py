"""
The invocations of a row along x: a loop over those that have something to do, in parts that
go without comparisons where these are known.
"""

from collections.abc import Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

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
)
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.counting import counted, larger, smaller
from vyre.lowering.llvm.folding import literal
from vyre.lowering.llvm.free_parts import FreePart, RowIndex
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
from vyre.lowering.loops import has_long_loops


@dataclass(frozen=True)
class Surroundings:
    """
    What the code of a phase is in: its context, where it goes when it is over, the traps
    that were emitted, and the grid and the first workgroup that it was called for.
    """

    context: Context
    over: ir.Block
    traps: list[vyre.TrapOp]
    grid: Three
    first: ir.Value
    spending: Spending | None
    """Trips of loops that may be long, by all invocations; if there are such loops."""
    is_alone: bool
    """Whether the program is made for a grid of one workgroup."""
    ended: int | None
    """Where the workgroup's memory has a byte for each invocation that has trapped."""


class InvocationRows:
    """
    Writes the loops over the invocations of rows, and their code.

    Example: `InvocationRows(builder, values, program, around).emit(groups, group, ...)`
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        values: Environment,
        program: vyre.ProgramOp,
        around: Surroundings,
    ):
        self._builder = builder
        self._values = values
        self._program = program
        self._phase = around
        self._parallel = Parallel(builder.module)
        self._sizes = [ir.Constant(INDEX, size) for size in program.workgroup]
        found = guards(program.body.block)
        self._clipping = [guard for guard in found if guard.predicate != "ne"]
        self._level = effect_level(program)
        self._low_bits = low_bits(program)
        leaving_out = (guard for guard in found if guard.predicate == "ne")
        self._leaving_out = None if self._low_bits else next(leaving_out, None)
        self._conditions = conditions_ahead(program)
        self._row_conditions = row_conditions(program.body.block)
        is_alone = around.is_alone
        is_shifted = is_alone and has_long_loops(program)
        self._shifted = shifted_places(program) if is_shifted else []
        is_plain = is_alone and not (self._clipping or self._low_bits or self._conditions)
        self._prefix = prefix_of(program) if is_plain else None

    def emit(
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
        code = self._code(ahead, self._phase.over)
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
        ends = [
            self._code(self._position(row, x), self._phase.over)
            for x in (row.start, last_x)
        ]
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
        mask = self._code(ahead, self._phase.over).invariant(bits.mask)
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
            ahead = self._code(self._position(row, row.start), self._phase.over)
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
        exits = Exits(
            following, self._phase.over, self._phase.traps, ended, self._phase.spending
        )

        def trapped() -> Position:
            if not self._phase.is_alone:
                return position
            return position.in_grid_of(builder, self._phase.grid, self._phase.first)

        return InvocationCode(
            builder,
            self._values.inner(),
            self._phase.context,
            self._parallel,
            position,
            exits,
            trapped=trapped,
            inside=frozenset(inside),
            is_rare=is_rare,
        )

    def _ended_address(self, position: Position) -> ir.Value | None:
        if self._phase.ended is None:
            return None
        bytes = self._phase.context.workgroup_memory(self._builder, self._phase.ended)
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


def _settle(code: InvocationCode, condition: Condition, holds: ir.Value) -> None:
    """Say what the comparison of a condition gives."""
    op, is_negated = condition
    code.settled[op] = code.builder.not_(holds) if is_negated else holds
