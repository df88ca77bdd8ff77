"""Programs that are called again and again on the CPU engine, and who counts how."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from split_cases import A, B, N, program

import vyre
from vyre.runtime import telemetry
from vyre.runtime.backend import Whole
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.cpu.jobs import Job
from vyre.runtime.executable import Executable

Array = NDArray[Any]


class Watched(CpuBackend):
    """Counts the dispatches that were checked, planned and prepared."""

    long = 0

    def prepare(self, whole: Whole, zeros: Any = ()) -> Job:
        self.long += 1
        return super().prepare(whole, zeros)


def compiled(source: Any, **options: Any) -> tuple[Executable, Watched]:
    engine = Watched(2)
    return vyre.compile(source, engine=engine, **options), engine


def long_calls(engine: Watched, work: Callable[[], object]) -> int:
    """How many dispatches take the long way."""
    before = engine.long
    work()
    return engine.long - before


def ints(*values: int, dtype: Any = np.int32) -> Array:
    return np.array(values, dtype)


STEPS = program(
    A,
    N,
    """
      scf.for %k = %c0 to %n step %c1 {
        %v = vyre.load %a[%x] : memref<?xi32>
        %more = arith.addi %v, %i1 : i32
        vyre.store %more, %a[%x] : memref<?xi32>
        vyre.barrier grid_sync
      }
    """,
)
"""Adds n to all of `a`."""

SUM = program(
    A.replace("read_write", "read_only"),
    B.replace("read_write", "read_only"),
    """
      %s = vyre.param "s" : f32
      %out = vyre.buffer "out" read_write binding 0 output : memref<?xi32>
      %fixed = vyre.buffer "fixed" write_only binding 3 output range [4, 12] : memref<4xi32>
      %acc = vyre.buffer "acc" read_write binding 4 : memref<?xf32>
      %v = vyre.load %a[%x] : memref<?xi32>
      %w = vyre.load %b[%x] : memref<?xi32>
      %sum = arith.addi %v, %w : i32
      %old = vyre.load %out[%x] : memref<?xi32>
      %new = arith.addi %old, %sum : i32
      vyre.store %new, %out[%x] : memref<?xi32>
      vyre.store %sum, %fixed[%x] : memref<4xi32>
      %f = vyre.load %acc[%x] : memref<?xf32>
      %scaled = arith.mulf %f, %s : f32
      vyre.store %scaled, %acc[%x] : memref<?xf32>
    """,
    workgroup="[4, 1, 1] grid_from {a = array<i64: 0>}",
)
"""All roles of buffers, an output that may be left out, and a range."""


def summed(**others: Any) -> dict[str, Any]:
    """Arguments of the sum."""
    return {
        "a": ints(1, 2, 3, 4, 5),
        "b": ints(10, 20, 30, 40, 50),
        "out": ints(7, 7, 7, 7, 7),
        "acc": np.array([1.5, -0.0, np.nan, np.inf, 2], np.float32),
        "s": 2.5,
    } | others


def counted(work: Callable[[], Any]) -> tuple[Any, telemetry.Counters]:
    before = telemetry.snapshot()
    found = work()
    return found, telemetry.snapshot() - before


def assert_same(found: dict[str, Array], wanted: dict[str, Array]) -> None:
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.tobytes()
        assert found[name].flags.writeable
        assert found[name].flags.c_contiguous
