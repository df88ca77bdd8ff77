"""
In which order waves run, with as few barriers between them as possible.

Waves are numbered, and a dependency says that one comes before another. Waves without a
dependency between them may run at the same time; a barrier stands between groups. Each wave
goes into the first group in which it can run: those that depend on nothing are the first
group, and a wave whose last predecessor is in group k is in group k + 1. So there are as
many groups as the longest chain of dependencies has waves, and no plan has fewer, because
every dependency crosses a barrier.

The order inside a group is fixed: the first group is in the order of the numbers, and in
each later one a wave comes when the last of its dependencies is met, walking through the
group before it wave by wave and through the dependencies of each wave as they were given.

Cost: linear, apart from sorting the dependencies by where they start.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from vyre.analysis.wave_errors import Cycle, InvalidWave, SelfDependency, WrongArgument

Integers: TypeAlias = NDArray[np.int64]
Dependencies: TypeAlias = Iterable[tuple[int, int]] | Integers
"""Pairs of a wave and one that comes after it, or an array with a row for each."""


MAX_WAVES = 2**24
"""More are refused, rather than to run out of memory."""

_NUMBERS = (int, np.integer)


@dataclass(frozen=True)
class BarrierPlan:
    """Groups of waves, in the order in which they run."""

    groups: tuple[tuple[int, ...], ...]

    @property
    def global_barriers(self) -> int:
        """How many barriers there are: one between two groups."""
        return max(0, len(self.groups) - 1)


class WaveScratch:
    """
    Memory of the planner, for callers that plan again and again. It grows as needed and
    never shrinks.

    Example: `scratch = WaveScratch(); plan_barriers(4, edges, scratch)`
    """

    def __init__(self) -> None:
        self._by_wave = np.empty((3, 0), np.int64)
        self._by_dependency = np.empty((3, 0), np.int64)

    @property
    def wave_capacity(self) -> int:
        """For how many waves there is room."""
        return self._by_wave.shape[1]

    @property
    def dependency_capacity(self) -> int:
        """For how many dependencies there is room."""
        return self._by_dependency.shape[1]

    def for_waves(self, count: int) -> Integers:
        """Three rows with an element for each wave, of unknown contents."""
        if count > self.wave_capacity:
            self._by_wave = np.empty((3, count), np.int64)
        return self._by_wave[:, :count]

    def for_dependencies(self, count: int) -> Integers:
        """Three rows with an element for each dependency, of unknown contents."""
        if count > self.dependency_capacity:
            self._by_dependency = np.empty((3, count), np.int64)
        return self._by_dependency[:, :count]


def plan_barriers(
    wave_count: int, dependencies: Dependencies, scratch: WaveScratch | None = None
) -> BarrierPlan:
    """
    The fewest groups in which waves can run. A dependency may be given more than once.

    Raises `WrongArgument`, `InvalidWave`, `SelfDependency` or `Cycle`.

    Example: `plan_barriers(3, [(0, 1), (0, 2)]).groups` is `((0,), (1, 2))`.
    """
    count = cast(object, wave_count)
    if not isinstance(count, int) or not 0 <= count <= MAX_WAVES:
        raise WrongArgument("wave_count", count, f"a number of waves up to {MAX_WAVES}")
    before, after = _columns(wave_count, dependencies)
    if not wave_count:
        return BarrierPlan(())
    if not before.size:
        return BarrierPlan((tuple(range(wave_count)),))
    graph = _Graph(wave_count, before, after, scratch or WaveScratch())
    order, ends = graph.layers()
    if len(order) < wave_count:
        is_left = np.ones(wave_count, np.bool_)
        is_left[order] = False
        raise Cycle(_circle(before, after, is_left), wave_count - len(order))
    return BarrierPlan(tuple(tuple(order[a:b]) for a, b in pairwise((0, *ends))))


def _columns(wave_count: int, dependencies: object) -> tuple[Integers, Integers]:
    """What comes before and what comes after, as two arrays."""
    if isinstance(dependencies, np.ndarray):
        array = cast(NDArray[Any], dependencies)
        is_pairs = array.ndim == 2 and array.shape[1] == 2 and array.dtype.kind in "iu"
        if array.size and not is_pairs:
            found = f"an array of {array.dtype} and shape {array.shape}"
            raise WrongArgument("dependencies", found, _PAIRS)
        pairs = array.reshape(-1, 2)
    else:
        pairs = _rows(wave_count, dependencies)
    before, after = pairs[:, 0], pairs[:, 1]
    _check(wave_count, before, after)  # Before larger numbers become smaller ones.
    return before.astype(np.int64, copy=False), after.astype(np.int64, copy=False)


_PAIRS = "pairs of a wave and one that comes after it"


def _rows(wave_count: int, dependencies: object) -> NDArray[Any]:
    """An array with a row for each pair."""
    if not isinstance(dependencies, Iterable):
        raise WrongArgument("dependencies", dependencies, _PAIRS)
    rows = list(cast(Iterable[Iterable[Any]], dependencies))
    try:
        flat = list(chain.from_iterable(rows))
        is_pairs = all(
            length == 2 for length in set(map(len, cast(list[Sequence[Any]], rows)))
        )
        if is_pairs and all(issubclass(each, _NUMBERS) for each in set(map(type, flat))):
            return np.array(flat, np.int64).reshape(-1, 2)
    except (TypeError, OverflowError):
        pass  # What it is about is found below.
    for number, row in enumerate(cast(list[object], rows)):
        pair = tuple(cast(Iterable[Any], row)) if isinstance(row, Iterable) else ()
        if len(pair) != 2 or not all(isinstance(wave, _NUMBERS) for wave in pair):
            raise WrongArgument(f"dependencies[{number}]", cast(object, row), _PAIRS)
        if not all(0 <= wave < wave_count for wave in pair):
            raise InvalidWave(wave_count, *pair)
    raise WrongArgument("dependencies", rows, _PAIRS)


def _check(wave_count: int, before: NDArray[Any], after: NDArray[Any]) -> None:
    """Refuse the first dependency that cannot be meant."""
    unknown = np.zeros(before.size, np.bool_)
    for wave in (before, after):
        unknown |= (wave < 0) | (wave >= wave_count)
    wrong = np.flatnonzero(unknown | (before == after))
    if wrong.size:
        first = int(wrong[0])
        if unknown[first]:
            raise InvalidWave(wave_count, int(before[first]), int(after[first]))
        raise SelfDependency(int(before[first]))


class _Graph:
    """The dependencies by the wave that comes before, in the order in which they came."""

    def __init__(
        self, wave_count: int, before: Integers, after: Integers, scratch: WaveScratch
    ):
        self._waiting, self._begins, self._ends = scratch.for_waves(wave_count)
        self._waiting[:] = np.bincount(after, minlength=wave_count)
        counts = np.bincount(before, minlength=wave_count)
        np.cumsum(counts, out=self._ends)
        np.subtract(self._ends, counts, out=self._begins)
        keys, places, self._targets = scratch.for_dependencies(before.size)
        # One number for a wave and a place in the input, so that sorting keeps the order.
        np.multiply(before, before.size, out=keys)
        places[:] = np.arange(before.size)
        keys += places
        keys.sort()
        np.remainder(keys, before.size, out=places)
        np.take(after, places, out=self._targets, mode="clip")

    def layers(self) -> tuple[list[int], list[int]]:
        """All waves that can run, in order, and where each group ends."""
        # Views with Python's own integers: one element of an array costs much more.
        waiting, targets = self._waiting.data, self._targets.data
        begins, ends = self._begins.data, self._ends.data
        order: list[int] = np.flatnonzero(self._waiting == 0).tolist()
        begin, group_ends = 0, list[int]()
        while begin < len(order):
            end = len(order)
            group_ends.append(end)
            for wave in order[begin:end]:
                for target in targets[begins[wave] : ends[wave]]:
                    left = waiting[target] - 1
                    waiting[target] = left
                    if not left:
                        order.append(target)
            begin = end
        return order, group_ends


def _circle(before: Integers, after: Integers, is_left: NDArray[np.bool_]) -> list[int]:
    """
    Waves that wait for each other, beginning with the smallest. Every wave that is left
    waits for another one that is left; going back from one to the next ends in a circle.
    """
    previous = np.full(is_left.size, -1, np.int64)
    inside = is_left[before] & is_left[after]
    previous[after[inside]] = before[inside]
    way: dict[int, int] = {}
    wave = int(np.flatnonzero(is_left)[0])
    while wave not in way:
        way[wave] = len(way)
        wave = int(previous[wave])
    circle = list(way)[way[wave] :][::-1]
    smallest = circle.index(min(circle))
    return circle[smallest:] + circle[:smallest]
