"""
Metadata of loops: what LLVM may do with them.

The trips of a loop over invocations do not depend on each other.

Invocations between two barriers never touch the same element unless all that is done to it
is to be read, to get one and the same value, or to be changed by atomics: anything else is
a data race, which a valid program does not have. So plain accesses may be reordered from
one invocation to the next, and LLVM may vectorise the loop over them without proof.
"""

from collections.abc import Generator
from contextlib import contextmanager

from llvmlite import ir
from typing_extensions import override

LIKELY = (1 << 24, 1)
"""
Weights of a branch that nearly always goes the first way. LLVM assumes that loops have 32
trips: so what is rarely done must be a thousand times as rare, or LLVM keeps things for two
loops there in registers, and not those for the code around.
"""


@contextmanager
def seldom(builder: ir.IRBuilder, condition: ir.Value) -> Generator[None]:
    """
    For code that is hardly ever run: only if a condition holds.

    Example: `with seldom(builder, is_due): ...`
    """
    before = builder.block
    with builder.if_then(condition):
        assert before.terminator is not None
        before.terminator.set_weights(LIKELY[::-1])
        yield


class _Distinct(ir.MDValue):
    """A node that is equal to no other."""

    @override
    def descr(self, buf: list[str]) -> None:
        buf += ["distinct "]
        super().descr(buf)

    @override
    def __eq__(self, other: object) -> bool:
        return self is other

    @override
    def __hash__(self) -> int:
        return id(self)


class Parallel:
    """
    The plain accesses of a function, and a loop around all of them whose trips may be
    taken in any order.

    Example: `parallel.mark(builder.load(...)); parallel.close(builder.branch(head))`
    """

    def __init__(self, module: ir.Module):
        self._module = module
        self._group = _distinct(module)

    def mark(self, access: ir.Instruction) -> None:
        """Let an access be one of the loop's."""
        access.set_metadata("llvm.access.group", self._group)

    def close(self, back_edge: ir.Instruction) -> None:
        """Let this be the loop's branch to its next trip."""
        name = ir.MetaDataString(self._module, "llvm.loop.parallel_accesses")
        accesses = self._module.add_metadata([name, self._group])
        loop = _distinct(self._module)
        loop.operands = (loop, accesses)
        back_edge.set_metadata("llvm.loop", loop)


def keep_rolled(back_edge: ir.Instruction, module: ir.Module) -> None:
    """
    Let a loop whose trips nobody knows be as it is: most such loops have few trips, and
    those that are left over from an unrolled loop cost more than it saves.

    Example: `keep_rolled(builder.branch(head), builder.module)`
    """
    name = ir.MetaDataString(module, "llvm.loop.unroll.runtime.disable")
    loop = _distinct(module)
    loop.operands = (loop, module.add_metadata([name]))
    back_edge.set_metadata("llvm.loop", loop)


def _distinct(module: ir.Module) -> _Distinct:
    return _Distinct(module, (), name=str(len(module.metadata)))
