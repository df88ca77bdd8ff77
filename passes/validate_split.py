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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from vyre.analysis.spine import needs_cut
from vyre.analysis.walking import operations_in, units_in
from vyre.diagnostics import VyreError, did_you_mean
from vyre.dialects.vyre import LetOp, ProgramOp, ReturnOp, ScheduleOp
from vyre.locations import inherit_locations
from vyre.passes import get_all_passes
from vyre.passes.expand_switches import ExpandSwitchesPass
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.validation import Validated, validate

SPLITTING = frozenset(
    (
        "vyre-host-plan",
        "vyre-expand-switches",
        "vyre-promote-lets",
        "vyre-predicate-returns",
        "vyre-hoist-grid-sync",
        "vyre-propagate-lets",
        "vyre-split-grid-sync",
        "vyre-rewrite-access",
    )
)
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

    def check(self, module: ModuleOp) -> list[Validated]:
        """Prove the schedules that these programs have become."""
        proved: list[Validated] = []
        for schedule in units_in(module, ScheduleOp):
            program = self._programs.get(schedule.sym_name.data)
            if program is not None:
                prepared, trusted = prepare(program)
                proved.append(replace(validate(prepared, schedule), trusted=trusted))
        return proved


_FIRST: dict[type[Operation], type[ModulePass]] = {
    scf.IndexSwitchOp: ExpandSwitchesPass,
    LetOp: PromoteLetsPass,
    ReturnOp: PredicateReturnsPass,
}
"""What has to go before a split, and how it goes."""


def prepare(program: ProgramOp) -> tuple[ProgramOp, tuple[str, ...]]:
    """
    Returns a program in the form that is compared, and the passes that it took. It is the
    program itself if it has that form.

    Example: `prepare(program)[1]` is `("vyre-promote-lets", "vyre-predicate-returns")`.
    """
    kinds = {type(op) for op in operations_in(program.body)}
    needed = [step for op_type, step in _FIRST.items() if op_type in kinds]
    if ReturnOp not in kinds:
        needed = [step for step in needed if step is not PromoteLetsPass]
    if needed:
        program = program.clone()
        module = ModuleOp([program])
        for step in needed:
            step().apply(Context(), module)
    return program, tuple(step.name for step in needed)


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
        for name in self.passes:
            known[name]()().apply(ctx, op)
        inherit_locations(op)
        baseline.check(op)
