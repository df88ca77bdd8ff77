"""
Whatever text it is given, `vyre-opt` prints a program or exactly one diagnostic.

The inputs are those of `tests/fuzz/mutated_ir.py`, which also runs alone with other seeds.
"""

import importlib
from pathlib import Path
from random import Random
from typing import Any

import pytest
from samples import sampled

from vyre.dialects.vyre import Vyre

fuzzer: Any = importlib.import_module("mutated_ir")
seeds: Any = importlib.import_module("mutations")


def test_the_seeds_hold_every_operation():
    """A mutation can only break what the seeds contain."""
    tokens = {token.strip('"') for text in seeds.programs() for token in seeds.tokens(text)}
    assert {op.name for op in Vyre.operations} <= tokens


@pytest.mark.few(15)
@pytest.mark.parametrize("index", range(2 * len(seeds.written())))
def test_the_seeds_are_accepted(index: int, tmp_path: Path):
    """A mutant of a refused text mostly shows the same refusal again."""
    opt = fuzzer.Opt(tmp_path)
    assert fuzzer.examine(opt, Random(index), seeds.programs()[index]) == "accepted"


def test_an_input_depends_on_seed_and_number_alone():
    """A violation that is reported by these two can be found again."""
    for index in range(50):
        assert seeds.mutant(7, index)[:2] == seeds.mutant(7, index)[:2]


@pytest.mark.parametrize(
    ("code", "stdout", "stderr"),
    [
        (0, "", "warning: odd\n"),
        (1, "", ""),
        (1, "builtin.module {}\n", "error: wrong\nFix: right it\n"),
        (1, "", "error: wrong\n"),
        (1, "", "a:1:1: error: wrong\nb:1:1: error: too\nFix: right it\n"),
        (1, "", "Traceback (most recent call last):\nerror: wrong\nFix: right it\n"),
        (1, "", "error: the tool broke down: KeyError\nFix: this is a bug; report it\n"),
        (2, "", "error: wrong\nFix: right it\n"),
    ],
)
def test_the_fuzzer_sees_violations(code: int, stdout: str, stderr: str):
    """Else its silence would mean nothing."""
    outcome = fuzzer.Outcome((), code, stdout, stderr, "parser")
    with pytest.raises(fuzzer.Violation):
        outcome.check()


def test_mutants(tmp_path: Path):
    """
    Mutated, truncated, deeply nested and very long texts, a few also as commands;
    `make fuzz-ir` takes other seeds.
    """
    count = sampled(100, 1000)
    report = fuzzer.fuzz(0, range(count), tmp_path, processes=sampled(3, 24))
    assert report.counts.total() == count
    assert not report.violations, "\n\n".join(report.violations)
