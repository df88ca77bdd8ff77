"""
Parts of a row of invocations along x: those for which a comparison holds, those around one
that is left out, and blocks that are aligned to a power of two.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from llvmlite import ir
from xdsl.dialects import arith

from vyre.dialects import vyre
from vyre.lowering.llvm.aligned_blocks import SHORTEST
from vyre.lowering.llvm.counting import smaller
from vyre.lowering.llvm.invocations import Three
from vyre.lowering.llvm.masks import has_masks
from vyre.lowering.llvm.values import INDEX

FEW = ["nuw", "nsw"]
"""Numbers of invocations never come near to what a register holds."""

FAR = ir.Constant(INDEX, 2**62)
"""Further than any invocation, and never more than a number can be when added."""

NEAR = 8
"""Invocations that compare themselves with one that is left out."""
NEAR_WITH_MASKS = 64
"""As many as LLVM takes at once, where it costs nothing to leave out some."""


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
    """The number of one that is left out."""
    as_written: bool = False
    """Whether all compare themselves with that one as the program says."""
    holds: arith.CmpiOp | None = None
    """A comparison that holds for all of them."""
    is_rare: bool = False
    """Whether there are few such rows, so that it does not matter how long they take."""

    def takes_part(self, builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
        """
        Whether an invocation near the one that is left out is not that one. The low bits
        tell such numbers apart, and more of them are compared at once.
        """
        if self.left_out is None:
            return ir.Constant(ir.IntType(1), 1)
        one, other = (builder.trunc(n, ir.IntType(32)) for n in (x, self.left_out))
        return builder.icmp_unsigned("!=", one, other)


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


@contextmanager
def parts(
    builder: ir.IRBuilder, row: RowCode, name: str, end_of: Callable[[ir.Value], ir.Value]
) -> Generator[RowCode]:
    """
    A loop over the parts of a row, in order. `end_of` emits where the part that starts at
    a number would end; the last one ends with the row.
    """
    head, body, after = (
        builder.append_basic_block(f"{name}.{part}") for part in ("head", "body", "done")
    )
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    start = builder.phi(INDEX)
    start.add_incoming(row.start, before)
    builder.cbranch(builder.icmp_unsigned("<", start, row.end), body, after)
    builder.position_at_end(body)
    end = smaller(builder, end_of(start), row.end)
    yield replace(row, start=start, end=end)
    start.add_incoming(end, builder.block)
    builder.branch(head)
    builder.position_at_end(after)


@contextmanager
def around(
    builder: ir.IRBuilder, row: RowCode, left_out: ir.Value
) -> Generator[tuple[RowCode, ir.Value]]:
    """
    A loop over the invocations before those near the one that is left out, those near it,
    and those behind: gives each part that exists, and whether it is the near one. There are
    as many before as fill vectors, so that nothing is left over. If the one is before the
    row, none of the row is near, and nothing has to be.
    """
    least, most = (ir.Constant(INDEX, count) for count in (NEAR, NEAR_WITH_MASKS))
    size = builder.select(has_masks(builder), most, least)
    distance = builder.sub(left_out, row.start)
    before = builder.and_(distance, builder.neg(size))
    near = builder.add(row.start, before)
    past = builder.add(near, size)

    def end_of(start: ir.Value) -> ir.Value:
        after = builder.select(builder.icmp_unsigned("<", start, past), past, row.end)
        return builder.select(builder.icmp_unsigned("<", start, near), near, after)

    with parts(builder, row, "around", end_of) as part:
        yield part, builder.icmp_unsigned("==", part.start, near)


def few(builder: ir.IRBuilder, near: RowCode) -> tuple[RowCode, ir.Value]:
    """
    The first `NEAR` of those near one that is left out, in a form in which LLVM sees how
    many they are, and whether these are all. With masks there are always more, or so LLVM
    is told: what it would compute ahead for these few costs more than a short row.
    """
    end = builder.add(near.start, ir.Constant(INDEX, NEAR), flags=FEW)
    are_all = builder.icmp_unsigned("==", end, near.end)
    are_few = builder.and_(are_all, builder.not_(has_masks(builder)))
    return replace(near, end=end), are_few


def has_low_bits_only(builder: ir.IRBuilder, mask: ir.Value) -> ir.Value:
    """Whether a mask is one less than a power of two."""
    power = builder.add(mask, ir.Constant(INDEX, 1))
    return builder.icmp_unsigned("==", builder.and_(mask, power), ir.Constant(INDEX, 0))


def is_worth_blocks(builder: ir.IRBuilder, mask: ir.Value) -> ir.Value:
    """Whether a mask is that of low bits, enough and not too many of them."""
    power = builder.add(mask, ir.Constant(INDEX, 1))
    above = builder.sub(power, ir.Constant(INDEX, SHORTEST))
    in_range = builder.icmp_unsigned("<", above, FAR)
    return builder.and_(has_low_bits_only(builder, mask), in_range)


@contextmanager
def blocks(
    builder: ir.IRBuilder, row: RowCode, mask: ir.Value, offset: ir.Value
) -> Generator[tuple[RowCode, ir.Value]]:
    """
    A loop over the aligned blocks of a row: gives the part in each, and where it begins.
    Places are counted from an offset.
    """
    length = builder.add(mask, ir.Constant(INDEX, 1), flags=FEW)

    def begin_of(number: ir.Value) -> ir.Value:
        place = builder.sub(number, offset, flags=FEW)
        return builder.add(offset, builder.and_(place, builder.not_(mask)), flags=FEW)

    with parts(
        builder,
        row,
        "block",
        lambda start: builder.add(begin_of(start), length, flags=FEW),
    ) as part:
        yield part, begin_of(part.start)
