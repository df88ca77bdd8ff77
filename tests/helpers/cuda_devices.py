"""Devices that the CUDA engine's tests run on, and kernels that are written by hand."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vyre.diagnostics import VyreError
from vyre.lowering.cuda.options import NVRTC_OPTIONS
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.cuda.device import CudaDevice, Extent
from vyre.runtime.cuda.presence import has_gpu
from vyre.testing.host_cuda import HostCudaDevice
from vyre.testing.host_cuda_compiler import find_compiler

NO_GPU = "there is no GPU, or no CuPy: nothing was tested on a device"


def host_device(**options: Any) -> HostCudaDevice:
    """A harness, where there is a compiler for it."""
    if find_compiler() is None:
        pytest.skip("there is no C++ compiler: nothing was run on the host harness")
    return HostCudaDevice(**options)


def gpu_device() -> CudaDevice:
    """A GPU, where there is one."""
    if not has_gpu():
        pytest.skip(NO_GPU)
    from vyre.runtime.cuda.cupy_device import CupyDevice

    return CupyDevice()


def deferred_device() -> CudaDevice:
    """A harness that does nothing before it must, and takes turns at random."""
    return host_device(block_order="random", thread_order="random", seed=1, deferred=True)


EVERY_DEVICE = [
    pytest.param(host_device, id="host"),
    pytest.param(deferred_device, id="deferred"),
    pytest.param(gpu_device, id="gpu", marks=pytest.mark.gpu),
]
"""For `pytest.mark.parametrize("make_device", EVERY_DEVICE)`."""

MakeDevice = Callable[[], CudaDevice]


def extent(size: int | Extent) -> Extent:
    """A number along x, or three."""
    return (size, 1, 1) if isinstance(size, int) else size


def run_kernel(
    device: CudaDevice,
    source: str,
    values: Sequence[NDArray[Any] | np.generic],
    *,
    grid: int | Extent = 1,
    block: int | Extent = 32,
    cooperative: bool = False,
) -> list[NDArray[Any]]:
    """
    Run the kernel `k`. Arrays are passed as pointers to copies, which are given back;
    numbers as they are.
    """
    stream = device.new_stream()
    function = device.compile(source, "k", NVRTC_OPTIONS)
    arguments: list[np.generic] = []
    places: list[tuple[int, NDArray[Any]]] = []
    for value in values:
        if isinstance(value, np.ndarray):
            address = device.allocate(max(1, value.nbytes), stream)
            device.upload(address, value.reshape(-1).view(np.uint8), stream)
            places.append((address, value.copy()))
            arguments.append(np.uint64(address))
        else:
            arguments.append(value)
    try:
        device.launch(
            function,
            extent(grid),
            extent(block),
            PackedArguments(arguments),
            stream,
            cooperative=cooperative,
        )
        device.synchronize(stream)
        for address, found in places:
            device.download(address, found.reshape(-1).view(np.uint8), stream)
    finally:
        for address, _ in places:
            device.free(address)
    return [found for _, found in places]


def fails(run: Callable[[], object]) -> str:
    """What a call is refused with."""
    with pytest.raises(VyreError) as caught:
        run()
    return str(caught.value)
