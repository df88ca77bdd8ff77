"""The host harness: it takes turns as it is told, and finds what is wrong with a kernel."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from cuda_devices import fails, host_device, run_kernel

from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.cuda.device import CudaDevice
from vyre.runtime.errors import CompileFailed, DispatchFailed, DoesNotFit
from vyre.testing import host_cuda_compiler
from vyre.testing.host_cuda import PRETENDED
from vyre.testing.host_cuda_compiler import find_compiler
from vyre.testing.host_cuda_runner import Turns

pytestmark = pytest.mark.core

TURNS: tuple[Turns, ...] = ("forward", "reversed", "random")

ORDER = """
extern "C" __global__ void k(unsigned int *count, unsigned int *turn) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  BARRIER
  turn[i] = atomicAdd(count, 1u);
}
"""


def turns_of(device: CudaDevice, barrier: str) -> list[int]:
    """Who has its turn when, of four blocks of four."""
    text = ORDER.replace("BARRIER", barrier)
    given = [np.zeros(1, np.uint32), np.zeros(16, np.uint32)]
    _, turn = run_kernel(device, text, given, grid=4, block=4)
    return [int(k) for k in np.argsort(turn)]


@pytest.mark.parametrize("barrier", ["", "__syncthreads();"])
def test_turns(barrier: str):
    forward = turns_of(host_device(), barrier)
    assert forward == list(range(16))
    backward = turns_of(
        host_device(block_order="reversed", thread_order="reversed"), barrier
    )
    assert backward == forward[::-1]
    threads = turns_of(host_device(thread_order="reversed"), barrier)
    assert threads == [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]
    found = {
        tuple(
            turns_of(
                host_device(block_order="random", thread_order="random", seed=seed), barrier
            )
        )
        for seed in range(8)
    }
    assert len(found) > 4


def test_random_turns_come_again():
    runs = [
        turns_of(host_device(thread_order="random", seed=7), "__syncthreads();")
        for _ in range(2)
    ]
    assert runs[0] == runs[1]


REVERSE = """
extern "C" __global__ void k(const int *a, int *out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = a[threadIdx.x];
  BARRIER
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
"""


@pytest.mark.parametrize("order", TURNS)
def test_a_missing_barrier_shows(order: Turns):
    a = np.arange(64, dtype=np.int32)
    device = host_device(thread_order=order)

    def is_right(barrier: str) -> bool:
        text = REVERSE.replace("BARRIER", barrier)
        _, out = run_kernel(device, text, [a, np.zeros(64, np.int32)], block=64)
        return np.array_equal(out, a[::-1])

    assert all(is_right("__syncthreads();") for _ in range(8))
    assert not all(is_right("__syncwarp();") for _ in range(8))
    if order != "random":
        assert not is_right("__syncwarp();")


def test_shared_memory_starts_as_rubbish():
    text = """
extern "C" __global__ void k(int *out) {
  __shared__ int tile[32];
  BARRIER
  out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
  tile[threadIdx.x] = 0;
}
"""
    for barrier in ("", "__syncthreads();"):
        given = [np.zeros(64, np.int32)]
        (found,) = run_kernel(
            host_device(), text.replace("BARRIER", barrier), given, grid=2
        )
        assert not (found == 0).any()


DIVERGENT = {
    "different barriers": (
        "if (threadIdx.x < 5)\n __syncthreads();\n else\n __syncthreads();",
        ", while others wait at line ",
    ),
    "a warp that is not complete": (
        "if (threadIdx.x < 5) __syncwarp(); else __syncthreads();",
        "wait for ever",
    ),
    "a mask without itself": ("__syncwarp(0x7fffffffu);", "does not have its own lane"),
    "trap": ("__trap();", "__trap() was called"),
    "a deep stack": (
        "volatile char room[100000]; for (int k = 0; k < 100000; ++k) room[k] = k;"
        " __syncthreads(); a[0] = room[5];",
        "more than 64 KB of stack",
    ),
    "an odd address": (
        "atomicAdd((int *)((char *)a + 1), 1); __syncthreads();",
        "not aligned",
    ),
    "an odd address, without barriers": (
        "atomicAdd((int *)((char *)a + 1), 1);",
        "not aligned",
    ),
    "an endless wait": ("while (*(volatile int *)a != 5) __nanosleep(1);", "in time"),
}


@pytest.mark.parametrize("order", TURNS)
@pytest.mark.parametrize("name", DIVERGENT)
def test_faults_of_kernels_are_reported(name: str, order: Turns):
    code, said = DIVERGENT[name]
    text = f'extern "C" __global__ void k(int *a) {{\n{code}\n}}'
    device = host_device(thread_order=order, patience=2.0)
    a = np.zeros(64, np.int32)
    with pytest.raises(DispatchFailed, match="in k: ") as caught:
        run_kernel(device, text, [a], grid=2)
    assert said in caught.value.cause
    (found,) = run_kernel(
        device, 'extern "C" __global__ void k(int *a) { a[threadIdx.x] = 1; }', [a]
    )
    assert found[:32].all()


@pytest.mark.parametrize("place", [-1, 64, 100])
def test_writes_outside_of_memory_are_found(place: int):
    text = 'extern "C" __global__ void k(int *a, long long at) { a[at] = 1; }'
    device = host_device()
    stream = device.new_stream()
    address = device.allocate(256, stream)
    function = device.compile(text, "k", ())
    values = PackedArguments([np.uint64(address), np.int64(place)])
    device.launch(function, (1, 1, 1), (1, 1, 1), values, stream)
    assert "written outside the 256 bytes" in fails(lambda: device.synchronize(stream))
    device.synchronize(stream)  # It is said once.
    device.free(address)
    assert device.live_bytes == 0


def test_transfers_outside_of_memory_are_refused():
    device = host_device()
    stream = device.new_stream()
    address = device.allocate(64, stream)
    other = device.allocate(64, stream)
    data = np.zeros(65, np.uint8)
    said = "are not in one piece of device memory"
    assert said in fails(lambda: device.download(address, data, stream))
    device.clear(address + 1, 64, stream)
    assert said in fails(lambda: device.synchronize(stream))
    device.copy(address, other, 65, stream)
    assert said in fails(lambda: device.synchronize(stream))
    device.free(other)
    assert said in fails(lambda: device.download(other, data[:4], stream))


def test_memory_is_rubbish_at_first_and_when_it_is_freed():
    device = host_device()
    stream = device.new_stream()
    address = device.allocate(64, stream)
    assert address % 256 == 0
    data = np.zeros(64, np.uint8)
    device.download(address, data, stream)
    assert data.all()
    seen = device.memory.view(address, 64)
    device.clear(address, 64, stream)
    device.synchronize(stream)
    assert not seen.any()
    device.free(address)
    assert device.live_bytes == 0
    assert seen.all()


def test_writes_to_memory_that_was_freed_are_found():
    text = 'extern "C" __global__ void k(int *a) { a[3] = 1; }'
    device = host_device()
    stream = device.new_stream()
    address = device.allocate(64, stream)
    function = device.compile(text, "k", ())
    device.free(address)
    values = PackedArguments([np.uint64(address)])
    device.launch(function, (1, 1, 1), (1, 1, 1), values, stream)
    said = fails(lambda: device.synchronize(stream))
    assert "something was written to 64 bytes that were freed before" in said
    device.synchronize(stream)


def test_what_is_freed_twice_is_refused():
    device = host_device()
    address = device.allocate(64, device.new_stream())
    device.free(address)
    assert device.live_bytes == 0
    assert "never allocated, or freed before" in fails(lambda: device.memory.free(address))


BOUNDED = 'extern "C" __global__ void __launch_bounds__(64) k(int *a, signed char b) {}'


@pytest.mark.parametrize(
    ("grid", "block", "said"),
    [
        ((1, 1, 1), (65, 1, 1), "cannot be launched"),
        ((1, 1, 1), (1, 1, 65), "cannot be launched"),
        ((1, 65536, 1), (1, 1, 1), "cannot be launched"),
        ((0, 1, 1), (1, 1, 1), "cannot be launched"),
    ],
)
def test_launches_keep_to_limits(
    grid: tuple[int, int, int], block: tuple[int, int, int], said: str
):
    given = [np.zeros(4, np.int32), np.int8(1)]
    assert said in fails(
        lambda: run_kernel(host_device(), BOUNDED, given, grid=grid, block=block)
    )


def test_arguments_have_the_sizes_that_are_declared():
    given = [np.zeros(4, np.int32), np.int32(1)]
    said = fails(lambda: run_kernel(host_device(), BOUNDED, given))
    assert "takes arguments of (8, 1) bytes, not (8, 4)" in said


def test_many_kinds_of_arguments():
    text = """
extern "C" __global__ void k(double *out, signed char a, unsigned short b, int c, float d,
                             long long e, double f) {
  out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f;
}
"""
    values = [np.int8(-3), np.uint16(5), np.int32(-7), np.float32(0.5), np.int64(-9)]
    (found,) = run_kernel(
        host_device(), text, [np.zeros(6), *values, np.float64(2.25)], block=1
    )
    assert found.tolist() == [-3, 5, -7, 0.5, -9, 2.25]


def test_a_cooperative_grid_that_does_not_fit_is_refused():
    text = 'extern "C" __global__ void k() { __nanosleep(1); }'
    device = host_device(blocks_at_once=2)
    assert device.blocks_per_multiprocessor(device.compile(text, "k", ()), 32) == 2
    assert device.blocks_per_multiprocessor(device.compile(text, "k", ()), 2048) == 1
    run_kernel(device, text, [], grid=8, cooperative=True)
    with pytest.raises(DoesNotFit) as caught:
        run_kernel(device, text, [], grid=9, cooperative=True)
    assert (caught.value.needed, caught.value.limit) == (9, 8)


def test_too_much_shared_memory_is_refused():
    text = 'extern "C" __global__ void k() { __shared__ char room[49153]; room[0] = 1; }'
    with pytest.raises(
        CompileFailed, match="49153 bytes of shared memory, there are 49152"
    ):
        host_device().compile(text, "k", ())
    assert PRETENDED.shared_bytes == 49152


def test_text_that_does_not_compile_is_refused():
    with pytest.raises(CompileFailed, match=r"k\.cu:2:1: error"):
        host_device().compile("\nnonsense", "k", ())


def test_text_is_compiled_once(monkeypatch: pytest.MonkeyPatch):
    text = 'extern "C" __global__ void k(int *a) { *a = 12345; }'
    first = host_device().compile(text, "k", ())

    def none(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(subprocess, "run", none)
    assert host_device().compile(text, "k", ()) is first


def test_products_and_sums_are_fused_unless_options_forbid_it():
    """So that forgotten options show."""
    text = 'extern "C" __global__ void k(float *a) { *a = *a * *a - 2.0f; }'
    start = np.float32(1.4142135)
    found: list[np.float32] = []
    for options in ((), ("--fmad=false",)):
        device = host_device()
        stream = device.new_stream()
        address = device.allocate(4, stream)
        device.upload(address, np.array([start]).view(np.uint8), stream)
        function = device.compile(text, "k", options)
        arguments = PackedArguments([np.uint64(address)])
        device.launch(function, (1, 1, 1), (1, 1, 1), arguments, stream)
        data = np.zeros(4, np.uint8)
        device.download(address, data, stream)
        found.append(data.view(np.float32)[0])
    assert found[1] == start * start - np.float32(2)
    assert found[0] != found[1]


def test_without_a_compiler_it_says_so(monkeypatch: pytest.MonkeyPatch):
    device = host_device()
    monkeypatch.setattr(host_cuda_compiler, "find_compiler", lambda: None)
    said = fails(lambda: device.compile("// no compiler", "k", ()))
    assert "there is no C++ compiler" in said
    assert "Fix: install g++ or clang++" in said


def test_fibers_without_assembly(tmp_path: Path):
    """On machines other than x86-64 the C library switches stacks."""
    compiler = find_compiler()
    assert compiler is not None
    folder = Path(host_cuda_compiler.__file__).parent
    kernel = tmp_path / "kernel.cpp"
    kernel.write_text(
        '#include "cuda_shim.h"\n'
        + REVERSE.replace("BARRIER", "__syncthreads();")
        + "VYRE_SHIM_UNIT(k)\n"
        + """
struct Job {
  const vyre_shim_unit *unit; void **arguments; dim3 grid, block; int cooperative, waits;
};
struct Settings { int blocks, threads; unsigned long long seed, patience; };
extern "C" const char *vyre_shim_run(Job *, int, const Settings *);
int main() {
  int a[64], out[64];
  for (int k = 0; k < 64; ++k) a[k] = k * k;
  int *pa = a, *pout = out;
  void *arguments[] = {&pa, &pout};
  Job job = {&vyre_shim_this_unit, arguments, {1, 1, 1}, {64, 1, 1}, 0, 1};
  Settings settings = {2, 2, 7, 1000000000};
  if (vyre_shim_run(&job, 1, &settings)[0]) return 1;
  for (int k = 0; k < 64; ++k) if (out[k] != a[63 - k]) return 2;
  return 0;
}
"""
    )
    program = tmp_path / "program"
    command = [compiler, "-std=gnu++17", "-DVYRE_SHIM_PORTABLE", f"-I{folder}", "-o"]
    sources = [str(kernel), str(folder / "cuda_shim.cpp")]
    subprocess.run([*command, str(program), *sources], check=True, capture_output=True)
    assert subprocess.run([str(program)]).returncode == 0
