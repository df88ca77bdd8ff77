"""Subgroup operations, on a table with one row per subgroup and one column per member."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vyre.dialects.vyre.attributes import ReduceKind
from vyre.interpreter import floats
from vyre.interpreter.frames import Lanes, Value, widened
from vyre.interpreter.grid import SUBGROUP_SIZE, Grid
from vyre.interpreter.integers import signed, unsigned, wrapped

Array = NDArray[Any]

_INTEGERS: dict[ReduceKind, tuple[Callable[[Array], Array], Callable[..., Array]]] = {
    ReduceKind.ADD: (signed, np.add),
    ReduceKind.MUL: (signed, np.multiply),
    ReduceKind.AND: (unsigned, np.bitwise_and),
    ReduceKind.OR: (unsigned, np.bitwise_or),
    ReduceKind.XOR: (unsigned, np.bitwise_xor),
    ReduceKind.MIN: (signed, np.minimum),
    ReduceKind.MAX: (signed, np.maximum),
    ReduceKind.UMIN: (unsigned, np.minimum),
    ReduceKind.UMAX: (unsigned, np.maximum),
}
_FLOATS: dict[ReduceKind, Callable[..., Array]] = {
    ReduceKind.ADD: np.add,
    ReduceKind.MUL: np.multiply,
    ReduceKind.MIN: floats.minimum_number,
    ReduceKind.MAX: floats.maximum_number,
}


class Subgroups:
    """Who is in which subgroup, among lanes that are present and have not ended."""

    def __init__(self, grid: Grid, lanes: Lanes, live: NDArray[np.bool_] | None):
        numbers = grid.subgroup(lanes)
        self.rows = np.unique(numbers, return_inverse=True)[1]
        self.columns = grid.subgroup_local_id(lanes)
        self.height = int(self.rows.max(initial=-1)) + 1
        self.present = self._table(np.bool_(True), np.dtype(np.bool_), live)
        self.live = live
        self.count = len(lanes)

    def _table(self, value: Value, dtype: Any, live: NDArray[np.bool_] | None) -> Array:
        table = np.zeros((self.height, SUBGROUP_SIZE), dtype)
        values = np.broadcast_to(value, self.rows.shape)
        chosen = slice(None) if live is None else live
        table[self.rows[chosen], self.columns[chosen]] = values[chosen]
        return table

    def ballot(self, predicate: Value) -> Array:
        bits = self._table(predicate, np.dtype(np.uint32), self.live)
        masks = np.bitwise_or.reduce(bits << np.arange(SUBGROUP_SIZE, dtype=np.uint32), 1)
        return masks.view(np.int32)[self.rows]

    def shuffle(self, value: Value, lane: Value) -> Array:
        values = widened(value, self.count)
        table = self._table(values, values.dtype, self.live)
        source = widened(lane, self.count).view(np.uint64)
        known = source < SUBGROUP_SIZE
        found = table[self.rows, np.where(known, source, 0).astype(np.int64)]
        return np.where(known, found, np.zeros_like(found))

    def reduce(self, kind: ReduceKind, value: Value) -> Array:
        values = widened(value, self.count)
        dtype = values.dtype
        if dtype.kind == "f":
            return self._reduce_floats(_FLOATS[kind], values)[self.rows]
        view, combine = _INTEGERS[kind]
        seen = view(values)
        total = self._tree(self._table(seen, seen.dtype, self.live), combine)
        return wrapped(total, dtype)[self.rows]

    def _reduce_floats(self, combine: Callable[..., Array], values: Array) -> Array:
        """Halves are combined in single precision and rounded after each step."""
        dtype = values.dtype
        wide = np.dtype(np.float32) if dtype == np.float16 else dtype

        def step(a: Array, b: Array) -> Array:
            return combine(a, b).astype(dtype).astype(wide)

        table = self._table(values.astype(wide), wide, self.live)
        return self._tree(table, step).astype(dtype)

    def _tree(self, table: Array, combine: Callable[..., Array]) -> Array:
        """Combine at distances 16, 8, 4, 2, 1; who is absent contributes nothing."""
        present = self.present
        for distance in (16, 8, 4, 2, 1):
            left, right = table[:, :distance], table[:, distance : 2 * distance]
            has_left, has_right = present[:, :distance], present[:, distance : 2 * distance]
            both = combine(left, right)
            table = np.where(has_left & has_right, both, np.where(has_left, left, right))
            present = has_left | has_right
        return table[:, 0]
