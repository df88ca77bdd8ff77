"""
Memory of workgroups that LLVM can see through.

A workgroup's memory lies in that of its worker. There LLVM must assume that somebody else
looks at it, and that the functions of segments do. So everything that one segment leaves to
another is stored, and loaded again, though it may be in registers. That is dear where
segments are in a loop, as the tiles of a product of matrices.

Where such a program is small, its buffers and scratch are variables of the function that
runs its workgroups instead, and its segments are inlined there. LLVM finds out what can be
passed on in registers, and leaves out stores that nobody reads any more.

Nobody else has the address of this memory, and nobody may: it belongs to one workgroup from
its first segment to its last one. What survives a grid barrier is saved before that, and
brought back by whoever runs the workgroup then. Unlike the worker's memory, which holds
some bytes or other, a variable that nobody has written holds nothing that two loads agree
upon. Code may load what the program does not need, so all of it is zeros at first.
"""

from llvmlite import ir
from typing_extensions import override
from xdsl.dialects import scf

from vyre.analysis.walking import operations_of
from vyre.dialects import vyre
from vyre.lowering.llvm.workgroup_memory import ALIGNMENT, clear
from vyre.lowering.llvm.workgroup_places import Declaration, Needs, Places

MOST_BYTES = 4096
"""That a function may have: threads may have small stacks."""

MOST_LAUNCHES = 4
"""That are inlined: LLVM takes longer for one large function than for some small ones."""


def is_worth_inlining(schedule: vyre.ScheduleOp, needs: Needs) -> bool:
    """
    Whether the memory of a workgroup shall be local to the function that runs its schedule.
    Marks of invocations that have trapped cannot be.

    Example: `is_worth_inlining(plan.schedule, Needs.of(plan, program))`
    """
    if needs.size > MOST_BYTES or needs.ended is not None:
        return False
    operations = list(operations_of(schedule))
    launches = [op for op in operations if isinstance(op, vyre.LaunchOp)]
    loops = [op for op in operations if isinstance(op, scf.ForOp | scf.WhileOp)]
    return len(launches) <= MOST_LAUNCHES and any(
        loop.is_ancestor(launch) for loop in loops for launch in launches
    )


class LocalPlaces(Places):
    """
    In variables of the function, zeros at first; each is one of its own, so that LLVM knows
    which of them an access is to.

    Example: `LocalPlaces(builder, needs).address(builder, buffer)`
    """

    def __init__(self, builder: ir.IRBuilder, needs: Needs):
        self.needs = needs
        self._addresses: dict[Declaration, ir.Value] = {}
        for declaration, size in needs.sizes.items():
            variable = builder.alloca(ir.ArrayType(ir.IntType(8), size))
            variable.align = ALIGNMENT
            self._addresses[declaration] = variable
        for declaration in needs.sizes:
            self._clear(builder, declaration)

    @override
    def address(self, builder: ir.IRBuilder, declaration: Declaration) -> ir.Value:
        return self._addresses[declaration]

    @override
    def clear(self, builder: ir.IRBuilder) -> None:
        for declaration in self.needs.zeros:
            self._clear(builder, declaration)

    def _clear(self, builder: ir.IRBuilder, declaration: Declaration) -> None:
        clear(builder, self._addresses[declaration], self.needs.sizes[declaration])
