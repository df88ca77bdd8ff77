"""Programs without returns do what those who are alive did, or are refused."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from samples import sampled
from split_pairs import CONTEXT

import vyre
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.passes.validate_split import prepare
from vyre.reading import parse_text
from vyre.validation import InvalidSplit
from vyre.validation.returns import validate_returns

ROOT = Path(__file__).parents[3]
generator: Any = importlib.import_module("grid_programs")
soundness: Any = importlib.import_module("validation_soundness")

RETURNS = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %m = vyre.param "m" : index
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %p = vyre.load %a[%i] inbounds : memref<?xi32>
  %out = arith.cmpi sge, %i, %n : index
  scf.if %out {
    vyre.return
  }
  %x = vyre.load %a[%i] inbounds : memref<?xi32>
  %old = vyre.atomic add %one, %a[%c0] : memref<?xi32>
  vyre.barrier grid_sync
  %s = vyre.subgroup_reduce add %x : i32
  vyre.store %s, %a[%i] : memref<?xi32>
  %big = arith.cmpi sgt, %x, %one : i32
  %w = scf.while (%k = %c0) : (index) -> (index) {
    %go = arith.cmpi slt, %k, %m : index
    scf.condition(%go) %k : index
  } do {
  ^bb0(%k: index):
    vyre.barrier grid_sync
    %next = arith.addi %k, %c1 : index
    vyre.store %old, %a[%k] : memref<?xi32>
    scf.if %big {
      vyre.return
    }
    scf.yield %next : index
  }
  scf.for %k = %c0 to %m step %c1 {
    vyre.store %old, %a[%k] : memref<?xi32>
    %v = vyre.load %a[%k] : memref<?xi32>
    %end = arith.cmpi eq, %v, %one : i32
    scf.if %end {
      vyre.return
    }
  }
  vyre.store %one, %a[%i] : memref<?xi32>
}
"""
"""Has returns before a loop, in one that keeps step and in one that does not."""

ONCE = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %m = vyre.param "m" : index
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  scf.for %t = %c0 to %m step %c1 {
    %stop = arith.cmpi sge, %i, %t : index
    scf.if %stop {
      vyre.return
    }
    %trips = scf.while (%k = %c0) : (index) -> (index) {
      %go = arith.cmpi slt, %k, %m : index
      scf.condition(%go) %k : index
    } do {
    ^bb0(%k: index):
      %next = arith.addi %k, %c1 : index
      vyre.store %one, %a[%k] : memref<?xi32>
      scf.yield %next : index
    }
    scf.for %k = %c0 to %trips step %c1 {
      vyre.barrier grid_sync
    }
  }
}
"""
"""Asks in a loop whether anyone is alive, for a loop without barriers."""


def without_returns(text: str, *changes: tuple[str, str]) -> tuple[ProgramOp, ProgramOp]:
    """A program, and what becomes of it after replacements in its text."""
    module = vyre.parse(text, ctx=CONTEXT)
    made = module.clone()
    for step in (PromoteLetsPass(), PredicateReturnsPass()):
        step.apply(CONTEXT, made)
    changed = str(made)
    for old, new in changes:
        assert old in changed, changed
        changed = changed.replace(old, new, 1)
    (program,) = units_in(module, ProgramOp)
    again = parse_text(changed, "<made>", CONTEXT, verify=False)
    (predicated,) = units_in(again, ProgramOp)
    return program, predicated


def test_what_is_right_is_proved():
    for text in (RETURNS, ONCE):
        validate_returns(*without_returns(text))


def test_examples_and_programs_of_tests_are_proved():
    found = 0
    for path in sorted((*ROOT.glob("examples/*.mlir"), *ROOT.glob("tests/**/*.mlir"))):
        for part in path.read_text().split("// -----"):
            try:
                module = vyre.parse(part, ctx=CONTEXT)
                PredicateReturnsPass().apply(CONTEXT, module.clone())
            except Exception:
                continue  # Some are there to be refused.
            for program in units_in(module, ProgramOp):
                prepare(program)
                found += "vyre.return" in str(program)
    assert found >= 40


def test_random_programs_are_proved():
    summary = soundness.accept(0, range(sampled(60, 2000)), "returns")
    assert not summary.holes, summary.holes[0]
    assert summary.outcomes["accepted"]


ODD = {
    "a value that is nothing anyway": (11, 241),
    "an atomic in a branch that returns": (11, 488),
    "a loop that decides by a load": (12, 925),
    "a subgroup operation among others": (4, 1085),
    "a loop that carries a buffer and asks once": (2, 540),
    "a value of a branch that returns": (2, 1606),
    "bounds that are equal": (0, 465),
    "a question in the first region of a loop": (0, 415),
    "a loop that keeps step for what it gives": (0, 490),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_programs_are_proved(name: str):
    """They were refused once."""
    seed, number = ODD[name]
    summary = soundness.accept(seed, range(number, number + 1), "returns")
    assert summary.outcomes == {"accepted": 1}


# What is wrong


GUARD = """    scf.if %alive {
      vyre.store %s, %a[%i] : memref<?xi32>
    }
