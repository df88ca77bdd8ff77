"""
Programs of any length: no recursion over what values are computed from, on any engine, and
no pass of LLVM that takes time by the square of it.

Python's limit, which Vyre raises for nested regions, is left as low as it is.
"""

import io
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre import source
from vyre.analysis.extents import Setting
from vyre.lowering.cuda.target import CudaTarget
from vyre.lowering.llvm.sources import Translation
from vyre.passes.host_plan import HostPlanPass
from vyre.runtime.cpu import machine
from vyre.runtime.cpu.machine import OPTIMISATION, level_for
from vyre.runtime.program_choice import find_unit

LENGTH = 1200
"""More than the frames that Python allows."""


def chain(first: str, other: str, type: str, op: str = "arith.addi") -> str:
    """Operations of which each needs the one before; the last one is `%v`."""
    names = [first, *(f"v{number}" for number in range(1, LENGTH)), "v"]
    return "\n".join(
        f"%{after} = {op} %{before}, %{other} : {type}" for before, after in pairwise(names)
    )


STORE = "vyre.store %one, %out[%x] : memref<?xi32>"
CODE = {
    "stored": f"""
      {chain("first", "one", "i32")}
      vyre.store %v, %out[%x] : memref<?xi32>""",
    "crossing": f"""
      {chain("first", "one", "i32")}
      vyre.barrier grid_sync
      vyre.store %v, %out[%x] : memref<?xi32>""",
    "index": f"""
      {chain("x", "c1", "index")}
      %w = vyre.load %in[%v] : memref<?xi32>
      vyre.store %w, %out[%v] : memref<?xi32>""",
    "guard": f"""
      {chain("n", "c1", "index")}
      %c = arith.cmpi ult, %x, %v : index
      scf.if %c {{ {STORE} }}""",
    "guards": f"""
      %is_first = arith.cmpi ult, %x, %n : index
      %is_second = arith.cmpi ult, %x, %c1 : index
      {chain("is_first", "is_second", "i1", "arith.andi")}
      scf.if %v {{ {STORE} }}""",
    "condition of the grid": f"""
      %u = vyre.load %in[%c0] : memref<?xi32>
      {chain("u", "one", "i32")}
      %c = arith.cmpi ult, %v, %one : i32
      scf.if %c {{
        {STORE}
        vyre.barrier grid_sync
        {STORE}
      }}""",
    "index of a loop": f"""
      scf.for %k = %c0 to %n step %c1 {{
        {chain("k", "n", "index")}
        %w = vyre.load %in[%v] : memref<?xi32>
        vyre.store %w, %out[%k] : memref<?xi32>
      }}""",
    "loop of the grid": f"""
      %u = vyre.load %in[%c0] : memref<?xi32>
      %r = scf.while (%a = %u) : (i32) -> i32 {{
        {chain("a", "one", "i32")}
        %c = arith.cmpi ult, %v, %one : i32
        scf.condition(%c) %v : i32
      }} do {{
      ^bb0(%b : i32):
        vyre.barrier grid_sync
        vyre.store %b, %out[%x] : memref<?xi32>
        vyre.barrier grid_sync
        scf.yield %b : i32
      }}""",
}


def text_of(name: str) -> str:
    return f"""
    vyre.program @p [4, 1, 1] {{
      %out = vyre.buffer "out" read_write binding 0 : memref<?xi32>
      %in = vyre.buffer "in" read_only binding 1 : memref<?xi32>
      %n = vyre.param "n" : index
      %x = vyre.invocation_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i32
      %first = vyre.load %in[%x] : memref<?xi32>
      {CODE[name]}
    }}"""


def host_plan(module: ModuleOp) -> None:
    HostPlanPass().apply(vyre.context(), module)


def llvm_ir(module: ModuleOp) -> None:
    sizes = {"out": (16,), "in": (16,)}
    Translation(find_unit(module, "p").condensed).source(Setting((4, 1, 1), sizes))


def cuda_code(module: ModuleOp) -> None:
    CudaTarget().emit(vyre.context(), module, io.StringIO())


def reference(module: ModuleOp) -> None:
    arrays = {"out": np.zeros(16, np.int32), "in": np.zeros(16, np.int32)}
    vyre.compile(module, engine="reference")(arrays, n=1, grid=4)


@pytest.fixture(params=CODE)
def module(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleOp:
    monkeypatch.setattr(source, "_RECURSION_LIMIT", 0)
    return vyre.parse(text_of(request.param))


def test_nothing_recurs_over_the_length(module: ModuleOp):
    steps: list[Callable[[ModuleOp], None]] = [host_plan, llvm_ir, cuda_code, reference]
    for step in steps:
        step(module.clone())


def test_long_blocks_are_not_optimised(monkeypatch: pytest.MonkeyPatch):
    """And compute the same."""
    exe = vyre.compile(text_of("stored"), engine="cpu")
    (text,) = exe.sources.values()
    assert level_for(text) == OPTIMISATION
    monkeypatch.setattr(machine, "LONG_BLOCK", LENGTH)
    assert level_for(text) == 0
    arrays = {"out": np.zeros(16, np.int32), "in": np.arange(16, dtype=np.int32)}
    found = exe(arrays, n=1, grid=4)["out"]
    assert (found == arrays["in"] + LENGTH).all()
