"""Arrays for the results of a batch, used again from one batch to the next."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vyre.runtime.row import Row

Array = NDArray[Any]


class BatchStorage:
    """
    Where `Megakernel.many_with_scratch` puts results. Arrays are made when a batch needs
    more or others than the ones before, and kept when it needs fewer.

    Example: `storage = BatchStorage(); megakernel.many_with_scratch(handles, storage)`
    """

    def __init__(self) -> None:
        self._rows: list[dict[str, Array]] = []
        self._active = 0

    @property
    def batches(self) -> list[dict[str, Array]]:
        """The results of the last batch, row by row; none if it failed."""
        return self._rows[: self._active]

    @property
    def capacity(self) -> int:
        """For how many rows there are arrays."""
        return len(self._rows)

    def clear(self) -> None:
        """No results any more; the arrays are kept."""
        self._active = 0

    def reserve(self, rows: Sequence[Row]) -> list[dict[str, Array]]:
        """Arrays for the results of these rows, which are not there yet."""
        self._active = 0
        while len(self._rows) < len(rows):
            self._rows.append({})
        for row, arrays in zip(rows, self._rows):
            for name, readback in row.readbacks.items():
                array = arrays.get(name)
                if array is None or not readback.is_filled_by(array):
                    arrays[name] = np.zeros(readback.shape, readback.dtype)
        return self._rows[: len(rows)]

    def activate(self, count: int) -> None:
        """The first rows have results now."""
        self._active = count
