"""Native or split on the CUDA engine: what fits is launched once."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from cuda_devices import MakeDevice, host_device
from cuda_engines import array, on_every_device, on_host
from cuda_kernels import kernel_of
from nvrtc_texts import machine_code_of
from typing_extensions import override

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.cuda.programs import USUAL
from vyre.runtime import telemetry
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.cuda.unit import CudaUnit
from vyre.runtime.errors import (
    CompileFailed,
    DoesNotFit,
    UnsupportedFeature,
)
from vyre.runtime.executable import Executable
from vyre.runtime.geometry import Geometry
from vyre.testing.host_cuda import PRETENDED, HostArray


def test_what_fits_is_launched_once():
    device, backend = on_host(blocks_at_once=2)
    exe = vyre.compile(counting(3), engine=backend)
    shown = exe.explain(a=array(), grid=8)
    assert "native: the engine has grid barriers, and all 8 workgroups fit at once" in shown
    device.calls.clear()
    _, report = exe.timed(a=array(), grid=8)
    assert report.launches == 1
    assert device.calls.count("launch") == 1


def test_what_does_not_fit_is_split():
    device, backend = on_host(blocks_at_once=2)
    exe = vyre.compile(counting(3), engine=backend)
    shown = exe.explain(a=array(), grid=9)
    assert "split: 9 workgroups do not fit at once, only 8 do" in shown
    device.calls.clear()
    results, report = exe.timed(a=array(), grid=9)
    assert results["a"][0] == 3
    assert report.launches == 3
    assert [segment.name for segment in report.segments] == ["p.0", "p.1", "p.2"]
    assert device.calls.count("launch") == 3


def test_what_does_not_fit_cannot_be_native():
    _, backend = on_host(blocks_at_once=2)
    exe = vyre.compile(counting(3), engine=backend, mode="native")
    assert exe(a=array(), grid=8)["a"][0] == 3
    with pytest.raises(DoesNotFit) as caught:
        exe(a=array(), grid=9)
    assert (caught.value.needed, caught.value.limit) == (9, 8)


class BoastingBackend(CudaBackend):
    """Says that one workgroup more fits than does."""

    @override
    def resident_groups(self, kernel: CudaUnit, geometry: Geometry) -> int:
        return super().resident_groups(kernel, geometry) + 1


def boasting(mode: Any) -> tuple[Executable, Any]:
    """A program on a device that refuses 9 workgroups although they are said to fit."""
    device = host_device(blocks_at_once=2)
    return vyre.compile(counting(3), engine=BoastingBackend(device), mode=mode), device


def test_one_block_too_many_is_refused_by_the_device():
    """Should the engine ever launch it: blocks would wait for one that never begins."""
    exe, _ = boasting("native")
    assert exe(a=array(), grid=8)["a"][0] == 3
    with pytest.raises(DoesNotFit, match="9 blocks of p_kernel cannot wait") as caught:
        exe(a=array(), grid=9)
    assert (caught.value.needed, caught.value.limit) == (9, 8)
    assert exe(a=array(), grid=10, mode="auto")["a"][0] == 3


def test_what_the_device_refuses_is_split():
    """`explain` says why from then on, and nothing is refused twice."""
    exe, device = boasting("auto")
    assert "native: " in exe.explain(a=array(), grid=9)
    before = telemetry.snapshot()
    results, report = exe.timed(a=array(), grid=9, fixpoint_iterations=2)
    counted = telemetry.snapshot() - before
    assert results["a"][0] == 6
    assert [segment.launches for segment in report.segments] == [2, 2, 2]
    assert (counted.dispatches, counted.failures, counted.launches) == (1, 0, 6)
    assert (counted.grid_sync_splits, counted.grid_sync_segments) == (1, 3)
    shown = exe.explain(a=array(), grid=9)
    assert "split: 9 workgroups were refused at once: 9 blocks of p_kernel cannot" in shown
    device.calls.clear()
    assert exe.timed(a=array(), grid=9).report.launches == 3
    assert device.calls.count("launch") == 3
    assert exe.timed(a=array(), grid=8).report.launches == 1


def test_handles_go_on_split():
    """Also those of a batch, of which each finds out for itself."""
    device = host_device(blocks_at_once=2)
    megakernel = vyre.Megakernel(counting(3), engine=BoastingBackend(device))
    handles = [megakernel.resident(a=array(), grid=grid) for grid in (9, 8, 9)]
    for times in (1, 2):
        found = megakernel.many_observed(handles)
        assert [row["a"][0] for row in found.results] == [3 * times] * 3
        assert found.statistics.program_launches == 7
    device.calls.clear()
    assert megakernel.dispatch(handles[0])["a"][0] == 9
    assert device.calls.count("launch") == 3


def test_a_bound_program_on_the_device_goes_on_split():
    device = host_device(blocks_at_once=2)
    exe = vyre.compile(counting(3), engine=BoastingBackend(device))
    with exe.bind(a=HostArray.of(device, array()), grid=9) as step:
        run: Any = step
        assert [int(run()["a"].get()[0]) for _ in range(3)] == [3, 6, 9]


def test_grids_of_several_dimensions_are_counted_as_a_whole():
    _, backend = on_host(blocks_at_once=2)
    exe = vyre.compile(counting(3), engine=backend, mode="native")
    for grid in ((8, 1, 1), (2, 4), (2, 2, 2), (1, 1, 8)):
        exe(a=array(), grid=grid)
    for grid in ((3, 3), (1, 1, 9), (2, 5, 1)):
        with pytest.raises(DoesNotFit):
            exe(a=array(), grid=grid)


def test_occupancy_is_that_of_the_workgroup():
    """2048 invocations fit on each of 4 multiprocessors, and 16 workgroups."""
    _, backend = on_host()
    exe = vyre.compile(counting(2), engine=backend, mode="native")
    for size, limit in ((64, 64), (512, 16), (1024, 8)):
        with pytest.raises(DoesNotFit) as caught:
            exe(a=array(), grid=1000, workgroup=size)
        assert caught.value.limit == limit


def test_a_device_without_cooperative_launches_splits():
    _, backend = on_host(limits=replace(PRETENDED, cooperative=False))
    assert not backend.capabilities.grid_sync
    exe = vyre.compile(counting(3), engine=backend)
    assert exe(a=array())["a"][0] == 3
    with pytest.raises(UnsupportedFeature, match="has no grid barriers"):
        exe(a=array(), mode="native")


def test_limits_of_the_device():
    _, backend = on_host()
    exe = vyre.compile(counting(1), engine=backend)
    with pytest.raises(DoesNotFit, match="65536 workgroups along y"):
        exe(a=array(), grid=(1, 65536))
    with pytest.raises(DoesNotFit, match="2048 invocations of a workgroup"):
        exe(a=array(), grid=1, workgroup=2048)


def tiled(size: int) -> str:
    """A program with so many bytes of workgroup memory, in two buffers."""
    return f"""
