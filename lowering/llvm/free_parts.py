"""
The part of a row in which accesses need not be compared with the sizes of their buffers;
see `row_bounds.py`.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir

from vyre.lowering.llvm.counting import larger, smaller
from vyre.lowering.llvm.row_bounds import Growth
from vyre.lowering.llvm.row_parts import FAR, FEW, RowCode, parts
from vyre.lowering.llvm.values import INDEX


@dataclass(frozen=True)
class RowIndex:
    """An index of an access: what it is for the first and the last of a row."""

    growth: Growth
    first: ir.Value
    last: ir.Value
    size: ir.Value


class FreePart:
    """
    Computes the invocations of a row for which all indices are inside.

    Example:

    ```
    free = FreePart(builder, row)
    free.need(RowIndex(Growth(1), first, last, size))
    with free.parts() as (part, is_free):
        ...
    ```
    """

    def __init__(self, builder: ir.IRBuilder, row: RowCode):
        self._builder = builder
        self._row = row
        self._begin, self._end = row.start, row.end
        self._exists: ir.Value = ir.Constant(ir.IntType(1), 1)

    def need(self, index: RowIndex) -> None:
        """Leave out those for which an index is outside."""
        if index.growth.by_low_bits or not index.growth.by_x:
            for value in (index.first, index.last):
                is_inside = self._builder.icmp_unsigned("<", value, index.size)
                self.need_all(is_inside)
            return
        begin, end = self._inside(index)
        self._begin = larger(self._builder, self._begin, begin)
        self._end = smaller(self._builder, self._end, end)

    def need_all(self, condition: ir.Value) -> None:
        """Leave out all if a condition does not hold."""
        self._exists = self._builder.and_(self._exists, condition)

    def _inside(self, index: RowIndex) -> tuple[ir.Value, ir.Value]:
        """
        From which invocation on, and before which one, an index is inside that goes up
        evenly. What is below zero is so by so much, and comes to zero after as many steps.
        """
        builder, first, size = self._builder, index.first, index.size
        zero = ir.Constant(INDEX, 0)
        is_below = builder.icmp_signed("<", first, zero)
        below = builder.select(is_below, builder.sub(zero, first), zero)
        is_inside = builder.icmp_unsigned("<", first, size)
        left = builder.select(is_inside, builder.sub(size, first), zero)
        room = builder.select(is_below, builder.add(size, below), left)
        begin, end = (self._steps(n, index.growth.by_x) for n in (below, room))
        start = self._row.start
        return builder.add(start, begin), builder.add(start, end)

    def _steps(self, distance: ir.Value, each: int) -> ir.Value:
        """How many steps go so far; what is very far is further than any row."""
        builder = self._builder
        steps = builder.add(
            smaller(builder, distance, FAR), ir.Constant(INDEX, each - 1), flags=FEW
        )
        return builder.udiv(steps, ir.Constant(INDEX, each))

    @contextmanager
    def parts(self) -> Generator[tuple[RowCode, ir.Value]]:
        """
        A loop over the row before the part, the part, and the row behind it, as far as
        these exist: gives each, and whether it is the part.
        """
        builder, row = self._builder, self._row
        is_some = builder.icmp_unsigned("<", self._begin, self._end)
        exists = builder.and_(self._exists, is_some)
        begin, end = (
            builder.select(exists, place, row.end) for place in (self._begin, self._end)
        )

        def end_of(start: ir.Value) -> ir.Value:
            is_before = builder.icmp_unsigned("<", start, begin)
            is_in = builder.icmp_unsigned("<", start, end)
            after = builder.select(is_in, end, row.end)
            return builder.select(is_before, begin, after)

        with parts(builder, row, "part", end_of) as part:
            is_after_begin = builder.icmp_unsigned(">=", part.start, begin)
            is_before_end = builder.icmp_unsigned("<", part.start, end)
            yield part, builder.and_(is_after_begin, is_before_end)
