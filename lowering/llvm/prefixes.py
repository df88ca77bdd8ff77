"""
Rows of a workgroup of which the first invocations take one way, and the others another.

Before, as a loop over invocations:

```
for x in 0 .. 256:
    if base + x < n:  p = ...
    else:             p = 0
    memory[x] = p
```

After:

```
for x in 0 .. first:    p = ...; memory[x] = p
for x in first .. 256:  as before
```

where `first` is `n - base`, but at least 0 and at most 256. Nearly always all are among the
first ones, or none but those of the last workgroup. LLVM vectorises their loop without
masks, which take long where the processor has no registers for them. The other loop is
written such that LLVM has little to do for it.

Why the meaning stays: both loops together have the same invocations, which may come in any
order. All in the first one have numbers for which the comparison holds: from the base up to
`n`, where nothing wraps around. Those in the second one compare as the program says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llvmlite import ir
from xdsl.dialects import arith, scf
from xdsl.ir import Block, SSAValue

from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import PREDICATES, Along, along_x, is_same_along_x
from vyre.lowering.llvm.counting import larger, smaller
from vyre.lowering.llvm.row_parts import numbers
from vyre.lowering.llvm.shifted_rows import base_of, has_place
from vyre.lowering.llvm.values import INDEX

_OF_SMALL_NUMBERS = ("slt", "sle", "ult", "ule")
"""Comparisons that hold up to some number."""


@dataclass(frozen=True)
class Prefix:
    """
    A comparison of a place along x, with something added or not, with a bound; what is
    added and the bound are the same for a row.

    Example: `arith.cmpi ult, %row, %rows`, if `%row` is `%first + %place`
    """

    op: arith.CmpiOp
    base: SSAValue | None

    def end(
        self,
        builder: ir.IRBuilder,
        base: ir.Value | None,
        bound: ir.Value,
        row: tuple[ir.Value, ir.Value],
    ) -> ir.Value:
        """Up to where in a row from one place to another it is known to hold."""
        limit = numbers(builder, _predicate(self.op), bound)[1]
        if base is not None:
            is_more = builder.icmp_unsigned(">", limit, base)
            left, none = builder.sub(limit, base), ir.Constant(INDEX, 0)
            limit = builder.select(is_more, left, none)
        start, end = row
        return larger(builder, start, smaller(builder, limit, end))


def prefix_of(program: vyre.ProgramOp) -> Prefix | None:
    """
    A comparison on which it depends what invocations of a workgroup do, if it holds for the
    first ones. It is outside of loops.

    Example: for `scf.if %has_row -> (f64) { ... } else { ... }` what gives `%has_row`
    """
    found = (_prefix(op.cond) for op in _choices(program.body.block))
    return next((prefix for prefix in found if prefix is not None), None)


def _choices(block: Block) -> Iterator[scf.IfOp]:
    for op in block.ops:
        if isinstance(op, scf.IfOp):
            yield op
        elif isinstance(op, vyre.RegionOp):
            yield from _choices(op.body.block)


def _prefix(condition: SSAValue) -> Prefix | None:
    op = condition.owner
    if not isinstance(op, arith.CmpiOp) or _predicate(op) not in _OF_SMALL_NUMBERS:
        return None
    if not is_same_along_x(op.rhs):
        return None
    if along_x(op.lhs) is Along.WORKGROUP:
        return Prefix(op, None)
    number = op.lhs.owner
    if isinstance(number, arith.AddiOp) and has_place(number):
        base = base_of(number)
        return Prefix(op, base) if is_same_along_x(base) else None
    return None


def _predicate(op: arith.CmpiOp) -> str:
    return PREDICATES[op.predicate.value.data]
