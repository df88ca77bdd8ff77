"""
Do the tests notice mistakes? A score of mutations of what soundness rests on.

Some mutations of the modules in `judges.py` are drawn, more of those with more points.
Each is installed in a forked process, where the tests beside the module run until one
fails: then it is killed. So it is if they do not end. Who survives and is not argued in
`argued_mutants.txt` needs a test.

Which are drawn depends on the seed and on the names of mutations: changes elsewhere in a
file change little.
"""

import argparse
import hashlib
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from judges import JUDGES
from source_mutations import ROOT, Mutation, mutations, run_mutated

COUNT = 200
ARGUED = Path(__file__).with_name("argued_mutants.txt")
MOST_SECONDS = 600
"""What takes longer has noticed it."""
FLAGS = (
    *("-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)


def drawn(seed: int, count: int, paths: Iterable[str] = JUDGES) -> list[Mutation]:
    """
    So many mutations of the modules, in an order that has nothing to do with the modules.

    Example: `drawn(0, 200)[0].name`
    """

    def place(mutation: Mutation) -> bytes:
        return hashlib.sha256(f"{seed} {mutation.name}".encode()).digest()

    found = [each for path in paths for each in mutations(path)]
    return sorted(found, key=place)[:count]


def argued() -> dict[str, str]:
    """
    Why mutations need not be noticed, by their names. An entry is a line with the name and
    indented lines with the reason.
    """
    found: dict[str, str] = {}
    name = ""
    for line in ARGUED.read_text().splitlines():
        if line.startswith("    "):
            found[name] = f"{found[name]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            name = line
            found[name] = ""
    return found


class _FirstFailure:
    """Remembers which test failed."""

    def __init__(self) -> None:
        self.name: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.name is None:
            self.name = report.nodeid


def run_tests(tests: Sequence[str]) -> tuple[str | None, list[str]]:
    """
    The first of the tests that fails, and what has been imported by then. An error outside
    of tests, such as one when a module is imported, has no name.
    """
    failure = _FirstFailure()
    sink = open(os.devnull, "w")
    sys.stdout = sys.stderr = sink
    os.dup2(sink.fileno(), 1)
    os.dup2(sink.fileno(), 2)
    os.chdir(ROOT)
    code = pytest.main([*FLAGS, *tests], plugins=[failure])
    if code != pytest.ExitCode.OK and failure.name is None:
        failure.name = f"an error ({code})"
    return failure.name, list(sys.modules)


@dataclass(frozen=True)
class Verdict:
    """What noticed a mutation, if anything did, and when."""

    by: str | None
    seconds: float


class Judge:
    """Runs tests on mutations. Tests that fail without any judge nothing."""

    def __init__(self) -> None:
        self._passing: set[str] = set()
        self.failing: set[str] = set()

    def verdict(self, mutation: Mutation) -> Verdict:
        while True:
            without = [f"--deselect={name}" for name in sorted(self.failing)]
            tests = [*without, *JUDGES[mutation.path]]
            verdict, _ = run(mutation, tests, MOST_SECONDS)
            if verdict.by is None or self._passes(verdict.by, tests):
                return verdict

    def _passes(self, name: str, tests: Sequence[str]) -> bool:
        """
        Whether the test that failed passes without a mutation. If it was none, because a
        module could not be imported, say, tests have to be found at least.
        """
        needed = [name] if "::" in name else ["--collect-only", *tests]
        key = " ".join(needed)
        if key not in self._passing:
            usual, modules = run(None, needed, MOST_SECONDS)
            _import(modules)
            if usual.by is not None:
                self.failing.add(usual.by)
                return False
            self._passing.add(key)
        return True


def run(
    mutation: Mutation | None, tests: Sequence[str], limit: float
) -> tuple[Verdict, Sequence[str]]:
    """
    Let the tests judge a mutation, or none; also gives the modules they have imported.

    Example: `run(mutation, JUDGES[mutation.path], 600)[0].by`
    """
    start = time.monotonic()
    # Code that a mutant compiles must not be found by others.
    with tempfile.TemporaryDirectory(prefix="vyre-mutant-") as folder:
        # No worker of xdist: it shares a cache that is there already.
        settings = {"VYRE_CACHE_DIR": folder, "PYTEST_XDIST_WORKER": "mutant"}

        def work() -> tuple[str | None, list[str]]:
            os.environ.update(settings)
            return run_tests(tests)

        outcome = run_mutated(mutation, work, limit)
    seconds = time.monotonic() - start
    if outcome.timed_out or outcome.error is not None:
        return Verdict(outcome.error or f"{limit:.0f} seconds", seconds), ()
    by, modules = cast(tuple[str | None, list[str]], outcome.result)
    return Verdict(by, seconds), modules


def _import(names: Iterable[str]) -> None:
    """Import what tests need of other packages, so that forked processes have it."""
    installed = {"xdsl", "numpy", "llvmlite", "hypothesis", "cupy", "typing_extensions"}
    for name in names:
        if name.partition(".")[0] in installed and name not in sys.modules:
            with suppress(Exception):
                importlib.import_module(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=COUNT, help="how many are drawn")
    parser.add_argument("--first", type=int, default=0, help="number of the first one")
    parser.add_argument("--only", help="all whose names begin so, instead of drawing")
    args = parser.parse_args()
    os.nice(10)
    if args.only is not None:
        every = (each for path in JUDGES for each in mutations(path))
        found = [each for each in every if each.name.startswith(args.only)]
    else:
        found = drawn(args.seed, args.count)[args.first :]
    sys.exit(bool(report(found, args.first)))


def report(found: Sequence[Mutation], first: int = 0) -> list[str]:
    """
    Judge and print; gives what is wrong: who survives, and tests that fail anyway.

    Example: `report(drawn(0, 200))`
    """
    judge, reasons = Judge(), argued()
    survived: list[str] = []
    killed = 0
    for number, mutation in enumerate(found, first):
        verdict = judge.verdict(mutation)
        killed += verdict.by is not None
        word = "argued" if mutation.name in reasons else "SURVIVES"
        if verdict.by is None and mutation.name not in reasons:
            survived.append(mutation.name)
        word = word if verdict.by is None else f"killed by {verdict.by}"
        print(f"{number:4} {verdict.seconds:6.1f} s  {mutation.name}", flush=True)
        print(f"                {word}", flush=True)
    count = len(found) - killed - len(survived)
    print(f"{killed} of {len(found)} killed, {count} argued, {len(survived)} survive")
    failing = [f"fails without a mutation: {name}" for name in sorted(judge.failing)]
    print(*failing, sep="\n")
    return [*survived, *failing]


if __name__ == "__main__":
    main()
