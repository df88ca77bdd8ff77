"""Programs on the CPU engine with different numbers of workers, against the reference."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from samples import sampled

import vyre
from vyre.runtime.backend import same_elements
from vyre.runtime.config import Mode
from vyre.runtime.cpu.backend import CpuBackend
from vyre.runtime.errors import Trapped
from vyre.runtime.executable import Executable

WORKERS = (1, 2, 3, 8)

CPUS = {workers: CpuBackend(workers, 0) for workers in WORKERS}
"""Engines that share out everything, however short it is."""

MODES: tuple[Mode, ...] = ("native", "split")

Outcome = dict[str, NDArray[Any]] | tuple[str, int, object]
"""Results by name; or the tag, invocation and value of a trap."""

SECONDS = 60


def outcome(
    exe: Executable, given: Mapping[str, Any], grid: object, **options: Any
) -> Outcome:
    """What becomes of a call."""
    known = {name: given[name] for name in exe.bindings.names}
    try:
        return exe(known, grid=grid, timeout=SECONDS, **options)
    except Trapped as trap:
        return trap.tag, trap.invocation, trap.value


def is_same(found: Outcome, wanted: Outcome) -> bool:
    """Whether two calls came to the same end, with the same bytes but for NaNs."""
    if isinstance(found, tuple) or isinstance(wanted, tuple):
        return found == wanted
    return list(found) == list(wanted) and not differing(found, wanted)


def differing(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """The results that are not the same."""
    return [name for name in wanted if not same_elements(found[name], wanted[name])]


def ways(workers: Sequence[int], modes: Sequence[Mode]) -> list[tuple[int, Mode]]:
    """
    Returns numbers of workers and modes that go together: all of them for the first mode,
    and a sample for others, which run the same code in another order.
    """
    step = sampled(-2, -1)
    return [
        (count, mode)
        for mode in modes
        for count in (workers if mode == modes[0] else workers[::step])
    ]


class Everywhere:
    """
    A program on the reference engine and on CPU engines, in several modes.

    Example: `Everywhere(text).check({"a": array}, grid=2)`
    """

    def __init__(
        self,
        source: str | Path,
        workers: Iterable[int] = WORKERS,
        modes: Iterable[Mode] = MODES,
    ):
        module = vyre.parse(source)
        self.reference = vyre.compile(module, engine="reference")
        self.cpus = {
            (count, mode): vyre.compile(module, engine=CPUS[count], mode=mode)
            for count, mode in ways(list(workers), list(modes))
        }

    def check(
        self,
        given: Mapping[str, Any],
        grid: object = None,
        *,
        traps_alike: bool = True,
        **options: Any,
    ) -> Outcome:
        """
        Run it with all, expect the same of all, and give that. Of several traps a split
        program may report another one.
        """
        with np.errstate(all="ignore"):
            wanted = outcome(self.reference, given, grid, **options)
        for (workers, mode), exe in self.cpus.items():
            found = outcome(exe, given, grid, **options)
            if not traps_alike and isinstance(found, tuple) and isinstance(wanted, tuple):
                continue
            assert is_same(found, wanted), (
                f"{workers} workers, {mode}, grid {grid}: {found} and not {wanted}"
            )
        return wanted
