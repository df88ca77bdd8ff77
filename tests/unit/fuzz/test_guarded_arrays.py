"""Arrays of the fuzzer that end where memory does, and jobs whose memory does."""

import ctypes
import faulthandler
import gc
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guarded_arrays import guarded, guarded_bytes, guarded_jobs
from native_runs import apart

import vyre
from vyre.runtime.cpu import jobs, kernel
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.executable import Executable

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="pages are guarded on Linux only"
)
DIES = str(-signal.SIGSEGV)


@pytest.mark.parametrize("count", [0, 1, 7, 512, 1000])
def test_guarded_arrays_are_copies(count: int):
    array = np.arange(2 * count, dtype=np.int64).reshape(2, count)
    copy = guarded(array)
    assert (copy == array).all()
    copy += 1
    assert (copy == array + 1).all()


@on_linux
@pytest.mark.parametrize("offset", [12, 4096, -4096])
def test_nobody_writes_beside_guarded_arrays(offset: int):
    copy = guarded(np.arange(3, dtype=np.int32))

    def write() -> None:
        ctypes.c_int8.from_address(copy.ctypes.data + offset).value = 1

    assert DIES in fate(write)


def fate(run: Callable[[], object]) -> str:
    """What becomes of a process that does this."""

    def quietly() -> None:
        faulthandler.disable()  # It is no news that this process ends.
        run()

    return str(apart(quietly))


# Memory of the CPU engine

SAVES = """
vyre.program @saves [32, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<32xi32>
  %zero = arith.constant 0 : i32
  %last = arith.constant 31 : index
  %i = vyre.invocation_id x
  %lane = vyre.local_id x
  %v = vyre.load %x[%i] : memref<?xi32>
  vyre.store %zero, %x[%i] : memref<?xi32>
  vyre.barrier grid_sync
  vyre.store %v, %tile[%lane] : memref<32xi32>
  vyre.barrier acq_rel
  %opposite = arith.subi %last, %lane : index
  %w = vyre.load %tile[%opposite] : memref<32xi32>
  vyre.store %w, %x[%i] : memref<?xi32>
}
"""
"""Each invocation saves an element in scratch, and passes it on in workgroup memory."""


@pytest.fixture
def saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Executable:
    monkeypatch.setenv("VYRE_CACHE_DIR", str(tmp_path))
    return vyre.compile(SAVES, engine=CpuBackend(1, 0))


def run(exe: Executable) -> None:
    x = np.arange(96, dtype=np.int32)
    exe.bind(x=x)()
    assert (x.reshape(3, 32)[:, ::-1].ravel() == np.arange(96)).all()


def test_programs_run_in_guarded_memory(saves: Executable):
    with guarded_jobs():
        run(saves)


def test_all_memory_of_a_job_is_guarded(saves: Executable, monkeypatch: pytest.MonkeyPatch):
    """Its words, its workers' memory, and scratch."""
    made: list[int] = []

    def noting(size: int) -> Any:
        made.append(size)
        return guarded_bytes(size)

    monkeypatch.setattr(jobs, "zero_bytes", noting)
    run(saves)
    assert len(made) == 3
    assert made[-1] == 4 * 96


@on_linux
def test_code_that_writes_behind_scratch_dies(
    saves: Executable, monkeypatch: pytest.MonkeyPatch
):
    """By one element, if scratch is as much too small."""

    def too_small(*_: object) -> tuple[int, ...]:
        return (95,)

    monkeypatch.setattr(jobs, "scratch_sizes", too_small)
    with guarded_jobs():
        assert DIES in fate(lambda: run(saves))


@on_linux
def test_code_that_writes_behind_memory_of_workers_dies(
    saves: Executable, monkeypatch: pytest.MonkeyPatch
):
    def too_small(linked: Any, layout: Any) -> jobs.Code:
        return jobs.Code(linked, replace(layout, memory_bytes=64))

    monkeypatch.setattr(kernel, "Code", too_small)
    with guarded_jobs():
        assert DIES in fate(lambda: run(saves))


@on_linux
def test_guarded_memory_is_given_back(saves: Executable):
    """A process may have some ten thousand mappings only."""

    def mappings() -> int:
        gc.collect()
        return len(Path("/proc/self/maps").read_text().splitlines())

    run(saves)
    before = mappings()
    with guarded_jobs():
        kept = [saves.bind(x=guarded(np.arange(96, dtype=np.int32))) for _ in range(50)]
    assert mappings() > before + 50
    kept.clear()
    assert mappings() < before + 50
