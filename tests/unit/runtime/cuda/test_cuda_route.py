"""Native or split on the CUDA engine: what fits is launched once."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from cuda_devices import EVERY_DEVICE, host_device

import vyre
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.errors import (
    DoesNotFit,
    UnsupportedFeature,
)
from vyre.testing.host_cuda import PRETENDED, HostCudaDevice

on_every_device = pytest.mark.parametrize("make_device", EVERY_DEVICE)
MODES = ("native", "split")


def array(count: int = 8) -> Any:
    return np.zeros(count, np.int32)


def on_host(**options: Any) -> tuple[HostCudaDevice, CudaBackend]:
    device = host_device(**options)
    return device, CudaBackend(device)


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


def test_sources():
    _, backend = on_host()
    whole = vyre.compile(counting(2), engine=backend).sources
    assert list(whole) == ["p.cu"]
    assert "vyre_grid_sync(" in whole["p.cu"]
    split = vyre.compile(counting(2), engine=backend, mode="split").sources
    assert list(split) == ["p.0.cu", "p.1.cu"]
    assert all("__global__" in text for text in split.values())
