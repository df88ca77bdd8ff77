"""Programs that a device has compiled."""

import threading
from dataclasses import dataclass
from weakref import WeakValueDictionary

from vyre.lowering.cuda.kernel import CudaKernel
from vyre.lowering.cuda.options import NVRTC_OPTIONS
from vyre.runtime.cuda.device import CudaDevice, Handle
from vyre.runtime.errors import DoesNotFit


@dataclass(frozen=True, eq=False)
class LoadedFunction:
    """A function that the device has compiled."""

    handle: Handle


@dataclass(frozen=True, eq=False)
class LoadedKernel:
    """A kernel, and the function that the device made of it."""

    kernel: CudaKernel
    function: LoadedFunction


class KernelLoader:
    """
    Compiles text, each once as long as somebody uses what it became. Several threads may
    use it.

    Example: `KernelLoader(device).load(cuda_kernel(program)).function`
    """

    def __init__(self, device: CudaDevice):
        self._device = device
        self._lock = threading.Lock()
        self._loaded = WeakValueDictionary[tuple[str, str], LoadedFunction]()

    def load(self, kernel: CudaKernel) -> LoadedKernel:
        """The function of a kernel."""
        needed, limit = kernel.shared_bytes, self._device.limits.shared_bytes
        if needed > limit:
            raise DoesNotFit(
                f"{kernel.name} has {needed} bytes of workgroup memory, {limit} fit",
                "use smaller workgroup buffers, or engine 'cpu'",
                needed=needed,
                limit=limit,
            )
        return LoadedKernel(kernel, self.function(kernel.source, kernel.name))

    def function(self, source: str, name: str) -> LoadedFunction:
        """A function of a translation unit."""
        key = (source, name)
        with self._lock:
            found = self._loaded.get(key)
            if found is None:
                made = self._device.compile(source, name, NVRTC_OPTIONS)
                found = self._loaded[key] = LoadedFunction(made)
            return found
