"""Right schedules are proved, wrong ones are refused, by each rule of the validator."""

import ast
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from samples import sampled
from split_pairs import CONTEXT, edited, pairs

import vyre
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.llvm.passes.plan_workgroups import workgroup_schedule
from vyre.passes import validate_split
from vyre.validation import InvalidSplit, aliasing, interface, lockstep, validate
from vyre.validation.equality import Equality
from vyre.validation.levels import Levels
from vyre.validation.memory import Memory
from vyre.validation.overwriting import Overwriting
from vyre.validation.scratch import Places

ROOT = Path(__file__).parents[3]
generator: Any = importlib.import_module("grid_programs")
soundness: Any = importlib.import_module("validation_soundness")
mutants: Any = importlib.import_module("mutants")

EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))

KEPT = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = vyre.load %b[%i] : memref<?xi32>
  vyre.store %y, %tile[%l] : memref<4xi32>
  vyre.store %y, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %first = vyre.atomic add %one, %b[%c0] : memref<?xi32>
  %u, %v = scf.for %k = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (i32, i32) {
    %o = arith.subi %c3, %l : index
    %t = vyre.load %tile[%o] : memref<4xi32>
    %w = arith.addi %p, %t : i32
    vyre.barrier grid_sync
    vyre.store %w, %tile[%l] : memref<4xi32>
    scf.yield %q, %w : i32, i32
  }
  vyre.barrier grid_sync
  %s = vyre.load %b[%c0] : memref<?xi32>
  %sum = arith.addi %s, %s : i32
  %go = arith.cmpi sgt, %sum, %one : i32
  scf.if %go {
    vyre.store %u, %a[%i] : memref<?xi32>
    vyre.barrier grid_sync
    vyre.store %first, %a[%i] : memref<?xi32>
  }
}
"""
"""Has what crosses in every way."""

EXCHANGE = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%next] : memref<?xi32>
}
"""

PARTLY = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %i = vyre.invocation_id x
  %l = vyre.local_id x
  %zero = arith.constant 0 : index
  %x = vyre.load %a[%i] : memref<?xi32>
  %five = arith.constant 5 : i32
  vyre.store %x, %tile[%l] : memref<4xi32>
  vyre.barrier grid_sync
  vyre.store %five, %tile[%zero] : memref<4xi32>
  vyre.barrier acq_rel
  %y = vyre.load %tile[%l] : memref<4xi32>
  vyre.store %y, %a[%i] : memref<?xi32>
}
"""

NOT_EXCHANGED = """
vyre.program @p [4, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r, %s = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x, %b = %y)
      -> (memref<?xi32>, memref<?xi32>) {
    %v = vyre.load %a[%i] : memref<?xi32>
    vyre.store %v, %b[%i] : memref<?xi32>
    vyre.barrier grid_sync
    scf.yield %b, %b : memref<?xi32>, memref<?xi32>
  }
}
"""


# What is right


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").glob("*.mlir")), ids=lambda p: p.stem
)
def test_examples_are_proved(path: Path):
    for program, schedule in pairs(vyre.parse(path, ctx=CONTEXT)):
        assert validate(program, schedule).launches


def test_random_programs_are_proved():
    summary = soundness.accept(0, range(sampled(25, 400)))
    assert not summary.holes, summary.holes[0]


def test_a_loop_whose_buffer_nobody_takes_stays_in_its_launch():
    text = generator.generate(31, 1038).text
    assert all(validate(*pair) for pair in pairs(vyre.parse(text, ctx=CONTEXT)))


def test_what_was_proved_is_counted():
    assert str(validate(*edited(KEPT))) == (
        "6 launches, 6 effects, 5 slots; trusted: vyre-verify-program, the engine"
    )


CELLS = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %n = vyre.param "n" : index
  %i = vyre.invocation_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = vyre.load %a[%i] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %sum = vyre.let "sum" = %zero : i32
  scf.for %k = %c0 to %n step %c1 {
    %y = vyre.load %a[%k] : memref<?xi32>
    %odd = arith.cmpi ne, %y, %x : i32
    scf.if %odd {
      %old = vyre.get %sum : !vyre.cell<i32>
      %new = arith.addi %old, %y : i32
      vyre.assign %new, %sum : !vyre.cell<i32>
    }
    vyre.barrier grid_sync
  }
  %total = vyre.get %sum : !vyre.cell<i32>
  vyre.store %total, %a[%i] : memref<?xi32>
}
"""


def test_variables_are_compared_as_they_are_written():
    proved = validate(*edited(CELLS))
    assert proved.effects == 1
    with pytest.raises(InvalidSplit, match="after a trip of a loop"):
        validate(*edited(CELLS, ("arith.addi %sum, %y", "arith.addi %y, %y")))


