"""Programs and their schedules, for tests of what compares them."""

from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.validate_split import prepare
from vyre.reading import parse_text

CONTEXT = vyre.context()


def pairs(module: ModuleOp) -> list[tuple[ProgramOp, ScheduleOp]]:
    """
    Each program that is split, in the form that is compared, and its schedule.

    Example: `for program, schedule in pairs(vyre.parse(text))`
    """
    programs = {p.sym_name.data: p for p in units_in(module, ProgramOp)}
    plan = module.clone()
    HostPlanPass().apply(CONTEXT, plan)
    found: list[tuple[ProgramOp, ScheduleOp]] = []
    for schedule in units_in(plan, ScheduleOp):
        program = programs.get(schedule.sym_name.data)
        if program is not None:
            found.append((prepare(program)[0], schedule))
    return found


def edited(text: str, *changes: tuple[str, str]) -> tuple[ProgramOp, ScheduleOp]:
    """
    A program, and its schedule after replacements in the text of all that it launches.

    Example: `edited(text, ("cooperates ", ""))`
    """
    ((program, schedule),) = pairs(vyre.parse(text, ctx=CONTEXT))
    plan = str(schedule.parent_op())
    for old, new in changes:
        assert old in plan, plan
        plan = plan.replace(old, new)
    module = parse_text(plan, "<plan>", CONTEXT, verify=False)
    (again,) = units_in(module, ScheduleOp)
    return program, again
