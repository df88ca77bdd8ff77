"""The values of a set of invocations that execute the same code together."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

Lanes = NDArray[np.int64]
"""Numbers of invocations: workgroup by workgroup, x fastest in both."""

Value = Any
"""An array with one element per lane, a NumPy scalar that all lanes share, or a handle
(a buffer, a variable) that all lanes share."""


class Frame:
    """
    Values by the SSA value that they belong to, for some lanes.

    A frame for some of the lanes of another sees the other's values, narrowed to its own
    lanes; `picks` says which ones these are.
    """

    def __init__(
        self, lanes: Lanes, outer: Frame | None = None, picks: Lanes | None = None
    ):
        self.lanes = lanes
        self._outer = outer
        self._picks = picks
        self._values: dict[SSAValue, Value] = {}

    def __setitem__(self, key: SSAValue, value: Value) -> None:
        self._values[key] = value

    def __getitem__(self, key: SSAValue) -> Value:
        value = self._values.get(key)
        if value is None:
            assert self._outer is not None, f"{key} has no value"
            value = self._values[key] = narrowed(self._outer[key], self._picks)
        return value

    def pick(self, picks: Lanes) -> Frame:
        """The frame for the lanes at these positions."""
        return Frame(self.lanes[picks], self, picks)


def is_array(value: Value) -> bool:
    """Whether each lane has a value of its own."""
    return isinstance(value, np.ndarray) and value.ndim == 1


def narrowed(value: Value, picks: Lanes | NDArray[np.bool_] | None) -> Value:
    """The value for some of the lanes."""
    return value[picks] if picks is not None and is_array(value) else value


def widened(value: Value, count: int) -> NDArray[Any]:
    """The value as an array, also if all lanes share it."""
    return value if is_array(value) else np.full(count, value)


class Gathered:
    """One result of a branch or loop that lanes leave at different times."""

    def __init__(self, count: int):
        self._count = count
        self._value: Value = None

    def put(self, positions: Lanes, value: Value) -> None:
        """These lanes leave with this value; handles are the same for all lanes."""
        if not isinstance(value, np.ndarray | np.generic):
            self._value = value
            return
        if self._value is None:
            self._value = np.zeros(self._count, np.asarray(cast(Any, value)).dtype)
        self._value[positions] = value

    def get(self) -> Value:
        return self._value
