"""Buffers: where elements are, and what lies outside."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vyre.interpreter.frames import Lanes, Value
from vyre.runtime.arguments import zeros
from vyre.runtime.scalars import loaded


class Place(NamedTuple):
    """Elements that an operation accesses, one per lane or one that all lanes share."""

    element: Any
    """Position in the buffer's storage; any position for what is outside."""
    inside: Any
    """Whether there is such an element; True if all are inside."""


@dataclass(eq=False)
class Memory:
    """
    Storage of a buffer, in row-major order. A workgroup buffer holds the elements of all
    workgroups one after the other: `per_group` is how many each of them has.
    """

    name: str
    data: NDArray[Any]
    shape: tuple[int, ...]
    per_group: int = 0

    @staticmethod
    def of(name: str, array: NDArray[Any]) -> Memory:
        """A buffer over an array, which it shares."""
        return Memory(name, array.reshape(-1), array.shape)

    @staticmethod
    def of_workgroups(name: str, shape: tuple[int, ...], dtype: Any, groups: int) -> Memory:
        """Zeros for each workgroup."""
        data = zeros(name, (prod(shape) * groups,), dtype)
        return Memory(name, data, shape, prod(shape))

    def index_of(self, element: int) -> list[int]:
        """The indices of an element, for people."""
        position = element % self.per_group if self.per_group else element
        return [int(index) for index in np.unravel_index(position, self.shape)]

    def place(self, indices: list[Value], groups: Lanes) -> Place:
        """
        The elements at these indices. Each index is compared with its own dimension, as
        an unsigned number, so that nothing wraps into a neighbouring row.
        """
        element: Any = np.int64(0)
        inside: Any = np.bool_(True)
        for index, size in zip(indices, self.shape, strict=True):
            inside = inside & (index.view(np.uint64) < np.uint64(size))
            element = element * size + index
        if self.per_group:
            element = element + groups * self.per_group
        if np.all(inside):
            return Place(element, True)
        return Place(np.where(inside, element, 0), inside)

    def load(self, place: Place) -> Value:
        """Elements, and zero for what is outside."""
        if place.inside is True:
            return loaded(self.data[place.element])
        if not self.data.size:
            shape = np.shape(place.element)
            return np.zeros(shape, self.data.dtype)[()]
        found: NDArray[Any] = loaded(self.data[place.element])
        return np.where(place.inside, found, np.zeros_like(found))

    def store(self, elements: NDArray[Any], values: NDArray[Any]) -> None:
        """Write elements; the last one counts if several lanes write to the same."""
        self.data[elements] = values


def chosen_lanes(place: Place, live: NDArray[np.bool_] | None, count: int) -> NDArray[Any]:
    """Positions of the lanes whose access counts: inside the buffer, and not ended."""
    if live is None and place.inside is True:
        return np.arange(count)
    chosen = place.inside if live is None else live & place.inside
    return np.flatnonzero(np.broadcast_to(chosen, count))
