"""
`vyre-validate-split`: proves what other passes make of programs with grid barriers.

It keeps a copy of the module, runs the passes that it is given (`vyre-host-plan` if none),
and refuses schedules that are not proved to mean what their programs meant: see
`vyre.validation`. A pass over a finished schedule could not do that, for it would have no
program to compare with.

```mlir
vyre.program @p [64, 1, 1] { ... vyre.barrier grid_sync ... }
```

becomes what the passes make of it, here

```mlir
vyre.schedule @p { ... }
vyre.program @p.0 [64, 1, 1] { ... }
```

The meaning stays because that is what is proved.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from vyre import pipelines
from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import operations_in, units_in
from vyre.diagnostics import VyreError, did_you_mean, invalid
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import ProgramOp, ReturnOp, ScheduleOp
from vyre.locations import inherit_locations
from vyre.passes import get_all_passes
from vyre.passes.expand_switches import ExpandSwitchesPass
from vyre.passes.pipeline import expanded
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.remove_barriers import RemoveBarriersPass
from vyre.passes.rules.barriers import verify_barriers
from vyre.validation import Validated, validate
from vyre.validation.barriers import validate_barriers
from vyre.validation.returns import validate_returns

SPLITTING = frozenset((*pipelines.HOST_PLAN, "vyre-host-plan", "vyre-remove-barriers"))
"""The passes whose results can be compared with the program before them."""


def is_wanted(environ: Mapping[str, str] = os.environ) -> bool:
    """
    Whether compiling validates splits, as it does unless the user says otherwise.

    Example: `is_wanted({"VYRE_VALIDATE": "0"})` is false.
    """
    return environ.get("VYRE_VALIDATE", "1") != "0"


class Baseline:
    """
    The programs of a module that are to be split, as they are now. They are copied unless
    the passes run on a copy themselves.

    Example: `Baseline.of(module).check(module)` after the passes
    """

    def __init__(self, programs: Iterable[ProgramOp], *, is_kept: bool = False):
        self._programs = {
            program.sym_name.data: program if is_kept else program.clone()
            for program in programs
            if needs_cut(program)
        }

    @staticmethod
    def of(module: ModuleOp) -> "Baseline":
        """The programs of a module."""
        return Baseline(units_in(module, ProgramOp))

    def check(
        self, module: ModuleOp, passes: Sequence[str] = pipelines.HOST_PLAN
    ) -> list[Validated]:
        """Prove the schedules that these programs have become by passes."""
        prepared = {name: prepare(p, passes) for name, p in self._programs.items()}
        proved: list[Validated] = []
        for schedule in units_in(module, ScheduleOp):
            if schedule.sym_name.data in prepared:
                program, trusted = prepared[schedule.sym_name.data]
                proved.append(replace(validate(program, schedule), trusted=trusted))
        return proved


def run_validated(
    steps: Sequence[ModulePass], module: ModuleOp, programs: Iterable[ProgramOp]
) -> str | None:
    """
    Runs passes on a module, and proves the schedules that programs become, unless
    `VYRE_VALIDATE=0` says that nobody wants that. Returns what was proved. The programs
    are those of which the module has copies.

    Example: `run_validated(HostPlanPass().steps(), ModuleOp([program.clone()]), [program])`
    """
    baseline = Baseline(programs, is_kept=True) if is_wanted() else None
    last = max(n for n, step in enumerate(steps) if step.name in SPLITTING)
    proved: list[Validated] = []
    for number, step in enumerate(steps):
        step.apply(Context(), module)
        if number == last:
            inherit_locations(module)
            if baseline is not None:
                passes = [each.name for each in steps[: number + 1]]
                proved = baseline.check(module, passes)
    inherit_locations(module)
    return str(proved[0]) if proved else None


def prepare(
    program: ProgramOp, passes: Sequence[str] = pipelines.HOST_PLAN
) -> tuple[ProgramOp, tuple[str, ...]]:
    """
    Returns a program in the form that is compared with schedules, and the passes on the way
    that are not proved. It is the program itself if it has that form. What passes make of
    programs on the way is made of a copy again, and proved.

    Example: `prepare(program)[1]` is `("vyre-expand-switches",)` if there are switches.
    """
    trusted: tuple[str, ...] = ()
    if _has(program, scf.IndexSwitchOp):
        program = _made(program, ExpandSwitchesPass)
        trusted = (ExpandSwitchesPass.name,)
    wanted = [name for name in passes if name in (_FEWER, _NO_RETURNS)]
    for name in dict.fromkeys((*wanted, _NO_RETURNS)):
        if name == _FEWER:
            fewer = _made(program, RemoveBarriersPass)
            validate_barriers(program, fewer)
            program = fewer
        elif _has(program, ReturnOp):
            without = _made(program, PromoteLetsPass, PredicateReturnsPass)
            validate_returns(program, without)
            program = without
    return program, trusted


_FEWER = RemoveBarriersPass.name
_NO_RETURNS = PredicateReturnsPass.name


def _has(program: ProgramOp, op_type: type[Operation]) -> bool:
    return any(type(op) is op_type for op in operations_in(program.body))


def _made(program: ProgramOp, *passes: type[ModulePass]) -> ProgramOp:
    """What passes make of a program: one in which everybody comes to every barrier."""
    module = ModuleOp([made := program.clone()])
    for step in passes:
        step().apply(Context(), module)
    try:
        verify_barriers(made)
    except Refusal as refusal:
        raise invalid(made, refusal) from None
    return made


@dataclass(frozen=True)
class ValidateSplitPass(ModulePass):
    """Runs passes, and proves that the schedules they make mean the same."""

    name = "vyre-validate-split"

    passes: tuple[str, ...] = ("vyre-host-plan",)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known = get_all_passes()
        for name in self.passes:
            if name not in SPLITTING:
                raise VyreError(
                    f"'{name}' is no pass whose schedules can be proved",
                    did_you_mean(name, SPLITTING) or f"use {', '.join(sorted(SPLITTING))}",
                )
        baseline = Baseline.of(op)
        steps = [known[name]()() for name in self.passes]
        for step in steps:
            step.apply(ctx, op)
        inherit_locations(op)
        baseline.check(op, [each.name for each in expanded(steps)])
