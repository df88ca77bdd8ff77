"""
CUDA text compiled by NVRTC, which needs no device.

It goes through CuPy's bindings of NVRTC and not through `cupy.RawKernel`: that one adds
`-ftz=true` behind all options, which makes subnormal numbers zeros.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from vyre.lowering.cuda.options import NVRTC_OPTIONS
from vyre.runtime.errors import CompileFailed, UnsupportedFeature

try:
    from cupy_backends.cuda.libs import nvrtc
except ImportError as error:
    raise UnsupportedFeature(
        f"CUDA text cannot be compiled without CuPy: {error}",
        "pip install 'vyre[cuda12]', or vyre[cuda13] for CUDA 13",
    ) from error

_TABLES = 32
"""Where an ELF header says where the tables of program and section headers begin."""

_TABLE_SIZES = 54
"""Where it says how large an entry of each is, and how many there are."""

_SHOWN = 2000
"""Characters of what the compiler says."""


@dataclass(frozen=True)
class CompiledText:
    """Machine code for an architecture `sm_80`, PTX for `compute_80`."""

    code: bytes
    log: str
    """Warnings; empty if there are none."""


def compile_text(
    source: str, architecture: str, options: Sequence[str] = NVRTC_OPTIONS
) -> CompiledText:
    """
    Compile a translation unit.

    Example: `compile_text(kernel.source, "sm_90").log`
    """
    _check_library()
    program = nvrtc.createProgram(source, "vyre.cu", (), ())
    try:
        nvrtc.compileProgram(program, (*options, f"--gpu-architecture={architecture}"))
        is_code = architecture.startswith("sm_")
        code = whole_file(nvrtc.getCUBIN(program)) if is_code else nvrtc.getPTX(program)
        return CompiledText(code, _log(program))
    except nvrtc.NVRTCError as error:
        raise CompileFailed(
            f"NVRTC refuses the text for {architecture}: {error}\n{_log(program)[:_SHOWN]}",
            "this is a fault of the code generator, report it",
        ) from error
    finally:
        nvrtc.destroyProgram(program)


def whole_file(code: bytes) -> bytes:
    """
    An ELF file with its last byte. CuPy takes it for the end of a text and drops it: it is
    the highest byte of an alignment in the last program header.

    Example: `whole_file(nvrtc.getCUBIN(program))`
    """
    tables = struct.unpack_from("<QQ", code, _TABLES)
    sizes = struct.unpack_from("<HHHH", code, _TABLE_SIZES)
    ends = (at + sizes[2 * k] * sizes[2 * k + 1] for k, at in enumerate(tables))
    return code.ljust(max(ends), b"\0")


def _log(program: int) -> str:
    return nvrtc.getProgramLog(program).strip("\0\n ")


def nvrtc_version() -> tuple[int, int]:
    """
    The version of NVRTC, which is that of its CUDA.

    Example: `nvrtc_version() >= (13, 0)` has no `sm_70` any more.
    """
    _check_library()
    return nvrtc.getVersion()


def architectures() -> list[int]:
    """
    What NVRTC can compile for, as ten times the compute capability.

    Example: `90 in architectures()`
    """
    _check_library()
    return sorted(nvrtc.getSupportedArchs())


def _check_library() -> None:
    """CuPy loads the library when it is first used, and says so by an exception."""
    try:
        nvrtc.getVersion()
    except RuntimeError as error:
        raise UnsupportedFeature(
            f"NVRTC is missing: {error}",
            "install the CUDA toolkit, or pip install 'vyre[cuda12]'",
        ) from error
