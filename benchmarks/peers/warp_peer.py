"""
Warp on the CPU: a kernel for each phase, all launches of a run captured in a graph that is
replayed without Python. Loops that end by a test are loops of the graph. Warp runs kernels
on one thread of the CPU.
"""

from collections.abc import Callable
from typing import Any

import warp as wp

from benchmarks.peers.runner import Runner, aligned_copies, find, in_place, numbers_of
from benchmarks.workloads.case import Case

wp.config.quiet = True
wp.config.enable_backward = False
wp.init()

F32 = wp.array(dtype=wp.float32)
F64 = wp.array(dtype=wp.float64)
I32 = wp.array(dtype=wp.int32)
F32_PLATE = wp.array2d(dtype=wp.float32)
I32_PLATE = wp.array2d(dtype=wp.int32)


@wp.kernel
def saxpy(a: wp.float32, x: F32, y: F32):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel
def relax(now: F32_PLATE, next: F32_PLATE):
    i, j = wp.tid()
    y, x = i + 1, j + 1
    along_y = now[y - 1, x] + now[y + 1, x]
    along_x = now[y, x - 1] + now[y, x + 1]
    next[y, x] = wp.float32(0.25) * (along_y + along_x)


@wp.kernel
def add_rule(facts: I32, results: I32_PLATE, rule: wp.int32, number: wp.int32):
    i = wp.tid()
    before = results[rule, facts.shape[0] - 1 - i]
    results[rule + 1, i] = before + facts[i] + number


@wp.kernel
def xor_rule(facts: I32, results: I32_PLATE, rule: wp.int32, number: wp.int32):
    i = wp.tid()
    before = results[rule, facts.shape[0] - 1 - i]
    results[rule + 1, i] = (before ^ facts[i]) + number


@wp.kernel
def triple_rule(facts: I32, results: I32_PLATE, rule: wp.int32, number: wp.int32):
    i = wp.tid()
    before = results[rule, facts.shape[0] - 1 - i]
    results[rule + 1, i] = before * 3 + facts[i] + number


@wp.kernel
def min_rule(facts: I32, results: I32_PLATE, rule: wp.int32, number: wp.int32):
    i = wp.tid()
    before = results[rule, facts.shape[0] - 1 - i]
    results[rule + 1, i] = wp.min(before, facts[i]) + number


@wp.kernel
def start_rounds(last: I32, round: I32, go: I32):
    round[0] = 0
    go[0] = wp.where(last[0] == 0, 1, 0)


@wp.kernel
def find_fresh(reached: I32, seen: I32, fresh: I32):
    v = wp.tid()
    fresh[v] = reached[v] - seen[v]
    seen[v] = reached[v]


@wp.kernel
def mark(offsets: I32, targets: I32, reached: I32, fresh: I32, last: I32, round: I32):
    v = wp.tid()
    if fresh[v] != 0:
        last[0] = round[0] + 1
        for e in range(offsets[v], offsets[v + 1]):
            reached[targets[e]] = 1


@wp.kernel
def test_round(last: I32, round: I32, go: I32):
    round[0] = round[0] + 1
    go[0] = wp.where(last[0] == round[0], 1, 0)


@wp.kernel
def add_up_blocks(numbers: I32, block_sums: I32, length: wp.int32):
    b = wp.tid()
    total = wp.int32(0)
    for k in range(b * length, wp.min((b + 1) * length, numbers.shape[0])):
        total += numbers[k]
    block_sums[b] = total


@wp.kernel
def scan_sums(block_sums: I32):
    before = wp.int32(0)
    for b in range(block_sums.shape[0]):
        total = block_sums[b]
        block_sums[b] = before
        before += total


@wp.kernel
def scan_blocks(numbers: I32, block_sums: I32, length: wp.int32):
    b = wp.tid()
    so_far = block_sums[b]
    for k in range(b * length, wp.min((b + 1) * length, numbers.shape[0])):
        so_far += numbers[k]
        numbers[k] = so_far


@wp.kernel
def count_digits(keys: I32, places: I32_PLATE, length: wp.int32, shift: wp.int32):
    chunk = wp.tid()
    for digit in range(16):
        places[chunk, digit] = 0
    for at in range(chunk * length, wp.min((chunk + 1) * length, keys.shape[0])):
        digit = (keys[at] >> shift) & 15
        places[chunk, digit] = places[chunk, digit] + 1


@wp.kernel
def find_places(places: I32_PLATE):
    place = wp.int32(0)
    for digit in range(16):
        for chunk in range(places.shape[0]):
            occurs = places[chunk, digit]
            places[chunk, digit] = place
            place += occurs


