"""
The trips of a `for`: what is counted, and what the loop's number is in each.

A loop that goes by one counts its own number, from bound to bound: a number before a bound
is less than that, so adding one never overflows. Any other loop counts its trips from zero,
as many as there are, and its number is computed from the count.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr

from vyre.lowering.llvm.division import divide_unsigned
from vyre.lowering.llvm.values import INDEX


@dataclass(frozen=True)
class Trips:
    """
    Counters from `first` to before `end`, none if `end` is not after it.

    Example: `Trips.of(builder, op, start, end, step).number(builder, counter)`
    """

    first: ir.Value
    end: ir.Value
    start: ir.Value
    step: ir.Value | None
    """None if the counter is the loop's number."""

    @staticmethod
    def of(
        builder: ir.IRBuilder,
        op: scf.ForOp,
        start: ir.Value,
        end: ir.Value,
        step: ir.Value,
    ) -> Trips:
        if goes_by_one(op):
            return Trips(start, end, start, None)
        count = trip_count(builder, start, end, step)
        return Trips(ir.Constant(INDEX, 0), count, start, step)

    def is_before(
        self, builder: ir.IRBuilder, counter: ir.Value, end: ir.Value
    ) -> ir.Value:
        """Whether a counter has not come to an end."""
        if self.step is None:
            return builder.icmp_signed("<", counter, end)
        return builder.icmp_unsigned("<", counter, end)

    def number(self, builder: ir.IRBuilder, counter: ir.Value) -> ir.Value:
        """The loop's number in a trip."""
        if self.step is None:
            return counter
        count = counter
        if self.start.type != INDEX:
            count = builder.trunc(counter, self.start.type)
        return builder.add(self.start, builder.mul(count, self.step))

    def end_number(self, builder: ir.IRBuilder) -> ir.Value:
        """One more than the loop's number in the last trip, if there is one."""
        if self.step is None:
            return self.end
        last = self.number(builder, builder.sub(self.end, ir.Constant(INDEX, 1)))
        return builder.add(last, ir.Constant(last.type, 1))

    def count(self, builder: ir.IRBuilder) -> ir.Value:
        """How many there are."""
        if self.step is not None:
            return self.end
        runs = self.is_before(builder, self.first, self.end)
        distance = builder.sub(self.end, self.first)
        trips = builder.select(runs, distance, ir.Constant(distance.type, 0))
        return builder.zext(trips, INDEX)

    def after(self, builder: ir.IRBuilder, counter: ir.Value) -> ir.Value:
        """The next counter."""
        flag = "nsw" if self.step is None else "nuw"
        return builder.add(counter, ir.Constant(counter.type, 1), flags=[flag])


def goes_by_one(op: scf.ForOp) -> bool:
    """
    Whether the step of a loop is the literal one.

    Example: `goes_by_one(loop)` for `scf.for %k = %a to %b step %one`
    """
    owner = op.step.owner
    literal = owner.value if isinstance(owner, arith.ConstantOp) else None
    return isinstance(literal, IntegerAttr) and literal.value.data == 1


def trip_count(
    builder: ir.IRBuilder, start: ir.Value, end: ir.Value, step: ir.Value
) -> ir.Value:
    """
    Trips of a `for`: none unless start < end and step > 0, as signed numbers; else the
    distance by the step, rounded up. Nothing overflows.
    """
    if start.type != INDEX:
        start, end, step = (builder.sext(value, INDEX) for value in (start, end, step))
    zero, one = ir.Constant(INDEX, 0), ir.Constant(INDEX, 1)
    forward = builder.icmp_signed(">", step, zero)
    runs = builder.and_(builder.icmp_signed("<", start, end), forward)
    is_literal = isinstance(step, ir.Constant)
    stride = step if is_literal else builder.select(forward, step, one)
    last = builder.sub(builder.sub(end, start), one)
    trips = builder.add(divide_unsigned(builder, last, stride), one)
    return builder.select(runs, trips, zero)
