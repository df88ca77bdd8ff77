"""`-t vyre-cuda` prints kernels."""

from io import StringIO

import pytest
from cuda_engines import on_host
from xdsl.context import Context

import vyre
from vyre.diagnostics import VyreError
from vyre.lowering.cuda.target import CudaTarget

TEXT = """
vyre.program @waits [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  %y = arith.addi %x, %x : i32
  vyre.store %y, %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %x, %a[%i] : memref<?xi32>
}

vyre.program @plain [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %x = arith.constant 1 : i32
  vyre.store %x, %a[%i] : memref<?xi32>
}
"""


def printed(mode: str) -> str:
    module, output = vyre.parse(TEXT), StringIO()
    before = str(module)
    CudaTarget(mode).emit(Context(), module, output)
    assert str(module) == before
    return output.getvalue()


def kernels(text: str) -> list[str]:
    return [
        line.removesuffix("(") for line in text.splitlines() if line.endswith("_kernel(")
    ]


def test_programs_are_split_first():
    text = printed("split")
    assert kernels(text) == ["waits_0_kernel", "waits_1_kernel", "plain_kernel"]
    assert "vyre_grid_sync" not in text
    assert "  x_kept[" in text
    assert text.endswith("}\n")


def test_whole_programs_wait_for_the_grid():
    text = printed("native")
    assert kernels(text) == ["waits_kernel", "plain_kernel"]
    assert "if (!vyre_grid_sync(vyre_grid, vyre_stop)) return;" in text


def test_the_engine_compiles_what_is_printed():
    """Kernels know what their schedule passes: what is kept has an element for each."""
    text = printed("split")
    for program in ("waits", "plain"):
        exe = vyre.compile(TEXT, program=program, engine=on_host()[1], mode="split")
        for source in exe.sources.values():
            assert source in text


LAUNCHED = """
vyre.schedule @schedule {
  vyre.launch @launched()
}
vyre.program @launched [64, 1, 1] {
  vyre.barrier grid_sync
}
"""


def test_schedules_cannot_launch_what_is_to_be_split():
    with pytest.raises(VyreError, match="a schedule launches this program"):
        CudaTarget().emit(Context(), vyre.parse(LAUNCHED), StringIO())


def test_other_modes_are_refused():
    with pytest.raises(VyreError, match="there is no mode 'fast'"):
        printed("fast")
