"""Digests of programs: the same for the same, and others for all else."""

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr, i32

import vyre
from vyre.analysis.digest import digest

pytestmark = pytest.mark.core

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.mlir"))

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?x4xi32>
  %f = vyre.param "f" : f32
  %x = vyre.invocation_id x
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %v = vyre.load %a[%x, %one] : memref<?x4xi32>
  %c = arith.cmpi slt, %v, %v : i32
  %w = scf.if %c -> (i32) {
    %sum = arith.addi %v, %v : i32
    scf.yield %sum : i32
  } else {
    scf.yield %v : i32
  }
  vyre.store %w, %a[%x, %one] : memref<?x4xi32>
}
vyre.megakernel @m {
  vyre.wave "first" @p with {a = "b", f = 1.5 : f32}
  vyre.wave "then" @p grid [2, 1, 1] after ["first"] with {a = "b"}
}
"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_copies_have_the_same_digest(path: Path):
    module = vyre.parse(path)
    assert digest([module]) == digest([module.clone()])
    assert digest([module]) == digest([vyre.parse(path)])


def test_the_order_of_properties_says_nothing():
    module = vyre.parse(PROGRAM)
    before = digest([module])
    for op in module.walk():
        op.properties = dict(reversed(op.properties.items()))
        op.attributes = dict(reversed(op.attributes.items()))
    assert digest([module]) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@p", "@q"),
        ("[4, 1, 1]", "[1, 4, 1]"),
        ("binding 0", "binding 0 output"),
        ("binding 0", "binding 1"),
        ("memref<?x4xi32>", "memref<8x4xi32>"),
        ("slt", "sle"),
        ("%a[%x, %one]", "%a[%x, %two]"),
        ("constant 2", "constant 3"),
        ("arith.addi", "arith.muli"),
        ("%v, %v : i32\n    scf", "%v, %v overflow<nsw> : i32\n    scf"),
        ("%sum", "%total"),
        ("1.5 : f32", "2.5 : f32"),
        ("0 : memref", "0 {hint = 0.0 : f32} : memref"),
        ('a = "b", f = 1.5 : f32', 'a = "b"'),
        ("grid [2, 1, 1]", "grid [1, 2, 1]"),
        (' after ["first"]', ""),
        (' after ["first"]', " after []"),
        ('"first"', '"First"'),
    ],
)
def test_what_differs_has_another_digest(old: str, new: str):
    assert old in PROGRAM
    other = vyre.parse(PROGRAM.replace(old, new))
    assert digest([vyre.parse(PROGRAM)]) != digest([other])


def test_a_negative_zero_is_another_number():
    """Attributes that Python calls equal may differ."""
    text = PROGRAM.replace("f = 1.5", "f = 0.0")
    other = PROGRAM.replace("f = 1.5", "f = -0.0")
    assert digest([vyre.parse(text)]) != digest([vyre.parse(other)])


def test_names_cannot_look_like_something_else():
    """Where a string ends is not left to what is in it."""

    def said(**attributes: str) -> str:
        found = {name: StringAttr(text) for name, text in attributes.items()}
        return digest([test.TestOp(attributes=found)])

    assert said(a="1", b="2") != said(a="1'\n'b' s'2")
    assert said(a="x") != said(a="x'")


def test_which_operand_is_which():
    one, other = test.TestOp(result_types=[i32]), test.TestOp(result_types=[i32])
    digests = {
        digest([ModuleOp([one.clone(), other.clone()])]),
        *(digest([_using(first, second)]) for first in (0, 1) for second in (0, 1)),
    }
    assert len(digests) == 5


def _using(first: int, second: int) -> ModuleOp:
    made = [test.TestOp(result_types=[i32]) for _ in range(2)]
    operands = [made[first].results[0], made[second].results[0]]
    return ModuleOp([*made, test.TestOp(operands=operands)])


def test_other_processes_find_the_same():
    """Python's hashes of strings are others in every process."""
    script = f"""
import sys, vyre
from vyre.analysis.digest import digest
print(digest([vyre.parse({PROGRAM!r})]))
"""
    command = [sys.executable, "-c", script]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert found.strip() == digest([vyre.parse(PROGRAM)])