@wp.kernel
def move(
    keys: I32,
    values: I32,
    to_keys: I32,
    to_values: I32,
    places: I32_PLATE,
    length: wp.int32,
    shift: wp.int32,
):
    chunk = wp.tid()
    for at in range(chunk * length, wp.min((chunk + 1) * length, keys.shape[0])):
        digit = (keys[at] >> shift) & 15
        place = places[chunk, digit]
        places[chunk, digit] = place + 1
        to_keys[place] = keys[at]
        to_values[place] = values[at]


# `sums` holds the square of the residual's length, the one before, and the energy.
@wp.kernel
def clear_sums(sums: F64, round: I32):
    sums[0] = wp.float64(0.0)
    sums[1] = wp.float64(1.0)
    sums[2] = wp.float64(0.0)
    round[0] = 0


@wp.kernel
def start_from_zero(b: F64, x: F64, residual: F64, direction: F64, sums: F64):
    i = wp.tid()
    x[i] = wp.float64(0.0)
    residual[i] = b[i]
    direction[i] = wp.float64(0.0)
    wp.atomic_add(sums, 0, b[i] * b[i])


@wp.kernel
def turn(residual: F64, direction: F64, sums: F64):
    i = wp.tid()
    direction[i] = residual[i] + sums[0] / sums[1] * direction[i]


@wp.kernel
def energy_of(
    offsets: I32, columns: I32, values: F64, direction: F64, image: F64, sums: F64
):
    i = wp.tid()
    total = wp.float64(0.0)
    for e in range(offsets[i], offsets[i + 1]):
        total += values[e] * direction[columns[e]]
    image[i] = total
    wp.atomic_add(sums, 2, direction[i] * total)


@wp.kernel
def keep_square(sums: F64, far: F64):
    far[0] = sums[0] / sums[2]
    sums[1] = sums[0]
    sums[0] = wp.float64(0.0)
    sums[2] = wp.float64(0.0)


@wp.kernel
def go_along(x: F64, residual: F64, direction: F64, image: F64, far: F64, sums: F64):
    i = wp.tid()
    x[i] = x[i] + far[0] * direction[i]
    new = residual[i] - far[0] * image[i]
    residual[i] = new
    wp.atomic_add(sums, 0, new * new)


@wp.kernel
def test_square(sums: F64, round: I32, go: I32, limit: wp.float64, max_rounds: wp.int32):
    go[0] = wp.where(sums[0] > limit and round[0] < max_rounds, 1, 0)
    round[0] = round[0] + 1


@wp.kernel
def multiply(a: F32_PLATE, b: F32_PLATE, c: F32_PLATE):
    # On the CPU a block is one thread and a tile of several has no use.
    row, column = wp.tid()
    total = wp.float32(0.0)
    for k in range(a.shape[1]):
        total += a[row, k] * b[k, column]
    c[row, column] = total


@wp.kernel
def through(distances: I32_PLATE, k: wp.int32):
    i, j = wp.tid()
    if i != k and j != k:
        distances[i, j] = wp.min(distances[i, j], distances[i, k] + distances[k, j])


@wp.kernel
def order_pairs(keys: I32, run: wp.int32, distance: wp.int32):
    pair = wp.tid()
    lower = 2 * pair - (pair & (distance - 1))
    a = keys[lower]
    b = keys[lower + distance]
    down = (lower & run) != 0
    keys[lower] = wp.where(down, wp.max(a, b), wp.min(a, b))
    keys[lower + distance] = wp.where(down, wp.min(a, b), wp.max(a, b))


Held = dict[str, Any]


def record_saxpy_chain(case: Case, held: Held) -> None:
    for _ in range(int(case.numbers["steps"])):
        inputs = [wp.float32(case.numbers["a"]), held["x"], held["y"]]
        wp.launch(saxpy, held["y"].shape, inputs)


def record_jacobi(case: Case, held: Held) -> None:
    now, next = held["plate"], held["spare"]
    inner = tuple(length - 2 for length in now.shape)
    for _ in range(int(case.numbers["steps"])):
        wp.launch(relax, inner, [now, next])
        now, next = next, now


def record_fused_phases(case: Case, held: Held) -> None:
    kinds = (add_rule, xor_rule, triple_rule, min_rule)
    facts, results = held["facts"], held["results"]
    for rule in range(results.shape[0] - 1):
        inputs = [facts, results, rule, (rule * 7919) & 0xFFFF]
        wp.launch(kinds[rule % 4], facts.shape, inputs)


