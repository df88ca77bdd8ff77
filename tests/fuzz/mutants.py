"""
Would the fuzzer find the mistakes of other splitters?

Each mutant brings back one of them, by a patch of the code that avoids it. The fuzzer must
find it: `make mutants` prints after how many programs it does.
"""

import argparse
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

from grid_policies import LONG
from grid_programs import generate
from split_runs import Failure, examine
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from vyre.analysis import keeping, variables
from vyre.analysis.buffer_sources import is_workgroup_memory
from vyre.analysis.grid_lengths import grid_lengths
from vyre.analysis.positions import Role
from vyre.analysis.spine import Spine
from vyre.analysis.workgroup_liveness import Survival
from vyre.diagnostics import Segment
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    BufferOp,
    LoadOp,
    ReturnOp,
    ScheduleOp,
)
from vyre.dialects.vyre.attributes import Access
from vyre.passes import propagate_lets, split_grid_sync
from vyre.passes.host_plan import HostPlanPass
from vyre.runtime.backend import Buffer, Launch
from vyre.runtime.binding import Arguments
from vyre.runtime.config import DispatchConfig
from vyre.runtime.device import Device
from vyre.runtime.executable import Executable
from vyre.runtime.geometry import infer_grid, programs_of, workgroup_of

LIMIT = 2000
"""Programs within which each mistake must show."""

# What is patched is private; the patches look it up by name.
RUN_CUT: Any = vars(keeping)["_RunCut"]


def repeating(is_repeated: Callable[[Any, Operation], bool]) -> AbstractContextManager[Any]:
    """Let operations be executed again that are not repeated otherwise."""
    right = RUN_CUT._may_repeat

    def wrong(cut: Any, value: SSAValue) -> bool:
        owner = value.owner
        return right(cut, value) or (
            isinstance(owner, Operation)
            and value not in cut.crossing.variable_of
            and is_repeated(cut, owner)
        )

    return patch.object(RUN_CUT, "_may_repeat", wrong)


def loads_are_repeated() -> AbstractContextManager[Any]:
    """H1: a load is executed again although its buffer has changed."""

    def is_repeated(cut: Any, op: Operation) -> bool:
        sources = cut.crossing.sources
        is_load = isinstance(op, LoadOp)
        return is_load and not any(map(is_workgroup_memory, sources[op.buffer]))

    return repeating(is_repeated)


def snapshots_are_repeated() -> AbstractContextManager[Any]:
    """H28: a load is executed again in the phase that changes its buffer."""

    def is_repeated(cut: Any, op: Operation) -> bool:
        if not isinstance(op, LoadOp):
            return False
        home = cut.crossing.home_of(op.value)
        return cut.crossing.writers.may_reload(op, home, cut.run - 1)

    return repeating(is_repeated)


def atomics_are_repeated() -> AbstractContextManager[Any]:
    """H2: an atomic is executed again where its result is used."""
    return repeating(lambda cut, op: isinstance(op, AtomicOp | AtomicCasOp))


def assignments_are_lost(role: Role) -> AbstractContextManager[Any]:
    """H3: a variable keeps the first value that flows into it."""
    right = variables.Placing.place

    def wrong(placing: variables.Placing, variable: variables.Variable) -> None:
        right(placing, variable)
        if variable.position.role is role:
            del variable.writes[1:]

    return patch.object(variables.Placing, "place", wrong)


@contextmanager
def workgroup_memory_is_lost() -> Generator[None]:
    """H5: workgroup memory does not survive the end of a launch."""

    def wrong(spine: Spine, *_: object) -> Survival:
        return Survival([{} for _ in spine.runs], [{} for _ in spine.runs])

    name = "surviving_workgroup_memory"
    with (
        patch.object(propagate_lets, name, wrong),
        patch.object(split_grid_sync, name, wrong),
    ):
        yield


class ForgetReturns(ModulePass):
    """In the place of `vyre-predicate-returns`."""

    name = "forget-returns"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [inner for inner in op.walk() if isinstance(inner, ReturnOp)]:
            Rewriter.erase_op(inner)


def returns_are_forgotten() -> AbstractContextManager[Any]:
    """H6: who has returned goes on after the barrier."""
    switches, promote, _, *others = HostPlanPass().steps()
    steps = (switches, promote, ForgetReturns(), *others)
    return patch.object(HostPlanPass, "steps", return_value=steps)


def partial_writes_lose_the_rest() -> AbstractContextManager[Any]:
    """H12: what a launch only writes starts as zeros."""
    right = Device.launch

    def wrong(device: Device, launch: Launch, segment: Segment | None) -> Any:
        for entry, argument in zip(launch.program.launch_table, launch.arguments):
            if isinstance(entry, BufferOp) and entry.access.data is Access.WRITE_ONLY:
                assert isinstance(argument, Buffer)
                device.clear(argument)
        return right(device, launch, segment)

    return patch.object(Device, "launch", wrong)


def geometry_of_the_first_segment() -> AbstractContextManager[Any]:
    """H14: the grid is inferred from the first segment."""
    right = Executable.plan

    def wrong(exe: Executable, arguments: Arguments, config: DispatchConfig) -> Any:
        programs = programs_of(exe.program)
        if config.grid is None and isinstance(exe.program, ScheduleOp) and programs:
            shapes = arguments.shapes()
            seen = grid_lengths(programs[0]) or ()
            lengths = [length for length in seen if length.buffer in shapes]
            grid = infer_grid(workgroup_of(programs[0]), tuple(lengths), shapes)
            config = config.with_options({"grid": grid})
        return right(exe, arguments, config)

    return patch.object(Executable, "plan", wrong)


MUTANTS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "H1": loads_are_repeated,
    "H2": atomics_are_repeated,
    "H3 (loops)": lambda: assignments_are_lost(Role.CARRIED),
    "H3 (branches)": lambda: assignments_are_lost(Role.CHOSEN),
    "H5": workgroup_memory_is_lost,
    "H6": returns_are_forgotten,
    "H12": partial_writes_lose_the_rest,
    "H14": geometry_of_the_first_segment,
    "H28": snapshots_are_repeated,
}


RICH_IN = {"H3 (branches)": "returns", "H28": LONG}
"""What programs are rich in that show some mutants, which others show seldom."""


def first_failure(
    mutant: str, seed: int, start: int = 0, limit: int = LIMIT
) -> tuple[int, Failure] | None:
    """The number of the first program that shows a mutant, and what it shows."""
    for number in range(start, limit):
        program = generate(seed, number, RICH_IN.get(mutant))
        with MUTANTS[mutant]():
            failure = examine(program).failure
        if failure is not None:
            return number, failure
    return None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--only", choices=MUTANTS, nargs="*", default=list(MUTANTS))
    args = arguments.parse_args()
    for mutant in args.only:
        found = first_failure(mutant, args.seed)
        shown = (
            "not found" if found is None else f"{found[0] + 1:5} programs, {found[1].kind}"
        )
        print(f"{mutant:<14}{shown}", flush=True)


if __name__ == "__main__":
    main()
