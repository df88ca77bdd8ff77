"""What CuPy raises, as errors of the runtime."""

from collections.abc import Generator
from contextlib import contextmanager
from math import prod

from cupy.cuda import driver, memory, runtime

from vyre.diagnostics import VyreError
from vyre.runtime.errors import DeviceLost, DispatchFailed, DoesNotFit, OutOfMemory

_ERRORS = (
    runtime.CUDARuntimeError,
    driver.CUDADriverError,
    memory.OutOfMemoryError,
)

OUT_OF_MEMORY = 2
NOT_READY = 600
_LOST = frozenset(
    (
        46,  # All devices are busy or unavailable.
        100,  # There is no device.
        101,  # There is no such device any more.
        201,  # The context is not valid.
        214,  # ECC: memory is broken.
        220,  # NVLink: the connection is broken.
        226,  # An error of memory that was contained.
        700,  # An illegal address: the context is gone, with all memory.
        702,  # The display driver has ended a kernel that took too long.
        709,  # The context was destroyed.
        710,  # An assertion of a kernel.
        714,  # The hardware's stack is broken.
        715,  # An illegal instruction.
        716,  # A misaligned address.
        717,  # An address of another space.
        718,  # An invalid program counter.
        719,  # A launch failed.
        721,  # A kernel left tensor memory allocated.
        810,  # The MPS server has ended this client.
        911,  # Another device than a GPU has failed.
        999,  # Unknown.
    )
)
"""Numbers of errors after which nothing works any more in this process."""


@contextmanager
def translated() -> Generator[None]:
    """
    Raise an error of the runtime for one of CUDA.

    Example: `with translated(): runtime.streamSynchronize(stream)`
    """
    try:
        yield
    except _ERRORS as error:
        raise as_runtime_error(error) from error


@contextmanager
def refusing(grid: tuple[int, int, int]) -> Generator[None]:
    """
    Raise `DoesNotFit` if a cooperative launch is refused, unless no other would do better.

    Example: `with refusing(grid): driver.launchCooperativeKernel(...)`
    """
    try:
        yield
    except _ERRORS as error:
        found = as_runtime_error(error)
        if not isinstance(found, DispatchFailed):
            raise found from error
        raise DoesNotFit(
            f"the GPU refuses a cooperative launch: {error}",
            "use mode='auto' or 'split', where workgroups need not be there at once",
            needed=prod(grid),
            limit=0,
        ) from error


def as_runtime_error(error: Exception) -> VyreError:
    """
    What an error of CuPy means.

    Example: `as_runtime_error(runtime.CUDARuntimeError(700))` is a `DeviceLost`.
    """
    status = getattr(error, "status", None)
    if isinstance(error, memory.OutOfMemoryError) or status == OUT_OF_MEMORY:
        return OutOfMemory(
            f"the GPU has not enough memory: {error}",
            "use a smaller grid or smaller buffers, or free memory of other programs",
        )
    if status in _LOST:
        return DeviceLost(
            f"the GPU is gone, and everything on it: {error}",
            "start the process again; if it happens again, run the program on engine "
            "'cpu', and with `check`",
        )
    return DispatchFailed(f"the GPU says {error}", "see what CUDA's error means")
