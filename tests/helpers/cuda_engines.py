"""The CUDA engine on a harness, and arrays for small programs on it."""

from typing import Any

import numpy as np
import pytest
from cuda_devices import EVERY_DEVICE, host_device

from vyre.runtime.cuda.backend import CudaBackend
from vyre.testing.host_cuda import HostCudaDevice

MODES = ("native", "split")

on_every_device = pytest.mark.parametrize("make_device", EVERY_DEVICE)


def array(count: int = 8) -> Any:
    """Zeros."""
    return np.zeros(count, np.int32)


def on_host(**options: Any) -> tuple[HostCudaDevice, CudaBackend]:
    """A harness, and the engine on it."""
    device = host_device(**options)
    return device, CudaBackend(device)
