"""Memory, faults and streams of dispatches on the CUDA engine."""

import gc
import threading
import weakref
from contextlib import suppress
from typing import Any

import pytest
from counting_programs import counting
from cuda_devices import host_device
from cuda_engines import MODES, array, on_host
from cuda_programs import counting_loop, trapping

import vyre
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.errors import (
    DeviceLost,
    OutOfMemory,
    Trapped,
)


def test_nothing_is_left_behind():
    device, backend = on_host()
    for mode in MODES:
        exe = vyre.compile(trapping(2), engine=backend, mode=mode)
        exe(a=array(), t0=99, t1=99, grid=2, fixpoint_iterations=9)
        with pytest.raises(Trapped):
            exe(a=array(), t0=99, t1=0, grid=2)
        with exe.resident(a=array(), t0=99, t1=99, grid=2) as held:
            held.run()
        del exe, held
    gc.collect()
    assert device.live_bytes == 0


@pytest.mark.parametrize("deferred", [False, True])
def test_a_device_that_nobody_needs_ends(deferred: bool):
    """Nothing that was done or waits keeps it, nor the thread that does its work."""
    before = set(threading.enumerate())
    device, backend = on_host(deferred=deferred)
    vyre.compile(counting(3), engine=backend)(a=array(), grid=1)
    threads = set(threading.enumerate()) - before
    assert threads
    is_there = weakref.ref(device)
    del device, backend
    gc.collect()
    assert is_there() is None
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_memory_that_waits_is_given_back_if_it_is_needed():
    """Copies for comparisons are kept, but not at any price."""
    device, backend = on_host(capacity=120_000)
    exe = vyre.compile(counting(3), engine=backend)
    a = array(10_000)
    exe(a=a, grid=4, fixpoint_iterations=3)
    assert device.live_bytes >= 40_000
    exe(a=array(28_000), grid=4)
    with pytest.raises(OutOfMemory):
        exe(a=array(31_000), grid=4)
    exe(a=a, grid=4, fixpoint_iterations=3)


@pytest.mark.covering(1)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("error", [DeviceLost, OutOfMemory])
def test_faults_at_every_call(mode: Any, error: Any):
    """Whatever fails, the error is told, memory is freed, and the next call works."""
    device, backend = on_host()
    exe = vyre.compile(counting_loop(), engine=backend, mode=mode)
    options = {"grid": 2, "check_interval": 2, "fixpoint_iterations": 3}
    given: Any = {"a": array(), "n": 5, **options}
    exe(**given)
    device.arm(None)
    exe(**given)
    calls = len(device.calls)
    assert calls > 20
    at_rest = device.live_bytes
    for number in range(calls):
        device.arm(number, error("told to fail", "nothing helps"))
        with suppress(error):  # What only gives memory back is not told.
            exe(**given)
        failed = device.calls[number : number + 1]  # How often it polls varies.
        device.arm(None)
        if failed == ["free"]:
            at_rest = device.live_bytes  # It is not tried again.
        assert device.live_bytes <= at_rest
    assert exe(**given)["a"][0] == 5


def test_a_device_that_is_gone():
    device, backend = on_host()
    exe = vyre.compile(counting(3), engine=backend)
    device.arm(5, DeviceLost("gone", "buy another"), for_good=True)
    for _ in range(2):
        with pytest.raises(DeviceLost):
            exe(a=array())


def test_the_callers_stream():
    device = host_device(deferred=True)
    stream = device.new_stream()
    backend = CudaBackend(device, stream)
    assert vyre.compile(counting(3), engine=backend)(a=array())["a"][0] == 3
    assert device.calls.count("new_stream") == 1
    with pytest.raises(vyre.VyreError, match="is no stream of this device"):
        CudaBackend(device, host_device().new_stream())


@pytest.mark.parametrize("mode", MODES)
def test_dispatches_on_two_streams_at_once(mode: Any):
    """Grid barriers of launches that run at the same time do not meet."""
    device = host_device(block_order="random", deferred=True)
    backends = [CudaBackend(device, device.new_stream()) for _ in range(2)]
    exes = [vyre.compile(counting(9), engine=b, mode=mode) for b in backends]
    failures: list[BaseException] = []

    def work(exe: Any) -> None:
        try:
            for _ in range(5):
                assert exe(a=array(), grid=4)["a"][0] == 9
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(exe,)) for exe in exes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
