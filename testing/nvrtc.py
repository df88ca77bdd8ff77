"""
CUDA C++ to PTX by NVRTC, with warnings as errors. That needs CuPy, and no device.

Example: `ptx(cuda_kernel(program).source, architecture=80)`
"""

from collections.abc import Sequence

from vyre.lowering.cuda.options import NVRTC_OPTIONS
from vyre.runtime.cuda.cupy_nvrtc import architectures, compile_text
from vyre.runtime.errors import CompileFailed

__all__ = ["architectures", "ptx"]

_OLD_DEVICES = "nvrtc: warning: Architectures prior to"
"""A warning that is not about the text."""


def ptx(source: str, architecture: int, options: Sequence[str] = NVRTC_OPTIONS) -> str:
    """
    The PTX of a translation unit, for a virtual architecture.

    Example: `".entry" in ptx('extern "C" __global__ void f() {}', 80)`
    """
    compiled = compile_text(source, f"compute_{architecture}", options)
    lines = compiled.log.splitlines()
    if complaint := [line for line in lines if not line.startswith(_OLD_DEVICES)]:
        raise CompileFailed("\n".join(complaint), "write the text so that nobody wonders")
    return compiled.code.decode()
