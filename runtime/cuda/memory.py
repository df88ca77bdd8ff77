"""Memory of a device as buffers have it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class CudaMemory:
    """
    A place on the device. `allocated` is the address that the device gave, which may come
    before it; None if the memory is not ours to free. `owner` is an array of a caller, who
    may be working on it.

    Example: `Buffer("a", CudaMemory(address), (4,), dtype)`
    """

    address: int
    allocated: int | None = None
    owner: object = None

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": (1,),
            "typestr": "|u1",
            "data": (self.address, False),
            "version": 3,
        }
