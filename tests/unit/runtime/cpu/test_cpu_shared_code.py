"""Code that several programs or sizes have in common, in a process and on disk."""

import gc
from pathlib import Path

import numpy as np
import pytest

import vyre
from vyre.analysis.extents import Setting
from vyre.passes.host_plan import HostPlanPass
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.cpu.jobs import Job
from vyre.runtime.cpu.kernel import MOST_SIZES
from vyre.runtime.cpu.stored import StoredCode
from vyre.runtime.kernel_cache import KernelCache

FAILING = """
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<1xi32>
  vyre.trap "TAG"
}
"""
TWICE = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %i = vyre.invocation_id x
  %one = arith.constant 1 : i32
  %n = vyre.length %a, 0 : memref<?xi32>
  %is_there = arith.cmpi ult, %i, %n : index
  scf.if %is_there {
    %v = vyre.load %a[%i] : memref<?xi32>
    %w = arith.addi %v, %one : i32
    vyre.store %w, %a[%i] : memref<?xi32>
  }
  vyre.barrier grid_sync
}
"""


def test_programs_that_differ_in_what_traps_say_only():
    """What a trap says is no part of the code."""
    kept: list[vyre.Executable] = []
    for tag in ("first", "second"):
        exe = vyre.compile(FAILING.replace("TAG", tag), engine="cpu")
        with pytest.raises(vyre.Trapped) as caught:
            exe(a=np.zeros(1, np.int32))
        assert caught.value.tag == tag
        kept.append(exe)


def test_a_program_and_its_schedule():
    """A schedule counts its launches, the program is one."""
    module = vyre.parse(TWICE)
    HostPlanPass().apply(vyre.context(), module)
    given = {"a": np.zeros(4, np.int32)}
    kept: list[vyre.Executable] = []
    for source, name in ((TWICE, "p"), (module, "p.0")):
        exe = vyre.compile(source, engine="cpu", program="p")
        report = exe.timed(given).report
        assert [segment.name for segment in report.segments] == [name]
        kept.append(exe)


def test_every_size_is_found_on_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Also a size whose code was there already, for another size."""
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path / "cache"))
    exe = vyre.compile(TWICE.replace("@p", "@sized"), engine=CpuBackend(1))
    for size in (4, 8):
        exe(a=np.zeros(size, np.int32))
    stored = StoredCode(exe.unit, KernelCache.default())
    for size in (4, 8):
        setting = Setting((size // 4, 1, 1), {"a": (size,)})
        assert stored.find(f"{setting.grid} {setting.sizes}") is not None


def test_sizes_that_were_not_used_for_long_are_forgotten():
    """A server that sees ever new sizes does not grow."""
    exe = vyre.compile(TWICE, engine=CpuBackend(1))
    before = sum(isinstance(each, Job) for each in gc.get_objects())
    for size in [*range(1, 2 * MOST_SIZES), 1, 2]:
        assert exe(a=np.zeros(size, np.int32))["a"].tolist() == [1] * size
    gc.collect()
    jobs = sum(isinstance(each, Job) for each in gc.get_objects())
    assert jobs - before <= MOST_SIZES
