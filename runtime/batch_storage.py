"""Arrays for the results of a batch, used again from one batch to the next."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from vyre.runtime.arguments import zeros
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
        made: list[dict[str, Array]] = []
        for number, row in enumerate(rows):
            before = self._rows[number] if number < len(self._rows) else {}
            made.append(_arrays(row, before))
        self._rows[: len(rows)] = made  # Only when there was memory for all.
        return made

    def activate(self, count: int) -> None:
        """The first rows have results now."""
        self._active = count


def _arrays(row: Row, before: dict[str, Array]) -> dict[str, Array]:
    """Arrays for the results of a row, those from before where they are right."""
    found: dict[str, Array] = {}
    for name, readback in row.readbacks.items():
        array = before.get(name)
        if array is None or not readback.is_filled_by(array):
            array = zeros(name, readback.shape, readback.dtype)
        found[name] = array
    return found
