"""
JAX on the CPU: one compiled function for a run, with a loop of XLA around the phases. It
gives new arrays and leaves its inputs alone, so nothing has to be put back.

Sorting and multiplying are library calls here. Following edges takes all edges in every
round, because arrays of JAX have fixed sizes.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.peers.runner import Runner, find, numbers_of
from benchmarks.workloads.case import Array, Case

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def saxpy_chain(case: Case) -> Runner:
    a, steps = np.float32(case.numbers["a"]), int(case.numbers["steps"])

    def run(x, y):
        return {"y": lax.fori_loop(0, steps, lambda _, now: a * x + now, y)}

    return runner(case, run, ["x", "y"])


def jacobi(case: Case) -> Runner:
    steps, quarter = int(case.numbers["steps"]), np.float32(0.25)

    def step(_, now):
        along_y = now[:-2, 1:-1] + now[2:, 1:-1]
        along_x = now[1:-1, :-2] + now[1:-1, 2:]
        return now.at[1:-1, 1:-1].set(quarter * (along_y + along_x))

    def run(plate):
        return {"plate": lax.fori_loop(0, steps, step, plate)}

    return runner(case, run, ["plate"])


def fused_phases(case: Case) -> Runner:
    rules = case.arrays["results"].shape[0] - 1
    kinds = (
        lambda before, facts: before + facts,
        lambda before, facts: before ^ facts,
        lambda before, facts: before * np.int32(3) + facts,
        jnp.minimum,
    )

    def run(facts, results):
        def apply(rule, results):
            before = lax.dynamic_index_in_dim(results, rule, keepdims=False)[::-1]
            both = lax.switch(rule % 4, kinds, before, facts)
            number = ((rule * 7919) & 0xFFFF).astype(np.int32)
            return lax.dynamic_update_index_in_dim(results, both + number, rule + 1, 0)

        return {"results": lax.fori_loop(0, rules, apply, results)}

    return runner(case, run, ["facts", "results"])


def reachability(case: Case) -> Runner:
    degrees = np.diff(case.arrays["offsets"])
    sources = jnp.asarray(np.repeat(np.arange(len(degrees), dtype=np.int32), degrees))

    def run(targets, reached, seen):
        def go(state):
            return state[2]

        def round(state):
            reached, seen, _ = state
            fresh = reached - seen
            return reached.at[targets].max(fresh[sources]), reached, jnp.any(fresh != 0)

        return {"reached": lax.while_loop(go, round, (reached, seen, True))[0]}

    return runner(case, run, ["targets", "reached", "seen"])


def prefix_sum(case: Case) -> Runner:
    length, scans = numbers_of(case, ["block_length", "scans"])

    def scan(_, blocks):
        totals = blocks.sum(axis=1, dtype=np.int32)
        before = jnp.cumsum(totals, dtype=np.int32) - totals
        return jnp.cumsum(blocks, axis=1, dtype=np.int32) + before[:, None]

    def run(numbers):
        blocks = lax.fori_loop(0, scans, scan, numbers.reshape(-1, length))
        return {"numbers": blocks.ravel()}

    return runner(case, run, ["numbers"])


def radix_pass(case: Case) -> Runner:
    passes = int(case.numbers["passes"])

    def sort(number, records):
        keys, values = records
        shift = (4 * number).astype(np.uint32)
        digits = (keys.view(np.uint32) >> shift) & np.uint32(15)
        _, keys, values = lax.sort((digits, keys, values), num_keys=1, is_stable=True)
        return keys, values

    def run(keys, values):
        keys, values = lax.fori_loop(0, passes, sort, (keys, values))
        return {"keys": keys, "values": values}

    return runner(case, run, ["keys", "values"], same_algorithm=False)


def conjugate_gradient(case: Case) -> Runner:
    rows = len(case.arrays["b"])
    degrees = np.diff(case.arrays["offsets"])
    row_of = jnp.asarray(np.repeat(np.arange(rows, dtype=np.int32), degrees))
    limit, rounds = case.numbers["tolerance"] ** 2, int(case.numbers["max_rounds"])

    def run(columns, values, b):
        def go(state):
            *_, square, round = state
            return (square > limit) & (round < rounds)

        def step(state):
            x, residual, direction, before, square, round = state
            direction = residual + square / before * direction
            image = jax.ops.segment_sum(
                values * direction[columns], row_of, rows, indices_are_sorted=True
            )
            far = square / jnp.vdot(direction, image)
            x, residual = x + far * direction, residual - far * image
            return x, residual, direction, square, jnp.vdot(residual, residual), round + 1

        zero = jnp.zeros_like(b)
        start = (zero, b, zero, 1.0, jnp.vdot(b, b), 0)
        return {"x": lax.while_loop(go, step, start)[0]}

    return runner(case, run, ["columns", "values", "b"])


def matmul(case: Case) -> Runner:
    products = int(case.numbers["products"])

    def run(a, b):
        return {"c": lax.fori_loop(0, products, lambda _, now: now @ b, a)}

    return runner(case, run, ["a", "b"], same_algorithm=False)


def floyd_warshall(case: Case) -> Runner:
    nodes = len(case.arrays["distances"])

    def through(k, now):
        return jnp.minimum(now, now[:, k, None] + now[k])

    def run(distances):
        return {"distances": lax.fori_loop(0, nodes, through, distances)}

    return runner(case, run, ["distances"])


def bitonic_sort(case: Case) -> Runner:
    count = len(case.arrays["keys"])
    levels = range(1, count.bit_length())
    steps = [(1 << run, 1 << far) for run in levels for far in reversed(range(run))]
    runs = jnp.asarray([run for run, _ in steps], np.int32)
    distances = jnp.asarray([distance for _, distance in steps], np.int32)
    place = jnp.arange(count, dtype=np.int32)

    def step(number, keys):
        run, distance = runs[number], distances[number]
        other = keys[place ^ distance]
        takes_small = ((place & run) == 0) == ((place & distance) == 0)
        return jnp.where(takes_small, jnp.minimum(keys, other), jnp.maximum(keys, other))

    def run(keys):
        return {"keys": lax.fori_loop(0, len(steps), step, keys)}

    return runner(case, run, ["keys"])


def runner(
    case: Case,
    function: Callable[..., dict[str, jax.Array]],
    names: list[str],
    same_algorithm: bool = True,
) -> Runner:
    compiled = jax.jit(function)
    arguments = [jnp.asarray(case.arrays[name]) for name in names]
    held: dict[str, jax.Array] = {}

    def run() -> None:
        held.update(jax.block_until_ready(compiled(*arguments)))

    def results() -> dict[str, Array]:
        return {name: np.asarray(array) for name, array in held.items()}

    return Runner(run, held.clear, results, same_algorithm)


TABLE = {
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


def prepare(case: Case) -> Runner:
    return find(TABLE, case)
