"""Rules about a program's or schedule's table of buffers and parameters."""

from collections.abc import Iterable

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation

from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre.attributes import Access
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


def verify_grid_from(
    grid_from: Attribute | None, table: Iterable[BufferOp | ParamOp]
) -> None:
    """That an inferred grid follows dimensions of buffers that callers pass."""
    if grid_from is None or grid_from == StringAttr("caller"):
        return
    if not isinstance(grid_from, DictionaryAttr):
        raise Refusal(
            f"the grid is to come from {grid_from}",
            fix='write {name = array<i64: 0>}, or "caller"',
        )
    ranks = {
        entry.entry_name.data: entry.type.get_num_dims()
        for entry in table
        if isinstance(entry, BufferOp) and entry.access.data is not Access.WORKGROUP
    }
    for name, dims in grid_from.data.items():
        if name not in ranks:
            raise Refusal(
                f'the grid is to follow "{name}", which is no buffer of the table',
                fix=f"name one of {', '.join(ranks)}" if ranks else "declare the buffer",
            )
        values = dims.get_values() if isinstance(dims, DenseArrayBase) else ()
        if not values or not all(0 <= dim < ranks[name] for dim in values):
            raise Refusal(
                f'the grid is to follow "{name}" along {dims}',
                fix=f"write an array<i64: ...> of its {ranks[name]} dimensions, from 0",
            )


def verify_no_block_arguments(op: Operation, block: Block) -> None:
    """That a body has no arguments: what it uses is declared in it or above it."""
    if block.args:
        raise Refusal(
            f"the body of '{op.name}' has block arguments",
            fix="declare buffers and parameters with 'vyre.buffer' and 'vyre.param'",
        )
