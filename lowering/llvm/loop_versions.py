"""
A loop in two versions: without comparisons of accesses that are inside their buffers in all
trips, and with them. See `loop_bounds` for when that is known ahead. Some loops have a
third one for few trips, see `paired_trips`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from llvmlite import ir
from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue

from vyre.lowering.llvm.accesses import AccessCode
from vyre.lowering.llvm.control import ControlCode, Registers
from vyre.lowering.llvm.counting import smaller
from vyre.lowering.llvm.loop_bounds import Access, is_from_outside, moves_with, sum_of
from vyre.lowering.llvm.metadata import LIKELY
from vyre.lowering.llvm.paired_trips import PairedTrips, is_paired
from vyre.lowering.llvm.trips import Trips
from vyre.lowering.llvm.values import INDEX
from vyre.lowering.loops import FEW_TRIPS, LONGEST, is_short, weight


class LoopVersions:
    """
    Emits a loop with accesses along it. The version without comparisons has no more trips
    than a buffer has elements.

    Example: `LoopVersions(code, accesses, loop, trips, along).emit(carried)`
    """

    def __init__(
        self,
        code: ControlCode,
        accesses: AccessCode,
        op: scf.ForOp,
        trips: Trips,
        along: Sequence[Access],
    ):
        self._code = code
        self._builder = code.builder
        self._accesses = accesses
        self._op = op
        self._trips = trips
        self._along = along

    def emit(self, carried: Registers) -> Registers:
        """Write the versions, and what chooses; gives what the trips carry on."""
        builder, op, trips = self._builder, self._op, self._trips
        ways: list[tuple[Registers, ir.Block]] = []
        paired = self._few_trips(carried, ways) if is_paired(op, self._along) else None
        without, with_them, joined = (
            builder.append_basic_block(name) for name in ("inside", "compared", "looped")
        )
        choice = builder.cbranch(self._are_inside(), without, with_them)
        choice.set_weights(LIKELY)
        before = builder.block
        builder.position_at_end(without)
        with self._accesses.known(self._along):
            registers = self._code.trips(op, trips, carried, is_bounded=True)
        ways.append((registers, builder.block))

        builder.position_at_end(with_them)
        first, end, given = trips.first, trips.end, carried
        if paired is not None:
            first, end, *given = paired.go_on([first, end, *given], before)
        rest = replace(trips, first=first, end=end)
        registers = self._code.trips(op, rest, given, is_bounded=is_short(op))
        ways.append((registers, builder.block))
        for _, end_of_version in ways:
            builder.position_at_end(end_of_version)
            builder.branch(joined)
        builder.position_at_end(joined)
        return self._code.merged(op.res, ways)

    def _few_trips(
        self, carried: Registers, ways: list[tuple[Registers, ir.Block]]
    ) -> PairedTrips:
        """
        A version for few trips, which nobody counts. That they are inside is seen from the
        first one alone, if it is not among the last elements. What follows is for others.
        """
        builder, op, trips = self._builder, self._op, self._trips
        few, otherwise = (builder.append_basic_block(name) for name in ("few", "otherwise"))
        count = builder.sub(trips.end, trips.first)
        conditions = [builder.icmp_unsigned("<=", count, ir.Constant(INDEX, FEW_TRIPS))]
        for index, size in self._smallest_sizes():
            first = self._in_trip(index, trips.start)
            if moves_with(index, op):
                size = _less(builder, size, FEW_TRIPS - 1)
            conditions.append(builder.icmp_unsigned("<", first, size))
        if not self._has_small_numbers():
            conditions.append(builder.icmp_signed("<=", trips.start, trips.end))
        choice = builder.cbranch(reduce(builder.and_, conditions), few, otherwise)
        choice.set_weights(LIKELY)
        builder.position_at_end(few)
        paired = PairedTrips(self._code, self._accesses, op)
        with self._accesses.known(self._along):
            ways.append((paired.emit(trips.first, count, carried), builder.block))
        builder.position_at_end(otherwise)
        return paired

    def _has_small_numbers(self) -> bool:
        """
        Whether the loop's own numbers are indices: then, where these are inside, none is
        negative, and those that are in order are so as signed numbers as well.
        """
        number = self._op.body.block.args[0]
        return any(index is number for access in self._along for index in access.indices)

    def _are_inside(self) -> ir.Value:
        """Whether accesses are inside in all trips, which are not too many."""
        builder, op, trips = self._builder, self._op, self._trips
        start, end = trips.start, trips.end_number(builder)
        conditions: list[ir.Value] = []
        for index, size in self._smallest_sizes():
            first = self._in_trip(index, start)
            if not moves_with(index, op):
                conditions.append(builder.icmp_unsigned("<", first, size))
                continue
            if not is_short(op):
                size = self._size_in_time(size)
            after = self._in_trip(index, end)
            conditions.append(builder.icmp_unsigned("<=", first, after))
            conditions.append(builder.icmp_unsigned("<=", after, size))
        return reduce(builder.and_, conditions)

    def _smallest_sizes(self) -> Iterable[tuple[SSAValue, ir.Value]]:
        """Each index, with the least of the sizes that it must be below."""
        found: dict[SSAValue, ir.Value] = {}
        for access in self._along:
            sizes = self._code.values.place(access.buffer).sizes
            for index, size in zip(access.indices, sizes, strict=True):
                least = found.get(index)
                found[index] = (
                    size if least is None else smaller(self._builder, least, size)
                )
        return found.items()

    def _size_in_time(self, size: ir.Value) -> ir.Value:
        """A size, or 0 if so many trips without a look at the clock would be too many."""
        most = ir.Constant(INDEX, LONGEST // weight(self._op))
        is_much = self._builder.icmp_unsigned(">", size, most)
        return self._builder.select(is_much, ir.Constant(INDEX, 0), size)

    def _in_trip(self, index: SSAValue, number: ir.Value) -> ir.Value:
        """What an index is in the trip with a number."""
        found: dict[SSAValue, ir.Value] = {self._op.body.block.args[0]: number}
        pending = [index]
        while pending:
            value = pending[-1]
            if value not in found and is_from_outside(value, self._op):
                found[value] = self._code.values.scalar(value)
            if value in found:
                pending.pop()
                continue
            op = sum_of(value)
            ahead = [operand for operand in op.operands if operand not in found]
            pending += reversed(ahead)
            if not ahead:
                join = (
                    self._builder.add if isinstance(op, arith.AddiOp) else self._builder.sub
                )
                found[value] = join(found[op.lhs], found[op.rhs])
        return found[index]


def _less(builder: ir.IRBuilder, number: ir.Value, by: int) -> ir.Value:
    """A number less another, at least zero."""
    limit = ir.Constant(INDEX, by)
    is_more = builder.icmp_unsigned(">", number, limit)
    return builder.select(is_more, builder.sub(number, limit), ir.Constant(INDEX, 0))
