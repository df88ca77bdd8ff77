"""
Numba with `parallel=True`. Each phase is a kernel with a parallel loop. `prepare` compiles
what calls them, too, so that nothing happens in Python between phases; `prepare_phases`
calls one kernel for each phase from Python.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange

from benchmarks.peers.runner import Runner, aligned_copies, find, in_place, numbers_of
from benchmarks.workloads.case import Case

parallel = njit(parallel=True)


@parallel
def saxpy(a, x, y):
    for i in prange(len(y)):
        y[i] = a * x[i] + y[i]


def saxpy_chain(a, x, y, steps):
    for _ in range(steps):
        saxpy(a, x, y)


@parallel
def relax(now, next):
    rows, columns = now.shape
    quarter = np.float32(0.25)
    for y in prange(1, rows - 1):
        for x in range(1, columns - 1):
            next[y, x] = quarter * (
                (now[y - 1, x] + now[y + 1, x]) + (now[y, x - 1] + now[y, x + 1])
            )


def jacobi(plate, spare, steps):
    for step in range(steps):
        if step % 2 == 0:
            relax(plate, spare)
        else:
            relax(spare, plate)


@parallel
def add_rule(facts, before, out, number):
    last = len(out) - 1
    for i in prange(len(out)):
        out[i] = before[last - i] + facts[i] + number


@parallel
def xor_rule(facts, before, out, number):
    last = len(out) - 1
    for i in prange(len(out)):
        out[i] = (before[last - i] ^ facts[i]) + number


@parallel
def triple_rule(facts, before, out, number):
    last = len(out) - 1
    for i in prange(len(out)):
        out[i] = before[last - i] * np.int32(3) + facts[i] + number


@parallel
def min_rule(facts, before, out, number):
    last = len(out) - 1
    for i in prange(len(out)):
        out[i] = min(before[last - i], facts[i]) + number


def fused_phases(facts, results):
    for rule in range(len(results) - 1):
        before, out = results[rule], results[rule + 1]
        number = np.int32((rule * 7919) & 0xFFFF)
        kind = rule % 4
        if kind == 0:
            add_rule(facts, before, out, number)
        elif kind == 1:
            xor_rule(facts, before, out, number)
        elif kind == 2:
            triple_rule(facts, before, out, number)
        else:
            min_rule(facts, before, out, number)


@parallel
def find_fresh(reached, seen, fresh):
    for v in prange(len(reached)):
        fresh[v] = reached[v] - seen[v]
        seen[v] = reached[v]


@parallel
def mark(offsets, targets, reached, fresh, last_round, next_round):
    for v in prange(len(reached)):
        if fresh[v]:
            last_round[0] = next_round
            for e in range(offsets[v], offsets[v + 1]):
                reached[targets[e]] = 1


def reachability(offsets, targets, reached, seen, fresh, last_round):
    round = 0
    while last_round[0] == round:
        find_fresh(reached, seen, fresh)
        mark(offsets, targets, reached, fresh, last_round, round + 1)
        round += 1


@parallel
def add_up_blocks(numbers, block_sums, length):
    for b in prange(len(block_sums)):
        total = np.int32(0)
        for k in range(b * length, min((b + 1) * length, len(numbers))):
            total += numbers[k]
        block_sums[b] = total


@njit
def scan_sums(block_sums):
    before = np.int32(0)
    for b in range(len(block_sums)):
        total = block_sums[b]
        block_sums[b] = before
        before += total


@parallel
def scan_blocks(numbers, block_sums, length):
    for b in prange(len(block_sums)):
        so_far = block_sums[b]
        for k in range(b * length, min((b + 1) * length, len(numbers))):
            so_far += numbers[k]
            numbers[k] = so_far


def prefix_sum(numbers, block_sums, length, scans):
    for _ in range(scans):
        add_up_blocks(numbers, block_sums, length)
        scan_sums(block_sums)
        scan_blocks(numbers, block_sums, length)


@parallel
def count_digits(keys, places, length, shift):
    for chunk in prange(len(places)):
        row = places[chunk]
        for digit in range(16):
            row[digit] = 0
        for at in range(chunk * length, min((chunk + 1) * length, len(keys))):
            row[(keys[at] >> shift) & 15] += 1


@njit
def find_places(places):
    place = np.int32(0)
    for digit in range(16):
        for chunk in range(len(places)):
            occurs = places[chunk, digit]
            places[chunk, digit] = place
            place += occurs


@parallel
def move(keys, values, to_keys, to_values, places, length, shift):
    for chunk in prange(len(places)):
        row = places[chunk]
        for at in range(chunk * length, min((chunk + 1) * length, len(keys))):
            key = keys[at]
            digit = (key >> shift) & 15
            place = row[digit]
            row[digit] = place + 1
            to_keys[place] = key
            to_values[place] = values[at]


def radix_pass(keys, values, spare_keys, spare_values, places, length, passes):
    for number in range(passes):
        shift = 4 * number
        if number % 2 == 0:
            count_digits(keys, places, length, shift)
            find_places(places)
            move(keys, values, spare_keys, spare_values, places, length, shift)
        else:
            count_digits(spare_keys, places, length, shift)
            find_places(places)
            move(spare_keys, spare_values, keys, values, places, length, shift)


@parallel
def start_from_zero(b, x, residual, direction):
    square = 0.0
    for i in prange(len(b)):
        x[i] = 0.0
        residual[i] = b[i]
        direction[i] = 0.0
        square += b[i] * b[i]
    return square


@parallel
def turn(residual, direction, keep):
    for i in prange(len(direction)):
        direction[i] = residual[i] + keep * direction[i]


@parallel
def energy_of(offsets, columns, values, direction, image):
    energy = 0.0
    for i in prange(len(direction)):
        total = 0.0
        for e in range(offsets[i], offsets[i + 1]):
            total += values[e] * direction[columns[e]]
        image[i] = total
        energy += direction[i] * total
    return energy


@parallel
def go_along(x, residual, direction, image, far):
    square = 0.0
    for i in prange(len(x)):
        x[i] += far * direction[i]
        residual[i] -= far * image[i]
        square += residual[i] * residual[i]
    return square


def conjugate_gradient(
    offsets, columns, values, b, x, residual, direction, image, tolerance, max_rounds
):
    square = start_from_zero(b, x, residual, direction)
    before, round = 1.0, 0
    while square > tolerance * tolerance and round < max_rounds:
        turn(residual, direction, square / before)
        energy = energy_of(offsets, columns, values, direction, image)
        before = square
        square = go_along(x, residual, direction, image, square / energy)
        round += 1


@parallel
def multiply(a, b, c):
    tiles = len(a) // 16
    for tile in prange(tiles * tiles):
        row, column = tile // tiles * 16, tile % tiles * 16
        a_tile = np.empty((16, 16), np.float32)
        b_tile = np.empty((16, 16), np.float32)
        sums = np.zeros((16, 16), np.float32)
        for first in range(0, len(a), 16):
            for y in range(16):
                for x in range(16):
                    a_tile[y, x] = a[row + y, first + x]
                    b_tile[y, x] = b[first + y, column + x]
            for y in range(16):
                for k in range(16):
                    left = a_tile[y, k]
                    for x in range(16):
                        sums[y, x] += left * b_tile[k, x]
        for y in range(16):
            for x in range(16):
                c[row + y, column + x] = sums[y, x]


def matmul(a, b, c, products):
    for product in range(products):
        if product % 2 == 0:
            multiply(a, b, c)
        else:
            multiply(c, b, a)


@parallel
def through(distances, k):
    nodes = len(distances)
    for i in prange(nodes):
        if i != k:
            to_k = distances[i, k]
            for j in range(nodes):
                distances[i, j] = min(distances[i, j], to_k + distances[k, j])


def floyd_warshall(distances):
    for k in range(len(distances)):
        through(distances, k)


@parallel
def order_pairs(keys, run, distance):
    for tile in prange(len(keys) // 128):
        first_pair = tile * 64
        if distance >= 64:
            first = 2 * first_pair - (first_pair & (distance - 1))
            down = (first & run) != 0
            for lower in range(first, first + 64):
                a, b = keys[lower], keys[lower + distance]
                small, large = min(a, b), max(a, b)
                keys[lower] = large if down else small
                keys[lower + distance] = small if down else large
        else:
            for pair in range(first_pair, first_pair + 64):
                lower = 2 * pair - (pair & (distance - 1))
                a, b = keys[lower], keys[lower + distance]
                small, large = min(a, b), max(a, b)
                down = (lower & run) != 0
                keys[lower] = large if down else small
                keys[lower + distance] = small if down else large


def bitonic_sort(keys):
    run = 2
    while run <= len(keys):
        distance = run // 2
        while distance > 0:
            order_pairs(keys, run, distance)
            distance //= 2
        run *= 2


DRIVERS: dict[str, tuple[Callable[..., None], tuple[str, ...]]] = {
    "saxpy_chain": (saxpy_chain, ("steps",)),
    "jacobi": (jacobi, ("steps",)),
    "fused_phases": (fused_phases, ()),
    "reachability": (reachability, ()),
    "prefix_sum": (prefix_sum, ("block_length", "scans")),
    "radix_pass": (radix_pass, ("chunk_length", "passes")),
    "conjugate_gradient": (conjugate_gradient, ()),
    "matmul": (matmul, ("products",)),
    "floyd_warshall": (floyd_warshall, ()),
    "bitonic_sort": (bitonic_sort, ()),
}


def runner(driver: Callable[..., None], names: tuple[str, ...], case: Case) -> Runner:
    arrays = aligned_copies(case)
    arguments: list[Any] = [*arrays.values(), *numbers_of(case, names)]
    if case.workload == "saxpy_chain":
        arguments.insert(0, np.float32(case.numbers["a"]))
    if case.workload == "conjugate_gradient":
        del arguments[8:]  # Numba adds up in its own way and needs no places for it.
        arguments += [float(case.numbers["tolerance"]), int(case.numbers["max_rounds"])]
    return in_place(case, arrays, lambda: driver(*arguments))


def prepare(case: Case) -> Runner:
    def make(case: Case) -> Runner:
        driver, names = DRIVERS[case.workload]
        return runner(njit(driver), names, case)

    return find(dict.fromkeys(DRIVERS, make), case)


def prepare_phases(case: Case) -> Runner:
    def make(case: Case) -> Runner:
        return runner(*DRIVERS[case.workload], case)

    return find(dict.fromkeys(DRIVERS, make), case)
