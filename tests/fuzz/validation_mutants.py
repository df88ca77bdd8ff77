"""
Does the validator refuse what passes with one mistake make?

Each mutant changes one place of what is validated, or of what that decides with. It splits
random programs; a plan that differs from the right one is validated, and runs if it is
accepted. Every mutant is a process of its own, which imports Vyre with the change.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from random import Random

from source_mutations import Mutation, mutations, run_mutated

ROOT = Path(__file__).parents[2]
DECIDING = (
    *(f"passes/{name}.py" for name in ("hoist_grid_sync", "propagate_lets")),
    *(f"passes/{name}.py" for name in ("split_grid_sync", "rewrite_access", "segments")),
    *(f"passes/{name}.py" for name in ("run_writer", "workgroup_saves")),
    "passes/carried_workgroup_memory.py",
    *(f"analysis/{name}.py" for name in ("crossing", "keeping", "recomputation")),
    *(f"analysis/{name}.py" for name in ("slots", "variables", "host_values")),
    *(f"analysis/{name}.py" for name in ("workgroup_liveness", "overwriting")),
    *(f"analysis/{name}.py" for name in ("uniformity", "phases", "spine", "positions")),
)
"""The passes that are validated, and what they decide with."""


def all_mutations() -> list[Mutation]:
    """The single-point changes of all that is validated."""
    return [m for path in DECIDING if (ROOT / path).exists() for m in mutations(path)]


def plans(seed: int, count: int) -> list[str]:
    """What is made of random programs."""
    from grid_programs import generate
    from split_runs import CONTEXT
    from validation_soundness import pair

    import vyre

    texts = [generate(seed, number).text for number in range(count)]
    found = [pair(vyre.parse(text, ctx=CONTEXT)) for text in texts]
    return ["" if each is None else str(each[1].parent_op()) for each in found]


def examined(seed: int, right: list[str]) -> str:
    """The worst that becomes of a mutant's schedules."""
    from grid_programs import generate
    from split_runs import CONTEXT
    from validation_soundness import judged, pair

    import vyre

    changed = 0
    for number, wanted in enumerate(right):
        program = generate(seed, number)
        module = vyre.parse(program.text, ctx=CONTEXT)
        try:
            found = pair(module)
        except Exception as error:
            return f"crash: {type(error).__name__}"
        if found is None or str(found[1].parent_op()) == wanted:
            continue
        changed += 1
        outcome = judged(program, found, Random(seed))
        if outcome != "accepted, same results":
            return f"{outcome}, program {number}"
    return f"accepted, same results ({changed} plans)" if changed else "no plan changes"


def outcome_of(mutation: Mutation, seed: int, right: list[str]) -> str:
    """What becomes of one mutant."""
    outcome = run_mutated(mutation, lambda: examined(seed, right), limit=90)
    if outcome.timed_out:
        return "crash: does not end"
    return str(outcome.result or f"crash: {outcome.error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many mutants")
    parser.add_argument("--programs", type=int, default=40, help="for each of them")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    first = run_mutated(None, lambda: plans(args.seed, args.programs), limit=600)
    assert first.result is not None, first.error
    outcomes: Counter[str] = Counter()
    for mutation in Random(args.seed).sample(all_mutations(), args.count):
        outcome = outcome_of(mutation, args.seed, first.result)
        print(f"{outcome:<45} {mutation.name}", flush=True)
        outcomes[outcome.partition(", program")[0].partition(" (")[0]] += 1
    for outcome, many in sorted(outcomes.items()):
        print(f"{many:6} {outcome}")
    sys.exit(any("OTHER" in outcome for outcome in outcomes))


if __name__ == "__main__":
    main()
