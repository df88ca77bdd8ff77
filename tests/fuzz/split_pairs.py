"""Programs and their schedules, for tests of what compares them."""

from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.passes.expand_switches import ExpandSwitchesPass
from vyre.passes.host_plan import HostPlanPass
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.reading import parse_text

CONTEXT = vyre.context()


def pairs(module: ModuleOp) -> list[tuple[ProgramOp, ScheduleOp]]:
    """
    Each program that is split, in the form in which it is split, and its schedule.

    Example: `for program, schedule in pairs(vyre.parse(text))`
    """
    base = module.clone()
    ExpandSwitchesPass().apply(CONTEXT, base)
    PromoteLetsPass().apply(CONTEXT, base)
    PredicateReturnsPass().apply(CONTEXT, base)
    plan = base.clone()
    HostPlanPass().apply(CONTEXT, plan)
    programs = {program.sym_name.data: program for program in units_in(base, ProgramOp)}
    return [
        (programs[schedule.sym_name.data], schedule)
        for schedule in units_in(plan, ScheduleOp)
        if schedule.sym_name.data in programs
    ]


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
