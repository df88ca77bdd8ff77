"""Loops over a range of workgroups, row by row, so that places cost no divisions."""

from collections.abc import Generator
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
    """A loop over the rows that workgroups `first` to before `end` of a grid stand in."""
    head, body, after = (
        builder.append_basic_block(name) for name in ("rows", "row", "rows.done")
    )
    zero, one = ir.Constant(INDEX, 0), ir.Constant(INDEX, 1)
    start = coordinates(builder, first, groups)
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    group, *ids = (builder.phi(INDEX, name) for name in ("group", "x", "y", "z"))
    for phi, value in zip((group, *ids), (first, *start), strict=True):
        phi.add_incoming(value, before)
    builder.cbranch(builder.icmp_unsigned("<", group, end), body, after)
    builder.position_at_end(body)
    left = builder.sub(end, group)
    count = smaller(builder, builder.sub(groups[0], ids[0]), left)
    yield Row(group, ids, count)
    y = builder.add(ids[1], one)
    is_last = builder.icmp_unsigned("==", y, groups[1])
    following = (
        builder.add(group, count),
        zero,
        builder.select(is_last, zero, y),
        builder.select(is_last, builder.add(ids[2], one), ids[2]),
    )
    for phi, value in zip((group, *ids), following, strict=True):
        phi.add_incoming(value, builder.block)
    builder.branch(head)
    builder.position_at_end(after)


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
