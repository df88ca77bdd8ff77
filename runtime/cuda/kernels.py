"""Programs that a device has compiled."""

import threading
from dataclasses import dataclass
from weakref import WeakValueDictionary

from xdsl.dialects.builtin import ModuleOp

from vyre.analysis.extents import Setting
from vyre.dialects.vyre import ProgramOp
from vyre.lowering.cuda.kernel import CudaKernel
from vyre.lowering.cuda.options import NVRTC_OPTIONS
from vyre.lowering.cuda.programs import cuda_kernel
from vyre.passes.prove_inbounds import mark_inbounds
from vyre.runtime.cuda.device import CudaDevice, Handle
from vyre.runtime.errors import DoesNotFit

COUNTED_IN_32_BITS = 2**31 - 1
"""Invocations. Nearly all grids have fewer, and code for these is smaller and faster."""


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


def kernel_text(
    program: ProgramOp,
    *,
    is_guarded: bool = False,
    is_large: bool = False,
    watchdog: int | None = None,
) -> CudaKernel:
    """
    A program as text, for grids that are counted in 32 bits or for any. What it says about
    accesses that are inside their buffers does not count, unless it is proved here.

    Example: `kernel_text(program).source`
    """
    most = Setting() if is_large else Setting(most_invocations=COUNTED_IN_32_BITS)
    copy = program.clone()
    mark_inbounds(ModuleOp([copy]), most)
    return cuda_kernel(copy, is_guarded=is_guarded, setting=most, watchdog=watchdog)
