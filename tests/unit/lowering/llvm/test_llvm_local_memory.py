"""Memory of workgroups that is local to a function: the same bytes, and fewer stores."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from cpu_runs import Everywhere

import vyre
from vyre.analysis.extents import Setting
from vyre.lowering.llvm.sources import Translation
from vyre.runtime.cpu.machine import Processor, optimised
from vyre.runtime.program_choice import find_program

MATMUL = Path(__file__).parents[4] / "benchmarks" / "programs" / "matmul.mlir"


def program(table: str, code: str, *, after: str = "") -> str:
    """Invocations of 32 that do something again and again, with tiles of 32 numbers."""
    return f"""
    vyre.program @p [32, 1, 1] {{
      %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
      {table}
      %n = vyre.param "n" : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c31 = arith.constant 31 : index
      %i = vyre.invocation_id x
      %l = vyre.local_id x
      %other = arith.subi %c31, %l : index
      scf.for %k = %c0 to %n step %c1 {{
        {code}
      }}
      {after}
    }}"""


TILE = 'vyre.buffer "{}" workgroup : memref<32xi32>'
ONE, TWO = (f"%{name} = {TILE.format(name)}" for name in ("one", "two"))
SUM_OF_BOTH = """
    %v = vyre.load %one[%other] : memref<32xi32>
    vyre.barrier acq_rel
    %w = vyre.load %a[%i] : memref<?xi32>
    %sum = arith.addi %v, %w : i32
    vyre.store %sum, %one[%l] : memref<32xi32>
    vyre.store %sum, %a[%i] : memref<?xi32>
    vyre.barrier acq_rel"""

PROGRAMS = {
    "zeros in every workgroup": program(ONE, SUM_OF_BOTH),
    "read by nobody": program(
        f"{ONE}\n{TWO}",
        f"""
        %c = vyre.load %a[%i] : memref<?xi32>
        vyre.store %c, %two[%l] : memref<32xi32>
        {SUM_OF_BOTH}""",
    ),
    "read after the loop": program(
        ONE, SUM_OF_BOTH, after="""
        %last = vyre.load %one[%other] : memref<32xi32>
        vyre.store %last, %a[%i] : memref<?xi32>"""
    ),
    "read in the next trip": program(
        f"{ONE}\n{TWO}", """
        %old = vyre.load %two[%other] : memref<32xi32>
        %mine = vyre.load %a[%i] : memref<?xi32>
        vyre.store %mine, %one[%other] : memref<32xi32>
        vyre.barrier acq_rel
        %new = vyre.load %one[%l] : memref<32xi32>
        %both = arith.addi %old, %new : i32
        vyre.store %both, %two[%l] : memref<32xi32>
        vyre.store %both, %a[%i] : memref<?xi32>
        vyre.barrier acq_rel"""
    ),
    "written by some": program(
        ONE, """
        %few = arith.cmpi ult, %l, %k : index
        %before = vyre.load %one[%other] : memref<32xi32>
        vyre.barrier acq_rel
        scf.if %few {
          %v = vyre.load %a[%i] : memref<?xi32>
          vyre.store %v, %one[%l] : memref<32xi32>
        }
        vyre.store %before, %a[%i] : memref<?xi32>
        vyre.barrier acq_rel"""
    ),
}  # fmt: skip


def source(text: str) -> str:
    return Translation(find_program(vyre.parse(text), None)).source(Setting()).text


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_those_of_the_reference(name: str):
    text = PROGRAMS[name]
    assert variables(source(text)) > 0
    everywhere = Everywhere(text)
    for trips, count in product((0, 1, 2, 5), (32, 160, 170)):
        numbers = np.arange(1, count + 1, dtype=np.int32)
        everywhere.check({"a": numbers, "n": trips}, grid=-(-count // 32))


def variables(text: str) -> int:
    """How many variables of such memory are left when LLVM has optimised a program."""
    return len(re.findall(r"= alloca \[\d+ x i8\]", text))


HOST = Processor.host()


@pytest.mark.skipif(not HOST.triple.startswith("x86_64"), reason="made for a Zen 4")
def test_a_tile_that_is_in_registers_is_not_stored():
    """LLVM hands it on from the segment that fills it to the one that reads it."""
    program = find_program(vyre.parse(MATMUL), None)
    known = Setting((2, 2, 1), {"a": (32, 32), "b": (32, 32), "c": (32, 32)})
    text = Translation(program).source(known).text
    assert variables(text) == 3
    assert variables(str(optimised(text, Processor(HOST.triple, "znver4", "")))) == 2
