"""Room for new entries in the table of a program."""

from xdsl.ir import Operation

from vyre.dialects.vyre import BufferOp, ParamOp, ProgramOp, ScratchOp


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
