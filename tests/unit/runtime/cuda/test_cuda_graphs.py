"""Schedules that come again are replayed; loops run ahead of the host."""

from typing import Any

import numpy as np
import pytest
from counting_programs import counting
from cuda_devices import MakeDevice
from cuda_engines import array, on_every_device, on_host
from cuda_programs import counting_loop
from split_cases import SYNC, A, program

import vyre
from vyre.runtime.cuda import tape
from vyre.runtime.cuda.backend import CudaBackend


def test_a_schedule_that_comes_again_becomes_a_graph():
    device, backend = on_host()
    exe = vyre.compile(counting(5), engine=backend, mode="split")
    with exe.resident(a=array()) as held:
        for run in range(4):
            device.calls.clear()
            held.run()
            launches, graphs = (device.calls.count(n) for n in ("launch", "launch_graph"))
            captures = device.calls.count("capture")
            # First one by one, then captured, then only replayed.
            assert (launches, captures, graphs) == [(5, 0, 0), (5, 1, 1), (0, 0, 1)][
                min(run, 2)
            ]
        assert held.read("a")[0] == 20


def test_other_parameters_make_another_graph():
    text = program(
        A,
        '%d = vyre.param "d" : i32',
        f"\n{SYNC}\n".join(
            """
  vyre.region {
    %v = vyre.load %a[%x] : memref<?xi32>
    %w = arith.addi %v, %d : i32
    vyre.store %w, %a[%x] : memref<?xi32>
  }
"""
            for _ in range(5)
        ),
    )
    device, backend = on_host()
    exe = vyre.compile(text, engine=backend, mode="split")
    with exe.resident(a=array(), d=1) as held:
        for d in (1, 1, 1, 10, 10, 10, 1):
            held.run(d=d)
        assert held.read("a").tolist() == [5 * 34] * 8
    assert device.calls.count("capture") == 2
    assert device.calls.count("launch_graph") == 5


def test_graphs_in_fixpoints():
    """All passes after the second are replayed."""
    device, backend = on_host()
    exe = vyre.compile(counting(5), engine=backend, mode="split")
    found = exe(a=array(), fixpoint_iterations=10, check_interval=None)
    assert found["a"][0] == 50
    assert device.calls.count("launch") == 10
    assert device.calls.count("launch_graph") == 9


def test_what_is_remembered_is_forgotten_when_memory_moves():
    """A larger grid needs more scratch, and what was enqueued for the smaller is wrong."""
    crossing = program(
        A,
        f"""
  %v = vyre.load %a[%x] : memref<?xi32>
  %old = vyre.atomic add %i1, %a[%x] : memref<?xi32>
  {SYNC}
  %sum = arith.addi %v, %old : i32
  vyre.store %sum, %a[%x] : memref<?xi32>
""",
    )
    _, backend = on_host()
    exe = vyre.compile(crossing, engine=backend, mode="split")
    assert "vyre.scratch" in str(exe.route(exe.config, None).unit.op)
    with exe.resident(a=np.ones(256, np.int32)) as held:
        for groups in (2, 2, 64, 2, 64, 2):
            held.run(grid=groups)
        assert held.read("a").tolist() == [64] * 8 + [4] * 248


def test_no_more_graphs_are_kept_than_needed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tape, "KEPT", 32)
    _, backend = on_host()
    exe = vyre.compile(counting(5), engine=backend, mode="split")
    for groups in range(1, 60):
        for _ in range(2):
            assert exe(a=array(), grid=groups)["a"][0] == 5
    player: Any = backend
    assert len(player._engine.player._known) == 32


def test_long_schedules_go_in_parts():
    """There is a limit to what is enqueued at once, and to what is remembered."""
    text = program(
        A,
        '%n = vyre.param "n" : index',
        f"""
  scf.for %k = %c0 to %n step %c1 {{
    {SYNC}
    %v = vyre.load %a[%x] : memref<?xi32>
    %w = arith.addi %v, %i1 : i32
    vyre.store %w, %a[%x] : memref<?xi32>
  }}
""",
    )
    device, backend = on_host()
    exe = vyre.compile(text, engine=backend, mode="split")
    with exe.resident(a=array(), n=1) as held:
        report = held.run(n=5000)
        assert report.launches >= 5000
        assert held.read("a").tolist() == [5000] * 8
        assert device.calls.count("is_done") > 5


@pytest.mark.covering(2)
@on_every_device
@pytest.mark.parametrize("interval", [1, 2, 3, 7, 8, 100, None])
@pytest.mark.parametrize("n", [0, 1, 6, 7, 8, 20])
def test_loops_run_ahead(make_device: MakeDevice, interval: int | None, n: int):
    """However often the host looks, results and launches are the same."""
    exe = vyre.compile(counting_loop(), engine=CudaBackend(make_device()), mode="split")
    results, report = exe.timed(a=array(), n=n, grid=2, check_interval=interval)
    assert results["a"][0] == n
    assert results["steps"][0] == n
    once = exe.timed(a=array(), n=n, grid=2).report
    assert report.launches == once.launches
    assert {s.name: s.launches for s in report.segments} == {
        s.name: s.launches for s in once.segments
    }


def test_the_host_looks_less_often():
    device, backend = on_host()
    exe = vyre.compile(counting_loop(), engine=backend, mode="split")

    def looks(interval: int | None) -> int:
        device.calls.clear()
        exe(a=array(), n=40, grid=2, check_interval=interval)
        return device.calls.count("download")

    assert looks(1) > 40
    assert looks(10) < 10
    assert looks(None) < looks(10)


def test_trips_of_the_same_kind_are_graphs():
    device, backend = on_host()
    text = counting_loop().replace(
        "%next = arith.addi %k, %i1", "%next = arith.addi %k, %i0"
    )
    exe = vyre.compile(text, engine=backend, mode="split")
    assert exe(a=array(), n=40, grid=2, check_interval=5)["a"][0] == 40
    assert device.calls.count("launch_graph") >= 6
