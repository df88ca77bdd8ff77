"""
Trips of loops since the last look at whether to stop, over several loops.

A loop that makes few trips does not look. But there may be billions of invocations with
such loops, or of workgroups with such invocations. So trips are added up, and there is a
look when they have become many.
"""

from collections.abc import Generator
from contextlib import contextmanager

from llvmlite import ir

from vyre.lowering.llvm.metadata import seldom
from vyre.lowering.llvm.values import INDEX


class Spending:
    """
    The count of a function, which is zero when it begins: `builder` is at the beginning of
    its first block. LLVM keeps it in a register.

    Example: `Spending(builder, 65536).add(builder, trips)`
    """

    def __init__(self, builder: ir.IRBuilder, most: int):
        self._most = ir.Constant(INDEX, most)
        self._trips = builder.alloca(INDEX, name="spent")
        builder.store(ir.Constant(INDEX, 0), self._trips)

    def add(self, builder: ir.IRBuilder, trips: ir.Value) -> None:
        """Count so many trips."""
        before = builder.load(self._trips, typ=INDEX)
        builder.store(builder.add(before, trips), self._trips)

    @contextmanager
    def when_due(self, builder: ir.IRBuilder) -> Generator[None]:
        """For code that looks, which runs when there were many; then it begins anew."""
        spent = builder.load(self._trips, typ=INDEX)
        is_due = builder.icmp_unsigned(">=", spent, self._most)
        with seldom(builder, is_due):
            builder.store(ir.Constant(INDEX, 0), self._trips)
            yield
