"""
Loops that look elements up, such as those over a row of a sparse matrix, two trips at a
time.

```c
for (e = first; e < end; e++) sum = fma(values[e], x[columns[e]], sum);
```

becomes, where `first <= end` and all of them are inside of `values` and `columns`,

```c
for (left = end - first; left > 1; left -= 2) { trip(e++); trip(e++); }
if (left) trip(e);
```

where `trip` has no comparison but that of the element that is looked up. If that is outside
of its buffer, the trip begins anew in the version of the loop that has all comparisons, and
goes on there: nothing has happened in it, since only loops without effects come here.

This is for loops that LLVM would not vectorise, because the order of their sums matters.
They have few trips and many comparisons, so what counts is how many instructions there are
for each trip and each row, and how many registers it takes not to load a thing again: so it
is counted what is left, such that neither the beginning nor the end have to be kept. It is
for few trips only, which nobody adds up.
"""

from collections.abc import Container

from llvmlite import ir
from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation

from vyre.dialects.vyre import LengthOp, LoadOp
from vyre.lowering.llvm.accesses import AccessCode
from vyre.lowering.llvm.control import ControlCode, Registers, come_from
from vyre.lowering.llvm.metadata import LIKELY, keep_rolled
from vyre.lowering.llvm.scalars import EMITTERS
from vyre.lowering.llvm.trips import goes_by_one
from vyre.lowering.llvm.values import INDEX

MOST_OPERATIONS = 24
"""Of a loop that is there five times."""


def is_paired(loop: scf.ForOp, along: Container[Operation]) -> bool:
    """
    Whether an innermost loop looks elements up, and is of the kind that is described above.
    Accesses `along` it are known to be inside.

    Example: `is_paired(loop, loop_accesses(loop))`
    """
    is_ordered = any(isinstance(value.type, AnyFloat) for value in loop.iter_args)
    if not is_ordered or not goes_by_one(loop):
        return False
    operations = list(loop.body.walk())
    loads = [op for op in operations if isinstance(op, LoadOp)]
    looks_up = any(op.inbounds is None and op not in along for op in loads)
    is_small = len(operations) <= MOST_OPERATIONS
    return looks_up and is_small and not any(map(_may_have_effects, operations))


def _may_have_effects(op: Operation) -> bool:
    is_harmless = isinstance(op, LoadOp | LengthOp | scf.IfOp | scf.YieldOp)
    return type(op) not in EMITTERS and not is_harmless


class PairedTrips:
    """
    Emits a loop two trips at a time, where its accesses along it are known to be inside.

    Example: `PairedTrips(code, accesses, loop).emit(first, count, carried)`
    """

    def __init__(self, code: ControlCode, accesses: AccessCode, op: scf.ForOp):
        self._code = code
        self._builder = code.builder
        self._accesses = accesses
        self._op = op
        self._again = code.builder.append_basic_block("again")
        with code.builder.goto_block(self._again):
            self._at_trip = self._phis()

    def _phis(self) -> list[ir.PhiInstr]:
        """Two numbers, and what a trip is given."""
        builder = self._builder
        return [
            builder.phi(INDEX),
            builder.phi(INDEX),
            *self._code.phis(self._op.iter_args),
        ]

    def emit(self, first: ir.Value, count: ir.Value, carried_in: Registers) -> Registers:
        """Write so many trips from a number on; gives what they carry on."""
        builder, op = self._builder, self._op
        head, pair, rest, last, after = (
            builder.append_basic_block(name)
            for name in ("pairs", "pair", "rest", "last", "end")
        )
        before = builder.block
        builder.branch(head)
        builder.position_at_end(head)
        state = self._phis()
        come_from(state, [first, count, *carried_in], before)
        number, left, *carried = state
        one, two = ir.Constant(INDEX, 1), ir.Constant(INDEX, 2)
        builder.cbranch(builder.icmp_unsigned(">", left, one), pair, rest)

        builder.position_at_end(pair)
        second = self._trip(number, left, list(carried))
        next_number, fewer = builder.add(number, one), builder.sub(left, one)
        third = self._trip(next_number, fewer, second)
        following = [builder.add(number, two), builder.sub(left, two), *third]
        come_from(state, following, builder.block)
        keep_rolled(builder.branch(head), builder.module)

        builder.position_at_end(rest)
        is_left = builder.icmp_unsigned("!=", left, ir.Constant(INDEX, 0))
        builder.cbranch(is_left, last, after)
        builder.position_at_end(last)
        registers = self._trip(number, left, list(carried))
        ways = [(list[ir.Value](carried), rest), (registers, builder.block)]
        builder.branch(after)
        builder.position_at_end(after)
        return self._code.merged(op.res, ways)

    def go_on(self, state: Registers, before: ir.Block) -> Registers:
        """
        Let trips that cannot go on begin anew in the builder's block, where one comes from
        another one too, with a first number, an end and what trips are given. Gives these.
        """
        builder, here = self._builder, self._builder.block
        begin = self._phis()
        come_from(begin, state, before)
        builder.position_at_end(self._again)
        # LLVM would keep the end in a register all the time, if it were the same.
        number, left, *carried = self._at_trip
        come_from(begin, [number, builder.add(number, left), *carried], self._again)
        builder.branch(here)
        builder.position_at_end(here)
        return list(begin)

    def _trip(self, number: ir.Value, left: ir.Value, carried: Registers) -> Registers:
        """One trip, when so many are left; gives what it carries on."""
        builder, body = self._builder, self._op.body.block

        def leave_unless(inside: ir.Value) -> None:
            come_from(self._at_trip, [number, left, *carried], builder.block)
            found = builder.append_basic_block("found")
            builder.cbranch(inside, found, self._again).set_weights(LIKELY)
            builder.position_at_end(found)

        self._code.values.bind(body.args, [number, *carried])
        with self._accesses.leaving(leave_unless):
            registers = self._code.block(body)
        assert registers is not None
        return registers
