"""Device buffers: arrays in an engine's memory that several programs use in place."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cuda_devices import host_device
from engines import OwnMemory
from megakernel_programs import COUNTING, EVERY_ENGINE, PERSISTENT

import vyre
from vyre import DeviceBuffer, InvalidArgument, Megakernel, telemetry
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.backend import Backend
from vyre.runtime.cuda.backend import CudaBackend
from vyre.testing import RecordingBackend

Make = Callable[[], Backend]

LOOKUP = """
vyre.program @look_up [4, 1, 1] {
  %facts = vyre.buffer "facts" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" read_write binding 1 output : memref<8xi32>
  %n = vyre.param "n" : i32
  %i = vyre.invocation_id x
  %v = vyre.load %facts[%i] : memref<?xi32>
  %sum = arith.addi %v, %n : i32
  vyre.store %sum, %out[%i] : memref<8xi32>
}
"""
RANGED = """
vyre.program @ranged [4, 1, 1] {
  %x = vyre.buffer "x" read_write binding 0 range [8, 16] : memref<8xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %x[%i] : memref<8xi32>
  %twice = arith.addi %v, %v : i32
  vyre.store %twice, %x[%i] : memref<8xi32>
}
"""
X = np.arange(8, dtype=np.int32)


@pytest.fixture(params=EVERY_ENGINE)
def backend(request: pytest.FixtureRequest) -> Backend:
    return request.param()


def watched(make: Make) -> RecordingBackend:
    return RecordingBackend(make(), in_place=True)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_programs_exchange_data_without_the_host(make: Make):
    backend = watched(make)
    count = vyre.compile(COUNTING, engine=backend)
    look_up = vyre.compile(LOOKUP, engine=backend)
    x, seen, out = (vyre.device_buffer(X, engine=backend) for _ in range(3))
    before = telemetry.snapshot()
    backend.forget()
    count(x=x, seen=X, n=10, into={"seen": seen})
    look_up(facts=seen, n=1, into={"out": out}, grid=2)
    if backend.capabilities.whole:  # Without it, the host copies by itself.
        moved = telemetry.snapshot() - before
        assert moved.uploaded_bytes == 0
        assert backend.calls["upload"] == backend.calls["download"] == 0
    assert x.numpy().tolist() == X.tolist()  # A call never changes what is passed.
    assert seen.numpy().tolist() == (X[::-1] + 10).tolist()
    assert out.numpy().tolist() == (X[::-1] + 11).tolist()


def test_results_are_where_the_arguments_are(backend: Backend):
    exe = vyre.compile(COUNTING, engine=backend)
    x = vyre.device_buffer(X, engine=backend)
    results: Any = exe(x=x, seen=X, n=1)
    assert isinstance(results["x"], DeviceBuffer)
    assert results["x"] is not x
    assert isinstance(results["seen"], np.ndarray)
    results = exe(x=results["x"], seen=x, n=1)
    assert isinstance(results["seen"], DeviceBuffer)
    assert np.asarray(results["x"]).tolist() == (X + 2).tolist()
    assert results["seen"].read(2, 4).tolist() == [7, 6]


def test_a_range_of_a_result_is_a_device_buffer_of_its_own(backend: Backend):
    exe = vyre.compile(RANGED, engine=backend)
    result: Any = exe(x=vyre.device_buffer(X, engine=backend), grid=2)["x"]
    assert result.numpy().tolist() == [4, 6]
    into = vyre.device_buffer(X[:2], engine=backend)
    exe(x=X, grid=2, into={"x": into})
    assert into.numpy().tolist() == [4, 6]


def test_bound_and_resident_programs_and_handles_work_in_place(backend: Backend):
    exe = vyre.compile(COUNTING, engine=backend)
    x, seen = (vyre.device_buffer(X, engine=backend) for _ in range(2))
    step = exe.bind(x=x, seen=seen, n=1)
    step()
    step(n=2)
    with exe.resident(x=x, seen=np.zeros(8, np.int32), n=3) as held:
        held.run()
        held.write("x", seen)  # A copy.
        assert x.numpy().tolist() == (X[::-1] + 3).tolist()
    megakernel = Megakernel(COUNTING, engine=backend)
    with megakernel.resident(x=x, seen=seen, n=4) as handle:
        results = megakernel.dispatch(handle)
    assert x.numpy().tolist() == results["x"].tolist() == (X[::-1] + 7).tolist()
    assert seen.numpy().tolist() == (X + 7).tolist()
    assert (exe.check(x=x, seen=seen, n=1), x.size, x.nbytes) == ([], 8, 32)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_a_hundred_rows_take_the_memory_of_their_facts_once(make: Make):
    backend = watched(make)
    megakernel = Megakernel(LOOKUP, engine=backend)
    facts = vyre.device_buffer(np.arange(4096, dtype=np.int32), engine=backend)
    start = backend.live_bytes
    handles = [megakernel.resident(facts=facts, n=n, grid=2) for n in range(100)]
    assert backend.live_bytes - start == 100 * 32
    rows = megakernel.many(handles)
    assert [row["out"][1] for row in rows] == [n + 1 for n in range(100)]
    for handle in handles:
        handle.close()
    facts.close()
    assert backend.live_bytes == start - 4096 * 4


def test_buffers_of_residents_and_handles_are_values(backend: Backend):
    recording = RecordingBackend(backend)
    look_up = vyre.compile(LOOKUP, engine=recording)
    exe = vyre.compile(COUNTING, engine=recording)
    held = exe.resident(x=X.astype(np.uint32), seen=X, n=1)
    x = held.buffer("x")
    assert x.dtype == np.uint32
    held.run()
    held.close()  # The buffer lives on.
    with look_up.resident(facts=x, n=0, grid=2) as other:
        x.close()
        other.run()
        assert other.buffer("facts").numpy().tolist() == (X + 1).tolist()
        assert other.read("out").tolist() == (X + 1).tolist()
    del held, other
    gc.collect()
    assert recording.live_bytes == 0
    megakernel = Megakernel(LOOKUP, engine=recording)
    with megakernel.resident(facts=X, n=0, grid=2) as handle:
        out = handle.buffer("out")
        megakernel.dispatch(handle)
        assert look_up(facts=out, n=1, grid=2)
        with pytest.raises(InvalidArgument, match="shares buffers"):
            handle.checkpoint()


def test_memory_is_freed_with_its_last_user(backend: Backend):
    recording = RecordingBackend(backend)
    exe = vyre.compile(LOOKUP, engine=recording)
    facts = vyre.device_buffer(X, engine=recording)
    step = exe.bind(facts=facts, n=1, grid=2)
    facts.close()
    facts.close()
    assert np.asarray(step()["out"]).tolist() == (X + 1).tolist()
    step.close()
    del step  # It has the results, which are device buffers too.
    gc.collect()
    assert recording.live_bytes == 0
    unnamed = vyre.device_buffer(X, engine=recording)
    del unnamed
    gc.collect()
    assert recording.live_bytes == 0


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_rows_share_only_what_neither_writes(make: Make):
    backend = watched(make)
    megakernel = Megakernel(COUNTING, engine=backend)
    x, *seen = (vyre.device_buffer(X, engine=backend) for _ in range(3))
    one, other = (megakernel.resident(x=x, seen=each, n=1) for each in seen)
    backend.forget()
    with pytest.raises(InvalidArgument, match="'x' of row 0 and 'x' of row 1 are the same"):
        megakernel.many([one, other])
    assert not backend.launches
    assert not backend.runs
    megakernel.dispatch(one)
    assert megakernel.dispatch(other)["x"].tolist() == (X + 2).tolist()


def closed(backend: Backend) -> object:
    buffer = vyre.device_buffer(X, engine=backend)
    buffer.close()
    return vyre.compile(LOOKUP, engine=backend)(facts=buffer, n=1, grid=2)


def closed_output(backend: Backend) -> object:
    megakernel = Megakernel(LOOKUP, engine=backend)
    handle = megakernel.resident(facts=X, n=1, grid=2)
    out = vyre.device_buffer(X, engine=backend)
    megakernel.into(handle, {"out": out})
    assert out.numpy().tolist() == (X + 1).tolist()
    out.close()
    return megakernel.into(handle, {"out": out})


def of_another_engine(backend: Backend) -> object:
    buffer = vyre.device_buffer(X, engine=ReferenceBackend())
    return vyre.compile(LOOKUP, engine=backend)(facts=buffer, n=1, grid=2)


def of_another_dtype(backend: Backend) -> object:
    buffer = vyre.device_buffer(X.astype(np.int64), engine=backend)
    return vyre.compile(LOOKUP, engine=backend)(facts=buffer, n=1, grid=2)


def overlapping(backend: Backend) -> object:
    buffer = vyre.device_buffer(X, engine=backend)
    return vyre.compile(COUNTING, engine=backend).bind(x=buffer, seen=buffer, n=1)


def too_much_alignment(backend: Backend) -> object:
    text = LOOKUP.replace(
        '"facts" read_only binding 0', '"facts" read_only binding 0 align 512'
    )
    buffer = vyre.device_buffer(X, engine=backend)
    return vyre.compile(text, engine=backend).resident(facts=buffer, n=1, grid=2)


def persistent(backend: Backend) -> object:
    return vyre.compile(PERSISTENT, engine=backend).resident(n=1, grid=1).buffer("kept")


def out_of_range(backend: Backend) -> object:
    return vyre.device_buffer(X, engine=backend).write(X, 1)


def unlike(backend: Backend) -> object:
    return vyre.device_buffer(X, engine=backend).write(np.zeros(4, np.float32))


def complex_numbers(backend: Backend) -> object:
    return vyre.device_buffer(X.astype(np.complex64), engine=backend)


@pytest.mark.parametrize(
    ("mistake", "answer"),
    [
        (closed, "the device buffer was closed"),
        (closed_output, "the device buffer was closed"),
        (of_another_engine, "'facts': it is in the memory of engine 'reference'"),
        (of_another_dtype, "'facts' has dtype int64, expected int32 or uint32"),
        (overlapping, "'x' and 'seen' overlap"),
        (too_much_alignment, "'facts' is a device buffer aligned to 256 bytes"),
        (persistent, "is persistent, it belongs to the program"),
        (out_of_range, "has 8 elements, and 1 to 9 is no range of them"),
        (unlike, "'data' is no contiguous array of int32: float32"),
        (complex_numbers, "has dtype complex64, which no buffer of a program has"),
    ],
)
def test_mistakes_are_named(backend: Backend, mistake: Any, answer: str):
    with pytest.raises(InvalidArgument, match=answer):
        mistake(backend)


def test_arrays_of_a_gpu_are_copied_on_it():
    device = host_device()
    backend = CudaBackend(device)
    exe = vyre.compile(LOOKUP, engine=backend)
    array: Any = exe(facts=vyre.device_buffer(X, engine=backend), n=2, grid=2)["out"]
    assert vyre.device_buffer(array, engine=backend).numpy().tolist() == (X + 2).tolist()


def test_arrays_of_any_order_become_device_buffers():
    grid = np.arange(6, dtype=">i4").reshape(2, 3).T
    buffer = vyre.device_buffer(grid, engine=OwnMemory())
    assert (buffer.shape, buffer.dtype) == ((3, 2), np.dtype(np.int32))
    assert buffer.numpy().tolist() == grid.tolist()
    assert repr(buffer).startswith("DeviceBuffer(int32, (3, 2), engine '")
