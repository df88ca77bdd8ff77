"""
Whether there is a GPU that the engine can use, found out without importing CuPy, which
takes seconds.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

_DRIVERS = {"win32": "nvcuda.dll"}
_DRIVER = "libcuda.so.1"

OLDEST = 70
"""Ten times the compute capability of the oldest GPUs that kernels are for."""

_MAJOR, _MINOR = 75, 76
"""What the driver calls the parts of the compute capability."""


@cache
def has_gpu() -> bool:
    """
    Whether CuPy is installed, and NVIDIA's driver, and the first device that the driver
    knows is not too old. That is the one that CuPy takes.

    Example: `engine = "cupy" if has_gpu() else "cpu"`
    """
    return find_spec("cupy") is not None and first_capability() >= OLDEST


def first_capability() -> int:
    """
    Ten times the compute capability of the first device; 0 if there is none, or no driver.

    Example: `first_capability() >= 90`
    """
    try:
        driver = ctypes.CDLL(_DRIVERS.get(sys.platform, _DRIVER))
        if driver.cuInit(0) != 0:
            return 0
        device = _number_of(driver.cuDeviceGet, 0)
        major, minor = (
            _number_of(driver.cuDeviceGetAttribute, part, device)
            for part in (_MAJOR, _MINOR)
        )
    except (OSError, AttributeError):
        return 0
    return 10 * major + minor


def _number_of(function: Callable[..., int], *arguments: int) -> int:
    """What a function of the driver gives; an `OSError` if it refuses."""
    found = ctypes.c_int(0)
    if function(ctypes.byref(found), *arguments) != 0:
        raise OSError("the driver refuses")
    return found.value
