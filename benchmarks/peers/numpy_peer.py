"""
NumPy. `prepare` has the same algorithms in operations on whole arrays, each phase one or a
few of them; `prepare_library` has library calls that solve the same problem in another way.
"""

from collections.abc import Callable

import numpy as np

from benchmarks.peers.runner import Runner, aligned_copies, find, in_place, numbers_of
from benchmarks.workloads.case import Array, Case
from benchmarks.workloads.fused_phases import number

Arrays = dict[str, Array]


def saxpy_chain(case: Case, arrays: Arrays) -> None:
    x, y = arrays["x"], arrays["y"]
    a, room = np.float32(case.numbers["a"]), np.empty_like(x)
    for _ in range(int(case.numbers["steps"])):
        np.multiply(x, a, out=room)
        np.add(y, room, out=y)


def jacobi(case: Case, arrays: Arrays) -> None:
    now, next = arrays["plate"], arrays["spare"]
    for _ in range(int(case.numbers["steps"])):
        out = next[1:-1, 1:-1]
        np.add(now[:-2, 1:-1], now[2:, 1:-1], out=out)
        out += now[1:-1, :-2]
        out += now[1:-1, 2:]
        out *= np.float32(0.25)
        now, next = next, now


def fused_phases(case: Case, arrays: Arrays) -> None:
    facts, results = arrays["facts"], arrays["results"]
    for rule in range(len(results) - 1):
        before, out = results[rule, ::-1], results[rule + 1]
        match rule % 4:
            case 0:
                np.add(before, facts, out=out)
            case 1:
                np.bitwise_xor(before, facts, out=out)
            case 2:
                np.multiply(before, np.int32(3), out=out)
                out += facts
            case _:
                np.minimum(before, facts, out=out)
        out += np.int32(number(rule))


def reachability(case: Case, arrays: Arrays) -> None:
    offsets, targets = arrays["offsets"], arrays["targets"]
    reached, seen = arrays["reached"], arrays["seen"]
    while True:
        fresh = np.flatnonzero(reached - seen)
        np.copyto(seen, reached)
        if not len(fresh):
            return
        first, counts = offsets[fresh], offsets[fresh + 1] - offsets[fresh]
        ends = np.cumsum(counts)
        shifts: Array = np.repeat(first - (ends - counts), counts)
        reached[targets[np.add(shifts, np.arange(int(ends[-1])))]] = 1


def prefix_sum(case: Case, arrays: Arrays) -> None:
    length, scans = numbers_of(case, ["block_length", "scans"])
    blocks = arrays["numbers"].reshape(-1, length)
    for _ in range(scans):
        totals = blocks.sum(axis=1, dtype=np.int32)
        before = np.cumsum(totals, dtype=np.int32) - totals
        np.cumsum(blocks, axis=1, dtype=np.int32, out=blocks)
        np.add(blocks, before[:, None], out=blocks)


def conjugate_gradient(case: Case, arrays: Arrays) -> None:
    columns, values, b = arrays["columns"], arrays["values"], arrays["b"]
    x, residual, direction = arrays["x"], arrays["residual"], arrays["direction"]
    starts = arrays["offsets"][:-1]
    x[:], residual[:], direction[:] = 0, b, 0
    before, square = 1.0, float(residual @ residual)
    for _ in range(int(case.numbers["max_rounds"])):
        if square <= float(case.numbers["tolerance"]) ** 2:
            return
        direction *= square / before
        direction += residual
        image = np.add.reduceat(values * direction[columns], starts)
        far = square / float(direction @ image)
        x += far * direction
        residual -= far * image
        before, square = square, float(residual @ residual)


def floyd_warshall(case: Case, arrays: Arrays) -> None:
    distances = arrays["distances"]
    room = np.empty_like(distances)
    for k in range(len(distances)):
        np.add(distances[:, k, None], distances[k], out=room)
        np.minimum(distances, room, out=distances)


def bitonic_sort(case: Case, arrays: Arrays) -> None:
    keys = arrays["keys"]
    count, run = len(keys), 2
    while run <= count:
        distance = run // 2
        while distance:
            # Runs that go up and down in turn, each with its pairs.
            width = min(2 * run, count)
            pairs = keys.reshape(count // width, width // run, run // (2 * distance), 2, -1)
            for way in range(width // run):
                lower, upper = pairs[:, way, :, 0], pairs[:, way, :, 1]
                small, large = np.minimum(lower, upper), np.maximum(lower, upper)
                lower[...], upper[...] = (large, small) if way else (small, large)
            distance //= 2
        run *= 2


ALGORITHMS: dict[str, Callable[[Case, Arrays], None]] = {
    "saxpy_chain": saxpy_chain,
    "jacobi": jacobi,
    "fused_phases": fused_phases,
    "reachability": reachability,
    "prefix_sum": prefix_sum,
    "conjugate_gradient": conjugate_gradient,
    "floyd_warshall": floyd_warshall,
    "bitonic_sort": bitonic_sort,
}


def cumsum_call(case: Case, arrays: Arrays) -> None:
    for _ in range(int(case.numbers["scans"])):
        np.cumsum(arrays["numbers"], dtype=np.int32, out=arrays["numbers"])


def argsort_call(case: Case, arrays: Arrays) -> None:
    keys, values = arrays["keys"], arrays["values"]
    bits = np.uint64((1 << 4 * int(case.numbers["passes"])) - 1)
    order = np.argsort(keys.view(np.uint32) & bits.astype(np.uint32), kind="stable")
    keys[:], values[:] = keys[order], values[order]


def matmul_call(case: Case, arrays: Arrays) -> None:
    now, next = arrays["a"], arrays["c"]
    for _ in range(int(case.numbers["products"])):
        np.matmul(now, arrays["b"], out=next)
        now, next = next, now


def sort_call(case: Case, arrays: Arrays) -> None:
    arrays["keys"].sort()


LIBRARY_CALLS: dict[str, Callable[[Case, Arrays], None]] = {
    "prefix_sum": cumsum_call,
    "radix_pass": argsort_call,
    "matmul": matmul_call,
    "bitonic_sort": sort_call,
}


def prepare(case: Case) -> Runner:
    return find({name: runner(f, True) for name, f in ALGORITHMS.items()}, case)


def prepare_library(case: Case) -> Runner:
    return find({name: runner(f, False) for name, f in LIBRARY_CALLS.items()}, case)


def runner(
    function: Callable[[Case, Arrays], None], same_algorithm: bool
) -> Callable[[Case], Runner]:
    def make(case: Case) -> Runner:
        arrays = aligned_copies(case)
        return in_place(case, arrays, lambda: function(case, arrays), same_algorithm)

    return make
