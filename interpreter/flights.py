"""
Copies that have started and not been waited for.

Until its wait, an asynchronous copy may read its source and write its destination at any
moment. So nobody may write the source or touch the destination in between, not even the
invocation that started the copy, and no barrier helps.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation

from vyre.dialects.vyre import AsyncLoadOp, AsyncStoreOp
from vyre.interpreter.frames import Lanes

Array = NDArray[Any]


class Flights:
    """The elements of one buffer that copies in flight access, and whose they are."""

    def __init__(self, size: int):
        self._lanes = np.full(size, -1, np.int64)
        self._writes = np.zeros(size, np.bool_)
        self._ops = np.zeros(size, np.int32)
        self._numbers: dict[Operation, int] = {}
        self._boarding: list[tuple[Array, Lanes, bool]] = []
        self._aloft: dict[Operation, list[Array]] = {}

    def touch(
        self, op: Operation, lanes: Lanes, elements: Array, writes: bool
    ) -> tuple[int, int, Operation, int] | None:
        """
        An access. Gives lane, other lane, the copy and the element if it meets a copy. The
        accesses of a copy itself are remembered, to be in flight when it has started.
        """
        owners = self._lanes[elements]
        meets = (owners >= 0) & (self._writes[elements] | writes)
        if isinstance(op, AsyncLoadOp | AsyncStoreOp):
            self._boarding.append((elements, lanes, writes))
        if not meets.any():
            return None
        hit = int(np.argmax(meets))
        copy = list(self._numbers)[int(self._ops[elements[hit]])]
        return int(lanes[hit]), int(owners[hit]), copy, int(elements[hit])

    def start(self, op: Operation) -> None:
        """What the copy has accessed is in flight from now on."""
        number = self._numbers.setdefault(op, len(self._numbers))
        for elements, lanes, writes in self._boarding:
            self._lanes[elements] = lanes
            self._writes[elements] = writes
            self._ops[elements] = number
            self._aloft.setdefault(op, []).append(elements)
        self._boarding.clear()

    def land(self, op: Operation, lanes: Lanes) -> None:
        """These invocations have waited for the copy."""
        still: list[Array] = []
        for elements in self._aloft.pop(op, []):
            done = np.isin(self._lanes[elements], lanes)
            self._lanes[elements[done]] = -1
            if not done.all():
                still.append(elements[~done])
        if still:
            self._aloft[op] = still
