"""What a peer gives for a case, and what peers that work in place share."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.workloads.case import Array, Case


class Absent(Exception):
    """This peer has no such workload, or cannot run here; the message says why."""


@dataclass
class Runner:
    """A case that is ready to run."""

    run: Callable[[], int | None]
    """Run once, to the end. Gives nanoseconds if it measures them itself."""
    reset: Callable[[], None]
    """Put back what a run has changed."""
    results: Callable[[], Mapping[str, Array]]
    same_algorithm: bool = True
    """False for a library call that does it in another way: shown, but not compared."""
    keep: object = None
    """What must live as long as this does."""


def aligned_copy(array: Array) -> Array:
    """A copy that starts at a cache line, so that no peer is lucky."""
    room = np.empty(array.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def aligned_copies(case: Case) -> dict[str, Array]:
    return {name: aligned_copy(array) for name, array in case.arrays.items()}


def in_place(
    case: Case,
    arrays: Mapping[str, Array],
    run: Callable[[], int | None],
    same_algorithm: bool = True,
) -> Runner:
    """A runner that works on NumPy arrays where they are."""

    def reset() -> None:
        for name in case.changed:
            np.copyto(arrays[name], case.arrays[name])

    return Runner(run, reset, lambda: arrays, same_algorithm)


def find(table: Mapping[str, Callable[[Case], Runner]], case: Case) -> Runner:
    """Prepare a case with the function that a peer has for this workload."""
    if case.workload not in table:
        raise Absent("not written for this peer")
    return table[case.workload](case)


def numbers_of(case: Case, names: Iterable[str]) -> list[int]:
    return [int(case.numbers[name]) for name in names]
