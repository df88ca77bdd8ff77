"""Which program of a module is meant."""

from xdsl.dialects.builtin import ModuleOp

from vyre.analysis.digest import digest
from vyre.analysis.walking import units_in
from vyre.diagnostics import did_you_mean
from vyre.dialects.vyre import MegakernelOp, ProgramOp, ScheduleOp
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.unit import Unit


def find_program(module: ModuleOp, name: str | None) -> ProgramOp | ScheduleOp:
    """
    The operation of `find_unit`; the waves of a megakernel are fused.

    Example: `find_program(module, "scan").sym_name.data`
    """
    return find_unit(module, name).op


def find_unit(module: ModuleOp, name: str | None, says: str | None = None) -> Unit:
    """
    The program, schedule or megakernel of that name, or the only one there is. `says` is
    the module's digest, if the caller has just computed it.

    Example: `find_unit(module, "scan").outline.workgroup`
    """
    found = units_in(module, ProgramOp, ScheduleOp, MegakernelOp)
    names = [op.sym_name.data for op in found]
    if name is not None:
        if name not in names:
            raise InvalidArgument(
                f"there is no program '{name}'",
                did_you_mean(name, names) or f"the module has {', '.join(names) or 'none'}",
            )
        return _unit(found[names.index(name)], module, says)
    candidates = [op for op in found if not isinstance(op, ProgramOp)] or found
    if len(candidates) != 1:
        raise InvalidArgument(
            f"the module has {len(candidates)} programs",
            f"choose one of {', '.join(names)}" if names else "write a 'vyre.program'",
        )
    return _unit(candidates[0], module, says)


def _unit(
    op: ProgramOp | ScheduleOp | MegakernelOp, module: ModuleOp, says: str | None
) -> Unit:
    if not isinstance(op, MegakernelOp):
        return Unit.snapshot(op)
    # What few programs need is not imported by all.
    from vyre.runtime.kernel_cache import KernelCache
    from vyre.runtime.waves import FusedUnit

    return FusedUnit(op, KernelCache.default(), says or digest([module]))
