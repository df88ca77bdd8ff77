"""
All operations of a program, in the order of its text.

The same as xDSL's `walk`, for code that does not change what it walks over: that hands
every operation through one generator for each level of nesting, and most of the time of a
large program's analyses would go there.
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OperationInvT, Region

from vyre.dialects.vyre import LaunchOp, ProgramOp, ScheduleOp, WorkgroupsOp
from vyre.dialects.vyre.host import programs_in


def operations_in(region: Region) -> Iterator[Operation]:
    """
    The operations inside a region, at every depth.

    Example: `[op for op in operations_in(program.body) if isinstance(op, LoadOp)]`
    """
    return _following(_first_ones(region))


def operations_of(root: Operation) -> Iterator[Operation]:
    """
    An operation, and those inside it at every depth.

    Example: `any(isinstance(op, BarrierOp) for op in operations_of(loop))`
    """
    yield root
    for region in root.regions:
        yield from operations_in(region)


def units_in(
    module: ModuleOp | WorkgroupsOp, *kinds: type[OperationInvT]
) -> list[OperationInvT]:
    """
    The operations of some kinds that stand in a module, or in modules inside it. Programs,
    schedules and megakernels stand nowhere else, so nobody has to look into these.

    Example: `units_in(module, ProgramOp, ScheduleOp)`
    """
    found: list[OperationInvT] = []
    for op in module.ops:
        if isinstance(op, kinds):
            found.append(op)
        elif isinstance(op, ModuleOp):
            found += units_in(op, *kinds)
    return found


def launches_in(module: ModuleOp | WorkgroupsOp) -> dict[ProgramOp, list[LaunchOp]]:
    """
    The programs of a module that its schedules launch, with these launches, both in the
    order in which they are written.

    Example: `list(launches_in(module))[0].workgroup`
    """
    found: dict[ProgramOp, list[LaunchOp]] = {}
    for schedule in units_in(module, ScheduleOp):
        assert schedule.parent is not None
        programs = programs_in(schedule.parent)
        for op in operations_in(schedule.body):
            if isinstance(op, LaunchOp):
                found.setdefault(programs[op.segment.string_value()], []).append(op)
    return found


def _first_ones(region: Region) -> list[Operation]:
    """The first operation of each block, the last block first."""
    found: list[Operation] = []
    block = region.last_block
    while block is not None:
        if block.first_op is not None:
            found.append(block.first_op)
        block = block.prev_block
    return found


def _following(pending: list[Operation]) -> Iterator[Operation]:
    """Operations, what is inside them and what comes after them; the last one first."""
    while pending:
        op: Operation | None = pending.pop()
        while op is not None:
            yield op
            following = op.next_op
            if op.regions:
                if following is not None:
                    pending.append(following)
                for region in reversed(op.regions):
                    pending += _first_ones(region)
                break
            op = following
