"""
How the workers of a launch divide its workgroups.

Each has an even part, the same one in every launch, so that what it wrote is still near
when it reads that again. Where all workgroups take the same time, as far as one can tell,
or all of them take little, it runs its part as a whole. Else it takes a piece of its part
after the other, and then pieces that others have left of theirs.

The first workgroup of a part that nobody has taken is a *counter* in its worker's memory.
Pieces are taken by adding to it, and a part is exhausted when it is past the end. A worker
sets its counter when it begins a launch. Until then it is exhausted: it was in the launch
before, a new job's counters are, and who leaves the job sets its own so. So nobody takes a
piece of another launch, and a worker who comes late only is not helped yet.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from llvmlite import ir

from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.counting import counted, smaller
from vyre.lowering.llvm.layout import COUNTER, EXHAUSTED, MEMORY, STRIDE
from vyre.lowering.llvm.values import INDEX, POINTER

PIECES = 16
"""Into how many pieces the part of a worker is divided."""

Run = Callable[[ir.Value, ir.Value], object]
"""Emits a call that runs the workgroups from one to before another."""


class Division:
    """
    The parts of all workers, for a function that each of them runs.

    `share` is how many workgroups each worker has; as many as `rest` have one more.

    Example: `Division.of(builder, context, workers, count).run_whole(run, longest, poll)`
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        context: Context,
        workers: ir.Value,
        share: ir.Value,
        rest: ir.Value,
    ):
        self._builder = builder
        self._context = context
        self.workers = workers
        self.share = share
        self.rest = rest
        self.first, self.end = self.part(context.worker)

    @staticmethod
    def of(
        builder: ir.IRBuilder, context: Context, workers: ir.Value, count: ir.Value
    ) -> "Division":
        """The parts of so many workgroups."""
        share, rest = builder.udiv(count, workers), builder.urem(count, workers)
        return Division(builder, context, workers, share, rest)

    def part(self, worker: ir.Value) -> tuple[ir.Value, ir.Value]:
        """A worker's even part: the first workgroup, and the end."""
        builder = self._builder
        before = builder.add(
            builder.mul(worker, self.share), smaller(builder, worker, self.rest)
        )
        has_more = builder.zext(builder.icmp_unsigned("<", worker, self.rest), INDEX)
        return before, builder.add(before, builder.add(self.share, has_more))

    def run_whole(self, run: Run, longest: ir.Value, poll: Callable[[], None]) -> None:
        """The worker's part; a look at whether to stop after so many workgroups."""
        builder = self._builder
        head, body, again, after = (
            builder.append_basic_block(name) for name in ("part", "piece", "again", "ran")
        )
        before = builder.block
        builder.branch(head)
        builder.position_at_end(head)
        first = builder.phi(INDEX)
        first.add_incoming(self.first, before)
        builder.cbranch(builder.icmp_unsigned("<", first, self.end), body, after)
        builder.position_at_end(body)
        left = builder.sub(self.end, first)
        size = smaller(builder, left, longest)
        end = builder.add(first, size)
        run(first, end)
        builder.cbranch(builder.icmp_unsigned("<", end, self.end), again, after)
        builder.position_at_end(again)
        poll()
        first.add_incoming(end, builder.block)
        builder.branch(head)
        builder.position_at_end(after)

    def run_uneven(
        self, run: Run, few: int, longest: ir.Value, poll: Callable[[], None]
    ) -> None:
        """
        The worker's part in pieces; then what is left of the others' parts, if there are
        more than so many workgroups for each. No piece has more than `longest`.
        """
        builder, pieces = self._builder, ir.Constant(INDEX, PIECES)
        even = builder.add(builder.udiv(self.share, pieces), ir.Constant(INDEX, 1))
        size = smaller(builder, even, longest)
        is_much = builder.icmp_unsigned(">", self.share, ir.Constant(INDEX, few))
        with builder.if_else(is_much) as (then, otherwise):
            with then:
                self._run_pieces(run, size, poll)
            with otherwise:
                self.run_whole(run, size, poll)

    def _run_pieces(self, run: Run, size: ir.Value, poll: Callable[[], None]) -> None:
        builder, worker = self._builder, self._context.worker
        self._set_counter(self.first)
        zero = ir.Constant(INDEX, 0)
        with counted(builder, zero, self.workers, "helped") as (distance, _):
            ahead = builder.add(worker, distance)
            wrapped = builder.sub(ahead, self.workers)
            is_past = builder.icmp_unsigned(">=", ahead, self.workers)
            helped = builder.select(is_past, wrapped, ahead)
            end = self.part(helped)[1]
            with self._taken(self._counter(helped), size, end) as first:
                run(first, smaller(builder, builder.add(first, size), end))
                poll()

    @contextmanager
    def _taken(
        self, counter: ir.Value, size: ir.Value, end: ir.Value
    ) -> Generator[ir.Value]:
        """A loop over pieces of a part, as long as there are some: gives their first."""
        builder = self._builder
        head, take, body, after = (
            builder.append_basic_block(name) for name in ("left", "take", "piece", "ran")
        )
        builder.branch(head)
        builder.position_at_end(head)
        seen = builder.load_atomic(counter, "monotonic", 8, typ=INDEX)
        builder.cbranch(builder.icmp_unsigned("<", seen, end), take, after)
        builder.position_at_end(take)
        first = builder.atomic_rmw("add", counter, size, "monotonic")
        builder.cbranch(builder.icmp_unsigned("<", first, end), body, after)
        builder.position_at_end(body)
        yield first
        builder.branch(head)
        builder.position_at_end(after)

    def leave(self) -> None:
        """Let nobody take pieces of this worker's part any more."""
        self._set_counter(ir.Constant(INDEX, EXHAUSTED))

    def _set_counter(self, value: ir.Value) -> None:
        counter = self._counter(self._context.worker)
        self._builder.atomic_rmw("xchg", counter, value, "monotonic")

    def _counter(self, worker: ir.Value) -> ir.Value:
        """The address of a worker's counter."""
        builder, context = self._builder, self._context
        offset = builder.mul(worker, context.load(builder, STRIDE))
        memory = builder.add(context.load(builder, MEMORY), offset)
        place = builder.add(memory, ir.Constant(INDEX, 8 * COUNTER))
        return builder.inttoptr(place, POINTER)
