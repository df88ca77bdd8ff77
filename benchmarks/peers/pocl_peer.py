"""
PyOpenCL with PoCL on the CPU: a kernel for each phase, in one queue. Tests of convergence
read what they need from the device. All sizes are multiples of the work-groups'.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from benchmarks.peers.runner import Absent, Runner, find, numbers_of
from benchmarks.workloads.case import Array, Case

SOURCE = Path(__file__).with_name("kernels.cl")


class Device:
    """A queue on the CPU, the kernels, and a case's arrays as buffers."""

    def __init__(self, case: Case):
        devices = [
            device
            for platform in cl.get_platforms()
            if platform.name == "Portable Computing Language"
            for device in platform.get_devices(cl.device_type.CPU)
        ]
        if not devices:
            raise Absent("there is no OpenCL device of PoCL")
        self.context = cl.Context(devices[:1])
        self.queue = cl.CommandQueue(self.context)
        program = cl.Program(self.context, SOURCE.read_text()).build()
        self.kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        self.buffers = {
            name: cl.Buffer(self.context, flags, hostbuf=array)
            for name, array in case.arrays.items()
        }

    def launch(
        self, name: str, size: tuple[int, ...], width: tuple[int, ...], *arguments: Any
    ) -> None:
        """Arguments are buffers by name, numbers of NumPy, or Python's as 32-bit ones."""
        given = [
            self.buffers[value]
            if isinstance(value, str)
            else np.int32(value)
            if isinstance(value, int)
            else value
            for value in arguments
        ]
        self.kernels[name](self.queue, size, width, *given)


def saxpy_chain(case: Case, device: Device) -> None:
    a, count = np.float32(case.numbers["a"]), len(case.arrays["y"])
    for _ in range(int(case.numbers["steps"])):
        device.launch("saxpy", (count,), (256,), a, "x", "y")


def jacobi(case: Case, device: Device) -> None:
    rows, columns = case.arrays["plate"].shape
    now, next = "plate", "spare"
    for _ in range(int(case.numbers["steps"])):
        device.launch("relax", (columns - 2, rows - 2), (32, 1), now, next, columns)
        now, next = next, now


def fused_phases(case: Case, device: Device) -> None:
    kinds = ("add_rule", "xor_rule", "triple_rule", "min_rule")
    rows, width = case.arrays["results"].shape
    for rule in range(rows - 1):
        number = (rule * 7919) & 0xFFFF
        device.launch(kinds[rule % 4], (width,), (256,), "facts", "results", rule, number)


def reachability(case: Case, device: Device) -> None:
    nodes, last = len(case.arrays["reached"]), np.zeros(1, np.int32)
    graph, round = ("offsets", "targets", "reached", "fresh", "last_round"), 0
    while last[0] == round:
        device.launch("find_fresh", (nodes,), (64,), "reached", "seen", "fresh")
        device.launch("mark", (nodes,), (64,), *graph, round + 1)
        cl.enqueue_copy(device.queue, last, device.buffers["last_round"])
        round += 1


def prefix_sum(case: Case, device: Device) -> None:
    length, scans = numbers_of(case, ["block_length", "scans"])
    count, blocks = len(case.arrays["numbers"]), len(case.arrays["block_sums"])
    arguments = ("numbers", "block_sums", count, length)
    for _ in range(scans):
        device.launch("add_up_blocks", (blocks,), (4,), *arguments)
        device.launch("scan_sums", (1,), (1,), "block_sums", blocks)
        device.launch("scan_blocks", (blocks,), (4,), *arguments)


def radix_pass(case: Case, device: Device) -> None:
    length, passes = numbers_of(case, ["chunk_length", "passes"])
    count, chunks = len(case.arrays["keys"]), len(case.arrays["places"])
    source, target = ("keys", "values"), ("spare_keys", "spare_values")
    for number in range(passes):
        numbers = (count, length, 4 * number)
        device.launch("count_digits", (chunks,), (4,), source[0], "places", *numbers)
        device.launch("find_places", (1,), (1,), "places", chunks)
        device.launch("move", (chunks,), (4,), *source, *target, "places", *numbers)
        source, target = target, source


def conjugate_gradient(case: Case, device: Device) -> None:
    rows, parts = len(case.arrays["b"]), np.empty_like(case.arrays["square_parts"])
    limit, rounds = case.numbers["tolerance"] ** 2, int(case.numbers["max_rounds"])
    matrix = ("offsets", "columns", "values")

    def launch(name: str, *arguments: Any) -> None:
        device.launch(name, (rows,), (256,), *arguments)

    def total(name: str) -> np.float64:
        cl.enqueue_copy(device.queue, parts, device.buffers[name])
        return parts.sum()

    launch("start_from_zero", "b", "x", "residual", "direction", "square_parts")
    before, square, round = np.float64(1), total("square_parts"), 0
    while square > limit and round < rounds:
        launch("turn", "residual", "direction", square / before)
        launch("energy_of", *matrix, "direction", "image", "energy_parts")
        far = square / total("energy_parts")
        vectors = ("x", "residual", "direction", "image")
        launch("go_along", *vectors, far, "square_parts")
        before, square = square, total("square_parts")
        round += 1


def matmul(case: Case, device: Device) -> None:
    side = len(case.arrays["a"])
    now, next = "a", "c"
    for _ in range(int(case.numbers["products"])):
        device.launch("multiply", (side, side), (16, 16), now, "b", next, side)
        now, next = next, now


def floyd_warshall(case: Case, device: Device) -> None:
    nodes = len(case.arrays["distances"])
    for k in range(nodes):
        device.launch("through", (nodes, nodes), (32, 1), "distances", nodes, k)


def bitonic_sort(case: Case, device: Device) -> None:
    count, run = len(case.arrays["keys"]), 2
    while run <= count:
        distance = run // 2
        while distance:
            device.launch("order_pairs", (count // 2,), (64,), "keys", run, distance)
            distance //= 2
        run *= 2


DRIVERS: dict[str, Callable[[Case, Device], None]] = {
    "saxpy_chain": saxpy_chain,
    "jacobi": jacobi,
    "fused_phases": fused_phases,
    "reachability": reachability,
    "prefix_sum": prefix_sum,
    "radix_pass": radix_pass,
    "conjugate_gradient": conjugate_gradient,
    "matmul": matmul,
    "floyd_warshall": floyd_warshall,
    "bitonic_sort": bitonic_sort,
}


def make(case: Case) -> Runner:
    device = Device(case)
    driver = DRIVERS[case.workload]

    def run() -> None:
        driver(case, device)
        device.queue.finish()

    def reset() -> None:
        for name in case.changed:
            cl.enqueue_copy(device.queue, device.buffers[name], case.arrays[name])
        device.queue.finish()

    def results() -> dict[str, Array]:
        found = {name: np.empty_like(array) for name, array in case.expected.items()}
        for name, array in found.items():
            cl.enqueue_copy(device.queue, array, device.buffers[name])
        return found

    return Runner(run, reset, results)


def prepare(case: Case) -> Runner:
    return find(dict.fromkeys(DRIVERS, make), case)
