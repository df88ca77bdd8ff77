"""
What the worker pool of the CPU engine costs: `python benchmarks/barrier.py`.

Prints the time of a grid barrier, for some numbers of workers, of a pulse, and of a whole
dispatch of a job that does nothing, called from Python. Medians, and the extremes.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from string import Template

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from vyre.lowering.llvm import job
from vyre.lowering.llvm.job import ENTRY, HEADER_WORDS, WORKERS, new_job
from vyre.runtime.cpu.pool import WorkerPool, default_count

REPEATS = 15
CALLS = 2000

PROGRAM = """
define void @barriers(ptr %job, i64 %worker, i64 %workers) {
entry:
  %rounds.p = getelementptr i64, ptr %job, i64 $HEADER_WORDS
  %rounds = load i64, ptr %rounds.p
  %meet.p = getelementptr i64, ptr %job, i64 $MEET
  %meet = load ptr, ptr %meet.p
  %release.p = getelementptr i64, ptr %job, i64 $RELEASE
  %release = load ptr, ptr %release.p
  br label %round

round:
  %done = phi i64 [ 0, %entry ], [ %next, %last ], [ %next, %arrive ]
  %more = icmp ult i64 %done, %rounds
  br i1 %more, label %arrive, label %end

arrive:
  %next = add i64 %done, 1
  %first = call i64 %meet(ptr %job, i64 %worker, i64 %workers)
  %is_last = icmp ne i64 %first, 0
  br i1 %is_last, label %last, label %round

last:
  call void %release(ptr %job)
  br label %round

end:
  ret void
}

define void @pulses(ptr %job, i64 %worker, i64 %workers) {
entry:
  %rounds.p = getelementptr i64, ptr %job, i64 $HEADER_WORDS
  %rounds = load i64, ptr %rounds.p
  %pulse.p = getelementptr i64, ptr %job, i64 $PULSE
  %pulse = load ptr, ptr %pulse.p
  br label %round

round:
  %done = phi i64 [ 0, %entry ], [ %next, %round ]
  %stop = call preserve_mostcc i64 %pulse(ptr %job, i64 %worker)
  %next = add i64 %done, 1
  %more = icmp ult i64 %next, %rounds
  br i1 %more, label %round, label %end

end:
  ret void
}
"""


def compiled() -> llvm.ExecutionEngine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    words = {name: value for name, value in vars(job).items() if name.isupper()}
    module = llvm.parse_assembly(Template(PROGRAM).substitute(words))
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def make_job(pool: WorkerPool, entry: int, workers: int, rounds: int) -> NDArray[np.uint64]:
    words = new_job(1)
    pool.prepare(words)
    words[ENTRY], words[WORKERS] = entry, workers
    words[HEADER_WORDS] = rounds
    return words


def times(call: Callable[[], object], count: int) -> list[float]:
    """Microseconds for each of `count` things that a call does."""
    call()
    found: list[float] = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        found.append((time.perf_counter() - start) / count * 1e6)
    return found


def native_times(pool: WorkerPool, entry: int, workers: int, rounds: int) -> list[float]:
    """For things that the program does in a loop."""
    words = make_job(pool, entry, workers, rounds)
    return times(lambda: pool.dispatch(words.ctypes.data), rounds)


def dispatch_times(pool: WorkerPool, entry: int, workers: int) -> list[float]:
    """For dispatches one after the other."""
    words = make_job(pool, entry, workers, 0)
    address, dispatch = words.ctypes.data, pool.dispatch

    def calls() -> None:
        for _ in range(CALLS):
            dispatch(address)

    return times(calls, CALLS)


def rows() -> Iterator[tuple[str, list[float]]]:
    engine = compiled()
    barriers = engine.get_function_address("barriers")
    pulses = engine.get_function_address("pulses")
    for workers, rounds in ((1, 500_000), (2, 200_000), (4, 5_000), (8, 5_000)):
        pool = WorkerPool(workers)
        yield f"barrier, workers: {workers}", native_times(pool, barriers, workers, rounds)
    pool = WorkerPool(2)
    yield "pulse of worker 0", native_times(pool, pulses, 1, 500_000)
    for workers in (1, 2):
        found = dispatch_times(pool, barriers, workers)
        yield f"dispatch, workers: {workers}", found


def main() -> None:
    print(f"microseconds on {default_count()} cores, {REPEATS} repeats")
    print(f"{'':<24}{'median':>10}{'least':>10}{'most':>10}")
    for name, found in rows():
        figures = (statistics.median(found), min(found), max(found))
        print(f"{name:<24}" + "".join(f"{figure:10.3f}" for figure in figures))


if __name__ == "__main__":
    main()
