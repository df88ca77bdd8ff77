"""
Hand-written C, compiled by gcc: with OpenMP, with threads that meet at a spin barrier, and
on one thread. It measures itself, for a program in C pays nothing for being called.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.peers.runner import Absent, Runner, aligned_copies, in_place
from benchmarks.workloads.case import Case

SOURCES = Path(__file__).parents[1] / "c"
FLAGS = ["-std=gnu11", "-O3", "-march=native", "-shared", "-fPIC"]
BUILDS = {
    "openmp": ["-fopenmp", "-DTEAM_OPENMP"],
    "threads": ["-fopenmp-simd", "-pthread"],
}


INTEGERS: dict[str, tuple[tuple[str, int] | str, ...]] = {
    "saxpy_chain": (("y", 0), "steps"),
    "jacobi": (("plate", 0), ("plate", 1), "steps"),
    "fused_phases": (("results", 0), ("results", 1)),
    "reachability": (("reached", 0),),
    "prefix_sum": (("numbers", 0), ("block_sums", 0), "block_length", "scans"),
    "radix_pass": (("keys", 0), ("places", 0), "chunk_length", "passes"),
    "conjugate_gradient": (("b", 0), "max_rounds"),
    "matmul": (("a", 0), "products"),
    "floyd_warshall": (("distances", 0),),
    "bitonic_sort": (("keys", 0),),
}
"""Lengths of arrays and whole numbers, in the order that each source names."""


def integers(case: Case) -> list[int]:
    found: list[int] = []
    for entry in INTEGERS[case.workload]:
        if isinstance(entry, str):
            found.append(int(case.numbers[entry]))
        else:
            name, dimension = entry
            found.append(case.arrays[name].shape[dimension])
    return found


def reals(case: Case) -> list[float]:
    names = [name for name in ("a", "tolerance") if name in case.numbers]
    return [float(case.numbers[name]) for name in names]


def library(workload: str, build: str) -> ctypes.CDLL:
    compiler = shutil.which("gcc")
    if compiler is None:
        raise Absent("there is no gcc")
    # The file may go as soon as it is loaded.
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, f"{workload}.so")
        source = SOURCES / f"{workload}.c"
        command = [compiler, *FLAGS, *BUILDS[build], "-o", str(target), str(source)]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(target))


def prepare(case: Case, build: str, team: int) -> Runner:
    function = library(case.workload, build).run
    function.restype = ctypes.c_uint64
    arrays = aligned_copies(case)
    addresses = [array.ctypes.data for array in arrays.values()]
    whole, real = integers(case), reals(case)
    arguments = (
        (ctypes.c_void_p * len(addresses))(*addresses),
        (ctypes.c_int64 * len(whole))(*whole),
        (ctypes.c_double * len(real))(*real),
        team,
    )
    return in_place(case, arrays, lambda: function(*arguments))


def cores() -> int:
    return len(os.sched_getaffinity(0))


openmp = partial(prepare, build="openmp", team=cores())
threads = partial(prepare, build="threads", team=cores())
one_thread = partial(prepare, build="threads", team=1)
