"""
Buffers of `i1` whose bytes are other than 0 and 1: any byte but 0 is true, what a program
stores is 0 or 1, and an element that it does not write keeps its byte. The same on every
engine and for every kind of dispatch.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device
from megakernel_programs import EVERY_ENGINE
from numpy.typing import NDArray

import vyre
from vyre.runtime.backend import Backend, same_elements
from vyre.runtime.cuda.backend import CudaBackend
from vyre.testing.host_cuda import HostArray

Make = Callable[[], Backend]
Array = NDArray[Any]

PROGRAM = """
vyre.program @p [4, 1, 1] {
  %f = vyre.buffer "f" read_only binding 0 : memref<?xi1>
  %g = vyre.buffer "g" read_write binding 1 : memref<?xi1>
  %copied = vyre.buffer "copied" read_write binding 2 : memref<?xi1>
  %gathered = vyre.buffer "gathered" read_write binding 3 : memref<?xi1>
  %seen = vyre.buffer "seen" write_only binding 4 output : memref<8xi32>
  %i = vyre.invocation_id x
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %half = arith.constant 4 : index
  %v = vyre.load %f[%i] : memref<?xi1>
  %old = vyre.load %g[%i] : memref<?xi1>
  %inverted = arith.xori %v, %old : i1
  %before = arith.extui %v : i1 to i32
  %after = arith.extsi %inverted : i1 to i32
  vyre.barrier grid_sync
  %sum = arith.addi %before, %after : i32
  vyre.store %sum, %seen[%i] : memref<8xi32>
  %writes = arith.cmpi ult, %i, %half : index
  scf.if %writes {
    vyre.store %v, %g[%i] : memref<?xi1>
    %copy = vyre.async_load %f[%i], %copied[%i], %one : memref<?xi1>, memref<?xi1>
    vyre.async_wait %copy
  }
  vyre.all_gather %f, %gathered : memref<?xi1>, memref<?xi1>
}
"""
"""Writes the first half of `g` and `copied`, and as many of `gathered` as `f` has."""

BYTES = np.array([0, 1, 2, 255, 0, 1, 7, 128], np.uint8)
OTHERS = BYTES[::-1].copy()
WRITTEN = {
    "g": [0, 1, 1, 1, 255, 2, 1, 0],
    "copied": [0, 1, 1, 1, 255, 2, 1, 0],
    "gathered": [0, 1, 1, 1, 0, 1, 1, 1, 9, 0],
    "seen": [-1, 1, 1, 0, -1, 1, 1, 0],
}


def arguments(dtype: type) -> dict[str, Array]:
    room = np.array([5] * 8 + [9, 0], np.uint8)
    made = {"f": BYTES, "g": OTHERS, "copied": OTHERS, "gathered": room}
    return {name: array.copy().view(dtype) for name, array in made.items()}


def check(found: dict[str, Array], dtype: type) -> None:
    for name, expected in WRITTEN.items():
        wanted = np.dtype(np.int32 if name == "seen" else dtype)
        assert found[name].dtype == wanted, name
        numbers = found[name] if name == "seen" else found[name].view(np.uint8)
        assert numbers.tolist() == expected, name


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8])
@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_every_kind_of_dispatch(make: Make, dtype: type):
    exe = vyre.compile(PROGRAM, engine=make())
    for _ in range(3):  # The third call is a prepared one.
        check(exe(arguments(dtype), grid=2), dtype)
    other = np.uint8 if dtype is np.bool_ else np.bool_
    into = {name: array.view(other) for name, array in arguments(dtype).items()}
    del into["f"]
    found = exe(arguments(dtype), grid=2, into=into)
    check({**into, "seen": found["seen"]}, other)
    bound = arguments(dtype)
    with exe.bind(bound, grid=2) as step:
        check(step(), dtype)
    check({**bound, "seen": step.results["seen"]}, dtype)
    with exe.resident(arguments(dtype), grid=2) as held:
        held.write("g", OTHERS.view(other))
        held.run()
        check({name: held.read(name) for name in WRITTEN}, dtype)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_handles(make: Make):
    megakernel = vyre.Megakernel(PROGRAM, engine=make())
    with megakernel.resident(arguments(np.uint8), grid=2) as handle:
        check(megakernel.dispatch(handle), np.uint8)
    with megakernel.resident(arguments(np.uint8), grid=2) as handle:
        into: dict[str, Array] = dict(arguments(np.bool_))
        del into["f"]
        into["seen"] = np.zeros(8, np.int32)
        megakernel.into(handle, into)
        check(into, np.bool_)


def test_arrays_on_the_device():
    device = host_device()
    exe = vyre.compile(PROGRAM, engine=CudaBackend(device))
    given = {n: HostArray.of(device, a) for n, a in arguments(np.uint8).items()}
    results: Any = exe(given, grid=2)
    check({name: array.get() for name, array in results.items()}, np.uint8)


SPREADS = """
vyre.program @p [1, 1, 1] {
  %f = vyre.buffer "f" read_write binding 0 : memref<2xi1>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %true = arith.constant true
  %v = vyre.load %f[%zero] : memref<2xi1>
  scf.if %v {
    vyre.store %true, %f[%one] : memref<2xi1>
  }
  vyre.store %true, %f[%zero] : memref<2xi1>
}
"""


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_fixpoints_compare_bytes(make: Make):
    """The second pass turns 7 into 1, which is a change; the third changes nothing."""
    exe = vyre.compile(SPREADS, engine=make())
    flags = np.array([0, 7], np.uint8)
    results, report = exe.timed(f=flags, grid=1, fixpoint_iterations=9)
    assert report.passes == 3
    assert results["f"].tolist() == [1, 1]


READS_BACK = """
vyre.program @set [1, 1, 1] {
  %out = vyre.buffer "out" read_write binding 0 : memref<1xi32>
  %v = vyre.param "v" : i32
  %zero = arith.constant 0 : index
  vyre.store %v, %out[%zero] : memref<1xi32>
}
vyre.schedule @p {
  %f = vyre.buffer "f" read_only binding 0 : memref<2xi1>
  %out = vyre.buffer "out" read_write binding 1 : memref<1xi32>
  %a = vyre.read_back %f[0] : memref<2xi1>
  %b = vyre.read_back %f[1] : memref<2xi1>
  %differ = arith.xori %a, %b : i1
  %v = arith.extui %differ : i1 to i32
  vyre.launch @set(%out, %v)
}
"""


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_what_a_schedule_reads_back(make: Make):
    exe = vyre.compile(READS_BACK, engine=make(), program="p")
    for pair, expected in (([2, 1], 0), ([4, 0], 1), ([255, 64], 0)):
        flags = np.array(pair, np.uint8)
        found = exe(f=flags, out=np.full(1, 9, np.int32), grid=1)["out"]
        assert found.tolist() == [expected]


def test_same_elements_are_the_same_bytes():
    one, other = (np.array([0, n], np.uint8).view(np.bool_) for n in (1, 2))
    assert same_elements(one, one.copy())
    assert not same_elements(one, other)
