"""Which program of a module is meant."""

from xdsl.dialects.builtin import ModuleOp

from vyre.diagnostics import did_you_mean
from vyre.dialects.vyre import MegakernelOp, ProgramOp, ScheduleOp
from vyre.runtime.errors import InvalidArgument


def find_program(module: ModuleOp, name: str | None) -> ProgramOp | ScheduleOp:
    """
    The program, schedule or megakernel of that name, or the only one there is. The waves of
    a megakernel are fused.

    Example: `find_program(module, "scan").sym_name.data`
    """
    ops = module.walk()
    found = [op for op in ops if isinstance(op, ProgramOp | ScheduleOp | MegakernelOp)]
    names = [op.sym_name.data for op in found]
    if name is not None:
        if name not in names:
            raise InvalidArgument(
                f"there is no program '{name}'",
                did_you_mean(name, names) or f"the module has {', '.join(names) or 'none'}",
            )
        return _runnable(found[names.index(name)])
    candidates = [op for op in found if not isinstance(op, ProgramOp)] or found
    if len(candidates) != 1:
        raise InvalidArgument(
            f"the module has {len(candidates)} programs",
            f"choose one of {', '.join(names)}" if names else "write a 'vyre.program'",
        )
    return _runnable(candidates[0])


def _runnable(op: ProgramOp | ScheduleOp | MegakernelOp) -> ProgramOp | ScheduleOp:
    if not isinstance(op, MegakernelOp):
        return op
    from vyre.runtime.waves import fused

    return fused(op)