def record_reachability(case: Case, held: Held) -> None:
    round, go = (wp.zeros(1, dtype=wp.int32) for _ in range(2))
    held["round"], held["go"] = round, go
    offsets, targets, reached, seen, fresh, last = list(held.values())[:6]

    def body() -> None:
        wp.launch(find_fresh, reached.shape, [reached, seen, fresh])
        wp.launch(mark, reached.shape, [offsets, targets, reached, fresh, last, round])
        wp.launch(test_round, 1, [last, round, go])

    wp.launch(start_rounds, 1, [last, round, go])
    wp.capture_while(go, body)


def record_prefix_sum(case: Case, held: Held) -> None:
    length, scans = numbers_of(case, ["block_length", "scans"])
    numbers, sums = held["numbers"], held["block_sums"]
    for _ in range(scans):
        wp.launch(add_up_blocks, sums.shape, [numbers, sums, length])
        wp.launch(scan_sums, 1, [sums])
        wp.launch(scan_blocks, sums.shape, [numbers, sums, length])


def record_radix_pass(case: Case, held: Held) -> None:
    length, passes = numbers_of(case, ["chunk_length", "passes"])
    places = held["places"]
    source = [held["keys"], held["values"]]
    target = [held["spare_keys"], held["spare_values"]]
    for number in range(passes):
        shift = 4 * number
        wp.launch(count_digits, places.shape[0], [source[0], places, length, shift])
        wp.launch(find_places, 1, [places])
        inputs = [*source, *target, places, length, shift]
        wp.launch(move, places.shape[0], inputs)
        source, target = target, source


def record_conjugate_gradient(case: Case, held: Held) -> None:
    offsets, columns, values, b, x, residual, direction, image = list(held.values())[:8]
    sums, far = wp.zeros(3, dtype=wp.float64), wp.zeros(1, dtype=wp.float64)
    round, go = wp.zeros(1, dtype=wp.int32), wp.zeros(1, dtype=wp.int32)
    held.update(sums=sums, far=far, round=round, go=go)
    limit = wp.float64(case.numbers["tolerance"] ** 2)
    test = [sums, round, go, limit, int(case.numbers["max_rounds"])]
    rows = b.shape

    def body() -> None:
        wp.launch(turn, rows, [residual, direction, sums])
        wp.launch(energy_of, rows, [offsets, columns, values, direction, image, sums])
        wp.launch(keep_square, 1, [sums, far])
        wp.launch(go_along, rows, [x, residual, direction, image, far, sums])
        wp.launch(test_square, 1, test)

    wp.launch(clear_sums, 1, [sums, round])
    wp.launch(start_from_zero, rows, [b, x, residual, direction, sums])
    wp.launch(test_square, 1, test)
    wp.capture_while(go, body)


def record_matmul(case: Case, held: Held) -> None:
    now, b, next = held["a"], held["b"], held["c"]
    for _ in range(int(case.numbers["products"])):
        wp.launch(multiply, now.shape, [now, b, next])
        now, next = next, now


def record_floyd_warshall(case: Case, held: Held) -> None:
    distances = held["distances"]
    for k in range(distances.shape[0]):
        wp.launch(through, distances.shape, [distances, k])


def record_bitonic_sort(case: Case, held: Held) -> None:
    keys = held["keys"]
    run = 2
    while run <= keys.shape[0]:
        distance = run // 2
        while distance:
            wp.launch(order_pairs, keys.shape[0] // 2, [keys, run, distance])
            distance //= 2
        run *= 2


RECORDERS: dict[str, Callable[[Case, Held], None]] = {
    "saxpy_chain": record_saxpy_chain,
    "jacobi": record_jacobi,
    "fused_phases": record_fused_phases,
    "reachability": record_reachability,
    "prefix_sum": record_prefix_sum,
    "radix_pass": record_radix_pass,
    "conjugate_gradient": record_conjugate_gradient,
    "matmul": record_matmul,
    "floyd_warshall": record_floyd_warshall,
    "bitonic_sort": record_bitonic_sort,
}


def make(case: Case) -> Runner:
    arrays = aligned_copies(case)
    with wp.ScopedDevice("cpu"):
        # Warp works on NumPy's memory, without a copy.
        held = {name: wp.array(array, copy=False) for name, array in arrays.items()}
        wp.load_module(device="cpu")
        wp.capture_begin()
        RECORDERS[case.workload](case, held)
        graph = wp.capture_end()

    def run() -> None:
        wp.capture_launch(graph)

    runner = in_place(case, arrays, run)
    runner.keep = held
    return runner


def prepare(case: Case) -> Runner:
    return find(dict.fromkeys(RECORDERS, make), case)
