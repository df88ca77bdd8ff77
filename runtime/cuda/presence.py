"""
Whether there is a GPU that CuPy can use, found out without importing CuPy, which takes
seconds, unless nearly all speaks for it.
"""

import ctypes
import sys
from functools import cache
from importlib.util import find_spec

_DRIVERS = {"win32": "nvcuda.dll"}
_DRIVER = "libcuda.so.1"


@cache
def has_gpu() -> bool:
    """
    Whether CuPy is installed, and NVIDIA's driver, and the driver knows a device.

    Example: `engine = "cupy" if has_gpu() else "cpu"`
    """
    return find_spec("cupy") is not None and device_count() > 0


def device_count() -> int:
    """
    How many devices the driver knows; none if there is no driver.

    Example: `device_count() > 1`
    """
    try:
        driver = ctypes.CDLL(_DRIVERS.get(sys.platform, _DRIVER))
        count = ctypes.c_int(0)
        if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
            return 0
    except (OSError, AttributeError):
        return 0
    return count.value
