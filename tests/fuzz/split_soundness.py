"""
Random programs, as they are written, split and compiled: do they mean the same?

Programs are those of `grid_programs.py`; program k depends on the seed and on k alone.
What fails is made small and written to a folder, with all that is needed to run it again:
`split_soundness.py --file build/fuzz/....mlir`.

With `--only-native` programs run as they are written on the reference engine, and in all
ways on the CPU engine: for when it is this engine that has changed.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from foreign_operations import CONTEXT, with_foreign
from grid_programs import GridProgram, Launch, generate
from program_shrinking import shrink
from split_runs import Failure, Options, Report, examine
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.diagnostics import VyreError

KEEP = Path(__file__).parents[2] / "build" / "fuzz"
MARK = "// case: "


@dataclass
class Summary:
    """What became of many programs."""

    count: int = 0
    features: Counter[str] = field(default_factory=Counter[str])
    failures: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Numbers of programs that fail, by the signature of the failure."""
    shown: dict[str, Failure] = field(default_factory=dict[str, Failure])

    def add(self, number: int, report: Report) -> None:
        self.count += 1
        self.features.update(report.features)
        if report.failure is not None:
            signature = report.failure.signature
            self.failures.setdefault(signature, []).append(number)
            self.shown.setdefault(signature, report.failure)

    def coverage(self) -> str:
        """How many programs have which feature."""
        return "\n".join(
            f"{100 * many / self.count:6.1f} %  {name}"
            for name, many in sorted(self.features.items())
        )

    def __str__(self) -> str:
        lines = [f"{self.count} programs, {sum(map(len, self.failures.values()))} fail"]
        for signature, numbers in self.failures.items():
            lines.append(f"\n{len(numbers)} of them, as {numbers[:8]}: {signature}")
            lines.append(str(self.shown[signature]))
        return "\n".join(lines)


def fuzz(seed: int, numbers: range, options: Options, jobs: int = 1) -> Summary:
    """Examine programs in one or several processes."""
    summary = Summary()
    work = partial(_examine, seed, options)
    for number, report in _all(work, numbers, jobs):
        summary.add(number, report)
    return summary


def _all(work: Any, numbers: range, jobs: int) -> Iterable[tuple[int, Report]]:
    if jobs == 1:
        yield from map(work, numbers)
        return
    with Pool(jobs) as pool:
        yield from pool.imap(work, numbers, chunksize=8)


def _examine(seed: int, options: Options, number: int) -> tuple[int, Report]:
    return number, examine(program_of(seed, number), options)


def program_of(seed: int, number: int) -> GridProgram:
    """The program of this number; every second one may have foreign operations."""
    program = generate(seed, number)
    return with_foreign(program) if number % 2 else program


# Small programs that fail


def reduced(program: GridProgram, options: Options, seconds: float) -> GridProgram:
    """The same failure in a program as small as can be found in this time."""
    wanted = examine(program, options).failure
    assert wanted is not None
    for launch in program.launches:
        single = replace(program, launches=(launch,))
        if _fails_alike(single, options, wanted):
            program = single
            break

    def fails(module: ModuleOp) -> bool:
        return _fails_alike(replace(program, text=str(module)), options, wanted)

    smallest = shrink(vyre.parse(program.text, ctx=CONTEXT), fails, seconds)
    return replace(program, text=str(smallest))


def _fails_alike(program: GridProgram, options: Options, wanted: Failure) -> bool:
    """Whether a program is valid, and fails for what looks like the same reason."""
    failure = examine(program, options).failure
    if failure is None or failure.signature != wanted.signature:
        return False
    return failure.kind in ("invalid", "unproved") or is_valid(program)


def is_valid(program: GridProgram) -> bool:
    """Whether the checker finds nothing that the program is not meant to have."""
    try:
        return not any(findings(program))
    except VyreError:
        return False


def findings(program: GridProgram) -> Iterator[VyreError]:
    """What makes a program invalid on its inputs."""
    exe = vyre.compile(vyre.parse(program.text, ctx=CONTEXT), engine="reference")
    for launch in program.launches:
        arguments = program.arguments(launch)
        known = {name: arguments[name] for name in exe.bindings.names}
        grid = None if launch.is_inferred else launch.grid
        for finding in exe.check(known, grid=grid, timeout=60):
            if finding.kind not in program.tolerates:
                yield finding


def written(program: GridProgram, note: str) -> str:
    """A program as a file that `read` understands."""
    case = {
        "seed": program.seed,
        "launches": [vars(launch) for launch in program.launches],
        "params": dict(program.params),
        "elements": dict(program.elements),
        "fills": dict(program.fills),
        "tolerates": sorted(program.tolerates),
        "foreign": program.foreign,
    }
    comment = "".join(f"// {line}\n" for line in note.split("\n"))
    return f"{MARK}{json.dumps(case)}\n{comment}{program.text}"


def read(path: Path) -> GridProgram:
    """A program that was kept."""
    text = path.read_text()
    line = next(line for line in text.split("\n") if line.startswith(MARK))
    case = json.loads(line.removeprefix(MARK))
    launches = tuple(
        Launch(
            tuple(launch["grid"]),
            launch["is_inferred"],
            {name: tuple(shape) for name, shape in launch["shapes"].items()},
        )
        for launch in case.pop("launches")
    )
    tolerates = frozenset(case.pop("tolerates"))
    return GridProgram(text=text, launches=launches, tolerates=tolerates, **case)


def keep(
    summary: Summary, seed: int, options: Options, folder: Path, seconds: float
) -> None:
    """Make one program small for each kind of failure, and write it to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for signature, numbers in summary.failures.items():
        path = folder / f"{summary.shown[signature].kind}-{seed}-{numbers[0]}.mlir"
        small = reduced(program_of(seed, numbers[0]), options, seconds)
        path.write_text(written(small, str(examine(small, options).failure)))
        print(f"written: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--stages", action="store_true", help="run after every pass")
    parser.add_argument("--variants", action="store_true", help="change programs, too")
    native = parser.add_mutually_exclusive_group()
    native.add_argument("--no-native", action="store_true", help="leave out native code")
    native.add_argument("--only-native", action="store_true", help="leave out splitting")
    parser.add_argument("--coverage", action="store_true", help="tell what programs had")
    parser.add_argument("--shrink", type=float, default=60, help="seconds for each failure")
    parser.add_argument("--keep", type=Path, default=KEEP, help="folder for what fails")
    parser.add_argument("--file", type=Path, help="run a kept program and nothing else")
    args = parser.parse_args()
    options = Options(not args.only_native, args.stages, args.variants, not args.no_native)
    if args.file is not None:
        failure = examine(read(args.file), options).failure
        sys.exit(None if failure is None else str(failure))
    start = time.perf_counter()
    numbers = range(args.first, args.first + args.count)
    summary = fuzz(args.seed, numbers, options, args.jobs)
    seconds = time.perf_counter() - start
    if args.coverage:
        print(summary.coverage())
    print(f"{summary}\n{args.count / seconds:.1f} programs per second", flush=True)
    if args.shrink > 0:
        keep(summary, args.seed, options, args.keep, args.shrink)
    sys.exit(bool(summary.failures))


if __name__ == "__main__":
    main()
