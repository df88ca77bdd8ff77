"""Vyre, through a program bound to arrays in place."""

import os

import vyre
from benchmarks.peers.runner import Runner, aligned_copies, in_place
from benchmarks.workloads.case import Case

ENGINE = os.environ.get("VYRE_BENCH_ENGINE", "cpu")


def prepare(case: Case) -> Runner:
    arrays = aligned_copies(case)
    exe = vyre.compile(case.program, engine=ENGINE)
    bound = exe.bind({**arrays, **case.numbers}, grid=case.grid)

    def run() -> None:
        bound()

    return in_place(case, arrays, run)
