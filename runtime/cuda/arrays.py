"""
Arrays of callers on the device: CuPy's, and those of all others that have
`__cuda_array_interface__` or DLPack. They are used where they are.

Others may be working on them, on streams of their own. `__cuda_array_interface__` tells
which stream that is, and all that is done here with an array comes after what was enqueued
there. When a dispatch has ended, all its work has, so others need not wait.
"""

from typing import Any

import numpy as np

from vyre.runtime.cuda.engine import CudaEngine
from vyre.runtime.device_array import DeviceArray
from vyre.runtime.errors import InvalidArgument

_DEFAULT_STREAM = 1
"""What the legacy default stream is called."""


def device_array(engine: CudaEngine, value: object) -> DeviceArray | None:
    """
    What a caller passed, if it is an array on a device; one on another device is refused.

    Example: `device_array(engine, cupy.arange(4)).address`
    """
    exporter = value
    if not hasattr(value, "__cuda_array_interface__"):
        if not hasattr(value, "__dlpack_device__"):
            return None
        exporter = engine.device.imported(value, engine.stream)
        if exporter is None:
            return None
    interface = _interface(exporter)
    if interface.get("mask") is not None:
        raise InvalidArgument("it is a masked array", "pass its data without the mask")
    address, is_read_only = interface["data"]
    shape = tuple(interface["shape"])
    dtype = np.dtype(interface["typestr"])
    found = DeviceArray(
        value,
        exporter,
        address or 0,
        shape,
        dtype,
        not is_read_only,
        _is_contiguous(shape, dtype, interface.get("strides")),
        lambda: _on_host(engine, found),
    )
    if found.nbytes and not engine.device.owns(found.address):
        raise InvalidArgument(
            "it is not in the memory of the GPU that the engine works on",
            "copy it to that GPU, or make an engine for the other one",
        )
    return found


def wait_for_owner(engine: CudaEngine, owner: object) -> None:
    """Let the engine's work begin after what the owner of an array has enqueued."""
    stream = _interface(owner).get("stream", _DEFAULT_STREAM)
    if stream is not None:
        engine.device.wait_for(stream, engine.stream)


def _interface(owner: Any) -> dict[str, Any]:
    return owner.__cuda_array_interface__


def _is_contiguous(
    shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...] | None
) -> bool:
    """In row-major order; dimensions of one element may have any stride."""
    if strides is None or 0 in shape:
        return True
    expected = dtype.itemsize
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _on_host(engine: CudaEngine, array: DeviceArray) -> np.ndarray[Any, Any]:
    wait_for_owner(engine, array.exporter)
    data = np.zeros(array.nbytes, np.uint8)
    if data.size:
        engine.device.download(array.address, data, engine.stream)
    return data.view(array.dtype).reshape(array.shape)
