"""Megakernels whose device is lost: everything is built anew, and tried once more."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device
from megakernel_programs import (
    COUNTING,
    EVERY_ENGINE,
    RESOURCES,
    numbers,
    resources,
)

from vyre import (
    BatchStorage,
    DeviceLost,
    DispatchFailed,
    Megakernel,
    OutOfMemory,
    Trapped,
    VyreError,
    telemetry,
)
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime import handle as handles_module
from vyre.runtime.backend import Backend
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.handle import Handle
from vyre.testing import RecordingBackend
from vyre.testing.faults import FaultyBackend
from vyre.testing.host_cuda import HostArray, HostCudaDevice

GONE = DeviceLost("the device is gone", "start again")


def lost_soon(megakernel: Megakernel, call: str, *, for_good: bool = True) -> None:
    """Let the device be lost at the next call of a kind."""
    device_of(megakernel).arm(call, GONE, for_good=for_good)


def device_of(megakernel: Megakernel) -> HostCudaDevice:
    backend = megakernel.exe.backend
    assert isinstance(backend, CudaBackend)
    assert isinstance(backend.device, HostCudaDevice)
    return backend.device


def on_cuda(text: str = COUNTING, **options: Any) -> Megakernel:
    return Megakernel(text, engine=CudaBackend(host_device()), **options)


def new_handle(megakernel: Megakernel, n: int = 1) -> Handle:
    x = np.arange(6, dtype=np.int32)
    return megakernel.resident(x=x, seen=np.zeros(6, np.int32), n=n)


def test_nothing_comes_back_before_the_first_dispatch():
    """What the caller passed is remembered, as it was then, and writes are."""
    megakernel = on_cuda()
    device = device_of(megakernel)
    x = np.arange(6, dtype=np.int32)
    before = telemetry.snapshot()
    handle = megakernel.resident(x=x, seen=np.zeros(6, np.int32), n=1)
    x[:] = -1
    data = numbers(100)
    handle.write("x", data, start=2)
    data[:] = -1
    assert handle.is_recoverable
    assert "download" not in device.calls
    counted = telemetry.snapshot() - before
    assert counted == telemetry.Counters(input_bytes=28, uploaded_bytes=28)
    lost_soon(megakernel, "launch")
    found = megakernel.dispatch(handle)
    assert found["x"].tolist() == [1, 2, 101, 4, 5, 6]


def test_arrays_on_the_device_are_remembered():
    megakernel = on_cuda()
    device = device_of(megakernel)
    x = HostArray.of(device, np.arange(6, dtype=np.int32))
    before = telemetry.snapshot()
    handle = megakernel.resident(x=x, seen=np.zeros(6, np.int32), n=1)
    assert (telemetry.snapshot() - before).output_bytes == 0
    lost_soon(megakernel, "launch")
    assert megakernel.dispatch(handle)["x"].tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_no_handle_downloads_what_it_has_uploaded(make: Callable[[], Backend]):
    backend = RecordingBackend(make())
    megakernel = Megakernel(COUNTING, engine=backend)
    handle = new_handle(megakernel)
    handle.write("x", numbers(5))
    assert backend.calls["download"] == 0
    handle.checkpoint()
    assert backend.calls["download"] == 2
    assert megakernel.dispatch(handle)["x"].tolist() == [6, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("call", ["launch", "download", "record"])
def test_a_lost_device_is_replaced(call: str):
    """Wherever it is lost, the handle goes on from where it was."""
    megakernel = on_cuda()
    handle = new_handle(megakernel)
    plain = new_handle(megakernel)
    wanted = [megakernel.dispatch(plain) for _ in range(4)][-1]
    before = megakernel.pipeline_id
    megakernel.dispatch(handle)
    megakernel.dispatch(handle)
    out = {"x": np.zeros(6, np.int32), "seen": np.zeros(6, np.int32)}
    lost_soon(megakernel, call)
    found = megakernel.into(handle, out)
    assert found.recovered_after_device_loss
    assert found.kernel_launches == 2
    assert found.sync_points == 1
    assert found.output_buffers == 2
    assert megakernel.pipeline_id != before
    again = megakernel.into(handle, out)
    assert not again.recovered_after_device_loss
    assert again.kernel_launches == 1
    assert all((out[name] == wanted[name]).all() for name in out)


def test_writes_are_done_again():
    megakernel = on_cuda()
    handle = new_handle(megakernel)
    megakernel.dispatch(handle)
    handle.write("x", numbers(100), start=2)
    megakernel.dispatch(handle)
    handle.write("x", numbers(-7), start=0)
    lost_soon(megakernel, "launch")
    found = megakernel.dispatch(handle)
    assert found["x"].tolist() == [-6, 4, 102, 6, 7, 8]


def test_a_copy_is_taken_now_and_then(monkeypatch: pytest.MonkeyPatch):
    """Dispatches before it are not made again."""
    monkeypatch.setattr(handles_module, "REPLAYED", 3)
    megakernel = on_cuda()
    handle = new_handle(megakernel)
    for _ in range(7):
        megakernel.dispatch(handle)
    lost_soon(megakernel, "download")
    assert megakernel.dispatch(handle)["x"].tolist() == [8, 9, 10, 11, 12, 13]
    # The eighth failed, the seventh was done again behind the copy, then the eighth.
    calls = device_of(megakernel).calls
    assert calls.count("launch") + calls.count("launch_graph") <= 2
    handle.checkpoint()
    lost_soon(megakernel, "launch")
    assert megakernel.dispatch(handle)["x"][0] == 9
    calls = device_of(megakernel).calls
    assert calls.count("launch") + calls.count("launch_graph") == 1


def test_a_batch_is_made_again_as_a_whole():
    megakernel = on_cuda()
    handles = [new_handle(megakernel, n) for n in (1, 10)]
    storage = BatchStorage()
    megakernel.many_with_scratch(handles, storage)
    lost_soon(megakernel, "download")
    found = megakernel.many_with_scratch(handles, storage)
    assert found.recovered_after_device_loss
    assert found.resident_resource_rows == 2
    assert [row["x"][0] for row in storage.batches] == [2, 20]


def test_other_handles_follow_when_they_are_used():
    megakernel = on_cuda()
    first, other = new_handle(megakernel), new_handle(megakernel, 5)
    megakernel.dispatch(other)
    lost_soon(megakernel, "launch")
    megakernel.dispatch(first)
    number = megakernel.pipeline_id
    found = megakernel.observed(other)
    assert found.results["x"][0] == 10
    assert not found.statistics.recovered_after_device_loss
    assert megakernel.pipeline_id == number


def test_it_is_tried_again_only_once(monkeypatch: pytest.MonkeyPatch):
    def itself(device: HostCudaDevice) -> HostCudaDevice:
        return device

    monkeypatch.setattr(HostCudaDevice, "reopened", itself)
    megakernel = on_cuda()
    handle = new_handle(megakernel)
    lost_soon(megakernel, "launch")
    with pytest.raises(DeviceLost):
        megakernel.dispatch(handle)


def test_a_device_that_stays_away():
    """What is raised is what happened first."""
    megakernel = on_cuda()
    handle = new_handle(megakernel)
    device = device_of(megakernel)

    def reopened() -> HostCudaDevice:
        raise DeviceLost("still gone", "wait")

    device.reopened = reopened
    lost_soon(megakernel, "launch")
    with pytest.raises(DeviceLost, match="the device is gone"):
        megakernel.dispatch(handle)


def test_recovery_can_be_left_out():
    megakernel = on_cuda(recovers=False)
    handle = new_handle(megakernel)
    lost_soon(megakernel, "launch", for_good=False)
    with pytest.raises(DeviceLost):
        megakernel.dispatch(handle)


@pytest.mark.parametrize(
    "error",
    [OutOfMemory("full", "free some"), DispatchFailed("queue full", "wait")],
)
def test_other_failures_are_not_tried_again(error: VyreError):
    megakernel = on_cuda()
    handle = new_handle(megakernel)
    number = megakernel.pipeline_id
    device_of(megakernel).arm(0, error)
    with pytest.raises(type(error)):
        megakernel.dispatch(handle)
    assert megakernel.pipeline_id == number


def test_an_engine_that_says_it_in_its_own_words():
    """Failure, then success: two calls, and the caller's arrays are used."""
    engine = FaultyBackend(ReferenceBackend())
    megakernel = Megakernel(RESOURCES, engine=engine)
    handle = megakernel.resident(resources(3))
    megakernel.dispatch(handle)  # Compiles it.
    out = {"debug_log": numbers(0)}
    number = megakernel.pipeline_id
    engine.arm(0, RuntimeError("Adapter Lost while waiting"))
    found = megakernel.into(handle, out)
    assert out["debug_log"].tolist() == [3]
    assert found.recovered_after_device_loss
    assert found.kernel_launches == 2
    assert megakernel.pipeline_id != number


def test_traps_are_not_tried_again():
    text = """
    vyre.program @traps [1, 1, 1] {
      %x = vyre.buffer "x" read_write binding 0 : memref<1xi32>
      vyre.trap "never"
    }
    """
    megakernel = on_cuda(text)
    with pytest.raises(Trapped):
        megakernel.dispatch(megakernel.resident(x=numbers(1)))


def test_nothing_is_left_on_the_new_device():
    megakernel = on_cuda()
    handle = new_handle(megakernel)
    lost_soon(megakernel, "launch")
    megakernel.dispatch(handle)
    device = device_of(megakernel)
    with_handle = device.live_bytes
    handle.close()
    assert device.live_bytes <= with_handle - 2 * 24
