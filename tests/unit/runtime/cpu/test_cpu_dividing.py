"""Every workgroup of an uneven launch runs once, whoever takes it, whatever came before."""

import re

import numpy as np
import pytest
from cpu_runs import CPUS, WORKERS

import vyre
from vyre.runtime.executable import Executable

COUNTING = """
vyre.program @p [2, 1, 1] {
  %trips = vyre.buffer "trips" read_only binding 0 : memref<?xi32>
  %runs = vyre.buffer "runs" read_write binding 1 : memref<?xi32>
  %fails = vyre.param "fails" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %one_i32 = arith.constant 1 : i32
  %g = vyre.workgroup_id x
  scf.for %phase = %zero to %one step %one {
    %count = vyre.load %trips[%g] : memref<?xi32>
    %end = arith.index_cast %count : i32 to index
    scf.for %k = %zero to %end step %one {
      %old = vyre.atomic add %one_i32, %runs[%g] : memref<?xi32>
    }
    %is_bad = arith.cmpi eq, %g, %fails : index
    scf.if %is_bad { vyre.trap "bad" }
    vyre.barrier grid_sync
    scf.for %k = %zero to %end step %one {
      %old = vyre.atomic add %one_i32, %runs[%g] : memref<?xi32>
    }
  }
}
"""

NOBODY = -1


def trips(groups: int, shape: str) -> np.ndarray:
    """All work at the beginning, at the end, in between or everywhere."""
    found = np.ones(groups, np.int32)
    place = {"first": 0, "last": groups - 1, "middle": groups // 2}.get(shape)
    if place is not None:
        found[place] = 5000
    return found


def runs_once(exe: Executable, given: np.ndarray) -> None:
    """Two invocations, two phases."""
    zeros = np.zeros(given.size, np.int32)
    results = exe(trips=given, runs=zeros, fails=NOBODY, grid=given.size)
    np.testing.assert_array_equal(results["runs"], 4 * given)


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("shape", ["first", "last", "middle", "even"])
def test_every_workgroup_runs_once(shape: str, workers: int):
    exe = vyre.compile(COUNTING, engine=CPUS[workers])
    for groups in (1, 2, 5, 16, 100, 333):
        for _ in range(3):
            runs_once(exe, trips(groups, shape))


@pytest.mark.parametrize("workers", WORKERS)
def test_after_a_run_that_was_stopped(workers: int):
    """Parts that nobody has finished are not taken by the next run, with the same job."""
    exe = vyre.compile(COUNTING, engine=CPUS[workers])
    given = trips(100, "middle")
    arrays = {"trips": given, "runs": np.zeros(100, np.int32)}
    for fails in (0, 99, 50):
        with pytest.raises(vyre.Trapped):
            exe(arrays, fails=fails, grid=100)
        runs_once(exe, given)


@pytest.mark.parametrize("workers", WORKERS)
def test_after_a_run_that_took_too_long(workers: int):
    """All workers were in the middle of their parts, and the job is the same."""
    exe = vyre.compile(COUNTING, engine=CPUS[workers])
    given, runs = np.zeros(100, np.int32), np.zeros(100, np.int32)
    bound = exe.bind(trips=given, runs=runs, fails=NOBODY, grid=100, timeout=0.3)
    for _ in range(3):
        given[:] = 2**31 - 1
        with pytest.raises(vyre.Timeout):
            bound()
        given[:], runs[:] = 1, 0
        bound()
        np.testing.assert_array_equal(runs, 4 * given)


ENDLESS = """
vyre.program @p [1, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<8xi32>
  %from = vyre.param "from" : index
  %to = vyre.param "to" : index
  %offset = vyre.param "offset" : index
  %step = arith.constant STEP : index
  %seven = arith.constant 7 : i32
  scf.for %k = %from to %to step %step {
    %at = arith.addi %k, %offset : index
    vyre.store %seven, %a[%at] : memref<8xi32>
  }
}
"""


@pytest.mark.parametrize("step", [1, 2])
def test_loops_that_go_around_the_world(step: int):
    """Their first and last accesses are inside the buffer, and all others are not."""
    exe = vyre.compile(ENDLESS.replace("STEP", str(step)), engine="cpu")
    least, most = -(2**63), 2**63 - 1
    given = {"a": np.zeros(8, np.int32), "from": least, "to": most, "offset": most + 6}
    with pytest.raises(vyre.Timeout):
        exe(given, grid=1, timeout=0.2)


def test_workers_look_whether_to_stop_after_every_piece():
    """Also where all pieces together are thought to be short: they may be anything."""
    text = vyre.compile(COUNTING, engine="cpu").sources["p.ll"]
    launches = re.findall(r'^define internal void @"launch\..*?^}', text, re.M | re.S)
    assert len(launches) == 2
    for launch in launches:
        runs = re.findall(r'call void @"phase\.', launch)
        looks = re.findall(r"call preserve_mostcc i64", launch)
        assert (len(runs), len(looks)) == (2, 2)
