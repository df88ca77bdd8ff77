"""
Broken programs through `vyre-opt`.

Whatever text it is given, the tool prints a program or exactly one diagnostic, soon. This
makes texts that are nearly programs, and texts that are far too large or too deep, and
checks that this holds, that what is accepted survives passes, and that what is printed is
read back as the same program.

Input k depends on the seed, on k and on the texts that are mutated: a violation is found
again with `--first k --count 1` as long as `examples/` and the documentation stay as they
are, and in the file that is kept for it.
"""

import argparse
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random
from types import FrameType
from unittest.mock import patch

from mutations import MUTATIONS, mutant
from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.universe import Universe

from vyre.tools.failures import report_failures
from vyre.tools.vyre_opt import VyreOptMain

ROOT = Path(__file__).parents[2]
HANG_SECONDS = 10
MEMORY_LIMIT = 6 << 30
"""Bytes of address space: a small text must not take the machine with it."""

PASSES = ("canonicalize", "cse", "dce", "vyre-verify-program")
LARGE = 20_000
"""Characters of a text that takes too long to be sent through passes as well."""


class Violation(Exception):
    """The tool did what it must never do."""


class Hang(BaseException):
    """Not an `Exception`, so that nothing in the tool takes it for one of its own."""


@dataclass(frozen=True)
class Outcome:
    """How a run of the tool ended; `stage` is the parser or the verifier and passes."""

    flags: tuple[str, ...]
    code: int | None
    stdout: str
    stderr: str
    stage: str

    def check(self) -> "Outcome":
        """The outcome itself, if it is output or one diagnostic and nothing else."""
        lines = self.stderr.rstrip("\n").split("\n")
        diagnostics = sum(bool(re.search(r"(^|: )error: ", line)) for line in lines)
        foreign = re.match(r"error: pass '(canonicalize|cse|dce)' broke down", self.stderr)
        if self.code == 0:
            fine = not self.stderr
        else:
            fine = self.code == 1 and not self.stdout and diagnostics == 1
            fine &= lines[-1].startswith("Fix: ")
            fine &= foreign is not None or "this is a bug" not in self.stderr
            fine &= "Traceback" not in self.stderr and "MemoryError" not in self.stderr
        if not fine:
            raise Violation(f"{self.flags} ended with {self.code}:\n{self.stderr}")
        return self


class StagedOpt(VyreOptMain):
    """The tool, which tells how far it came."""

    stage = "parser"

    @override
    def apply_passes(self, prog: ModuleOp) -> None:
        StagedOpt.stage = "verifier"
        super().apply_passes(prog)


@dataclass
class Opt:
    """Runs `vyre-opt` in this process on texts that it writes to a file of the folder."""

    folder: Path
    slowest: float = 0.0

    def run(self, text: str, *flags: str) -> Outcome:
        path = self.folder / "input.mlir"
        path.write_bytes(text.encode(errors="surrogateescape"))
        streams = [TextIOWrapper(BytesIO(), "utf-8", newline="\n") for _ in range(2)]
        StagedOpt.stage, start = "parser", time.perf_counter()
        code = None
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]), _alarm():
            code = report_failures(lambda: StagedOpt([str(path), *flags]).run())
        self.slowest = max(self.slowest, time.perf_counter() - start)
        for stream in streams:
            stream.seek(0)
        return Outcome(flags, code, streams[0].read(), streams[1].read(), StagedOpt.stage)


@contextmanager
def _alarm() -> Generator[None]:
    """Raise `Hang` after the time that no input may take, and again if it is swallowed."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise Hang

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, HANG_SECONDS, 1)
    try:
        yield
    except Hang:
        raise Violation(f"still running after {HANG_SECONDS} seconds") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def limited_memory() -> Generator[None]:
    """A text that asks for too much memory fails, instead of the machine."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def examine(opt: Opt, rng: Random, text: str) -> str:
    """Where the text is refused, or that it is accepted; a `Violation` if neither is so."""
    first = opt.run(text).check()
    if first.code != 0:
        return f"refused by {first.stage}"
    _expect_same(first.stdout, opt.run(first.stdout).check())
    if len(text) > LARGE:
        return "accepted"
    passes = ",".join(rng.choices(PASSES, k=rng.randint(0, 4)))
    generic = opt.run(text, "--print-op-generic", "-p", passes).check()
    if generic.code == 0:
        custom = opt.run(generic.stdout).check()
        # Folding may leave an index outside its buffer in code that never runs.
        if "is outside a dimension of size" not in custom.stderr:
            again = opt.run(custom.stdout, "--print-op-generic").check()
            _expect_same(generic.stdout, again)
    return "accepted"


