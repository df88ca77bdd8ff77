"""A workload at one size: what a run starts from, and what must come out of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Size = Literal["small", "large"]

PROGRAMS = Path(__file__).parents[1] / "programs"


@dataclass(frozen=True)
class Case:
    """
    Arrays and numbers have the names of the buffers and parameters of the Vyre program,
    and every peer gets the same ones.

    A run changes the arrays in `changed`. They are put back before each run, outside the
    time that is measured, so that all runs do the same work.
    """

    workload: str
    size: Size
    phases: int
    """How many phases a run has, with a barrier of the whole grid after each."""
    arrays: Mapping[str, Array]
    numbers: Mapping[str, int | float]
    changed: tuple[str, ...]
    expected: Mapping[str, Array]
    """What some of the changed arrays hold after a run, found with NumPy."""
    grid: tuple[int, ...]
    """Workgroups of the Vyre program."""
    program: str
    """Its text."""
    tolerance: float = 0.0
    """How far a result may be off, as a fraction of the largest expected magnitude."""

    def difference(self, name: str, found: Array) -> str | None:
        """What is wrong with a result, or None."""
        expected = self.expected[name]
        if found.shape != expected.shape:
            return f"{name} has shape {found.shape}, not {expected.shape}"
        off = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        limit = self.tolerance * float(np.abs(expected.astype(np.float64)).max())
        if not np.all(off <= limit):  # Not `any(off > limit)`: NaN is wrong, too.
            place = tuple(int(k) for k in np.argwhere(~(off <= limit))[0])
            return f"{name}{list(place)} is {found[place]}, not {expected[place]}"
        return None


def program_text(name: str) -> str:
    """The program of a workload."""
    return (PROGRAMS / f"{name}.mlir").read_text()


def groups(count: int, width: int) -> int:
    """How many workgroups of this width have an invocation for each of so many."""
    return -(-count // width)


def random(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)
