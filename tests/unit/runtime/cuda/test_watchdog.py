"""The watchdog of grid barriers: an error instead of a hang."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from cuda_devices import EVERY_DEVICE, MakeDevice, fails, host_device
from cuda_engines import array
from cuda_programs import counting_loop, trapping
from split_cases import SYNC, A, program
from typing_extensions import override

import vyre
from vyre.dialects.vyre import BarrierOp
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.cuda.watchdog import watchdog_of
from vyre.runtime.errors import DivergentBarrier, InvalidArgument, Timeout, Trapped
from vyre.testing.host_cuda import HostCudaDevice
from vyre.testing.host_cuda_compiler import HostFunction
from vyre.testing.host_cuda_runner import Turns

ORDERS: tuple[Turns, ...] = ("forward", "reversed", "random")
CALL = "if (!vyre_grid_sync("


class ChangingDevice(HostCudaDevice):
    """A device that runs other text than it is given."""

    def __init__(self, change: Callable[[str], str], order: Turns = "forward"):
        super().__init__(block_order=order, thread_order=order, seed=3)
        self._change = change

    @override
    def compile(self, source: str, name: str, options: Sequence[str]) -> HostFunction:
        return super().compile(self._change(source), name, options)


def faulty_device(barrier: int, order: Turns = "forward") -> HostCudaDevice:
    """Block 1 leaves before a barrier, counted from 1 in the text."""
    host_device()  # Skips if there is no compiler.

    def leave(source: str) -> str:
        parts = source.split(CALL)
        parts[barrier - 1] += "if (blockIdx.x == 1) return;\n  "
        return CALL.join(parts)

    return ChangingDevice(leave, order)


def gives_up(exe: Any, **arguments: Any) -> DivergentBarrier:
    with pytest.raises(DivergentBarrier) as caught:
        exe(**arguments)
    return caught.value


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("barrier", [1, 2, 3])
def test_a_block_that_never_comes(order: Turns, barrier: int):
    text = counting(4)
    device = faulty_device(barrier, order)
    exe = vyre.compile(text, engine=CudaBackend(device, watchdog=2000), mode="native")
    error = gives_up(exe, a=array(), grid=4)
    assert "only 3 of 4 workgroups came to this grid barrier" in error.cause
    assert "gave up after 2000 looks" in error.cause
    assert f"({barrier - 1} were passed before)" in error.cause
    assert isinstance(error.barrier, BarrierOp)
    lines = [n for n, line in enumerate(text.splitlines(), 1) if "grid_sync" in line]
    assert f":{lines[barrier - 1]}:" in str(error)
    assert "Fix: see where the others stay" in str(error)


def test_without_it_one_waits_until_the_timeout():
    exe = vyre.compile(counting(2), engine=CudaBackend(faulty_device(1)), mode="native")
    with pytest.raises(Timeout):
        exe(a=array(), grid=4, timeout=0.3)


def test_barriers_in_loops_are_counted():
    """Block 1 leaves before the second barrier of a loop, in the first trip."""
    engine = CudaBackend(faulty_device(2), watchdog=500)
    exe = vyre.compile(counting_loop(), engine=engine, mode="native")
    error = gives_up(exe, a=array(), n=5, grid=3)
    assert "only 2 of 3 workgroups" in error.cause
    assert "(1 were passed before)" in error.cause


WAITS_TOO_EARLY = program(
    A,
    f"""
  %group = vyre.workgroup_id x
  %waits = arith.cmpi eq, %group, %c1 : index
  scf.if %waits {{
    scf.while : () -> () {{
      %v = vyre.atomic add %i0, %a[%c0] : memref<?xi32>
      %go = arith.cmpi eq, %v, %i0 : i32
      scf.condition(%go)
    }} do {{
      scf.yield
    }}
  }}
  {SYNC}
  %is_first = arith.cmpi eq, %x, %c0 : index
  scf.if %is_first {{
    vyre.store %i1, %a[%c0] : memref<?xi32>
  }}
