"""Arrays that are on the device already are used where they are, and so are results."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cuda_devices import NO_GPU, deferred_device, fails, host_device
from split_cases import program

import vyre
from vyre.runtime import telemetry
from vyre.runtime.cuda.backend import CudaBackend
from vyre.runtime.cuda.presence import has_gpu
from vyre.testing.host_cuda import HostArray, HostCudaDevice

TEXT = program(
    '%a = vyre.buffer "a" read_write binding 0 : memref<?xi32>',
    '%b = vyre.buffer "b" read_only binding 1 : memref<?xi32>',
    '%o = vyre.buffer "o" write_only binding 2 output : memref<8xi32>',
    """
  %v = vyre.load %a[%x] : memref<?xi32>
  %w = vyre.load %b[%x] : memref<?xi32>
  %sum = arith.addi %v, %w : i32
  vyre.store %sum, %a[%x] : memref<?xi32>
  vyre.store %v, %o[%x] : memref<8xi32>
""",
)
NUMBERS = np.arange(8, dtype=np.int32)

MakeArray = Callable[[Any], Any]


class Place:
    """A backend, and how to make arrays on its device."""

    def __init__(self, backend: CudaBackend, new: MakeArray):
        self.new = new
        self.exe = vyre.compile(TEXT, engine=backend)


def on_host(make_device: Callable[[], Any]) -> Callable[[], Place]:
    def make() -> Place:
        device = make_device()
        return Place(CudaBackend(device), lambda values: HostArray.of(device, values))

    return make


def on_gpu() -> Place:
    if not has_gpu():
        pytest.skip(NO_GPU)
    cupy = pytest.importorskip("cupy")
    return Place(CudaBackend(), cupy.asarray)


@pytest.fixture(
    params=[
        pytest.param(on_host(host_device), id="host"),
        pytest.param(on_host(deferred_device), id="deferred"),
        pytest.param(on_gpu, id="gpu", marks=pytest.mark.gpu),
    ]
)
def place(request: pytest.FixtureRequest) -> Place:
    return request.param()


def test_results_are_where_the_arguments_are(place: Place):
    a, b = place.new(NUMBERS), place.new(NUMBERS * 10)
    before = telemetry.snapshot()
    results: Any = place.exe(a=a, b=b)
    moved = telemetry.snapshot() - before
    assert type(results["a"]) is type(results["o"]) is type(a)
    np.testing.assert_array_equal(results["a"].get(), NUMBERS * 11)
    np.testing.assert_array_equal(results["o"].get(), NUMBERS)
    np.testing.assert_array_equal(a.get(), NUMBERS)
    assert (moved.uploaded_bytes, moved.downloaded_bytes) == (0, 0)


def test_arrays_may_be_here_and_there(place: Place):
    """A result goes where the array is that was passed for it; else to the host."""
    a, b = place.new(NUMBERS), NUMBERS * 10
    results: Any = place.exe(a=a, b=b)
    assert type(results["a"]) is type(a)
    assert isinstance(results["o"], np.ndarray)
    np.testing.assert_array_equal(results["a"].get(), NUMBERS * 11)
    results = place.exe(a=NUMBERS, b=place.new(b))
    assert isinstance(results["a"], np.ndarray)
    np.testing.assert_array_equal(results["a"], NUMBERS * 11)


def test_into(place: Place):
    a, b, o = place.new(NUMBERS), place.new(NUMBERS * 10), place.new(NUMBERS * 0)
    results: Any = place.exe(a=a, b=b, into={"a": a, "o": o})
    assert results["a"] is a
    assert results["o"] is o
    np.testing.assert_array_equal(a.get(), NUMBERS * 11)
    np.testing.assert_array_equal(o.get(), NUMBERS)
    here = np.zeros(8, np.int32)
    assert place.exe(a=a, b=b, into={"o": here})["o"] is here
    np.testing.assert_array_equal(here, NUMBERS * 11)
    there = place.new(NUMBERS)
    place.exe(a=NUMBERS, b=NUMBERS.copy(), into={"a": there})
    np.testing.assert_array_equal(there.get(), NUMBERS * 2)


def test_bound_programs_work_in_place(place: Place):
    a, b = place.new(NUMBERS), place.new(NUMBERS)
    step = place.exe.bind(a=a, b=b)
    before = telemetry.snapshot()
    for round in range(1, 5):
        results: Any = step()
        assert results["a"] is a
        np.testing.assert_array_equal(a.get(), NUMBERS * (1 + round))
        np.testing.assert_array_equal(results["o"].get(), NUMBERS * round)
    moved = telemetry.snapshot() - before
    assert (moved.uploaded_bytes, moved.downloaded_bytes) == (0, 0)
    assert (moved.dispatches, moved.launches) == (4, 4)
    step.run(timed=True)
    np.testing.assert_array_equal(a.get(), NUMBERS * 6)


def test_resident_programs(place: Place):
    a, part = place.new(NUMBERS), place.new(np.zeros(3, np.int32))
    with place.exe.resident(a=a, b=NUMBERS) as held:
        held.run()
        np.testing.assert_array_equal(held.read("a"), NUMBERS * 2)
        assert held.read("a", 2, 5, into=part) is part
        np.testing.assert_array_equal(part.get(), [4, 6, 8])
        held.write("a", part, 1)
        np.testing.assert_array_equal(held.read("a"), [0, 4, 6, 8, 8, 10, 12, 14])
    np.testing.assert_array_equal(a.get(), NUMBERS)


def test_check_looks_at_a_copy(place: Place):
    a = place.new(NUMBERS)
    assert place.exe.check(a=a, b=place.new(NUMBERS)) == []
    np.testing.assert_array_equal(a.get(), NUMBERS)


def test_unsigned_arrays(place: Place):
    a = place.new(NUMBERS.astype(np.uint32))
    result: Any = place.exe(a=a, b=place.new(NUMBERS))["a"]
    assert result.dtype == np.uint32
    np.testing.assert_array_equal(result.get(), NUMBERS * 2)


def test_empty_arrays(place: Place):
    nothing = NUMBERS[:0]
    results: Any = place.exe(a=place.new(nothing), b=place.new(nothing), grid=1)
    assert results["a"].shape == (0,)
    np.testing.assert_array_equal(results["o"].get(), NUMBERS * 0)


RANGE = TEXT.replace("binding 2 output", "binding 2 output range [8, 24]")


def test_a_result_that_is_a_range(place: Place):
    exe = vyre.compile(RANGE, engine=place.exe.backend)
    a, b = place.new(NUMBERS), place.new(NUMBERS)
    found: Any = exe(a=a, b=b)["o"]
    np.testing.assert_array_equal(found.get(), NUMBERS[2:6])
    storage = place.new(np.zeros(4, np.int32))
    assert exe(a=a, b=b, into={"o": storage})["o"] is storage
    np.testing.assert_array_equal(storage.get(), NUMBERS[2:6])
    here = np.zeros(4, np.int32)
    assert exe(a=a, b=b, into={"o": here})["o"] is here
    np.testing.assert_array_equal(here, NUMBERS[2:6])
    step = exe.bind(a=a, b=b)
    for round in range(1, 3):
        found = step()["o"]
        np.testing.assert_array_equal(found.get(), NUMBERS[2:6] * round)


class Changed:
    """An array that says something else about itself."""

    def __init__(self, array: Any, **changes: Any):
        self._array = array
        self._changes = changes

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self._array.__cuda_array_interface__, **self._changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"strides": (8,)}, "argument 'a' is strided"),
        ({"mask": 5}, "argument 'a': it is a masked array"),
        ({"typestr": "<f4"}, "argument 'a' has dtype float32"),
        ({"shape": (4, 2)}, "argument 'a' has shape (4, 2), expected (n,) for any n"),
    ],
)
def test_what_does_not_suit_is_refused(place: Place, changes: Any, said: str):
    wrong = Changed(place.new(NUMBERS), **changes)
    assert said in fails(lambda: place.exe(a=wrong, b=NUMBERS))


def test_row_major_strides_are_fine(place: Place):
    a = place.new(NUMBERS)
    results: Any = place.exe(a=Changed(a, strides=(4,)), b=place.new(NUMBERS))
    np.testing.assert_array_equal(results["a"].get(), NUMBERS * 2)


def test_read_only_arrays_are_not_written(place: Place):
    a = place.new(NUMBERS)
    fixed = Changed(a, data=(a.__cuda_array_interface__["data"][0], True))
    np.testing.assert_array_equal(
        place.exe(a=NUMBERS, b=fixed)["a"],  # It may be read.
        NUMBERS * 2,
    )
    for use in (
        lambda: place.exe.bind(a=fixed, b=NUMBERS),
        lambda: place.exe(a=NUMBERS, b=NUMBERS.copy(), into={"a": fixed}),
    ):
        assert "argument 'a' is read-only" in fails(use)


def test_overlapping_arrays_are_refused(place: Place):
    a = place.new(NUMBERS)
    said = "arguments 'a' and 'b' overlap, and one is written"
    assert said in fails(lambda: place.exe(a=a, b=a))
    assert "overlap" in fails(lambda: place.exe(a=a, b=NUMBERS, into={"o": a}))


def test_misaligned_arrays_are_copied(place: Place):
    """The program wants an address that the array does not have."""
    text = TEXT.replace('"a" read_write binding 0', '"a" read_write binding 0 align 4096')
    exe = vyre.compile(text, engine=place.exe.backend)
    a = place.new(NUMBERS)
    step = exe.bind(a=a, b=place.new(NUMBERS))
    for round in range(1, 4):
        step()
        np.testing.assert_array_equal(a.get(), NUMBERS * (1 + round))


def test_other_devices_are_refused():
    first, second = host_device(), host_device()
    exe = vyre.compile(TEXT, engine=CudaBackend(first))
    alien = HostArray.of(second, NUMBERS)
    said = fails(lambda: exe(a=alien, b=NUMBERS))
    assert "argument 'a': it is not in the memory of the GPU" in said
    assert "make an engine for the other one" in said


@pytest.mark.parametrize("engine", ["cpu", "reference"])
def test_engines_on_the_host_refuse_them(engine: str):
    alien = HostArray.of(host_device(), NUMBERS)
    said = fails(lambda: vyre.compile(TEXT, engine=engine)(a=alien, b=NUMBERS))
    assert "argument 'a' is in a GPU's memory" in said


def test_the_engine_waits_for_the_stream_of_an_array():
    """Others may still be working on it when it is passed, also to a bound program."""
    device: HostCudaDevice = host_device(deferred=True)
    exe = vyre.compile(TEXT, engine=CudaBackend(device))
    stream = device.new_stream()
    a, b = (HostArray.of(device, NUMBERS) for _ in range(2))
    new = HostArray.of(device, NUMBERS * 100)
    b.stream = stream
    device.copy(new.address, b.address, 32, stream)
    results: Any = exe(a=a, b=b)
    np.testing.assert_array_equal(results["a"].get(), NUMBERS * 101)
    step = exe.bind(a=a, b=b)
    for factor in (5, 7):
        new.set(NUMBERS * factor)
        device.copy(new.address, b.address, 32, stream)
        before = a.get()
        step()
        np.testing.assert_array_equal(a.get(), before + NUMBERS * factor)


def test_arrays_are_kept_while_they_are_used_and_no_longer():
    device = host_device()
    exe = vyre.compile(TEXT, engine=CudaBackend(device))
    step = exe.bind(a=HostArray.of(device, NUMBERS), b=HostArray.of(device, NUMBERS))
    gc.collect()
    found: Any = step()["a"]
    np.testing.assert_array_equal(found.get(), NUMBERS * 2)
    del step, found, exe
    gc.collect()
    assert device.live_bytes == 0