def test_schedules_of_workgroups_are_proved():
    module = vyre.parse(PARTLY.replace("grid_sync", "acq_rel"), ctx=CONTEXT)
    (program,) = units_in(module, ProgramOp)
    with patch.object(validate_split, "validate", wraps=validate) as proof:
        workgroup_schedule(program)
    assert proof.call_count == 1


# What is wrong


LAST = "      vyre.launch @p.5(%a, %x_kept)\n"
EDITS = {
    "a launch is lost": (("      vyre.launch @p.4(%a, %y_kept)\n", ""), "something else"),
    "a launch comes twice": (
        (
            "      vyre.launch @p.5(%a, %x_kept)\n",
            "      vyre.launch @p.5(%a, %x_kept)\n" * 2,
        ),
        "does more than the program",
    ),
    "a condition": (
        ("scf.if %go", "%y_ = arith.xori %go, %go : i1\nscf.if %y_"),
        "condition",
    ),
    "a bound": (("to %n step", "to %c1 step"), "a bound differs"),
    "an argument": (("launch @p.4(%a, %y", "launch @p.4(%b, %y"), "something else"),
    "what enters a loop": (("store %x, %y_kept", "store %y, %y_kept"), "first trip"),
    "what goes round": (("store %q, %y_kept", "store %w, %y_kept"), "after a trip"),
    "an atomic comes twice": (
        (
            "    %first = vyre.atomic",
            "    %f2 = vyre.atomic add %one, %b[%c0] : memref<?xi32>\n"
            "    %first = vyre.atomic",
        ),
        "the program does not",
    ),
    "a fence before a save": (
        ("%a[%i] : memref<?xi32>\n    vyre.barrier acq_rel\n", "%a[%i] : memref<?xi32>\n"),
        "no barrier comes before",
    ),
    "a fence after a restore": (
        ("    vyre.barrier acq_rel\n    %c3", "    %c3"),
        "no barrier comes after the copy",
    ),
    "a part of a copy": (
        (
            "%3 = arith.constant 4 : index\n    scf.for",
            "%3 = arith.constant 8 : index\n    scf.for",
        ),
        "not all of the workgroup memory",
    ),
    "another place": (
        ("%x = vyre.load %x_kept[%0]", "%x = vyre.load %x_kept[%c0]"),
        "own place",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_wrong_schedule_is_refused(name: str):
    change, reason = EDITS[name]
    program, schedule = edited(KEPT, change)
    with pytest.raises(InvalidSplit) as error:
        validate(program, schedule)
    assert reason in str(error.value)
    assert "report it with the text of the program" in error.value.fix


def test_a_mismatch_shows_both_sides():
    program, schedule = edited(EXCHANGE, ("store %x, %a[%next]", "store %x, %a[%i]"))
    with pytest.raises(InvalidSplit) as error:
        validate(program, schedule)
    shown = str(error.value)
    assert "'vyre.store': the schedule does something else" in shown
    assert '"a", addi(invocation_id x, 1))' in shown
    assert "note: in the schedule" in shown
    assert "note: addi(invocation_id x, 1) is not invocation_id x" in shown


def nothing(*_: object) -> None:
    """In the place of a rule."""


def always(*_: object) -> bool:
    """In the place of a test."""
    return True


def skip(reason: str) -> Callable[..., None]:
    """Claims for this reason are not shown."""
    right: Callable[..., None] = vars(Equality)["_demand"]

    def demand(equality: Equality, claim: Any) -> None:
        if claim.reason != reason:
            right(equality, claim)

    return demand


def never_open(memory: Memory, phase: Any, written: Any) -> None:
    """Loads of a phase are taken to see nothing of its writes."""
    begin(memory, phase, frozenset())


begin: Callable[..., None] = vars(Memory)["begin"]
PER_GROUP = (
    ("per_invocation", "per_workgroup"),
    ("linear_id invocation", "linear_id workgroup"),
)
RELOAD = (
    ("    %x = vyre.load %x_kept[%0]", "    %x = vyre.load %a[%j]"),
    (
        "    %0 = vyre.linear_id invocation\n    %x = vyre.load %a[%j]",
        "    %j = vyre.invocation_id x\n    %x = vyre.load %a[%j]",
    ),
    ('"a" write_only', '"a" read_write'),
)
NO_RESTORE = (
    (
        """    scf.for %element = %0 to %2 step %3 {
      %4 = vyre.load %tile_kept[%1, %element] : memref<?x4xi32>
      vyre.store %4, %tile[%element] : memref<4xi32>
    }
    vyre.barrier acq_rel
""",
        "",
    ),
)
RULES = {
    "shared places hold what is uniform": (Levels, "at_most", always, EXCHANGE, PER_GROUP),
    "loads see writes of their phase": (Memory, "begin", never_open, EXCHANGE, RELOAD),
    "loops start equal": (
        Equality,
        "_demand",
        skip("before the first trip of a loop"),
        KEPT,
        (EDITS["what enters a loop"][0],),
    ),
    "loops stay equal": (
        Equality,
        "_demand",
        skip("after a trip of a loop"),
        KEPT,
        (EDITS["what goes round"][0],),
    ),
    "effects are equal": (
        Equality,
        "same_effect",
        nothing,
        KEPT,
        (EDITS["an argument"][0],),
    ),
    "tiles are overwritten as a whole": (
        Overwriting,
        "is_own_element",
        always,
        PARTLY,
        NO_RESTORE,
    ),
    "nothing is promised": (
        lockstep,
        "check_promises",
        nothing,
        EXCHANGE,
        (("%x = vyre.load %a[%i]", "%x = vyre.load %a[%i] inbounds"),),
    ),
    "places are one's own": (
        Places,
        "_check_place",
        nothing,
        KEPT,
        (EDITS["another place"][0],),
    ),
    "the grid stays": (
        interface,
        "grid_lengths",
        always,
        EXCHANGE,
        (("schedule @p {", 'schedule @p grid_from "caller" {'),),
    ),
    "buffers that may be one are marked": (
        aliasing,
        "_is_apart",
        always,
        NOT_EXCHANGED,
        ((" may_alias [0, 1]", ""), (" may_alias [1]", "")),
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_needed(rule: str):
    """What it refuses is accepted without it."""
    place, name, other, text, changes = RULES[rule]
    program, schedule = edited(text, *changes)
    with pytest.raises(InvalidSplit):
        validate(program, schedule)
    with patch.object(place, name, other):
        validate(program, schedule)


# Other mistakes


SHOWN_BY = {"H1": 4, "H2": 1, "H3 (loops)": 2, "H3 (branches)": 18, "H5": 2, "H28": 23}
"""The first random program whose schedule shows each of other splitters' mistakes."""


@pytest.mark.parametrize("mutant", SHOWN_BY)
def test_mistakes_of_other_splitters_are_refused(mutant: str):
    module = vyre.parse(generator.generate(0, SHOWN_BY[mutant]).text, ctx=CONTEXT)
    with mutants.MUTANTS[mutant]():
        ((program, schedule),) = pairs(module)
    with pytest.raises(InvalidSplit):
        validate(program, schedule)


def test_edits_that_are_accepted_change_nothing():
    summary = soundness.edits(3, range(sampled(3, 40)), 4)
    assert not summary.holes, summary.holes
    assert summary.outcomes["refused"] > 0


def split(text: str) -> vyre.Executable:
    """A program that will run split."""
    module = vyre.parse(text, ctx=CONTEXT)
    return vyre.compile(module, engine="reference", mode="split")


def test_a_broken_pass_is_no_wrong_result(monkeypatch: pytest.MonkeyPatch):
    text = generator.generate(0, SHOWN_BY["H5"]).text
    monkeypatch.setenv("VYRE_CACHE_DIR", "")
    with mutants.MUTANTS["H5"](), pytest.raises(InvalidSplit):
        vyre.compile(
            vyre.parse(text, ctx=CONTEXT), engine="reference", mode="split"
        ).explain()
    monkeypatch.setenv("VYRE_VALIDATE", "0")
    with mutants.MUTANTS["H5"]():
        assert "split validated" not in split(text).explain()


def test_explain_says_what_was_proved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """On the CPU engine also if the code comes from the cache."""
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path))
    line = "split validated: 2 launches, 1 effects, 1 slots; trusted: vyre-verify-program"
    module = vyre.parse(EXCHANGE, ctx=CONTEXT)
    assert line in vyre.compile(module, engine="reference", mode="split").explain()
    for _ in range(2):
        assert line in vyre.compile(module, engine="cpu").explain()


# Independence


ALLOWED = (
    "vyre.analysis.grid_lengths",  # What engines infer: a definition, not a decision.
    "vyre.analysis.purity",
    "vyre.analysis.walking",
    "vyre.collector",
    "vyre.diagnostics",
    "vyre.dialects",
    "vyre.validation",
)


def test_nothing_is_shared_with_passes():
    """What decides how a program is split must not decide whether that is right."""
    for path in (ROOT / "validation").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                assert not name.startswith("vyre") or name.startswith(ALLOWED), path
