"""How dispatches on the CUDA engine end early: traps, timeouts, Ctrl-C."""

import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from cuda_devices import MakeDevice
from cuda_engines import MODES, array, on_every_device
from cuda_programs import trapping
from split_cases import SYNC, A, program

import vyre
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.errors import (
    Timeout,
    Trapped,
)


@on_every_device
@pytest.mark.parametrize("mode", MODES)
def test_the_first_part_that_traps_counts(make_device: MakeDevice, mode: Any):
    """Although a later part would trap in an earlier invocation."""
    exe = vyre.compile(trapping(3), engine=CudaBackend(make_device()), mode=mode)
    never = 1000
    for first in ((never, 5, 2), (7, 0, 0), (never, never, 3)):
        given: Any = {f"t{k}": number for k, number in enumerate(first)}
        with pytest.raises(Trapped) as caught:
            exe(a=array(16), grid=4, **given)
        part = next(k for k, number in enumerate(first) if number < never)
        assert caught.value.tag == f"part {part}"
        assert caught.value.invocation == first[part]
        assert caught.value.value == first[part] - 100
        calm = exe(a=array(16), grid=4, t0=never, t1=never, t2=never)
        assert not calm["a"].any()


@on_every_device
def test_traps_in_passes_and_graphs(make_device: MakeDevice):
    """The pass that traps is the last."""
    step = """
  vyre.region {
    %v = vyre.load %a[%x] : memref<?xi32>
    %w = arith.addi %v, %i1 : i32
    vyre.store %w, %a[%x] : memref<?xi32>
    %bad = arith.cmpi eq, %w, %i30 : i32
    scf.if %bad {
      vyre.trap "thirty"
    }
  }
"""
    text = program(A, f"\n{SYNC}\n".join([step] * 5))
    exe = vyre.compile(text, engine=CudaBackend(make_device()), mode="split")
    a = array(8)
    a[5] = 3
    with pytest.raises(Trapped) as caught:
        exe(a=a, fixpoint_iterations=100)
    assert caught.value.invocation == 5
    assert caught.value.value is None


ENDLESS = program(
    A,
    """
  scf.while : () -> () {
    %v = vyre.load %a[%c0] : memref<?xi32>
    %go = arith.cmpi eq, %v, %i0 : i32
    scf.condition(%go)
  } do {
    %w = vyre.load %a[%c1] : memref<?xi32>
    vyre.store %w, %a[%c1] : memref<?xi32>
    scf.yield
  }
""",
)
ENDLESS_BARRIERS = program(
    A,
    f"""
  scf.while : () -> () {{
    %v = vyre.load %a[%c0] : memref<?xi32>
    %go = arith.cmpi eq, %v, %i0 : i32
    scf.condition(%go)
  }} do {{
    {SYNC}
    vyre.store %i0, %a[%x] : memref<?xi32>
    {SYNC}
    scf.yield
  }}
""",
)


@pytest.mark.covering(2)
@on_every_device
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", [ENDLESS, ENDLESS_BARRIERS], ids=["loop", "barriers"])
@pytest.mark.parametrize("interval", [1, 4])
def test_timeouts(make_device: MakeDevice, mode: Any, text: str, interval: int):
    exe = vyre.compile(text, engine=CudaBackend(make_device()), mode=mode)
    started = time.monotonic()
    with pytest.raises(Timeout):
        exe(a=array(8), timeout=0.2, check_interval=interval)
    assert time.monotonic() - started < 20
    assert exe(a=np.ones(8, np.int32))["a"].all()


MUCH_AFTER_AN_ENDLESS_LOOP = program(
    A,
    '%n = vyre.param "n" : index',
    f"""
  scf.while : () -> () {{
    %v = vyre.load %a[%c0] : memref<?xi32>
    %go = arith.cmpi eq, %v, %i0 : i32
    scf.condition(%go)
  }} do {{
    %w = vyre.load %a[%c1] : memref<?xi32>
    vyre.store %w, %a[%c1] : memref<?xi32>
    scf.yield
  }}
  scf.for %k = %c0 to %n step %c1 {{
    {SYNC}
    %u = vyre.load %a[%x] : memref<?xi32>
    %more = arith.addi %u, %i1 : i32
    vyre.store %more, %a[%x] : memref<?xi32>
  }}
""",
)


@pytest.mark.covering(1)
@on_every_device
@pytest.mark.parametrize("is_timed", [False, True])
@pytest.mark.parametrize(
    ("trips", "passes"), [(5000, 1), (1, 3000)], ids=["launches", "passes"]
)
def test_the_queue_is_never_full(
    make_device: MakeDevice, is_timed: bool, trips: int, passes: int
):
    """A driver would block then, and nobody could end the kernel that is under way."""
    device = make_device()
    exe = vyre.compile(MUCH_AFTER_AN_ENDLESS_LOOP, engine=CudaBackend(device), mode="split")
    run = exe.timed if is_timed else exe
    options: Any = {"fixpoint_iterations": passes, "check_interval": None}
    for _ in range(2):
        with pytest.raises(Timeout):
            run(a=array(), n=trips, timeout=0.3, **options)
    found = exe(a=np.ones(8, np.int32), n=trips, **options)
    assert found["a"].tolist() == [1 + trips * passes] * 8


@on_every_device
@pytest.mark.parametrize("text", [ENDLESS, ENDLESS_BARRIERS], ids=["loop", "barriers"])
def test_ctrl_c(make_device: MakeDevice, text: str):
    exe = vyre.compile(text, engine=CudaBackend(make_device()))
    main = threading.main_thread().ident
    assert main is not None
    exe(a=np.ones(8, np.int32))
    timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        exe(a=array(8))
    timer.join()
    assert exe(a=np.ones(8, np.int32))["a"].all()