def _expect_same(text: str, again: Outcome) -> None:
    # Names of blocks may change once: a label that is not printed still takes its name.
    first, second = (re.sub(r"\^\w+", "^", printed) for printed in (text, again.stdout))
    if first != second:
        raise Violation(f"printed:\n{text}\nread back with {again.flags}:\n{again}")


def compare_process(opt: Opt, text: str) -> None:
    """The command itself must end as the tool does in this process."""
    expected = opt.run(text)
    command = [Path(sys.executable).with_name("vyre-opt"), opt.folder / "input.mlir"]
    try:
        process = subprocess.run(command, capture_output=True, timeout=2 * HANG_SECONDS)
    except subprocess.TimeoutExpired:
        raise Violation(f"as a command: still running after {2 * HANG_SECONDS} s") from None
    found = process.returncode, process.stdout.decode(), process.stderr.decode()
    if found != (expected.code, expected.stdout, expected.stderr):
        raise Violation(f"in this process: {expected}\nas a command: {found}")


@dataclass
class Report:
    """What happened to how many inputs of which kind."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    violations: list[str] = field(default_factory=list[str])
    slowest: tuple[float, int] = (0.0, -1)

    def __str__(self) -> str:
        columns = ("accepted", "refused by parser", "refused by verifier", "violation")
        rows: list[tuple[str, ...]] = [("", *columns)]
        for kind in (*MUTATIONS, "total"):
            kinds = MUTATIONS if kind == "total" else (kind,)
            sums = (sum(self.counts[k, column] for k in kinds) for column in columns)
            rows.append((kind, *map(str, sums)))
        table = "\n".join(
            f"{row[0]:20}" + "".join(f"{x:>21}" for x in row[1:]) for row in rows
        )
        seconds, index = self.slowest
        return f"{table}\nslowest run: {seconds:.2f} s, of input {index}"


def fuzz(seed: int, indices: range, keep: Path, processes: int = 0) -> Report:
    """
    Run the inputs, and some of them also as commands. Inputs that break a rule are
    written to `keep`; so is the one that runs, in case it takes this process with it.
    """
    report = Report()
    keep.mkdir(parents=True, exist_ok=True)
    as_command = set(indices[:: max(1, len(indices) // processes)] if processes else ())
    # Whenever it starts, the tool asks which packages are installed; that takes a while.
    installed = patch.object(Universe, "get_multiverse", cache(Universe.get_multiverse))
    with limited_memory(), installed:
        for index in indices:
            kind, text, rng = mutant(seed, index)
            opt = Opt(keep)
            try:
                verdict = examine(opt, rng, text)
                if index in as_command:
                    compare_process(opt, text)
            except Violation as violation:
                verdict = "violation"
                path = keep / f"violation-{seed}-{index}.mlir"
                path.write_bytes(text.encode(errors="surrogateescape"))
                path.with_suffix(".txt").write_text(str(violation))
                report.violations.append(f"{path} ({kind}): {str(violation)[:500]}")
            report.counts[kind, verdict] += 1
            report.slowest = max(report.slowest, (opt.slowest, index))
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many inputs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--processes", type=int, default=24, help="how many as commands")
    parser.add_argument("--keep", type=Path, help="folder for inputs that break a rule")
    args = parser.parse_args()
    keep = args.keep or Path(tempfile.mkdtemp(prefix="vyre-fuzz-"))
    indices = range(args.first, args.first + args.count)
    report = fuzz(args.seed, indices, keep, args.processes)
    print(*report.violations, report, sep="\n\n")
    sys.exit(bool(report.violations))


if __name__ == "__main__":
    main()
