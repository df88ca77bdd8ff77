"""
Does the validator accept what is right, and refuse what is wrong?

`accept` splits random programs (or takes out returns, or barriers): each refusal is a
mistake. `edits` changes what is made in one place: what is accepted runs, and must give
what the program gives. Passes that are
changed in one place are in `validation_mutants.py`.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from random import Random
from typing import get_args

from grid_programs import GridProgram, generate
from schedule_edits import random_edit
from split_pairs import pairs
from split_runs import CONTEXT, Order, results
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.analysis.walking import units_in
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp, ReturnOp, ScheduleOp
from vyre.passes.expand_switches import expanded
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.remove_barriers import RemoveBarriersPass
from vyre.validation import InvalidSplit, validate
from vyre.validation.barriers import validate_barriers
from vyre.validation.returns import validate_returns


@dataclass
class Summary:
    """What became of edits or mutants."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    holes: list[str] = field(default_factory=list[str])

    def count(self, outcome: str, what: str) -> None:
        """Count an outcome, and name what it is of if it must not be."""
        self.outcomes[outcome] += 1
        if outcome not in ("ill-formed", "refused", "accepted, same results"):
            self.holes.append(f"{outcome}: {what}")

    def __str__(self) -> str:
        lines = [f"{many:6} {what}" for what, many in sorted(self.outcomes.items())]
        return "\n".join([*lines, *self.holes])


def pair(module: ModuleOp) -> tuple[ProgramOp, ScheduleOp] | None:
    """A program in the form that is split, and its schedule; None if there is none."""
    return next(iter(pairs(module)), None)


def same_results(program: GridProgram, module: ModuleOp, rng: Random) -> bool:
    """Whether a schedule gives what the program gives, as far as that can be seen."""
    right = vyre.compile(program.text, engine="reference")
    found = vyre.compile(module, program="p", engine="reference")
    for launch in program.launches:
        expected = results(right, program, launch)
        for order in ("lockstep", *rng.sample(get_args(Order)[1:], 2)):
            if results(found, program, launch, order) != expected:
                return False
    return True


def judged(program: GridProgram, pair: tuple[ProgramOp, ScheduleOp], rng: Random) -> str:
    """What becomes of a schedule that is probably wrong."""
    module = pair[1].parent_op()
    assert isinstance(module, ModuleOp)
    return _judged(program, module, lambda: validate(*pair), rng)


def _judged(
    program: GridProgram, module: ModuleOp, prove: Callable[[], object], rng: Random
) -> str:
    from vyre.passes.verify_ops import verify_ops
    from vyre.passes.verify_program import verify_programs

    try:
        verify_ops(module)
        verify_programs(module)
    except VyreError:
        return "ill-formed"
    try:
        prove()
    except InvalidSplit:
        return "refused"
    try:
        is_same = same_results(program, module, rng)
    except VyreError as error:
        return f"accepted, does not run: {type(error).__name__}"
    return "accepted, same results" if is_same else "accepted, OTHER RESULTS"


def edits(seed: int, numbers: range, each: int) -> Summary:
    """Edit the schedules of random programs."""
    summary = Summary()
    for number in numbers:
        program = generate(seed, number)
        module = vyre.parse(program.text, ctx=CONTEXT)
        for round in range(each):
            rng = Random(f"{seed} {number} {round}")
            found = pair(module)
            if found is None:
                break
            changed = found[1].parent_op()
            assert isinstance(changed, ModuleOp)
            kind = random_edit(changed, rng)
            outcome = judged(program, found, rng)
            summary.count(outcome, f"{kind}, program {seed}/{number}, round {round}")
    return summary


def without_returns(module: ModuleOp) -> tuple[ProgramOp, ProgramOp] | None:
    """A program with returns, and what becomes of it; None if there is none."""
    module, made = expanded(module), expanded(module)
    if not any(isinstance(op, ReturnOp) for op in module.walk()):
        return None
    for step in (PromoteLetsPass(), PredicateReturnsPass()):
        step.apply(CONTEXT, made)
    (program,), (without,) = (units_in(each, ProgramOp) for each in (module, made))
    return program, without


def edits_of_returns(seed: int, numbers: range, each: int) -> Summary:
    """Edit what becomes of random programs with returns."""
    summary = Summary()
    for number, round in product(numbers, range(each)):
        program = generate(seed, number)
        found = without_returns(vyre.parse(program.text, ctx=CONTEXT))
        if found is None:
            continue
        made = found[1].parent_op()
        assert isinstance(made, ModuleOp)
        rng = Random(f"{seed} {number} {round}")
        kind = random_edit(made, rng)
        outcome = _judged(program, made, partial(validate_returns, *found), rng)
        summary.count(outcome, f"{kind}, program {seed}/{number}, round {round}")
    return summary


def accept(seed: int, numbers: range, prove: str = "splits") -> Summary:
    """Validate right schedules, or right programs without returns."""
    summary = Summary()
    for number in numbers:
        module = vyre.parse(generate(seed, number).text, ctx=CONTEXT)
        try:
            summary.outcomes["accepted"] += _PROOFS[prove](module)
        except InvalidSplit as error:
            summary.outcomes["REFUSED"] += 1
            summary.holes.append(f"program {seed}/{number}: {error}")
    return summary


def _proved_splits(module: ModuleOp) -> int:
    return len([validate(*found) for found in pairs(module)])


def _proved_returns(module: ModuleOp) -> int:
    found = without_returns(module)
    if found is not None:
        validate_returns(*found)
    return found is not None


def _proved_barriers(module: ModuleOp) -> int:
    module = expanded(module)
    (program,) = units_in(module, ProgramOp)
    RemoveBarriersPass().apply(CONTEXT, (fewer := module.clone()))
    validate_barriers(program, next(iter(units_in(fewer, ProgramOp))))
    return 1


_PROOFS: dict[str, Callable[[ModuleOp], int]] = {
    "splits": _proved_splits,
    "returns": _proved_returns,
    "barriers": _proved_barriers,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("accept", "edits"))
    parser.add_argument("--of", choices=_PROOFS, default="splits")
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=10, help="edits of each program")
    args = parser.parse_args()
    numbers = range(args.first, args.first + args.count)
    if args.what == "accept":
        summary = accept(args.seed, numbers, args.of)
    else:
        edited = edits if args.of == "splits" else edits_of_returns
        summary = edited(args.seed, numbers, args.each)
    print(summary, flush=True)
    sys.exit(bool(summary.holes))


if __name__ == "__main__":
    main()
