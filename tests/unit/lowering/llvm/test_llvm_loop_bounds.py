"""Accesses along loops never leave their buffers, whatever was compared ahead."""

import numpy as np
import pytest

import vyre
from vyre.runtime.cpu.backend import CpuBackend

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %from = vyre.param "from" : index
  %to = vyre.param "to" : index
  %shift = vyre.param "shift" : index
  %one = arith.constant 1 : index
  %value = arith.constant 7 : i32
  %x = vyre.invocation_id x
  scf.for %k = %from to %to step %one {
    CODE
    vyre.store %value, %a[%at] : memref<?xi32>
  }
}
"""

INDICES = {
    "steady, computed in the loop": "%at = arith.addi %x, %shift : index",
    "steady by a difference": "%at = arith.subi %shift, %x : index",
    "steady, in two steps": """
    %here = arith.addi %x, %shift : index
    %at = arith.addi %here, %one : index""",
    "along the loop": "%at = arith.addi %k, %shift : index",
    "along the loop, backwards from it": "%at = arith.subi %k, %shift : index",
    "along the loop and the row": """
    %here = arith.addi %k, %x : index
    %at = arith.addi %here, %shift : index""",
}


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("literal", [False, True])
def test_stores_around_the_end_of_a_buffer(name: str, literal: bool):
    """The buffer is a part of a larger array, in which no other element may change."""
    text = PROGRAM.replace("CODE", INDICES[name])
    if literal:
        for bound, number in (("from", 0), ("to", 2)):
            declared, constant = f'vyre.param "{bound}"', f"arith.constant {number}"
            text = text.replace(declared, constant)
    exe = vyre.compile(text, engine=CpuBackend(1))
    reference = vyre.compile(text, engine="reference")
    size = 12
    for shift in range(-3, size + 3):
        whole = np.zeros(3 * size, np.int32)
        numbers = {"shift": shift, "from": 0, "to": 2}
        given = {name: numbers[name] for name in exe.bindings.names if name in numbers}
        exe.bind({"a": whole[size : 2 * size], **given}, grid=1)()
        wanted = reference({"a": np.zeros(size, np.int32), **given}, grid=1)["a"]
        assert whole[size : 2 * size].tolist() == wanted.tolist(), shift
        assert not whole[:size].any(), shift
        assert not whole[2 * size :].any(), shift
