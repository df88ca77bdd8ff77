"""Memory of a device that is the host: it knows its bounds, and who breaks them."""

import threading
from collections import deque
from dataclasses import dataclass

import numpy as np

from vyre.runtime.backend import Bytes
from vyre.runtime.errors import DispatchFailed, OutOfMemory

ALIGNMENT = 256
ZONE = 256
"""Bytes before and behind each allocation that nobody may write."""

REMEMBERED = 64
"""Pieces of up to `SMALL` bytes that are watched when they were freed."""

SMALL = 4096

_FRESH = 0xCD
_FREED = 0xDD
_OUTSIDE = 0xFD
_UNTOUCHED = bytes([_OUTSIDE]) * ZONE


@dataclass(frozen=True, eq=False)
class _Allocation:
    """`room` has the zones around the `size` bytes."""

    address: int
    size: int
    room: Bytes

    def bytes(self) -> Bytes:
        return self.room[ZONE : ZONE + self.size]

    def is_intact(self) -> bool:
        before, behind = self.room[:ZONE], self.room[ZONE + self.size :]
        return before.tobytes() == behind.tobytes() == _UNTOUCHED


class HostMemory:
    """
    Memory in pieces, which are full of rubbish at first and again when they are freed.
    Around each are zones that must not change, and small ones must not when they are freed.

    Example: `HostMemory(capacity=1 << 20).allocate(100) % 256` is 0.
    """

    def __init__(self, capacity: int | None = None):
        self._capacity = capacity
        self._live: dict[int, _Allocation] = {}
        self._freed: deque[_Allocation] = deque(maxlen=REMEMBERED)
        self._lock = threading.Lock()

    @property
    def live_bytes(self) -> int:
        """How much is allocated."""
        with self._lock:
            return sum(each.size for each in self._live.values())

    def allocate(self, size: int) -> int:
        """The address of so many bytes."""
        if self._capacity is not None and self.live_bytes + size > self._capacity:
            raise OutOfMemory(f"the device has no {size} bytes left", "use smaller buffers")
        whole = np.full(size + 2 * ZONE + ALIGNMENT, _OUTSIDE, np.uint8)
        begin = -(whole.ctypes.data + ZONE) % ALIGNMENT
        room = whole[begin : begin + size + 2 * ZONE]
        made = _Allocation(room.ctypes.data + ZONE, size, room)
        made.bytes()[:] = _FRESH
        with self._lock:
            self._live[made.address] = made
        return made.address

    def free(self, address: int) -> None:
        """Give a piece back."""
        with self._lock:
            found = self._live.pop(address, None)
        if found is None:
            raise DispatchFailed(
                "what is freed was never allocated, or freed before", "free it once"
            )
        intact = found.is_intact()
        found.bytes()[:] = _FREED
        if found.size <= SMALL:
            self._freed.append(found)
        if not intact:
            raise _overrun(found)

    def view(self, address: int, size: int) -> Bytes:
        """Bytes of one piece."""
        found = self._piece(address)
        if found is None or address + size > found.address + found.size:
            raise DispatchFailed(
                f"{size} bytes at {address:#x} are not in one piece of device memory",
                "keep transfers inside the memory that was allocated",
            )
        begin = address - found.address
        return found.bytes()[begin : begin + size]

    def store(self, address: int, data: Bytes) -> None:
        """Fill bytes of one piece."""
        self.view(address, data.size)[:] = data

    def fetch(self, address: int, data: Bytes) -> None:
        """Give bytes of one piece."""
        data[:] = self.view(address, data.size)

    def copy(self, source: int, target: int, size: int) -> None:
        """Copy bytes of one piece to another."""
        self.store(target, self.view(source, size))

    def owns(self, address: int) -> bool:
        """Whether there is a piece with this address in it."""
        return self._piece(address) is not None

    def _piece(self, address: int) -> _Allocation | None:
        with self._lock:
            for each in self._live.values():
                if each.address <= address < each.address + max(1, each.size):
                    return each
        return None

    def check(self) -> None:
        """Raise if anyone has written outside a piece."""
        with self._lock:
            pieces = list(self._live.values())
            freed = list(self._freed)
        for each in freed:
            if not (each.bytes() == _FREED).all():
                self._freed.remove(each)
                raise DispatchFailed(
                    f"something was written to {each.size} bytes that were freed before",
                    "free memory when nobody uses it any more",
                )
        for each in pieces:
            if not each.is_intact():
                each.room[:ZONE] = _OUTSIDE
                each.room[ZONE + each.size :] = _OUTSIDE
                raise _overrun(each)


def _overrun(piece: _Allocation) -> DispatchFailed:
    return DispatchFailed(
        f"something was written outside the {piece.size} bytes at {piece.address:#x}",
        "find the access that is not in bounds",
    )