""",
)
"""Workgroup 1 waits for what workgroup 0 does only after the barrier."""


def sleeping(source: str) -> str:
    """With a pause in the loop: without one no other block has its turn on the harness."""
    assert source.count("while (true) {") == 1
    return source.replace("while (true) {", "while (true) {\n__nanosleep(1);")


@pytest.mark.parametrize("is_watched", [True, False])
@pytest.mark.parametrize("order", ORDERS)
def test_who_is_in_a_loop_is_told_to_leave(is_watched: bool, order: Turns):
    host_device()
    device = ChangingDevice(sleeping, order)
    engine = CudaBackend(device, watchdog=1000 if is_watched else 0)
    exe = vyre.compile(WAITS_TOO_EARLY, engine=engine, mode="native")
    with pytest.raises(DivergentBarrier if is_watched else Timeout) as caught:
        exe(a=array(), grid=4, timeout=20.0 if is_watched else 0.5)
    if is_watched:
        assert "only 3 of 4 workgroups came" in str(caught.value)
    assert exe(a=np.ones(8, np.int32), grid=4)["a"][0] == 1


def test_who_comes_too_late():
    """A workgroup with much to do is not stuck, but the watchdog cannot know that."""
    text = program(
        A,
        f"""
  %group = vyre.workgroup_id x
  %works = arith.cmpi eq, %group, %c1 : index
  %many = arith.constant 3000 : index
  scf.if %works {{
    scf.for %k = %c0 to %many step %c1 {{
      %v = vyre.atomic add %i1, %a[%x] : memref<?xi32>
    }}
  }}
  {SYNC}
  vyre.store %i1, %a[%x] : memref<?xi32>
""",
    )
    device = host_device(block_order="random", thread_order="random", seed=5)
    exe = vyre.compile(text, engine=CudaBackend(device, watchdog=1), mode="native")
    error = gives_up(exe, a=array(), grid=2)
    said = ("not all 2 workgroups came to this grid barrier in time", "only 1 of 2")
    assert any(words in error.cause for words in said)
    assert "(0 were passed before)" in error.cause
    patient = CudaBackend(device, watchdog=1 << 20)
    exe = vyre.compile(text, engine=patient, mode="native")
    assert exe(a=array(), grid=2)["a"].all()


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_what_does_not_hang_gives_the_same(make_device: MakeDevice):
    device = make_device()
    watched = CudaBackend(device, watchdog=1 << 22)
    calls: list[tuple[str, dict[str, Any]]] = [
        (counting(5), {"grid": 4}),
        (counting_loop(), {"n": 7, "grid": 3}),
        (counting(3), {"grid": 4, "fixpoint_iterations": 5}),
    ]
    for text, given in calls:
        found = [
            vyre.compile(text, engine=engine, mode="native")(a=array(), **given)
            for engine in (CudaBackend(device), watched)
        ]
        assert found[0].keys() == found[1].keys()
        for name, plain in found[0].items():
            assert plain.tobytes() == found[1][name].tobytes()


def test_split_programs_have_none():
    engine = CudaBackend(host_device(), watchdog=100)
    native = vyre.compile(counting(2), engine=engine, mode="native")
    assert "vyre_grid_sync(vyre_grid, vyre_stop, 1)" in native.sources["p.cu"]
    split = vyre.compile(counting(2), engine=engine, mode="split")
    assert not any("gave_up" in text for text in split.sources.values())
    assert split(a=array(), grid=4)["a"][0] == 2


def test_a_trap_is_told_before_the_watchdog():
    """It is the program's own word."""
    engine = CudaBackend(host_device(), watchdog=1000)
    exe = vyre.compile(trapping(2), engine=engine, mode="native")
    with pytest.raises(Trapped, match="part 1"):
        exe(a=array(16), grid=4, t0=1000, t1=3)
    assert not exe(a=array(16), grid=4, t0=1000, t1=1000)["a"].any()


@pytest.mark.parametrize(
    ("looks", "text", "found"),
    [
        (None, "", None),
        (None, " 5000 ", 5000),
        (None, "0", None),
        (0, "5000", None),
        (7, "5000", 7),
        (2**32 - 1, "", 2**32 - 1),
    ],
)
def test_who_decides(looks: int | None, text: str, found: int | None):
    """The caller, and the environment if the caller does not."""
    assert watchdog_of(looks, {"VYRE_CUDA_WATCHDOG": text}) == found


@pytest.mark.parametrize(("looks", "text"), [(-1, ""), (2**32, ""), (None, "soon")])
def test_nonsense_is_refused(looks: int | None, text: str):
    with pytest.raises(InvalidArgument, match="how often to look"):
        watchdog_of(looks, {"VYRE_CUDA_WATCHDOG": text})


def test_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("VYRE_CUDA_WATCHDOG", "300")
    exe = vyre.compile(counting(2), engine=CudaBackend(faulty_device(1)), mode="native")
    assert "gave up after 300 looks" in gives_up(exe, a=array(), grid=2).cause
    monkeypatch.setenv("VYRE_CUDA_WATCHDOG", "never")
    assert "'never'" in fails(lambda: CudaBackend(host_device()))
