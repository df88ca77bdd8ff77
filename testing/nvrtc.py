"""
CUDA C++ to PTX or machine code by NVRTC, with warnings as errors. That needs CuPy, and no
device.

Example: `machine_code(cuda_kernel(program).source, architecture=80).registers`
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vyre.lowering.cuda.options import NVRTC_OPTIONS
from vyre.runtime.cuda.cupy_nvrtc import architectures, compile_text
from vyre.runtime.errors import CompileFailed

__all__ = ["MachineCode", "architectures", "machine_code", "ptx"]

_OLD_DEVICES = "nvrtc: warning: Architectures prior to"
"""A warning that is not about the text."""

_FIGURES = re.compile(r"ptxas (info )? *[:.]")
"""How the assembler begins to say what a kernel needs."""


@dataclass(frozen=True)
class MachineCode:
    """A kernel for an architecture, and what each of its threads needs."""

    code: bytes
    registers: int
    spilled_bytes: int
    """That are stored to memory and loaded from there, because registers are too few."""


def ptx(source: str, architecture: int, options: Sequence[str] = NVRTC_OPTIONS) -> str:
    """
    The PTX of a translation unit, for a virtual architecture.

    Example: `".entry" in ptx('extern "C" __global__ void f() {}', 80)`
    """
    compiled = compile_text(source, f"compute_{architecture}", options)
    _refuse_complaints(compiled.log.splitlines())
    return compiled.code.decode()


def machine_code(
    source: str, architecture: int, options: Sequence[str] = NVRTC_OPTIONS
) -> MachineCode:
    """
    The machine code of a translation unit with one kernel, as a device gets it.

    Example: `machine_code(kernel.source, 90).spilled_bytes` is 0, one hopes.
    """
    verbose = (*options, "--ptxas-options=-v")
    compiled = compile_text(source, f"sm_{architecture}", verbose)
    log = compiled.log
    _refuse_complaints(line for line in log.splitlines() if not _FIGURES.match(line))
    used = re.search(r"Used (\d+) registers", log)
    if used is None:
        raise CompileFailed(log, "use an assembler that says what a kernel needs")
    spills = re.findall(r"(\d+) bytes spill (?:stores|loads)", log)
    return MachineCode(compiled.code, int(used[1]), sum(map(int, spills)))


def _refuse_complaints(log: Iterable[str]) -> None:
    if complaint := [line for line in log if not line.startswith(_OLD_DEVICES)]:
        raise CompileFailed("\n".join(complaint), "write the text so that nobody wonders")
