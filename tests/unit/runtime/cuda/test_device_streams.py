"""Streams, events, graphs and the stop word of a device."""

import threading
import time
from typing import Any

import numpy as np
import pytest
from cuda_devices import EVERY_DEVICE, MakeDevice, deferred_device, fails, host_device

from vyre.lowering.cuda.options import NVRTC_OPTIONS
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.cuda.device import CudaDevice, Handle
from vyre.runtime.errors import DeviceLost, DispatchFailed, OutOfMemory

ADD = """
extern "C" __global__ void k(int *a, const int *b, int factor) {
  a[threadIdx.x] = a[threadIdx.x] * factor + b[threadIdx.x];
}
"""
COUNT = 32


class Bench:
    """Two arrays of numbers on a device, and a kernel that works on them."""

    def __init__(self, device: CudaDevice):
        self.device = device
        self.stream = device.new_stream()
        self.function = device.compile(ADD, "k", NVRTC_OPTIONS)
        self.a, self.b = (device.allocate(4 * COUNT, self.stream) for _ in range(2))
        self.put(self.a, 1)
        self.put(self.b, 10)

    def put(self, address: int, value: int, stream: Handle = None) -> None:
        data = np.full(COUNT, value, np.int32).view(np.uint8)
        self.device.upload(address, data, stream or self.stream)

    def get(self, address: int, stream: Handle = None) -> int:
        data = np.zeros(4 * COUNT, np.uint8)
        self.device.download(address, data, stream or self.stream)
        numbers = set(data.view(np.int32).tolist())
        assert len(numbers) == 1
        return numbers.pop()

    def launch(self, factor: int, stream: Handle = None) -> None:
        values = [np.uint64(self.a), np.uint64(self.b), np.int32(factor)]
        self.device.launch(
            self.function,
            (1, 1, 1),
            (COUNT, 1, 1),
            PackedArguments(values),
            stream or self.stream,
        )


@pytest.fixture
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param())


every_bench = pytest.mark.parametrize("bench", EVERY_DEVICE, indirect=True)


@every_bench
def test_work_on_a_stream_is_done_in_order(bench: Bench):
    bench.launch(2)
    bench.device.copy(bench.a, bench.b, 4 * COUNT, bench.stream)
    bench.launch(3)
    bench.device.clear(bench.b, 2 * COUNT, bench.stream)
    bench.device.clear(bench.b + 2 * COUNT, 2 * COUNT, bench.stream)
    bench.launch(1)
    assert bench.get(bench.a) == (1 * 2 + 10) * 3 + 12
    assert bench.get(bench.b) == 0


@every_bench
def test_uploads_take_the_data_as_it_is_now(bench: Bench):
    data = np.full(COUNT, 5, np.int32)
    bench.device.upload(bench.a, data.view(np.uint8), bench.stream)
    data[:] = 6
    assert bench.get(bench.a) == 5


@every_bench
def test_memory_may_be_freed_while_work_is_under_way(bench: Bench):
    bench.launch(2)
    bench.device.free(bench.b)
    assert bench.get(bench.a) == 12


@every_bench
def test_events(bench: Bench):
    start = bench.device.record(bench.stream)
    bench.launch(2)
    end = bench.device.record(bench.stream)
    while not bench.device.is_done(end):
        pass
    assert bench.device.is_done(start)
    assert bench.device.nanoseconds(start, end) >= 0
    bench.device.synchronize(bench.stream)


@every_bench
def test_a_stream_waits_for_an_event_of_another(bench: Bench):
    other = bench.device.new_stream()
    for round in range(20):
        bench.put(bench.a, round)
        bench.launch(2)
        bench.device.wait(bench.device.record(bench.stream), other)
        bench.device.copy(bench.a, bench.b, 4 * COUNT, other)
        assert bench.get(bench.b, other) == 2 * round + 10
        bench.put(bench.b, 10, other)
        bench.device.synchronize(other)


@every_bench
def test_graphs(bench: Bench):
    device = bench.device
    with device.capture() as capture:
        bench.launch(2, capture.stream)
        device.copy(bench.a, bench.b, 4 * COUNT, capture.stream)
        bench.launch(3, capture.stream)
        device.clear(bench.b, 4 * COUNT, capture.stream)
    assert bench.get(bench.a) == 1  # Nothing was done.
    device.launch_graph(capture.graph, bench.stream)
    assert bench.get(bench.a) == 48
    assert bench.get(bench.b) == 0
    bench.put(bench.a, 2)
    bench.put(bench.b, 1)
    device.launch_graph(capture.graph, bench.stream)
    device.launch_graph(capture.graph, bench.stream)
    assert bench.get(bench.a) == (2 * 20) * 3 + 40
    assert bench.get(bench.b) == 0


@every_bench
def test_a_capture_that_fails_leaves_the_device_usable(bench: Bench):
    def fail() -> None:
        with bench.device.capture() as capture:
            bench.launch(2, capture.stream)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with bench.device.capture() as capture:
        bench.launch(5, capture.stream)
    bench.device.launch_graph(capture.graph, bench.stream)
    assert bench.get(bench.a) == 15


SPIN = """
extern "C" __global__ void k(const volatile unsigned int *stop, unsigned int *seen) {
  while (*stop == 0) {}
  *seen = *stop;
}
"""


