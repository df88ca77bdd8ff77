from typing import Any

import numpy as np
from cupy import cuda as cuda

__version__: str

class ndarray:
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def get(self) -> np.ndarray[Any, Any]: ...

def asarray(a: Any) -> ndarray: ...
def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> ndarray: ...
def from_dlpack(array: Any) -> ndarray: ...
