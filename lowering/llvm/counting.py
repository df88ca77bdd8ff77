"""Loops that count."""

from collections.abc import Generator
from contextlib import contextmanager

from llvmlite import ir

from vyre.lowering.llvm.folding import literal
from vyre.lowering.llvm.metadata import Parallel
from vyre.lowering.llvm.values import INDEX


@contextmanager
def counted(
    builder: ir.IRBuilder,
    first: ir.Value,
    end: ir.Value,
    name: str,
    parallel: Parallel | None = None,
    *,
    wraps: bool = False,
) -> Generator[tuple[ir.Value, ir.Block]]:
    """
    A loop around what is emitted inside: gives the counter, and the block to branch to for
    the next trip. Code that leaves the builder in an open block branches there by itself.
    There is no loop around a single trip. `wraps` says that numbers may wrap around before
    they come to the end; come to it they must.
    """
    start, limit = literal(first), literal(end)
    if start is not None and limit == start + 1:
        following = builder.append_basic_block(f"{name}.done")
        yield first, following
        if not builder.block.is_terminated:
            builder.branch(following)
        builder.position_at_end(following)
        return
    head, body, following, after = (
        builder.append_basic_block(f"{name}.{part}")
        for part in ("head", "body", "next", "done")
    )
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    counter = builder.phi(INDEX, name)
    counter.add_incoming(first, before)
    is_left = builder.icmp_unsigned("!=" if wraps else "<", counter, end)
    builder.cbranch(is_left, body, after)
    builder.position_at_end(body)
    yield counter, following
    if not builder.block.is_terminated:
        builder.branch(following)
    builder.position_at_end(following)
    one = ir.Constant(INDEX, 1)
    flags = [] if wraps else ["nuw"]
    counter.add_incoming(builder.add(counter, one, flags=flags), following)
    back_edge = builder.branch(head)
    if parallel is not None:
        parallel.close(back_edge)
    builder.position_at_end(after)


def smaller(builder: ir.IRBuilder, one: ir.Value, other: ir.Value) -> ir.Value:
    """The smaller of two unsigned numbers."""
    return builder.select(builder.icmp_unsigned("<", one, other), one, other)


def larger(builder: ir.IRBuilder, one: ir.Value, other: ir.Value) -> ir.Value:
    """The larger of two unsigned numbers."""
    return builder.select(builder.icmp_unsigned("<", one, other), other, one)
