"""
Parts of a row of invocations along x: those for which a comparison holds, those around one
that is left out, and blocks that are aligned to a power of two.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from llvmlite import ir

from vyre.dialects import vyre
from vyre.lowering.llvm.aligned_blocks import SHORTEST
from vyre.lowering.llvm.counting import smaller
from vyre.lowering.llvm.invocations import Three
from vyre.lowering.llvm.values import INDEX

FEW = ["nuw", "nsw"]
"""Numbers of invocations never come near to what a register holds."""

FAR = ir.Constant(INDEX, 2**62)
"""Further than any invocation, and never more than a number can be when added."""

STRETCH = 64
"""Invocations around one that is left out: as many as any processor takes at once."""


@dataclass(frozen=True)
class RowCode:
    """Invocations along x, in registers; `loads` are done for all of them."""

    groups: Three
    group: ir.Value
    group_ids: Three
    ids: Three
    """Along y and z."""
    start: ir.Value
    end: ir.Value
    loads: dict[vyre.LoadOp, ir.Value]
    left_out: ir.Value | None = None
    """The number near these of the one that is left out."""

    def is_left_out(self, builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
        """
        Whether an invocation is the one that is left out. The low bits tell numbers that
        are near each other apart, and more of them are compared at once.
        """
        assert self.left_out is not None
        one, other = (builder.trunc(n, ir.IntType(32)) for n in (x, self.left_out))
        return builder.icmp_unsigned("==", one, other)


def numbers(
    builder: ir.IRBuilder, predicate: str, bound: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """
    The numbers from 0 on for which `number predicate bound` is true: from the first to
    before the limit, as unsigned numbers; what is further than `FAR` counts as that.
    """
    zero, one = ir.Constant(INDEX, 0), ir.Constant(INDEX, 1)
    if predicate[0] == "s":
        # All numbers are at least 0, so a negative bound is below all of them.
        is_negative = builder.icmp_signed("<", bound, zero)
        below = builder.select(is_negative, zero, bound)
        past = builder.add(below, builder.select(is_negative, zero, one))
    else:
        below = bound
        past = builder.add(smaller(builder, bound, FAR), one)
    match predicate[1:]:
        case "lt":
            return zero, below
        case "le":
            return zero, past
        case "gt":
            return past, FAR
        case "ge":
            return below, FAR
        case _:
            return below, past


def around(builder: ir.IRBuilder, row: RowCode, left_out: ir.Value) -> RowCode:
    """
    The stretch of a row that has a number in it; an empty one at the end if none has.
    """
    distance = builder.sub(left_out, row.start)
    is_there = builder.and_(
        builder.icmp_unsigned(">=", left_out, row.start),
        builder.icmp_unsigned("<", left_out, row.end),
    )
    rounded = builder.and_(distance, ir.Constant(INDEX, -STRETCH))
    start = builder.select(is_there, builder.add(row.start, rounded), row.end)
    end = smaller(builder, row.end, builder.add(start, ir.Constant(INDEX, STRETCH)))
    return replace(row, start=start, end=end, left_out=left_out)


def is_worth_blocks(builder: ir.IRBuilder, mask: ir.Value) -> ir.Value:
    """Whether a mask is that of low bits, enough and not too many of them."""
    power = builder.add(mask, ir.Constant(INDEX, 1))
    is_power = builder.icmp_unsigned("==", builder.and_(mask, power), ir.Constant(INDEX, 0))
    above = builder.sub(power, ir.Constant(INDEX, SHORTEST))
    in_range = builder.icmp_unsigned("<", above, FAR)
    return builder.and_(is_power, in_range)


@contextmanager
def blocks(
    builder: ir.IRBuilder, row: RowCode, mask: ir.Value, offset: ir.Value
) -> Generator[tuple[RowCode, ir.Value]]:
    """
    A loop over the aligned blocks of a row: gives the part in each, and where it begins.
    Places are counted from an offset.
    """
    head, body, after = (
        builder.append_basic_block(name) for name in ("blocks", "block", "blocks.done")
    )
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    start = builder.phi(INDEX)
    start.add_incoming(row.start, before)
    builder.cbranch(builder.icmp_unsigned("<", start, row.end), body, after)
    builder.position_at_end(body)
    place = builder.sub(start, offset, flags=FEW)
    begin = builder.add(offset, builder.and_(place, builder.not_(mask)), flags=FEW)
    length = builder.add(mask, ir.Constant(INDEX, 1), flags=FEW)
    end = smaller(builder, builder.add(begin, length, flags=FEW), row.end)
    yield replace(row, start=start, end=end), begin
    start.add_incoming(end, builder.block)
    builder.branch(head)
    builder.position_at_end(after)
