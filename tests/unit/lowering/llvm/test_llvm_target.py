"""`-t vyre-llvm`: the text of the target is the text that the CPU engine compiles."""

from io import StringIO

import pytest

import vyre
from vyre.lowering.llvm.target import LlvmTarget, runnable_in
from vyre.passes.host_plan import HostPlanPass
from vyre.universe import VYRE_UNIVERSE

PROGRAM = """
vyre.program @rotate [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : index
  %next = arith.addi %i, %one : index
  %mine = vyre.load %a[%next] : memref<?xf32>
  vyre.barrier grid_sync
  vyre.store %mine, %a[%i] : memref<?xf32>
}
"""
OTHER = "vyre.program @nothing [1, 1, 1] {}"


def printed(text: str) -> str:
    output = StringIO()
    LlvmTarget().emit(vyre.context(), vyre.parse(text), output)
    return output.getvalue()


@pytest.mark.parametrize("text", [PROGRAM, OTHER])
def test_it_prints_what_the_engine_has(text: str):
    (source,) = vyre.compile(text, engine="cpu").sources.values()
    assert printed(text) == source + "\n"


def test_it_leaves_the_module_as_it_is():
    module = vyre.parse(PROGRAM)
    before = str(module)
    LlvmTarget().emit(vyre.context(), module, StringIO())
    assert str(module) == before


def test_a_launched_program_is_part_of_its_schedule():
    module = vyre.parse(f"{PROGRAM}\n{OTHER}")
    assert [unit.sym_name.data for unit in runnable_in(module)] == ["rotate", "nothing"]
    HostPlanPass().apply(vyre.context(), module)
    assert [unit.sym_name.data for unit in runnable_in(module)] == ["rotate", "nothing"]


def test_plain_xdsl_tools_have_the_target():
    assert VYRE_UNIVERSE.all_targets["vyre-llvm"]() is LlvmTarget
