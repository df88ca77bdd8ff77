"""
Rows of one workgroup, counted by places in the grid.

An invocation of a workgroup that runs alone has its place in the workgroup, from 0 on, and
its place in the grid is that plus a number which is the same for all. Most buffers go by
the place in the grid, so a loop that counts places in the workgroup keeps both, and the
number between them: where a row has loops in it, these are registers that the loops miss.
So the loop counts places in the grid, and memory of the workgroup is addressed by these
too, from as far before its beginning:

```c
for (i = base; i != base + 256; i++) (memory - base)[i] = f(i);
```

Nothing is lost if `base + 256` wraps around: all sums do, and the loop ends when it comes
to that number, not behind it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import Along, along_x, is_same_along_x
from vyre.lowering.llvm.counting import counted
from vyre.lowering.llvm.metadata import Parallel


@dataclass(frozen=True)
class Shift:
    """
    A place along x, and what it is with something added that is the same for a whole row.

    Example: `Shift(x, builder.add(x, by), by)`
    """

    place: ir.Value
    shifted: ir.Value
    by: ir.Value

    def address(
        self, builder: ir.IRBuilder, memory: ir.Value, element: ir.Type
    ) -> ir.Value:
        """Where the element at the place is, counted from the beginning of memory."""
        before = builder.gep(memory, [builder.neg(self.by)], source_etype=element)
        return builder.gep(before, [self.shifted], source_etype=element)


def shifted_places(program: vyre.ProgramOp) -> list[arith.AddiOp]:
    """
    Operations that give the place in the workgroup along x, plus one and the same number
    that is known before the row: none if there are several such numbers.

    Example: `arith.addi %first, %local`, if `%first` is computed from a parameter
    """
    found: dict[SSAValue, list[arith.AddiOp]] = {}
    for op in program.body.block.ops:
        if isinstance(op, arith.AddiOp) and has_place(op):
            by = base_of(op)
            if is_same_along_x(by):
                found.setdefault(by, []).append(op)
    return next(iter(found.values())) if len(found) == 1 else []


def has_place(op: arith.AddiOp) -> bool:
    """
    Whether a sum is one of the place in the workgroup along x.

    Example: `has_place(op)` for `arith.addi %first, %local`
    """
    return any(along_x(operand) is Along.WORKGROUP for operand in op.operands)


def base_of(op: arith.AddiOp) -> SSAValue:
    """
    What such a sum adds to the place.

    Example: `%first` of `arith.addi %first, %local`
    """
    return op.rhs if along_x(op.lhs) is Along.WORKGROUP else op.lhs


@contextmanager
def shifted_row(
    builder: ir.IRBuilder, count: ir.Value, by: ir.Value, parallel: Parallel
) -> Generator[tuple[Shift, ir.Block]]:
    """
    A loop over so many places of a row, from 0 on: gives the place, and the block to branch
    to for the next one.
    """
    end = builder.add(by, count)
    with counted(builder, by, end, "x", parallel, wraps=True) as (shifted, following):
        yield Shift(builder.sub(shifted, by), shifted, by), following
