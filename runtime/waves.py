"""Megakernels of the IR as programs: their waves are planned and fused, in a copy."""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from vyre.diagnostics import invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import MegakernelOp, ProgramOp
from vyre.passes.fuse_waves import fused_program
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.runtime.errors import InvalidArgument


def planned(
    module: ModuleOp, name: str | None, options: PlanMegakernelPass
) -> tuple[ModuleOp, Mapping[str, int]]:
    """
    A copy of a module whose waves have groups, and the figures of the plan of one of its
    megakernels. Groups that are there already are kept if there is no budget.

    Example: `planned(module, None, PlanMegakernelPass(budget=4096))[1]["global_barriers"]`
    """
    copy = module.clone()
    found = [op for op in copy.walk() if isinstance(op, MegakernelOp)]
    chosen = [op for op in found if name in (None, op.sym_name.data)]
    if not chosen:
        if options.budget is not None:
            raise InvalidArgument(
                "there is a budget, but no 'vyre.megakernel' whose waves could be planned",
                "leave the budget out, or write the program as waves",
            )
        return module, {}
    is_planned = all(wave.group is not None for op in chosen for wave in op.waves)
    if options.budget is not None or not is_planned:
        options.apply(Context(), copy)
    return copy, _figures(chosen[0])


def _figures(megakernel: MegakernelOp) -> dict[str, int]:
    figures = () if megakernel.plan is None else megakernel.plan.data.items()
    return {name: n.value.data for name, n in figures if isinstance(n, IntegerAttr)}


def fused(megakernel: MegakernelOp) -> ProgramOp:
    """
    The waves of a megakernel as one program, in a module of its own.

    Example: `fused(megakernel).sym_name.data` is the megakernel's name.
    """
    beside = megakernel.parent_op()
    assert isinstance(beside, ModuleOp)
    names = (op for op in beside.clone().ops if isinstance(op, MegakernelOp))
    copy = next(op for op in names if op.sym_name == megakernel.sym_name)
    try:
        program = fused_program(copy)
    except Refusal as refusal:
        raise invalid(copy, refusal) from None
    ModuleOp([program])  # Programs are always in a module.
    return program
