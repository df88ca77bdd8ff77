"""
What every function of a program's code is given: the job that it is part of, and the
memory of the worker that runs it.

The worker's memory begins with its record (see `layout`): the smallest invocation that
trapped together with the number of the trap, in one word so that both are found together,
the trap's value, and which workgroups were taken. After it comes memory for a workgroup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from llvmlite import ir

from vyre.lowering.llvm.job import PULSE, STOP
from vyre.lowering.llvm.layout import RECORD_BYTES, TRAP_VALUE, TRAPPED
from vyre.lowering.llvm.values import INDEX, POINTER

TRAP_BITS = 20
"""Of a trap record: which trap it is; the others say which invocation."""

NO_TRAP = 2**64 - 1


@dataclass(frozen=True)
class Context:
    """
    The job, the number of the worker and its memory, in registers.

    Example: `Context(function.args[0], function.args[1], function.args[2])`
    """

    job: ir.Value
    worker: ir.Value
    memory: ir.Value
    aside: ir.Value | None = None
    """Where the job and the number are in memory, for code that is seldom run."""

    def put_aside(self, builder: ir.IRBuilder) -> Context:
        """
        The same, for a function whose loops need all registers: what only their looks at
        the clock need is kept in memory. The builder is in the function's first block.
        """
        aside = builder.alloca(INDEX, 2, name="aside")
        for place, word in enumerate((builder.ptrtoint(self.job, INDEX), self.worker)):
            builder.store(word, _word_at(builder, aside, place))
        return replace(self, aside=aside)

    def _from_aside(self, builder: ir.IRBuilder) -> Context:
        if self.aside is None:
            return self
        # LLVM must not know what is there, or it would take it from registers again.
        hidden = ir.FunctionType(ir.VoidType(), [POINTER])
        builder.asm(hidden, "", "r,~{memory}", [self.aside], side_effect=True)
        job, worker = (
            builder.load(_word_at(builder, self.aside, place), typ=INDEX)
            for place in range(2)
        )
        return Context(builder.inttoptr(job, POINTER), worker, self.memory)

    def word(self, builder: ir.IRBuilder, index: int) -> ir.Value:
        """The address of a word of the job."""
        return _word_at(builder, self.job, index)

    def load(self, builder: ir.IRBuilder, index: int) -> ir.Value:
        """A word of the job."""
        return builder.load(self.word(builder, index), typ=INDEX)

    def call(
        self,
        builder: ir.IRBuilder,
        word: int,
        arguments: list[ir.Value],
        result: ir.Type,
        convention: str | None = None,
        attributes: Sequence[str] = (),
    ) -> ir.Value:
        """Call the function whose address is in a word of the job."""
        type = ir.FunctionType(result, [argument.type for argument in arguments])
        address = builder.inttoptr(self.load(builder, word), type.as_pointer())
        return builder.call(address, arguments, cconv=convention, attrs=attributes)

    def is_over(self, builder: ir.IRBuilder) -> ir.Value:
        """Whether to stop, with a look at the clock and at signals now and then."""
        context = self._from_aside(builder)
        arguments = [context.job, context.worker]
        # Loops that may call it keep their values in registers, and there is no second
        # version of such a loop for a condition that is the same in all trips: LLVM would
        # write one for each condition of each loop around, and take twice as long.
        stop = context.call(
            builder, PULSE, arguments, INDEX, "preserve_mostcc", ["convergent"]
        )
        return builder.icmp_unsigned("!=", stop, ir.Constant(INDEX, 0))

    def is_stopped(self, builder: ir.IRBuilder) -> ir.Value:
        """Whether someone has said to stop."""
        stop = builder.load_atomic(self.word(builder, STOP), "monotonic", 8, typ=INDEX)
        return builder.icmp_unsigned("!=", stop, ir.Constant(INDEX, 0))

    def workgroup_memory(self, builder: ir.IRBuilder, offset: int) -> ir.Value:
        """The address of a byte of the memory for a workgroup."""
        place = ir.Constant(INDEX, RECORD_BYTES + offset)
        return builder.gep(self.memory, [place], source_etype=ir.IntType(8))

    def trap(
        self, builder: ir.IRBuilder, linear: ir.Value, number: int, value: ir.Value
    ) -> None:
        """Remember that an invocation trapped."""
        shifted = builder.shl(linear, ir.Constant(INDEX, TRAP_BITS))
        found = builder.or_(shifted, ir.Constant(INDEX, number))
        before = builder.load(self.memory, typ=INDEX)
        with builder.if_then(builder.icmp_unsigned("<", found, before)):
            builder.store(found, self.memory)
            place = ir.Constant(INDEX, TRAP_VALUE)
            address = builder.gep(self.memory, [place], source_etype=INDEX)
            builder.store(value, address)
        self.exchange(builder, TRAPPED, 1)

    def stop(self, builder: ir.IRBuilder, status: int) -> None:
        """Tell all to stop, unless someone has for another reason."""
        zero, why = ir.Constant(INDEX, 0), ir.Constant(INDEX, status)
        builder.cmpxchg(self.word(builder, STOP), zero, why, "seq_cst", "seq_cst")

    def exchange(self, builder: ir.IRBuilder, index: int, value: int) -> None:
        """Store to a word of the job that others may read or write at the same time."""
        address = self.word(builder, index)
        builder.atomic_rmw("xchg", address, ir.Constant(INDEX, value), "seq_cst")


def _word_at(builder: ir.IRBuilder, address: ir.Value, index: int) -> ir.Value:
    """The address of a word, counted from another."""
    return builder.gep(address, [ir.Constant(INDEX, index)], source_etype=INDEX)
