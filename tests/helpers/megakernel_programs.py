"""Programs that stay on an engine, and the engines that they stay on."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device
from engines import OwnMemory
from numpy.typing import NDArray

from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.backend import Backend
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.cuda.backend import CudaBackend

COUNTING = """
vyre.program @count [4, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<?xi32>
  %seen = vyre.buffer "seen" write_only binding 1 : memref<?xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  %size = vyre.length %x, 0 : memref<?xi32>
  %inside = arith.cmpi ult, %i, %size : index
  scf.if %inside {
    %v = vyre.load %x[%i] : memref<?xi32>
    %sum = arith.addi %v, %n : i32
    vyre.store %sum, %x[%i] : memref<?xi32>
  }
  vyre.barrier grid_sync
  scf.if %inside {
    %one = arith.constant 1 : index
    %last = arith.subi %size, %one : index
    %from = arith.subi %last, %i : index
    %v = vyre.load %x[%from] : memref<?xi32>
    vyre.store %v, %seen[%i] : memref<?xi32>
  }
}
"""
"""Adds n to every element of x; then `seen` is x backwards."""

RESOURCES = """
vyre.program @resources [1, 1, 1] {
  %control = vyre.buffer "control" read_only binding 0 : memref<1xi32>
  %ring = vyre.buffer "ring" read_only binding 1 : memref<1xi32>
  %debug_log = vyre.buffer "debug_log" write_only binding 2 : memref<1xi32>
  %io_queue = vyre.buffer "io_queue" read_only binding 3 : memref<1xi32>
  %zero = arith.constant 0 : index
  %v = vyre.load %control[%zero] : memref<1xi32>
  vyre.store %v, %debug_log[%zero] : memref<1xi32>
}
"""
"""Four buffers; one result of 4 bytes, which is what is in `control`."""


PICKY = """
vyre.program @picky [1, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 : memref<1xi32>
  %n = vyre.param "n" : i32
  %zero = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %traps = arith.cmpi eq, %n, %none : i32
  scf.if %traps {
    vyre.trap "n is zero"
  }
  %loops = arith.cmpi slt, %n, %none : i32
  scf.while : () -> () {
    scf.condition(%loops)
  } do {
    scf.yield
  }
  %v = vyre.load %x[%zero] : memref<1xi32>
  %sum = arith.addi %v, %n : i32
  vyre.store %sum, %x[%zero] : memref<1xi32>
}
"""
"""Adds n to x; traps if n is zero, and does not end if it is negative."""

ENDLESS = PICKY.replace('vyre.trap "n is zero"', "")
"""The same without the trap: engines need not look after it before a batch has ended."""

PERSISTENT = """
vyre.program @counts [1, 1, 1] {
  %kept = vyre.buffer "kept" read_write binding 0 kind persistent : memref<1xi32>
  %seen = vyre.buffer "seen" write_only binding 1 output : memref<1xi32>
  %n = vyre.param "n" : i32
  %zero = arith.constant 0 : index
  %v = vyre.load %kept[%zero] : memref<1xi32>
  vyre.barrier grid_sync
  %none = arith.constant 0 : i32
  %sum = arith.addi %v, %n : i32
  vyre.store %sum, %kept[%zero] : memref<1xi32>
  vyre.store %sum, %seen[%zero] : memref<1xi32>
  %traps = arith.cmpi eq, %n, %none : i32
  scf.if %traps {
    vyre.trap "n is zero"
  }
}
"""
"""Adds n to what is kept, and gives it as `seen`; traps then if n is zero."""


def on_host_cuda() -> Backend:
    """The CUDA engine, on a device that is the host."""
    return CudaBackend(host_device(thread_order="random", deferred=True))


def on_small_host_cuda() -> Backend:
    """A device that can hold one block only, so that programs are split."""
    return CudaBackend(host_device(blocks_at_once=0))


MAKERS: dict[str, Callable[[], Backend]] = {
    "cpu": CpuBackend,
    "reference": ReferenceBackend,
    "cuda": on_host_cuda,
    "small cuda": on_small_host_cuda,
    "own memory": OwnMemory,
}

EVERY_ENGINE = [pytest.param(maker, id=name) for name, maker in MAKERS.items()]
"""For `pytest.mark.parametrize("make", EVERY_ENGINE)`."""


def numbers(*values: int) -> NDArray[Any]:
    """An array of 32-bit numbers."""
    return np.array(values, np.int32)


def resources(value: int) -> dict[str, NDArray[Any]]:
    """Arguments of `RESOURCES`."""
    zero = numbers(0)
    return {"control": numbers(value), "ring": zero, "io_queue": zero.copy()}
