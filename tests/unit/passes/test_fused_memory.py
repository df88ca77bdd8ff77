"""Waves that have workgroup memory or scratch, and waves that have nothing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from megakernel_programs import EVERY_ENGINE

import vyre

OWN_MEMORY = """
vyre.program @count [4, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
  MEMORY
  %x = vyre.invocation_id x
  %l = vyre.local_id x
  %g = vyre.linear_id workgroup
  %me = vyre.linear_id invocation
  %one = arith.constant 1 : index
  %v = arith.index_cast %x : index to i32
  %found = vyre.load %m[INDICES] : TYPE
  %sum = arith.addi %v, %found : i32
  vyre.store %sum, %m[INDICES] : TYPE
  %u = vyre.load %m[INDICES] : TYPE
  vyre.store %u, %out[%x] : memref<?xi32>
}
vyre.megakernel @m { WAVES }
"""
"""Writes who it is to memory that is to be zero before, and from there to the output."""

MEMORIES = {
    "of invocations": ("vyre.scratch per_invocation", "memref<?x2xi32>", "%me, %one"),
    "of workgroups": ("vyre.scratch per_workgroup", "memref<?x2x4xi32>", "%g, %one, %l"),
    "of the grid": ("vyre.scratch single", "memref<16xi32>", "%me"),
    "workgroup memory": ('vyre.buffer "m" workgroup', "memref<4xi32>", "%l"),
}


def own_memory(kind: str, waves: str) -> str:
    declared, type, indices = MEMORIES[kind]
    text = OWN_MEMORY.replace("MEMORY", f"%m = {declared} : {type}")
    return text.replace("INDICES", indices).replace("TYPE", type).replace("WAVES", waves)


@pytest.mark.parametrize("kind", MEMORIES)
@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_waves_with_memory_and_a_grid_of_their_own(make: Callable[[], Any], kind: str):
    """Each invocation of a wave finds zeros, whoever did its work has done before."""
    waves = 'vyre.wave "a" @count grid [4, 1, 1] vyre.wave "b" @count grid [2, 1, 1]'
    exe = vyre.compile(vyre.parse(own_memory(kind, waves)), engine=make())
    for grid in (1, 3):
        found = exe(out=np.full(20, -1, np.int32), grid=grid)["out"]
        assert found.tolist() == [*range(16), *[-1] * 4]


@pytest.mark.parametrize("kind", MEMORIES)
def test_one_wave_with_memory_on_the_cpu(kind: str):
    """Nothing is split then: scratch is that of a program without grid barriers."""
    for waves, grid in (("grid [4, 1, 1]", 3), ("", 4)):
        text = own_memory(kind, f'vyre.wave "a" @count {waves}')
        exe = vyre.compile(vyre.parse(text), engine="cpu")
        found = exe(out=np.full(20, -1, np.int32), grid=grid)["out"]
        assert found.tolist() == [*range(16), *[-1] * 4]


def test_the_length_of_scratch_is_that_of_the_wave():
    text = """
vyre.program @ask [2, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 output : memref<2xindex>
  %s = vyre.scratch per_invocation : memref<?xi32>
  %g = vyre.scratch per_workgroup : memref<?x8xi32>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %v = vyre.length %s, 0 : memref<?xi32>
  %w = vyre.length %g, 0 : memref<?x8xi32>
  vyre.store %v, %out[%zero] : memref<2xindex>
  vyre.store %w, %out[%one] : memref<2xindex>
}
vyre.megakernel @m { vyre.wave "a" @ask grid [3, 2, 1] }
"""
    exe = vyre.compile(vyre.parse(text), engine="reference")
    assert exe(grid=2)["out"].tolist() == [12, 6]


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_waves_of_programs_that_do_nothing(make: Callable[[], Any]):
    """They have no buffers, no parameters and no code, and run as any other."""
    text = "vyre.program @no [1, 1, 1] {} vyre.megakernel @m { WAVES }"
    for waves in ("", 'vyre.wave "a" @no', 'vyre.wave "a" @no grid [2, 1, 1]'):
        exe = vyre.compile(vyre.parse(text.replace("WAVES", waves)), engine=make())
        assert exe(grid=1) == {}