vyre.program @p [64, 1, 1] {{
  %a = vyre.buffer "a" read_write binding 0 : memref<64xi32>
  %t = vyre.buffer "t" workgroup : memref<64xi32>
  %u = vyre.buffer "u" workgroup : memref<{size - 256}xi8>
  %i = vyre.local_id x
  %v = vyre.load %a[%i] : memref<64xi32>
  %b = arith.trunci %v : i32 to i8
  vyre.store %v, %t[%i] : memref<64xi32>
  vyre.store %b, %u[%i] : memref<{size - 256}xi8>
  vyre.barrier acq_rel
  %zero = arith.constant 0 : index
  %w = vyre.load %t[%zero] : memref<64xi32>
  %c = vyre.load %u[%zero] : memref<{size - 256}xi8>
  %d = arith.extui %c : i8 to i32
  %sum = arith.addi %w, %d : i32
  vyre.store %sum, %a[%i] : memref<64xi32>
}}
"""


@on_every_device
def test_workgroup_memory_has_a_limit(make_device: MakeDevice):
    backend = CudaBackend(make_device())
    a = np.full(64, 3, np.int32)
    limit = backend.device.limits.shared_bytes
    assert vyre.compile(tiled(limit), engine=backend)(a=a)["a"].tolist() == [6] * 64
    with pytest.raises(DoesNotFit, match="use smaller workgroup buffers") as caught:
        vyre.compile(tiled(limit + 8), engine=backend)
    assert (caught.value.needed, caught.value.limit) == (limit + 8, limit)


def test_nvrtc_has_the_same_limit():
    """The most that is let through compiles, and no more does."""
    (program,) = vyre.parse(tiled(49152)).body.block.ops
    assert isinstance(program, ProgramOp)
    kernel = kernel_of(program, USUAL)
    assert kernel.shared_bytes == 49152
    machine_code_of(kernel.source, 80)
    too_much = kernel.source.replace("[48896]", "[48904]")
    with pytest.raises(CompileFailed, match="too much shared data"):
        machine_code_of(too_much, 80)


def test_sources():
    _, backend = on_host()
    whole = vyre.compile(counting(2), engine=backend).sources
    assert list(whole) == ["p.cu"]
    assert "vyre_grid_sync(" in whole["p.cu"]
    split = vyre.compile(counting(2), engine=backend, mode="split").sources
    assert list(split) == ["p.0.cu", "p.1.cu"]
    assert all("__global__" in text for text in split.values())
