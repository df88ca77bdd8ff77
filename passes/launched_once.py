"""
`vyre-launch-programs`: programs that no schedule launches become schedules of one launch.

Before:

```mlir
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  ...
}
```

After:

```mlir
vyre.program @p.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  ...
}
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  vyre.launch @p.0(%a)
}
```

The meaning stays because a schedule of one launch is what dispatching a program is. Its
scratch becomes scratch of the schedule, which is zeros at the same moment.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from vyre.analysis.walking import launches_in, units_in
from vyre.dialects.vyre import BufferOp, LaunchOp, ParamOp, ProgramOp, ScheduleOp, ScratchOp
from vyre.dialects.vyre.attributes import Access
from vyre.passes.segments import about_code
from vyre.passes.tables import free_name, next_binding


@dataclass(frozen=True)
class LaunchProgramsPass(ModulePass):
    """Gives schedules to programs that have none."""

    name = "vyre-launch-programs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        launched = launches_in(op)
        for program in units_in(op, ProgramOp):
            if program not in launched:
                launched_once(program)


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
