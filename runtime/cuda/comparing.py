"""Whether two buffers on the device hold the same: any NaN is like any other."""

from typing import Any

import numpy as np

from vyre.runtime.backend import Buffer
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.cuda.device import CudaDevice
from vyre.runtime.cuda.kernels import KernelLoader
from vyre.runtime.cuda.tape import LaunchStep

FLAG_BYTES = 4
NAME = "vyre_differ"

_THREADS = 256
_BLOCKS_PER_MULTIPROCESSOR = 8
_WORDS = {
    1: "unsigned char",
    2: "unsigned short",
    4: "unsigned int",
    8: "unsigned long long",
}
_INFINITY = {2: 0x7C00, 4: 0x7F800000, 8: 0x7FF0000000000000}
"""The bits of the largest float that is no NaN, by its bytes."""


def comparison_text(dtype: np.dtype[Any]) -> str:
    """
    A kernel that sets a word if elements of two arrays differ.

    Example: `print(comparison_text(np.dtype(np.float32)))`
    """
    word = _WORDS[dtype.itemsize]
    differ = "one[k] != other[k]"
    if dtype.kind == "f":
        differ += " && !(is_nan(one[k]) && is_nan(other[k]))"
    return f"""\
{_nan_text(dtype, word)}// Sets `differs` if elements of two arrays are not the same.
extern "C" __global__ void __launch_bounds__({_THREADS}) {NAME}(
    const {word} *__restrict__ one, const {word} *__restrict__ other, const long long count,
    unsigned int *__restrict__ differs) {{
  const long long first = (long long)blockIdx.x * {_THREADS} + threadIdx.x;
  const long long stride = (long long)gridDim.x * {_THREADS};
  for (long long k = first; k < count; k += stride) {{
    if ({differ}) *differs = 1;
  }}
}}
"""


def _nan_text(dtype: np.dtype[Any], word: str) -> str:
    if dtype.kind != "f":
        return ""
    infinity = _INFINITY[dtype.itemsize]
    magnitude = f"({word})(bits & {(1 << (8 * dtype.itemsize - 1)) - 1:#x})"
    return f"""\
static __device__ __forceinline__ bool is_nan({word} bits) {{
  return {magnitude} > {infinity:#x};
}}

"""


def comparison(
    device: CudaDevice, loader: KernelLoader, one: Buffer, other: Buffer, flag: int
) -> LaunchStep:
    """
    A launch that sets the word at `flag` if two buffers of the same shape differ.

    Example: `comparison(device, loader, buffer, copy, flag).enqueue(device, stream)`
    """
    function = loader.function(comparison_text(one.dtype), NAME)
    count = one.size // one.dtype.itemsize
    most = device.limits.multiprocessors * _BLOCKS_PER_MULTIPROCESSOR
    blocks = max(1, min(most, -(-count // _THREADS)))
    arguments = PackedArguments(
        [
            np.uint64(one.memory.address),
            np.uint64(other.memory.address),
            np.int64(count),
            np.uint64(flag),
        ]
    )
    return LaunchStep(None, function, (blocks, 1, 1), (_THREADS, 1, 1), arguments)
