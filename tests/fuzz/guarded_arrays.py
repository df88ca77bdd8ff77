"""
Arrays that end where memory does.

Code that writes behind the end of an array mostly hits something that nobody looks at for a
while. Behind these there is a page that cannot be touched, and one before them: whoever
does ends the process at once. The pages are given back when the array is gone.
"""

import ctypes
import mmap
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from vyre.runtime.cpu import jobs

_NOBODY = 0
"""What `mprotect` is told for a page that cannot be touched."""


def guarded(array: NDArray[Any]) -> NDArray[Any]:
    """
    A copy that ends at such a page; an ordinary one where there are none.

    Example: `guarded(np.arange(3))` has nothing behind its 2.
    """
    if not array.size:
        return array.copy()
    copy = guarded_bytes(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def guarded_bytes(size: int) -> NDArray[np.uint8]:
    """
    So many zeros, at least one, that end at such a page; ordinary ones where there are
    none.

    Example: `guarded_bytes(12).view(np.int32)`
    """
    size = max(1, size)
    if sys.platform != "linux":
        return np.zeros(size, np.uint8)
    page = mmap.PAGESIZE
    pages = -(-size // page)
    room = mmap.mmap(-1, (pages + 2) * page, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(room))
    for place in (0, pages + 1):
        _protect(begin + place * page, page)
    return np.frombuffer(room, np.uint8, size, (pages + 1) * page - size)


@contextmanager
def guarded_jobs() -> Generator[None]:
    """
    Let everything that the CPU engine makes for a run end at such pages: the words of jobs,
    scratch, and the memory of workers.

    Example: `with guarded_jobs(): exe.bind(arguments)()`
    """
    with patch.object(jobs, jobs.zero_bytes.__name__, guarded_bytes):
        yield


def _protect(address: int, size: int) -> None:
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if protect(address, size, _NOBODY):
        raise OSError(ctypes.get_errno(), "mprotect")
