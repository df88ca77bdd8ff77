"""
Taichi on the CPU, with arrays of its own: a kernel for each phase, called from Python. A
kernel's outermost loop is the parallel one, so a loop around phases cannot be in it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import taichi as ti

from benchmarks.peers.runner import Runner, find, numbers_of
from benchmarks.workloads.case import Array, Case

ti.init(arch=ti.cpu, default_ip=ti.i32, default_fp=ti.f64, log_level=ti.ERROR)

F32 = ti.types.ndarray(dtype=ti.f32, ndim=1)
F64 = ti.types.ndarray(dtype=ti.f64, ndim=1)
I32 = ti.types.ndarray(dtype=ti.i32, ndim=1)
F32_PLATE = ti.types.ndarray(dtype=ti.f32, ndim=2)
I32_PLATE = ti.types.ndarray(dtype=ti.i32, ndim=2)


@ti.kernel
def saxpy(a: ti.f32, x: F32, y: F32):
    for i in range(y.shape[0]):
        y[i] = a * x[i] + y[i]


def saxpy_chain(case: Case, x: Any, y: Any) -> None:
    for _ in range(int(case.numbers["steps"])):
        saxpy(case.numbers["a"], x, y)


@ti.kernel
def relax(now: F32_PLATE, next: F32_PLATE):
    for y, x in ti.ndrange((1, now.shape[0] - 1), (1, now.shape[1] - 1)):
        along_y = now[y - 1, x] + now[y + 1, x]
        along_x = now[y, x - 1] + now[y, x + 1]
        next[y, x] = ti.f32(0.25) * (along_y + along_x)


def jacobi(case: Case, plate: Any, spare: Any) -> None:
    for _ in range(int(case.numbers["steps"])):
        relax(plate, spare)
        plate, spare = spare, plate


@ti.kernel
def apply_rule(facts: I32, results: I32_PLATE, rule: ti.i32, kind: ti.template()):
    number = (rule * 7919) & 0xFFFF
    width = facts.shape[0]
    for i in range(width):
        before = results[rule, width - 1 - i]
        both = facts[i]
        if ti.static(kind == 0):
            both = before + facts[i]
        if ti.static(kind == 1):
            both = before ^ facts[i]
        if ti.static(kind == 2):
            both = before * 3 + facts[i]
        if ti.static(kind == 3):
            both = ti.min(before, facts[i])
        results[rule + 1, i] = both + number


def fused_phases(case: Case, facts: Any, results: Any) -> None:
    for rule in range(results.shape[0] - 1):
        apply_rule(facts, results, rule, rule % 4)


@ti.kernel
def find_fresh(reached: I32, seen: I32, fresh: I32):
    for v in range(reached.shape[0]):
        fresh[v] = reached[v] - seen[v]
        seen[v] = reached[v]


@ti.kernel
def mark(offsets: I32, targets: I32, reached: I32, fresh: I32, last: I32, next: ti.i32):
    for v in range(reached.shape[0]):
        if fresh[v] != 0:
            last[0] = next
            for e in range(offsets[v], offsets[v + 1]):
                reached[targets[e]] = 1


def reachability(
    case: Case, offsets: Any, targets: Any, reached: Any, seen: Any, fresh: Any, last: Any
) -> None:
    round = 0
    while last[0] == round:
        find_fresh(reached, seen, fresh)
        mark(offsets, targets, reached, fresh, last, round + 1)
        round += 1


@ti.kernel
def add_up_blocks(numbers: I32, block_sums: I32, length: ti.i32):
    for b in range(block_sums.shape[0]):
        total = 0
        for k in range(b * length, ti.min((b + 1) * length, numbers.shape[0])):
            total += numbers[k]
        block_sums[b] = total


@ti.kernel
def scan_sums(block_sums: I32):
    ti.loop_config(serialize=True)
    for _ in range(1):
        before = 0
        for b in range(block_sums.shape[0]):
            total = block_sums[b]
            block_sums[b] = before
            before += total


@ti.kernel
def scan_blocks(numbers: I32, block_sums: I32, length: ti.i32):
    for b in range(block_sums.shape[0]):
        so_far = block_sums[b]
        for k in range(b * length, ti.min((b + 1) * length, numbers.shape[0])):
            so_far += numbers[k]
            numbers[k] = so_far


def prefix_sum(case: Case, numbers: Any, block_sums: Any) -> None:
    length, scans = numbers_of(case, ["block_length", "scans"])
    for _ in range(scans):
        add_up_blocks(numbers, block_sums, length)
        scan_sums(block_sums)
        scan_blocks(numbers, block_sums, length)


@ti.kernel
def count_digits(keys: I32, places: I32_PLATE, length: ti.i32, shift: ti.i32):
    for chunk in range(places.shape[0]):
        for digit in range(16):
            places[chunk, digit] = 0
        for at in range(chunk * length, ti.min((chunk + 1) * length, keys.shape[0])):
            digit = ti.bit_shr(keys[at], shift) & 15
            places[chunk, digit] = places[chunk, digit] + 1


@ti.kernel
def find_places(places: I32_PLATE):
    ti.loop_config(serialize=True)
    for _ in range(1):
        place = 0
        for digit in range(16):
            for chunk in range(places.shape[0]):
                occurs = places[chunk, digit]
                places[chunk, digit] = place
                place += occurs


@ti.kernel
def move(
    keys: I32,
    values: I32,
    to_keys: I32,
    to_values: I32,
    places: I32_PLATE,
    length: ti.i32,
    shift: ti.i32,
):
    for chunk in range(places.shape[0]):
        for at in range(chunk * length, ti.min((chunk + 1) * length, keys.shape[0])):
            digit = ti.bit_shr(keys[at], shift) & 15
            place = places[chunk, digit]
            places[chunk, digit] = place + 1
            to_keys[place] = keys[at]
            to_values[place] = values[at]


def radix_pass(
    case: Case, keys: Any, values: Any, spare_keys: Any, spare_values: Any, places: Any
) -> None:
    length, passes = numbers_of(case, ["chunk_length", "passes"])
    source, target = (keys, values), (spare_keys, spare_values)
    for number in range(passes):
        count_digits(source[0], places, length, 4 * number)
        find_places(places)
        move(*source, *target, places, length, 4 * number)
        source, target = target, source


@ti.kernel
def start_from_zero(b: F64, x: F64, residual: F64, direction: F64) -> ti.f64:
    square = 0.0
    for i in range(b.shape[0]):
        x[i] = 0.0
        residual[i] = b[i]
        direction[i] = 0.0
        square += b[i] * b[i]
    return square


@ti.kernel
def turn(residual: F64, direction: F64, keep: ti.f64):
    for i in range(direction.shape[0]):
        direction[i] = residual[i] + keep * direction[i]


@ti.kernel
def energy_of(
    offsets: I32, columns: I32, values: F64, direction: F64, image: F64
) -> ti.f64:
    energy = 0.0
    for i in range(direction.shape[0]):
        total = 0.0
        for e in range(offsets[i], offsets[i + 1]):
            total += values[e] * direction[columns[e]]
        image[i] = total
        energy += direction[i] * total
    return energy


@ti.kernel
def go_along(x: F64, residual: F64, direction: F64, image: F64, far: ti.f64) -> ti.f64:
    square = 0.0
    for i in range(x.shape[0]):
        x[i] += far * direction[i]
        new = residual[i] - far * image[i]
        residual[i] = new
        square += new * new
    return square


def conjugate_gradient(
    case: Case,
    offsets: Any,
    columns: Any,
    values: Any,
    b: Any,
    x: Any,
    residual: Any,
    direction: Any,
    image: Any,
    *_: Any,
) -> None:
    limit, rounds = case.numbers["tolerance"] ** 2, int(case.numbers["max_rounds"])
    before, square, round = 1.0, start_from_zero(b, x, residual, direction), 0
    while square > limit and round < rounds:
        turn(residual, direction, square / before)
        energy = energy_of(offsets, columns, values, direction, image)
        before = square
        square = go_along(x, residual, direction, image, square / energy)
        round += 1


@ti.kernel
def multiply(a: F32_PLATE, b: F32_PLATE, c: F32_PLATE):
    # Taichi has no memory for a tile on the CPU; rows of 16 sums stay in registers.
    for row, tile in ti.ndrange(a.shape[0], a.shape[0] // 16):
        sums = ti.Vector.zero(ti.f32, 16)
        for k in range(a.shape[0]):
            left = a[row, k]
            for x in ti.static(range(16)):
                sums[x] += left * b[k, tile * 16 + x]
        for x in ti.static(range(16)):
            c[row, tile * 16 + x] = sums[x]


def matmul(case: Case, a: Any, b: Any, c: Any) -> None:
    for _ in range(int(case.numbers["products"])):
        multiply(a, b, c)
        a, c = c, a


@ti.kernel
def through(distances: I32_PLATE, k: ti.i32):
    for i, j in ti.ndrange(distances.shape[0], distances.shape[0]):
        if i != k and j != k:
            way = distances[i, k] + distances[k, j]
            distances[i, j] = ti.min(distances[i, j], way)


def floyd_warshall(case: Case, distances: Any) -> None:
    for k in range(distances.shape[0]):
        through(distances, k)


@ti.kernel
def order_pairs(keys: I32, run: ti.i32, distance: ti.i32):
    for pair in range(keys.shape[0] // 2):
        lower = 2 * pair - (pair & (distance - 1))
        a, b = keys[lower], keys[lower + distance]
        small, large = ti.min(a, b), ti.max(a, b)
        down = (lower & run) != 0
        keys[lower] = ti.select(down, large, small)
        keys[lower + distance] = ti.select(down, small, large)


def bitonic_sort(case: Case, keys: Any) -> None:
    run = 2
    while run <= keys.shape[0]:
        distance = run // 2
        while distance:
            order_pairs(keys, run, distance)
            distance //= 2
        run *= 2


DRIVERS: dict[str, Callable[..., None]] = {
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
TYPES = {np.float32: ti.f32, np.float64: ti.f64, np.int32: ti.i32}


def make(case: Case) -> Runner:
    driver = DRIVERS[case.workload]
    held = {
        name: ti.ndarray(TYPES[array.dtype.type], array.shape)
        for name, array in case.arrays.items()
    }
    for name, array in held.items():
        array.from_numpy(case.arrays[name])

    def run() -> None:
        driver(case, *held.values())
        ti.sync()

    def reset() -> None:
        for name in case.changed:
            held[name].from_numpy(case.arrays[name])

    def results() -> dict[str, Array]:
        return {name: held[name].to_numpy() for name in case.expected}

    return Runner(run, reset, results)


def prepare(case: Case) -> Runner:
    return find(dict.fromkeys(DRIVERS, make), case)
