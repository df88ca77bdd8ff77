"""Arrays of the fuzzer that end where memory does."""

import ctypes
import faulthandler
import signal
import sys

import numpy as np
import pytest
from guarded_arrays import guarded
from native_runs import apart


@pytest.mark.parametrize("count", [0, 1, 7, 512, 1000])
def test_guarded_arrays_are_copies(count: int):
    array = np.arange(2 * count, dtype=np.int64).reshape(2, count)
    copy = guarded(array)
    assert (copy == array).all()
    copy += 1
    assert (copy == array + 1).all()


@pytest.mark.skipif(sys.platform != "linux", reason="pages are guarded on Linux only")
@pytest.mark.parametrize("offset", [12, 4096, -4096])
def test_nobody_writes_beside_guarded_arrays(offset: int):
    copy = guarded(np.arange(3, dtype=np.int32))

    def write() -> None:
        faulthandler.disable()  # It is no news that this process ends.
        ctypes.c_int8.from_address(copy.ctypes.data + offset).value = 1

    assert str(-signal.SIGSEGV) in str(apart(write))
