"""Subgroup operations as CUDA C++, with and without all lanes, against the reference."""

import numpy as np
import pytest
from cuda_devices import host_device
from operations import DTYPES, FLOATS, WIDTHS, same_floats

import vyre
from vyre.dialects.vyre.attributes import FLOAT_REDUCE_KINDS, ReduceKind
from vyre.runtime.cuda.backend import CudaBackend

MASKS = (0xFFFF_FFFF, 0x0000_FFFF, 0xFFFF_0000, 0xAAAA_AAAA, 0x8000_0001, 0x1234_5678, 0)
TYPES = (*WIDTHS, *FLOATS)


def program(type: str, width: int, *, returns: bool) -> str:
    """All reductions, a shuffle and a ballot, after some lanes have returned."""
    kinds = FLOAT_REDUCE_KINDS if type in FLOATS else tuple(ReduceKind)
    memref = f"memref<{width}x16x{type}>"
    lines = ""
    for position, kind in enumerate(kinds):
        lines += f"""
  %n{position} = arith.constant {position} : index
  %r{position} = vyre.subgroup_reduce {kind} %x : {type}
  vyre.store %r{position}, %out[%i, %n{position}] : {memref}"""
    ends = "scf.if %is_absent {\n    vyre.return\n  }" if returns else ""
    return f"""
vyre.program @p [{width}, 1, 1] {{
  %in = vyre.buffer "in" read_only binding 0 : memref<{width}x{type}>
  %lanes = vyre.buffer "lanes" read_only binding 1 : memref<{width}xindex>
  %out = vyre.buffer "out" read_write binding 2 : {memref}
  %masks = vyre.buffer "masks" read_write binding 3 : memref<{width}xi32>
  %mask = vyre.param "mask" : i32
  %i = vyre.local_id x
  %lane = vyre.subgroup_local_id
  %bit = arith.index_cast %lane : index to i32
  %shifted = arith.shrui %mask, %bit : i32
  %is_there = arith.trunci %shifted : i32 to i1
  %true = arith.constant true
  %is_absent = arith.xori %is_there, %true : i1
  {ends}
  %x = vyre.load %in[%i] : memref<{width}x{type}>
  {lines}
  %source = vyre.load %lanes[%i] : memref<{width}xindex>
  %fifteen = arith.constant 15 : index
  %y = vyre.subgroup_shuffle %x, %source : {type}
  vyre.store %y, %out[%i, %fifteen] : {memref}
  %votes = vyre.subgroup_ballot %is_there
  vyre.store %votes, %masks[%i] : memref<{width}xi32>
}}
"""


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(("width", "returns"), [(64, False), (48, False), (64, True)])
def test_lanes_exchange_values(type: str, width: int, returns: bool):
    text = program(type, width, returns=returns)
    engine = CudaBackend(host_device(thread_order="random", seed=width))
    generator = np.random.default_rng(width)
    values = generator.integers(-9, 9, width).astype(DTYPES[type])
    if type in FLOATS:
        values = (generator.normal(0, 2, width) ** 3).astype(DTYPES[type])
        values[::7] = np.resize(np.array([0.0, -0.0, np.nan], values.dtype), -(-width // 7))
    arguments = {
        "in": values,
        "lanes": generator.integers(-2, 40, width),
        "out": np.zeros((width, 16), DTYPES[type]),
        "masks": np.zeros(width, np.int32),
    }
    wanted, found = (vyre.compile(text, engine=each) for each in ("reference", engine))
    for mask in MASKS if returns else MASKS[:1]:
        given = {**arguments, "mask": np.uint32(mask).view(np.int32)}
        one, other = (exe(given, grid=1) for exe in (wanted, found))
        for name, array in one.items():
            if array.dtype.kind == "f":
                same_floats(other[name], array)
            else:
                assert (other[name] == array).all(), (hex(mask), name)
