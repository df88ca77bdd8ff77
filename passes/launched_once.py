"""Programs without grid barriers as schedules of one launch."""

from xdsl.dialects.builtin import StringAttr

from vyre.dialects.vyre import BufferOp, LaunchOp, ParamOp, ProgramOp, ScheduleOp, ScratchOp
from vyre.dialects.vyre.attributes import Access
from vyre.passes.segments import about_code
from vyre.passes.tables import free_name, next_binding


def launched_once(program: ProgramOp) -> ScheduleOp:
    """
    Put a schedule beside a program that launches it, and has its name and scratch.

    Example: `launched_once(program).table`
    """
    name, block = program.sym_name.data, program.parent
    assert block is not None
    program.sym_name = StringAttr(f"{name}.0")
    scratch = _passed_scratch(program)
    table = [scratch.get(entry) or entry.clone() for entry in program.launch_table]
    launch = LaunchOp(f"{name}.0", [entry.results[0] for entry in table])
    schedule = ScheduleOp(name, [*table, launch])
    for op in (launch, schedule):
        op.location = program.location
    schedule.attributes.update(program.attributes)
    program.attributes = about_code(program)
    block.add_op(schedule)
    return schedule


def _passed_scratch(program: ProgramOp) -> dict[BufferOp | ParamOp, ScratchOp]:
    """The scratch of a program, by the buffers that it gets in its place."""
    found: dict[BufferOp | ParamOp, ScratchOp] = {}
    block = program.body.block
    for op in [op for op in block.ops if isinstance(op, ScratchOp)]:
        name, binding = free_name(program, "scratch"), next_binding(program)
        buffer = BufferOp(name, Access.READ_WRITE, op.memref.type, binding=binding)
        buffer.location = op.location
        op.memref.replace_all_uses_with(buffer.memref)
        block.insert_op_before(buffer, op)
        op.detach()
        found[buffer] = op
    return found
