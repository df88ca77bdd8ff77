"""What LLVM makes of the code: it must keep some loads, and should use vectors."""

import re

import pytest
from split_cases import OUT, SYNC, A, program

import vyre
from vyre.analysis.extents import Setting
from vyre.lowering.llvm.sources import Translation
from vyre.runtime.cpu.machine import Processor, optimised
from vyre.runtime.program_choice import find_program


def optimised_ir(text: str) -> str:
    source = Translation(find_program(vyre.parse(text), None)).source(Setting())
    return str(optimised(source.text, Processor.host()))


def functions(text: str) -> list[str]:
    return re.findall(r"^define .*?^}", optimised_ir(text), re.MULTILINE | re.DOTALL)


LOADED = r"load (<\d+ x )?i32|masked\.load|masked\.gather"


@pytest.mark.parametrize("barrier", [SYNC, "vyre.barrier acq_rel"])
def test_a_load_after_a_barrier_is_still_there(barrier: str):
    """Others may have written since the load before it, or since the store."""
    text = program(
        OUT,
        A,
        "vyre.store %x32, %a[%x] : memref<?xi32>",
        "%before = vyre.load %a[%x] : memref<?xi32>",
        barrier,
        "%after = vyre.load %a[%x] : memref<?xi32>",
        "%sum = arith.addi %before, %after : i32",
        "vyre.store %sum, %out[%x] : memref<?xi32>",
    )
    assert any(re.search(LOADED, function) for function in functions(text))


def test_a_load_in_a_loop_with_a_barrier_is_made_in_each_trip():
    """There is a call to wait between any two of them."""
    text = program(
        OUT,
        A,
        "%n = vyre.length %a, 0 : memref<?xi32>",
        "scf.for %k = %c0 to %n step %c1 {",
        "%v = vyre.load %a[%x] : memref<?xi32>",
        "%old = vyre.load %out[%x] : memref<?xi32>",
        "%sum = arith.addi %v, %old : i32",
        "vyre.store %sum, %out[%x] : memref<?xi32>",
        SYNC,
        "}",
    )
    loading = [function for function in functions(text) if re.search(LOADED, function)]
    assert loading
    assert all("phase." in function.split("(")[0] for function in loading)


SAXPY = """
vyre.program @p [256, 1, 1] {
  %x = vyre.buffer "x" read_only binding 0 : memref<?xf32>
  %y = vyre.buffer "y" read_write binding 1 : memref<?xf32>
  %a = vyre.param "a" : f32
  %n = vyre.length %y, 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %v = vyre.load %x[%i] : memref<?xf32>
    %w = vyre.load %y[%i] : memref<?xf32>
    %scaled = arith.mulf %a, %v : f32
    %sum = arith.addf %scaled, %w : f32
    vyre.store %sum, %y[%i] : memref<?xf32>
  }
}"""


def test_a_simple_phase_is_vectorised():
    text = "\n".join(function for function in functions(SAXPY) if "phase." in function)
    assert re.search(r"fmul <\d+ x float>", text)
    assert re.search(r"store <\d+ x float>", text)


def test_nothing_is_contracted():
    """A product and a sum are two roundings."""
    assert "fma" not in optimised_ir(SAXPY)
