"""Rules about a program's or schedule's table of buffers and parameters."""

from collections.abc import Iterable

from xdsl.ir import Block, Operation

from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre.buffers import BufferOp, ParamOp


def verify_table(table: Iterable[BufferOp | ParamOp]) -> None:
    """That names and bindings are unique, for they are how callers refer to entries."""
    by_name: dict[str, Operation] = {}
    by_binding: dict[int, Operation] = {}
    for entry in table:
        name = entry.entry_name.data
        first = by_name.setdefault(name, entry)
        if first is not entry:
            raise Refusal(
                f'the name "{name}" is declared twice',
                fix="give each buffer and parameter a name of its own",
                at=entry,
                notes=[Note(first, "first declared here")],
            )
        if not isinstance(entry, BufferOp) or entry.binding is None:
            continue
        slot = entry.binding.value.data
        first = by_binding.setdefault(slot, entry)
        if first is not entry:
            raise Refusal(
                f"binding {slot} is used twice",
                fix="give each buffer a binding of its own",
                at=entry,
                notes=[Note(first, "first used here")],
            )


def verify_no_block_arguments(op: Operation, block: Block) -> None:
    """That a body has no arguments: what it uses is declared in it or above it."""
    if block.args:
        raise Refusal(
            f"the body of '{op.name}' has block arguments",
            fix="declare buffers and parameters with 'vyre.buffer' and 'vyre.param'",
        )
