"""NVRTC, where there is CuPy to call it; elsewhere tests that need it are skipped."""

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from vyre.lowering.cuda.options import NVRTC_OPTIONS

if TYPE_CHECKING:
    from vyre.testing.nvrtc import MachineCode


def require_nvrtc(architecture: int | None = None) -> None:
    """Skip the test if there is no NVRTC, or none for an architecture."""
    if importlib.util.find_spec("cupy_backends") is None:
        pytest.skip("there is no CuPy: nothing was compiled for a device")
    from vyre.testing.nvrtc import architectures

    if architecture is not None and architecture not in architectures():
        pytest.skip(f"this NVRTC compiles nothing for sm_{architecture} any more")


def machine_code_of(source: str, architecture: int) -> "MachineCode":
    """The machine code of a translation unit; warnings are errors."""
    require_nvrtc(architecture)
    from vyre.testing.nvrtc import machine_code

    return machine_code(source, architecture)


def ptx_of(
    source: str, architecture: int = 80, options: Sequence[str] = NVRTC_OPTIONS
) -> str:
    """The PTX of a translation unit; warnings are errors."""
    require_nvrtc(architecture)
    from vyre.testing.nvrtc import ptx

    return ptx(source, architecture, options)
