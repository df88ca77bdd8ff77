"""`vyre.split`: for compilers that launch segments themselves."""

from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.launched_once import launched_once
from vyre.passes.verify_module import verify_module
from vyre.runtime.errors import InvalidArgument
from vyre.source import deep_recursion


class Split(NamedTuple):
    """A schedule, and the programs that it launches; they stand beside it in a module."""

    schedule: ScheduleOp
    segments: tuple[ProgramOp, ...]


def has_grid_barrier(program: ProgramOp | ModuleOp) -> bool:
    """
    Whether a program has to be split for devices on which workgroups cannot wait for each
    other. Collectives count as grid barriers. A module stands for its only program.

    Example: `vyre.has_grid_barrier(vyre.parse("scan.mlir"))`
    """
    return needs_cut(_program(program))


def split(program: ProgramOp | ModuleOp) -> Split:
    """
    Split a program at its grid barriers, in a module of its own; a program without any is
    the only segment. Operations that Vyre does not know stay in their place. A module
    stands for its only program. What is passed stays as it is.

    Raises `InvalidProgram` if the program is not valid or cannot be split.

    Example:

    ```python
    schedule, segments = vyre.split(program)
    print(schedule.get_toplevel_object())
    ```
    """
    module = ModuleOp([_program(program).clone()])
    verify_module(module)
    with deep_recursion():
        HostPlanPass().apply(Context(), module)
    found = units_in(module, ScheduleOp)
    schedule = found[0] if found else launched_once(_program(module))
    return Split(schedule, tuple(units_in(module, ProgramOp)))


def _program(source: object) -> ProgramOp:
    if isinstance(source, ProgramOp):
        return source
    found = units_in(source, ProgramOp) if isinstance(source, ModuleOp) else []
    if len(found) != 1:
        has = f" with {len(found)} programs" if isinstance(source, ModuleOp) else ""
        raise InvalidArgument(
            f"expected a 'vyre.program', or a module with one, and got a "
            f"{type(source).__name__}{has}",
            "pass the program, an operation of a module that `vyre.parse` gives",
        )
    return found[0]
