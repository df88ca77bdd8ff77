"""
Who accessed an element in this phase: enough to find every race, in bounded memory.

Two accesses by different invocations are unordered if the invocations are in different
workgroups and no grid barrier lies between them, or in the same workgroup and no barrier
lies between them. For each element and kind of access four accesses are kept: the first of
the phase, the first from another workgroup than that, and the latest two invocations since
the last workgroup barrier. That is enough: an access from a workgroup is unordered with
*some* earlier access from other workgroups if and only if one of the first two is from
another workgroup; and if only one workgroup accesses the element, only what happened since
its last barrier matters.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from vyre.interpreter.flights import Flights
from vyre.interpreter.frames import Lanes
from vyre.interpreter.grid import Grid

READ, WRITE, UPDATE = range(3)
"""Kinds of access: plain load, plain store, atomic."""

FIRST, OTHER_GROUP, RECENT, OTHER_RECENT = range(4)

Race = tuple[int, int, Operation, int]
"""Lane, other lane, the other's operation, element."""

Array = NDArray[Any]


class History:
    """Accesses to the elements of one buffer."""

    def __init__(self, grid: Grid, size: int, starts_written: bool):
        self.written = np.full(size, starts_written)
        self.flights = Flights(size)
        self._grid = grid
        self._lanes = np.full((3, 4, size), -1, np.int64)
        self._ops = np.zeros((3, 4, size), np.int32)
        self._epochs = np.zeros((3, size), np.int64)
        self._phases = np.full((3, size), -1, np.int64)
        self._names: list[Operation] = []
        self._numbers: dict[Operation, int] = {}
        # Values stored in this phase, and since the workgroup's last barrier.
        self._values: tuple[Array | None, Array | None] = (None, None)
        self._mixed = np.zeros((2, size), np.bool_)

    def touched(self, kind: int, elements: Array, phase: int) -> bool:
        """Whether any of the elements was accessed in this phase."""
        return bool(np.any(self._phases[kind][elements] == phase))

    def conflicts(
        self, kind: int, lanes: Lanes, elements: Array, epochs: Array, phase: int
    ) -> Iterator[Race]:
        """Earlier accesses of a kind that are unordered with these; one is enough."""
        for slot in range(4):
            other = self._lanes[kind, slot][elements]
            hits = np.flatnonzero(
                self._unordered(kind, slot, lanes, elements, epochs, phase, other)
            )
            if len(hits):
                hit = hits[0]
                op = self._op_at(kind, slot, int(elements[hit]))
                yield int(lanes[hit]), int(other[hit]), op, int(elements[hit])
                return

    def _op_at(self, kind: int, slot: int, element: int) -> Operation:
        return self._names[int(self._ops[kind, slot, element])]

    def _unordered(
        self,
        kind: int,
        slot: int,
        lanes: Lanes,
        elements: Array,
        epochs: Array,
        phase: int,
        other: Lanes,
    ) -> NDArray[np.bool_]:
        known = (other >= 0) & (self._phases[kind][elements] == phase)
        groups = self._grid.group(lanes)
        same_group = groups == self._grid.group(other)
        if slot in (FIRST, OTHER_GROUP):
            return known & ~same_group
        since = self._epochs[kind][elements] == epochs[groups]
        return known & same_group & since & (other != lanes)

    def unequal_stores(
        self,
        op: Operation,
        lanes: Lanes,
        elements: Array,
        values: Array,
        epochs: Array,
        phase: int,
    ) -> Iterator[Race]:
        """Stores of different values to one element, now or in this phase, unordered."""
        order = np.argsort(elements, kind="stable")
        element, value = elements[order], values[order]
        clash = (element[1:] == element[:-1]) & (value[1:] != value[:-1])
        if clash.any():
            at = int(np.argmax(clash))
            pair = order[at + 1], order[at]
            yield int(lanes[pair[0]]), int(lanes[pair[1]]), op, int(element[at])
            return
        yield from self._differing(lanes, elements, values, epochs, phase)

    def _differing(
        self, lanes: Lanes, elements: Array, values: Array, epochs: Array, phase: int
    ) -> Iterator[Race]:
        kept = self._kept_values(values.dtype)
        groups = self._grid.group(lanes)
        fresh = self._phases[WRITE][elements] != phase
        recent = ~fresh & (self._epochs[WRITE][elements] == epochs[groups])
        recent &= self._grid.group(self._lanes[WRITE, RECENT][elements]) == groups
        for scope, known in enumerate((~fresh, recent)):
            differs = known & (values != kept[scope][elements])
            mixed = np.where(known, self._mixed[scope][elements] | differs, False)
            self._mixed[scope][elements] = mixed
            slots = ((FIRST, OTHER_GROUP), (RECENT, OTHER_RECENT))[scope]
            for slot in slots:
                other = self._lanes[WRITE, slot][elements]
                unordered = self._unordered(
                    WRITE, slot, lanes, elements, epochs, phase, other
                )
                hits = np.flatnonzero(mixed & unordered)
                if len(hits):
                    hit = hits[0]
                    op = self._op_at(WRITE, slot, int(elements[hit]))
                    yield int(lanes[hit]), int(other[hit]), op, int(elements[hit])
                    return
            kept[scope][elements[~known]] = values[~known]

    def _kept_values(self, dtype: Any) -> tuple[Array, Array]:
        first, recent = self._values
        if first is None or recent is None:
            size = self.written.size
            first, recent = np.zeros(size, dtype), np.zeros(size, dtype)
            self._values = first, recent
        return first, recent

    def record(
        self,
        op: Operation,
        kind: int,
        lanes: Lanes,
        elements: Array,
        epochs: Array,
        phase: int,
    ) -> None:
        """Remember these accesses."""
        if op not in self._numbers:
            self._numbers[op] = len(self._names)
            self._names.append(op)
        number = self._numbers[op]
        groups = self._grid.group(lanes)
        kept, ops = self._lanes[kind], self._ops[kind]

        stale = elements[self._phases[kind][elements] != phase]
        kept[:, stale] = -1
        self._phases[kind][stale] = phase

        def put(slot: int, chosen: NDArray[np.bool_]) -> None:
            kept[slot][elements[chosen]] = lanes[chosen]
            ops[slot][elements[chosen]] = number

        put(FIRST, kept[FIRST][elements] < 0)
        elsewhere = self._grid.group(kept[FIRST][elements]) != groups
        put(OTHER_GROUP, elsewhere & (kept[OTHER_GROUP][elements] < 0))

        last = kept[RECENT][elements]
        current = self._epochs[kind][elements] == epochs[groups]
        old = (last < 0) | (self._grid.group(last) != groups) | ~current
        put(RECENT, old)
        kept[OTHER_RECENT][elements[old]] = -1
        self._epochs[kind][elements[old]] = epochs[groups[old]]
        mine = self._grid.group(kept[RECENT][elements]) == groups
        another = mine & (kept[RECENT][elements] != lanes)
        put(OTHER_RECENT, another & (kept[OTHER_RECENT][elements] < 0))
