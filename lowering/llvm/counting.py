"""Loops that count."""

from collections.abc import Generator
from contextlib import contextmanager

from llvmlite import ir

from vyre.lowering.llvm.values import INDEX


@contextmanager
def counted(
    builder: ir.IRBuilder, first: ir.Value, end: ir.Value, name: str
) -> Generator[tuple[ir.Value, ir.Block]]:
    """
    A loop around what is emitted inside: gives the counter, and the block to branch to for
    the next trip. Code that leaves the builder in an open block branches there by itself.
    """
    head, body, following, after = (
        builder.append_basic_block(f"{name}.{part}")
        for part in ("head", "body", "next", "done")
    )
    before = builder.block
    builder.branch(head)
    builder.position_at_end(head)
    counter = builder.phi(INDEX, name)
    counter.add_incoming(first, before)
    builder.cbranch(builder.icmp_unsigned("<", counter, end), body, after)
    builder.position_at_end(body)
    yield counter, following
    if not builder.block.is_terminated:
        builder.branch(following)
    builder.position_at_end(following)
    counter.add_incoming(builder.add(counter, ir.Constant(INDEX, 1)), following)
    builder.branch(head)
    builder.position_at_end(after)
