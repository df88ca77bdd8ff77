"""Memory of an engine that several programs and callers use, with a count of its users."""

from itertools import count
from threading import Lock

from vyre.runtime.backend import Backend, Buffer
from vyre.runtime.errors import InvalidArgument, blaming_engine

_numbers = count(1)
_SPACE = 1 << 64
"""No engine has addresses from here on."""


class SharedMemory:
    """
    The memory of a buffer, which is freed when its last user releases it. Whoever makes it
    is the first user.

    Example: `SharedMemory(backend, buffer).release()` frees the buffer.
    """

    def __init__(self, backend: Backend, buffer: Buffer):
        self.backend = backend
        self.buffer = buffer
        self.address = _SPACE * next(_numbers)
        """No address, but apart from all others, as overlaps are found by addresses."""
        self._users = 1
        self._lock = Lock()

    def acquire(self) -> None:
        """Adds a user."""
        with self._lock:
            if not self._users:
                raise InvalidArgument(
                    "the device buffer was closed", "use it before, or make another one"
                )
            self._users += 1

    def release(self) -> None:
        """Removes a user; frees the memory if it was the last one."""
        with self._lock:
            self._users -= 1
            is_last = not self._users
        if is_last:
            with blaming_engine(self.backend.name, f"free '{self.buffer.name}'"):
                self.backend.free(self.buffer.memory)
