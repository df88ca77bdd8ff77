"""Loops over a range of workgroups, row by row, so that places cost no divisions."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir

from vyre.lowering.llvm.counting import counted, smaller
from vyre.lowering.llvm.invocations import Three, coordinates
from vyre.lowering.llvm.values import INDEX


@dataclass(frozen=True)
class Row:
    """Workgroups side by side along x: the number and place of the first, and how many."""

    group: ir.Value
    ids: Three
    count: ir.Value


@contextmanager
def rows(
    builder: ir.IRBuilder, first: ir.Value, end: ir.Value, groups: Three
) -> Generator[Row]:
    """
    A loop over the rows that workgroups `first` to before `end` of a grid stand in.

    It is a loop around another one: whole rows that follow each other go through the inner
    one, where all of them begin at the same x and are as long, so that LLVM computes once
    what follows from that. Only the first row and the last one may be others.
    """
    head, alike, row, after = (
        builder.append_basic_block(name) for name in ("rows", "alike", "row", "rows.done")
    )
    zero, one = ir.Constant(INDEX, 0), ir.Constant(INDEX, 1)
    x, y, z = coordinates(builder, first, groups)
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    outer = _phis(builder, ("first", "x", "y", "z"), (first, x, y, z), before)
    builder.cbranch(builder.icmp_unsigned("<", outer[0], end), alike, after)

    builder.position_at_end(alike)
    start, x, y, z = outer
    count = smaller(builder, builder.sub(groups[0], x), builder.sub(end, start))
    # A row that begins behind the first workgroup is not followed by one like it.
    is_whole = builder.icmp_unsigned("==", x, zero)
    needed = builder.select(is_whole, groups[0], ir.Constant(INDEX, -1))
    builder.branch(row)
    builder.position_at_end(row)
    inner = _phis(builder, ("group", "y", "z"), (start, y, z), alike)
    group, y, z = inner
    yield Row(group, [x, y, z], count)
    y = builder.add(y, one)
    is_last = builder.icmp_unsigned("==", y, groups[1])
    following = (
        builder.add(group, count),
        builder.select(is_last, zero, y),
        builder.select(is_last, builder.add(z, one), z),
    )
    left = builder.sub(end, following[0])
    _continue(builder, inner, following)
    _continue(builder, outer, (following[0], zero, *following[1:]))
    builder.cbranch(builder.icmp_unsigned(">=", left, needed), row, head)
    builder.position_at_end(after)


def _phis(
    builder: ir.IRBuilder,
    names: Sequence[str],
    values: Sequence[ir.Value],
    before: ir.Block,
) -> list[ir.PhiInstr]:
    """What changes in a loop, and what it is when the loop begins."""
    phis = [builder.phi(INDEX, name) for name in names]
    for phi, value in zip(phis, values, strict=True):
        phi.add_incoming(value, before)
    return phis


def _continue(
    builder: ir.IRBuilder, phis: Sequence[ir.PhiInstr], values: Sequence[ir.Value]
) -> None:
    """What it is in the next trip."""
    for phi, value in zip(phis, values, strict=True):
        phi.add_incoming(value, builder.block)


@contextmanager
def each_workgroup(
    builder: ir.IRBuilder, first: ir.Value, end: ir.Value, groups: Three
) -> Generator[Row]:
    """A loop over single workgroups."""
    one, zero = ir.Constant(INDEX, 1), ir.Constant(INDEX, 0)
    with (
        rows(builder, first, end, groups) as row,
        counted(builder, zero, row.count, "along") as (step, _),
    ):
        x = builder.add(row.ids[0], step)
        yield Row(builder.add(row.group, step), [x, *row.ids[1:]], one)
