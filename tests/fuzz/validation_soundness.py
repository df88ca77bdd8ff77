"""
Does the validator accept what is right, and refuse what is wrong?

`accept` splits random programs: each refusal is a mistake. `edits` changes their schedules
in one place: what is accepted runs, and must give what the program gives. Passes that are
changed in one place are in `validation_mutants.py`.
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import get_args

from grid_programs import GridProgram, generate
from schedule_edits import random_edit
from split_pairs import pairs
from split_runs import CONTEXT, Order, results
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.validation import InvalidSplit, validate


@dataclass
class Summary:
    """What became of edits or mutants."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    holes: list[str] = field(default_factory=list[str])

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
    from vyre.passes.verify_ops import verify_ops
    from vyre.passes.verify_program import verify_programs

    module = pair[1].parent_op()
    assert isinstance(module, ModuleOp)
    try:
        verify_ops(module)
        verify_programs(module)
    except VyreError:
        return "ill-formed"
    try:
        validate(*pair)
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
            summary.outcomes[outcome] += 1
            if outcome not in ("ill-formed", "refused", "accepted, same results"):
                text = f"{outcome}: {kind}, program {seed}/{number}, round {round}"
                summary.holes.append(text)
    return summary


def accept(seed: int, numbers: range) -> Summary:
    """Validate right schedules."""
    summary = Summary()
    for number in numbers:
        found = pair(vyre.parse(generate(seed, number).text, ctx=CONTEXT))
        if found is None:
            continue
        try:
            validate(*found)
            summary.outcomes["accepted"] += 1
        except InvalidSplit as error:
            summary.outcomes["REFUSED"] += 1
            summary.holes.append(f"program {seed}/{number}: {error}")
    return summary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("accept", "edits"))
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=10, help="edits of each program")
    args = parser.parse_args()
    numbers = range(args.first, args.first + args.count)
    if args.what == "edits":
        summary = edits(args.seed, numbers, args.each)
    else:
        summary = accept(args.seed, numbers)
    print(summary, flush=True)
    sys.exit(bool(summary.holes))


if __name__ == "__main__":
    main()
