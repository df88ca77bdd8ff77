"""
Ranges of the numbers that loops carry.

What a loop carries into its next trip is computed from what it carried into this one, so
its range is the smallest that holds the initial value and does not grow by a trip. It is
found by trying: start with the initial range, compute a trip, and where the range grows,
extend it as far as it can go; a few rounds are enough. A loop

```mlir
%end = scf.while (%k = %i) : (index) -> (index) {
  %go = arith.cmpi slt, %k, %n : index
  scf.condition(%go) %k : index
} do {
^trip(%k: index):
  %next = arith.addi %k, %one : index
  scf.yield %next : index
}
```

carries a `%k` that is never below `%i`: being below `%n`, it does not wrap.

A trip is not walked for this. Only the few operations between a carried value and the next
one are looked at, so that loops in loops cost no more than others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, OpResult, SSAValue

from vyre.analysis.conditions import Flags, Literal, consequences, yielded
from vyre.analysis.facts import Facts, bits
from vyre.analysis.integer_ops import result_range
from vyre.analysis.ranges import NEGATED, Range, compared, full
from vyre.dialects.vyre import RegionOp

LOOKED_AT = 32
"""Operations between a carried value and the next one that are looked at."""

ROUNDS = 5
"""Trips that are tried; then nothing is known about a range that still grows."""

Ranges = dict[SSAValue, Range]


@dataclass
class Trip:
    """
    Computes ranges in the body of a loop that the walk has not reached, from those of its
    arguments. `leaf` defines a value that an operation without operands gives.
    """

    facts: Facts
    leaf: Callable[[Operation], None]
    known: Ranges
    _left: int = field(default=0)

    def range(self, value: SSAValue) -> Range:
        """What a value may be; all that its type can hold if it is too far away."""
        self._left = LOOKED_AT
        return self._range(value)

    def _range(self, value: SSAValue) -> Range:
        if value not in self.known:
            self.known[value] = self._find(value)
        return self.known[value]

    def _find(self, value: SSAValue) -> Range:
        width = bits(value.type)
        assert width is not None
        if isinstance(value, OpResult) and not self.facts.is_defined(value):
            self.leaf(value.op)
        if self.facts.is_defined(value):
            return self.facts.range_of(value)
        self._left -= 1
        if self._left < 0 or not isinstance(value, OpResult):
            return full(width)
        return self._computed(value.op, value.index) or full(width)

    def _computed(self, op: Operation, position: int) -> Range | None:
        match op:
            case scf.IfOp():
                first, second = (yielded(region)[position] for region in op.regions)
                return self._range(first).joined(self._range(second))
            case RegionOp():
                return self._range(yielded(op.body)[position])
            case _:
                return result_range(op, self._range)


@dataclass
class Carried:
    """Finds the ranges of what a loop carries."""

    facts: Facts
    flags: Flags
    leaf: Callable[[Operation], None]

    def by_for(self, op: scf.ForOp, starts: Sequence[Range | None]) -> Ranges:
        """The ranges of a loop's carried arguments, given those of the initial values."""
        arguments = op.body.block.args[1:]

        def trip(ranges: Ranges) -> Ranges:
            body = self._trip(ranges)
            return {
                argument: body.range(again)
                for argument, again in zip(arguments, yielded(op.body), strict=True)
                if argument in ranges
            }

        return _settled(_numbers(arguments, starts), trip)

    def by_while(self, op: scf.WhileOp, starts: Sequence[Range | None]) -> Ranges:
        """The ranges of the arguments of the region that decides."""
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)

        def trip(ranges: Ranges) -> Ranges:
            guarded = self._where(Literal(condition.condition, True), ranges)
            passed = self._trip(guarded)
            body = self._trip(
                {
                    argument: passed.range(value)
                    for argument, value in zip(after.args, condition.args, strict=True)
                    if bits(argument.type) is not None
                }
            )
            return {
                argument: body.range(again)
                for argument, again in zip(
                    before.args, yielded(op.after_region), strict=True
                )
                if argument in ranges
            }

        return _settled(_numbers(before.args, starts), trip)

    def _trip(self, ranges: Ranges) -> Trip:
        return Trip(self.facts, self.leaf, dict(ranges))

    def _where(self, given: Literal, ranges: Ranges) -> Ranges:
        """The arguments' ranges where the loop goes on."""
        found = dict(ranges)
        for value, holds in consequences(given, self.flags):
            op = value.owner
            if not isinstance(op, arith.CmpiOp) or not {op.lhs, op.rhs} & found.keys():
                continue
            predicate = op.predicate.value.data
            sides = [self._trip(found).range(side) for side in (op.lhs, op.rhs)]
            limited = compared(predicate if holds else NEGATED[predicate], *sides)
            for side, range in zip((op.lhs, op.rhs), limited):
                if side in found:
                    found[side] = range
        return found


def _numbers(arguments: Sequence[SSAValue], starts: Sequence[Range | None]) -> Ranges:
    return {
        argument: start
        for argument, start in zip(arguments, starts, strict=True)
        if start is not None
    }


def _settled(starts: Ranges, trip: Callable[[Ranges], Ranges]) -> Ranges:
    """Ranges that hold the initial values and that a trip does not leave."""
    found = starts
    for attempt in range(ROUNDS):
        after = trip(found)
        if all(after[value].within(found[value]) for value in found):
            break
        # The first trip may bring in all there is; what grows further may grow on.
        grow = _joined if attempt == 0 else _extended
        found = {value: grow(value, old, after[value]) for value, old in found.items()}
    else:
        found = {value: _everything(value) for value in found}
    # All values that occur are initial ones or come out of a trip from these ranges, so
    # what a trip gives holds them too. It may be narrower than what was tried.
    for _ in range(2):
        after = trip(found)
        found = {value: starts[value].joined(after[value]) for value in found}
    return found


def _joined(value: SSAValue, old: Range, after: Range) -> Range:
    return old.joined(after)


def _extended(value: SSAValue, old: Range, after: Range) -> Range:
    """A range that grew, extended to where it may end up: zero is a likely place."""
    everything = _everything(value)
    lo = old.lo if after.lo >= old.lo else 0 if after.lo >= 0 else everything.lo
    hi = old.hi if after.hi <= old.hi else everything.hi
    return Range(lo, hi)


def _everything(value: SSAValue) -> Range:
    width = bits(value.type)
    assert width is not None
    return full(width)
