"""What NVRTC makes of kernels. It needs no device, and its warnings are errors."""

import re
from pathlib import Path

import pytest
from cuda_kernels import awkward_operands, kernel_of, operations_program, program_in
from nvrtc_texts import machine_code_of, ptx_of, require_nvrtc
from scalar_bodies import exact_bodies, inexact_bodies
from xdsl.context import Context

import vyre
from vyre.analysis.extents import Setting
from vyre.analysis.walking import units_in
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.cuda.kernel import CudaKernel
from vyre.lowering.cuda.passes.cuda_pipeline import MODES, CudaMode, CudaPipelinePass
from vyre.lowering.cuda.programs import USUAL, cuda_kernel
from vyre.passes.setting_pass import options_of

ROOT = Path(__file__).parents[4]
PROGRAMS = sorted([*ROOT.glob("examples/*.mlir"), *ROOT.glob("benchmarks/programs/*.mlir")])


def kernels(path: Path, mode: CudaMode, setting: Setting) -> list[CudaKernel]:
    """All programs of a file."""
    module = vyre.parse(path)
    CudaPipelinePass(mode=mode, **options_of(setting)).apply(Context(), module)
    return [cuda_kernel(op, setting=setting) for op in units_in(module, ProgramOp)]


def check(path: Path, architecture: int, setting: Setting) -> None:
    """
    Compile a whole program, and its segments. Nothing spills, but for a few bytes that are
    kept while the grid waits.
    """
    whole, split = (kernels(path, mode, setting) for mode in MODES)
    for kernel in (*whole, *split):
        made = machine_code_of(kernel.source, architecture)
        assert made.code.startswith(b"\x7fELF")
        assert kernel.name.encode() in made.code
        assert made.spilled_bytes <= 64 * kernel.is_cooperative, kernel.name


@pytest.mark.covering(1)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("architecture", [70, 80, 90])
def test_programs(path: Path, architecture: int):
    require_nvrtc(architecture)
    check(path, architecture, USUAL)


@pytest.mark.few(8)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_for_any_grid(path: Path):
    check(path, 80, Setting())


def test_all_operations():
    """NVRTC warns of none of them."""
    bodies = [*exact_bodies(), *inexact_bodies()]
    for first in range(0, len(bodies), 60):
        ptx_of(source_of(bodies[first : first + 60]))


def source_of(bodies: list[str]) -> str:
    """Operations as a kernel."""
    program, _ = operations_program(bodies, awkward_operands(bodies))
    return kernel_of(program, USUAL).source


def instructions(body: str) -> list[str]:
    """The float instructions of an operation, or several."""
    code = ptx_of(source_of([body]))
    return re.findall(r"^\s*((?:add|sub|mul|div|sqrt|fma|cvt)[.\w]*[.]f\d\d)", code, re.M)


def test_floats_are_rounded_as_the_language_says():
    assert instructions("%r = arith.divf %f32_a, %f32_b : f32") == ["div.rn.f32"]
    assert instructions("%r = math.sqrt %f32_a : f32") == ["sqrt.rn.f32"]
    assert instructions("%r = math.sqrt %f64_a : f64") == ["sqrt.rn.f64"]
    halves = instructions("%r = arith.mulf %f16_a, %f16_b : f16")
    assert halves.count("cvt.f32.f16") == 3
    assert "cvt.rn.f16.f32" in halves


def test_products_and_sums_are_not_contracted():
    """Without the option they are: so the test can fail."""
    program = program_in(CONTRACTED)
    source = kernel_of(program, USUAL).source
    assert "fma.rn.f32" not in ptx_of(source)
    assert "fma.rn.f32" in ptx_of(source, options=["--std=c++17"])


CONTRACTED = """
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xf32>
  %s = vyre.param "s" : f32
  %i = vyre.local_id x
  %x = vyre.load %a[%i] : memref<64xf32>
  %y = arith.mulf %x, %s : f32
  %z = arith.addf %y, %s : f32
  vyre.store %z, %a[%i] : memref<64xf32>
}
"""

RELOADED = """
vyre.program @reloaded [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<1xf32>
  %b = vyre.buffer "b" write_only binding 1 : memref<32xf32>
  %c = vyre.buffer "c" write_only binding 2 : memref<32xf32>
  %i = vyre.local_id x
  %zero = arith.constant 0 : index
  %new = arith.constant 7.0 : f32
  %x = vyre.load %a[%zero] : memref<1xf32>
  vyre.store %x, %b[%i] : memref<32xf32>
  vyre.barrier BARRIER
  %is_first = arith.cmpi eq, %i, %zero : index
  scf.if %is_first {
    vyre.store %new, %a[%zero] : memref<1xf32>
  }
  vyre.barrier BARRIER
  %y = vyre.load %a[%zero] : memref<1xf32>
  vyre.store %y, %c[%i] : memref<32xf32>
}
"""


def loads(source: str) -> int:
    """How many loads of floats from global memory there are."""
    return len(re.findall(r"\bld[.]global[.\w]*[.][bf]32\s+%f", ptx_of(source)))


@pytest.mark.parametrize("barrier", ["grid_sync", "acq_rel"])
def test_what_others_may_have_written_is_loaded_again(barrier: str):
    """With `__restrict__` it would not be, and everyone else would have the old one."""
    source = kernel_of(program_in(RELOADED.replace("BARRIER", barrier))).source
    assert loads(source) == 2
    wrong = re.sub(r"float \*(\w+),", r"float *__restrict__ \1,", source)
    assert loads(wrong) == 1


@pytest.mark.parametrize(
    "divisor",
    [
        "%d = arith.constant 0.0 : f32",
        "%n = arith.constant 0 : i32\n%d = arith.sitofp %n : i32 to f32",
        "%n = arith.constant 1.0e-45 : f32\n%big = arith.constant 3.0e38 : f32\n"
        "%d = arith.mulf %big, %big : f32",
    ],
)
def test_floats_may_be_divided_by_zero_and_become_infinite(divisor: str):
    """That is not what warnings are for."""
    text = f"""
    vyre.program @divides [32, 1, 1] {{
      %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
      %i = vyre.invocation_id x
      %v = vyre.load %a[%i] : memref<?xf32>
      {divisor}
      %q = arith.divf %v, %d : f32
      vyre.store %q, %a[%i] : memref<?xf32>
    }}
    """
    require_nvrtc(80)
    machine_code_of(kernel_of(program_in(text)).source, 80)
