"""What is removed because nobody uses it, and what stays."""

import pytest

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.passes.dead_code import remove_dead_code, writes_memory

pytestmark = pytest.mark.core

TABLE = """
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %n = vyre.param "n" : index
  %p = vyre.param "p" : i1
  %v = vyre.param "v" : i32
"""

DEAD = {
    "arithmetic": "%x = arith.addi %n, %n : index %y = arith.muli %x, %x : index",
    "an id": "%i = vyre.invocation_id x",
    "a load": "%x = vyre.load %a[%n] : memref<?xi32>",
    "a branch": "scf.if %p { %x = vyre.load %a[%n] : memref<?xi32> }",
    "a loop": """
      %r = scf.for %k = %n to %n step %n iter_args(%s = %n) -> (index) {
        %t = arith.addi %s, %k : index
        scf.yield %t : index
      }
    """,
    "a region": """
      %r = vyre.region "r" -> (i32) {
        %x = vyre.load %a[%n] : memref<?xi32>
        vyre.yield %x : i32
      }
    """,
}

ALIVE = {
    "a store": "vyre.store %v, %a[%n] : memref<?xi32>",
    "a store in workgroup memory": "vyre.store %v, %tile[%n] : memref<64xi32>",
    "an atomic": "%x = vyre.atomic add %v, %a[%n] : memref<?xi32>",
    "compare and swap": "%x = vyre.atomic_cas %v, %v, %a[%n] : memref<?xi32>",
    "a trap": 'scf.if %p { vyre.trap "bad" at %n : index }',
    "a copy": """
      %t = vyre.async_store %tile[%n], %a[%n], %n : memref<64xi32>, memref<?xi32>
      vyre.async_wait %t
    """,
    "a collective": "vyre.all_reduce add %a : memref<?xi32>",
    "what is unknown": '"test.op"() : () -> ()',
    "a store in a loop": """
      scf.for %k = %n to %n step %n {
        scf.if %p { vyre.store %v, %a[%k] : memref<?xi32> }
      }
    """,
}


def program(code: str) -> ProgramOp:
    module = vyre.parse(f"vyre.program @p [64, 1, 1] {{ {TABLE} {code} }}")
    (found,) = (op for op in module.walk() if isinstance(op, ProgramOp))
    return found


def left(code: str) -> list[str]:
    """The operations that are left, but for the table."""
    block = program(code).body.block
    remove_dead_code(block)
    table = ("vyre.buffer", "vyre.param")
    return [op.name for op in block.walk() if op.name not in table]


@pytest.mark.parametrize("code", DEAD.values(), ids=DEAD)
def test_dead(code: str):
    assert not writes_memory(program(code).body.block)
    assert not left(code)


@pytest.mark.parametrize("code", ALIVE.values(), ids=ALIVE)
def test_alive(code: str):
    found = program(code)
    assert writes_memory(found.body.block)
    assert left(code) == [op.name for op in found.walk() if op not in (found, *found.table)]


def test_a_barrier_stays_but_is_no_effect():
    """Others may wait there; but where nothing is written there is nothing to wait for."""
    assert left("vyre.barrier acq_rel") == ["vyre.barrier"]
    assert left("scf.if %p { vyre.barrier acq_rel }")[:2] == ["scf.if", "vyre.barrier"]
    assert not writes_memory(program("vyre.barrier acq_rel").body.block)


def test_used_values_stay():
    code = """
      %x = arith.addi %n, %n : index
      %y = arith.addi %n, %x : index
      vyre.store %v, %a[%x] : memref<?xi32>
    """
    assert left(code) == ["arith.addi", "vyre.store"]


def test_unused_results_of_a_region():
    """The region keeps its provenance and what is used."""
    found = program("""
      %x, %y = vyre.region "r" from "g" -> (i32, index) {
        %s = vyre.load %a[%n] : memref<?xi32>
        %t = arith.addi %n, %n : index
        vyre.yield %s, %t : i32, index
      }
      vyre.store %v, %a[%y] : memref<?xi32>
    """)
    remove_dead_code(found.body.block)
    (region,) = (op for op in found.walk() if op.name == "vyre.region")
    assert 'vyre.region "r" from "g" -> (index)' in str(region)
    assert [op.name for op in region.regions[0].block.ops] == ["arith.addi", "vyre.yield"]


def test_inside_what_stays():
    code = """
      scf.if %p {
        %x = vyre.load %a[%n] : memref<?xi32>
        vyre.store %v, %a[%n] : memref<?xi32>
      }
    """
    assert left(code)[:2] == ["scf.if", "vyre.store"]