@pytest.mark.parametrize("make_device", EVERY_DEVICE)
def test_the_stop_word_ends_a_kernel_that_runs(make_device: MakeDevice):
    device = make_device()
    stream = device.new_stream()
    word = device.stop_word()
    seen = device.allocate(4, stream)
    device.clear(seen, 4, stream)
    function = device.compile(SPIN, "k", NVRTC_OPTIONS)
    arguments = PackedArguments([np.uint64(word.address), np.uint64(seen)])
    device.launch(function, (1, 1, 1), (1, 1, 1), arguments, stream)
    event = device.record(stream)
    for _ in range(20):
        assert not device.is_done(event)
        time.sleep(0.001)
    word.set(7)
    device.synchronize(stream)
    data = np.zeros(4, np.uint8)
    device.download(seen, data, stream)
    assert data.view(np.uint32)[0] == 7
    device.free(seen)


def test_deferred_work_does_not_begin_by_itself():
    """So what looks at memory without waiting finds nothing there."""
    bench = Bench(deferred_device())
    bench.device.synchronize(bench.stream)
    bench.launch(2)
    time.sleep(0.01)
    memory: Any = bench.device
    seen = memory.memory.view(bench.a, 4).view(np.int32)
    assert seen[0] == 1
    bench.device.synchronize(bench.stream)
    assert seen[0] == 12


def test_deferred_work_on_another_stream_does_not_begin_either():
    bench = Bench(deferred_device())
    bench.device.synchronize(bench.stream)
    other = bench.device.new_stream()
    bench.launch(2)
    assert bench.get(bench.a, other) == 1
    bench.device.wait(bench.device.record(bench.stream), other)
    assert bench.get(bench.a, other) == 12


MEETING = """
extern "C" __global__ void k(unsigned int *words) {
  if (threadIdx.x == 0) {
    atomicAdd(words, 1u);
    while (*(volatile unsigned int *)words < 2) __nanosleep(32);
  }
  __syncthreads();
}
"""


@pytest.mark.parametrize("order", ["forward", "random"])
def test_kernels_of_two_streams_run_at_the_same_time(order: Any):
    """Each waits for the other, which no device promises, but all may do."""
    device = host_device(block_order=order, deferred=True, patience=10.0)
    first, second = device.new_stream(), device.new_stream()
    words = device.allocate(4, first)
    device.clear(words, 4, first)
    device.synchronize(first)
    function = device.compile(MEETING, "k", ())
    arguments = PackedArguments([np.uint64(words)])
    device.launch(function, (1, 1, 1), (32, 1, 1), arguments, second)
    event = device.record(second)
    device.launch(function, (1, 1, 1), (32, 1, 1), arguments, first)
    assert not device.is_done(event)  # From now on somebody waits for the second, too.
    device.synchronize(first)
    device.synchronize(second)


def test_the_hosts_memory_is_no_part_of_a_graph():
    bench = Bench(host_device())
    with bench.device.capture() as capture:
        said = fails(lambda: bench.put(bench.a, 5, capture.stream))
        assert "no part of a graph" in said
        assert "no part of a graph" in fails(
            lambda: bench.device.synchronize(capture.stream)
        )


def test_faults_come_when_they_are_asked_for():
    device = host_device()
    device.arm(2, DeviceLost("gone", "buy another"))
    stream = device.new_stream()
    address = device.allocate(4, stream)
    with pytest.raises(DeviceLost):
        device.clear(address, 4, stream)
    device.clear(address, 4, stream)
    assert device.calls == ["new_stream", "allocate", "clear", "clear"]
    device.arm(0, for_good=True)
    for _ in range(3):
        with pytest.raises(DispatchFailed, match="told to fail"):
            device.free(address)
    device.arm(None)
    device.free(address)
    assert device.live_bytes == 0


def test_a_device_has_only_so_much_memory():
    device = host_device(capacity=1000)
    stream = device.new_stream()
    address = device.allocate(900, stream)
    with pytest.raises(OutOfMemory):
        device.allocate(101, stream)
    device.free(address)
    device.allocate(1000, stream)


def test_streams_of_other_devices_are_refused():
    device = host_device()
    stream = device.new_stream()
    assert device.given_stream(stream) is stream
    other = host_device().new_stream()
    for wrong in (other, 5, None):
        assert "is no stream of this device" in fails(
            lambda w=wrong: device.given_stream(w)
        )


def test_several_threads_use_a_device():
    bench = Bench(host_device())
    failures: list[BaseException] = []

    def work(factor: int) -> None:
        try:
            stream = bench.device.new_stream()
            mine = bench.device.allocate(4 * COUNT, stream)
            values = [np.uint64(mine), np.uint64(bench.b), np.int32(factor)]
            bench.device.synchronize(bench.stream)
            bench.put(mine, 1, stream)
            for _ in range(5):
                bench.device.launch(
                    bench.function,
                    (1, 1, 1),
                    (COUNT, 1, 1),
                    PackedArguments(values),
                    stream,
                )
            expected = 1
            for _ in range(5):
                expected = expected * factor + 10
            assert bench.get(mine, stream) == expected
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
