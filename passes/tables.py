"""Room for new entries in the table of a program, and for new programs in a module."""

from collections.abc import Iterable

from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from vyre.dialects.vyre import BufferOp, LaunchOp, ParamOp, ProgramOp, ScheduleOp, ScratchOp


def free_name(program: ProgramOp, wanted: str) -> str:
    """
    The name for a new buffer or parameter, with a number if it is taken.

    Example: `free_name(program, "tile")` is `"tile_1"` if there is a "tile".
    """
    taken = {entry.entry_name.data for entry in program.table}
    name, count = wanted, 1
    while name in taken:
        name, count = f"{wanted}_{count}", count + 1
    return name


def free_symbol(block: Block, wanted: str) -> str:
    """
    The name for a new program or schedule of a module, with a number if it is taken.

    Example: `free_symbol(module.body.block, "p")` is `"p.1"` if there is a `@p`.
    """
    units = (op for op in block.ops if isinstance(op, ProgramOp | ScheduleOp))
    taken = {op.sym_name.data for op in units}
    name, count = wanted, 1
    while name in taken:
        name, count = f"{wanted}.{count}", count + 1
    return name


def drop_unused(program: ProgramOp, launches: Iterable[LaunchOp]) -> None:
    """
    Remove what a program does not use from its table and from its launches.

    Example: `drop_unused(program, launches_in(module)[program])`
    """
    table = list(program.launch_table)
    used = [entry.results[0].first_use is not None for entry in table]
    for launch in launches:
        launch.operands = [a for a, is_used in zip(launch.arguments, used) if is_used]
    for entry, is_used in zip(table, used):
        if not is_used:
            Rewriter.erase_op(entry)


def next_binding(program: ProgramOp) -> int:
    """
    The first binding above all that are used.

    Example: `BufferOp(name, access, type, binding=next_binding(program))`
    """
    used = [
        entry.binding.value.data
        for entry in program.table
        if isinstance(entry, BufferOp) and entry.binding is not None
    ]
    return max(used, default=-1) + 1


def first_code(program: ProgramOp) -> Operation | None:
    """
    The first operation that is no declaration.

    Example: `put_before(first_code(program), LinearIdOp(LinearScope.LOCAL))`
    """
    ops = program.body.block.ops
    return next(
        (op for op in ops if not isinstance(op, BufferOp | ParamOp | ScratchOp)), None
    )