"""
STORE = "    vyre.store %s, %a[%i] : memref<?xi32>\n"
ANSWER = """      scf.if %alive_2 {
        vyre.store %round_1, %any_alive[%zero] : memref<1xindex>
      }
      vyre.barrier grid_sync
"""
EDITS = {
    "an effect of those who have returned": (RETURNS, (GUARD, STORE)),
    "a guard that is the opposite": (
        RETURNS,
        ("select %out, %false, %true", "select %out, %true, %false"),
    ),
    "a guard of before": (
        RETURNS,
        (
            "scf.if %alive_3 {\n        vyre.store %old",
            "scf.if %alive {\n        vyre.store %old",
        ),
    ),
    "alive read late": (
        RETURNS,
        ("scf.if %alive_5 {", "scf.if %alive_1 {"),
    ),
    "alive read early": (
        RETURNS,
        (
            "      %next = arith.addi %k_1, %c1 : index\n      scf.if %alive_3 {",
            "      %next = arith.addi %k_1, %c1 : index\n"
            "      %dead = arith.select %big, %false, %alive_3 : i1\n      scf.if %dead {",
        ),
    ),
    "a return that is forgotten": (
        RETURNS,
        ("scf.yield %next, %alive_4,", "scf.yield %next, %alive_3,"),
    ),
    "who is alive in the next trip": (
        RETURNS,
        ("%k_5, %more_3, %alive_8 :", "%k_5, %more_3, %alive_7 :"),
    ),
    "a loop that nobody leaves": (
        RETURNS,
        ("andi %more_1, %alive_6", "andi %more_1, %more_1"),
    ),
    "a loop that only those leave who are alive": (
        RETURNS,
        ("scf.condition(%go_1)", "scf.condition(%go)"),
    ),
    "trips": (RETURNS, ("subi %m, %k_4", "subi %k_4, %m")),
    "another value for those who are alive": (
        RETURNS,
        ("scf.yield %old_1 : i32", "scf.yield %one : i32"),
    ),
    "a load that promises too much": (
        RETURNS,
        ("%x = vyre.load %a[%i] :", "%x = vyre.load %a[%i] inbounds :"),
    ),
    "what those give who have returned": (
        RETURNS,
        ("%1 = arith.constant 0 : i32", "%1 = arith.constant 1 : i32"),
    ),
    "who gives something": (RETURNS, ("reduce add %x_1", "reduce add %x")),
    "an answer of everybody": (
        RETURNS,
        (ANSWER, ANSWER.replace("scf.if %alive_2", "scf.if %true")),
    ),
    "an answer of another round": (
        RETURNS,
        (ANSWER, ANSWER.replace("%round_1", "%one_1")),
    ),
    "no barrier after the answer": (
        RETURNS,
        (ANSWER, ANSWER.replace("      vyre.barrier grid_sync\n", "")),
    ),
    "no barrier before the next answer": (
        RETURNS,
        ("      vyre.barrier grid_sync\n      %next", "      %next"),
    ),
    "rounds that stay the same": (
        RETURNS,
        ("addi %round_2, %one_1", "addi %round_2, %zero"),
    ),
    "another element of the word": (
        RETURNS,
        ("store %round_1, %any_alive[%zero]", "store %round_1, %any_alive[%c1]"),
    ),
    "a word that others have": (RETURNS, ("scratch single", "scratch per_workgroup")),
    "a word that is not reset": (
        ONCE,
        ("vyre.store %0, %any_alive[%zero] : memref<1xi1>", ""),
    ),
    "a word that is reset to another value": (
        ONCE,
        ("%0 = arith.constant false", "%0 = arith.constant true"),
    ),
    "a word of only some": (ONCE, ("store %true_1, %any", "store %stop, %any")),
    "a step that is not kept": (
        ONCE,
        ("%go = arith.cmpi slt, %k, %m", "%go = arith.cmpi slt, %k, %i"),
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_wrong_program_is_refused(name: str):
    text, change = EDITS[name]
    with pytest.raises(InvalidSplit):
        validate_returns(*without_returns(text, change))


def test_edits_that_are_accepted_change_nothing():
    summary = soundness.edits_of_returns(3, range(sampled(12, 100)), 4)
    assert not summary.holes, summary.holes
    assert summary.outcomes["refused"] > 0
