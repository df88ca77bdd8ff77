"""
Arrays that end where memory does.

Code that writes behind the end of an array mostly hits something that nobody looks at for a
while. Behind these there is a page that cannot be touched, and one before them: whoever
does ends the process at once.
"""

import ctypes
import mmap
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NOBODY = 0
"""What `mprotect` is told for a page that cannot be touched."""


def guarded(array: NDArray[Any]) -> NDArray[Any]:
    """
    A copy that ends at such a page; an ordinary one where there are none.

    Example: `guarded(np.arange(3))` has nothing behind its 2.
    """
    if sys.platform != "linux" or not array.size:
        return array.copy()
    page = mmap.PAGESIZE
    pages = -(-array.nbytes // page)
    room = mmap.mmap(-1, (pages + 2) * page)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(room))
    for place in (0, pages + 1):
        _protect(begin + place * page, page)
    start = (pages + 1) * page - array.nbytes
    copy = np.frombuffer(room, array.dtype, array.size, start).reshape(array.shape)
    copy[...] = array
    return copy


def _protect(address: int, size: int) -> None:
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    if protect(address, size, _NOBODY):
        raise OSError(ctypes.get_errno(), "mprotect")
