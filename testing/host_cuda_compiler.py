"""
CUDA text compiled for the host, unchanged, with the system's C++ compiler.

`cuda_shim.h` stands in for what CUDA has built in, and `cuda_shim.cpp` plays the device.
Both are compiled when they are first needed. Libraries are kept with other compiled code
(see `vyre.runtime.kernel_cache`), under their text and flags.
"""

import _ctypes
import ctypes
import os
import platform
import re
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_uint, c_ulonglong, c_void_p
from functools import cache
from pathlib import Path
from typing import ClassVar

from vyre.runtime.errors import CompileFailed, UnsupportedFeature
from vyre.runtime.kernel_cache import KernelCache, key_of

HERE = Path(__file__).parent
KEPT = 512
"""Compiled functions that are kept for the next one who asks."""

_FLAGS = (
    "-std=gnu++17 -w -fPIC -shared -fvisibility=hidden -fno-strict-aliasing -fwrapv"
).split()
_WAITING = re.compile(
    r"\b__(syncthreads|syncwarp|shfl|ballot|any_sync|all_sync|activemask|nanosleep)"
)
_LAUNCH_BOUNDS = re.compile(r"__launch_bounds__\s*\(\s*(\d+)")

_lock = threading.Lock()
_functions: "OrderedDict[tuple[str, ...], HostFunction]" = OrderedDict()


def find_compiler() -> str | None:
    """
    The system's C++ compiler, if there is one.

    Example: `pytest.mark.skipif(find_compiler() is None, reason="no C++ compiler")`
    """
    names = (os.environ.get("CXX", ""), "g++", "clang++", "c++")
    return next((found for found in map(shutil.which, filter(None, names)) if found), None)


class Triple(Structure):
    """`dim3` and `uint3`."""

    _fields_: ClassVar = [("x", c_uint), ("y", c_uint), ("z", c_uint)]


class Unit(Structure):
    """`vyre_shim_unit`."""

    _fields_: ClassVar = [
        ("call", c_void_p),
        ("sizes", POINTER(c_ulonglong)),
        ("count", c_ulonglong),
        ("places", c_void_p * 4),
        ("shared", c_void_p),
        ("shared_bytes", c_ulonglong),
        ("hooks", c_void_p),
    ]


class Job(Structure):
    """`Job` of `cuda_shim.cpp`."""

    _fields_: ClassVar = [
        ("unit", POINTER(Unit)),
        ("arguments", c_void_p),
        ("grid", Triple),
        ("block", Triple),
        ("cooperative", c_int),
        ("waits", c_int),
    ]


class Settings(Structure):
    """`Settings` of `cuda_shim.cpp`."""

    _fields_: ClassVar = [
        ("block_order", c_int),
        ("thread_order", c_int),
        ("seed", c_ulonglong),
        ("patience", c_ulonglong),
    ]


class HostFunction:
    """A kernel that was compiled for the host."""

    def __init__(self, name: str, source: str, library: Path):
        loaded = ctypes.CDLL(str(library))
        weakref.finalize(self, _ctypes.dlclose, loaded._handle)
        self.name = name
        self.unit = Unit.in_dll(loaded, "vyre_shim_this_unit")
        self.sizes = tuple(self.unit.sizes[: self.unit.count])
        """Of the arguments that it declares."""
        self.shared_bytes = int(self.unit.shared_bytes)
        self.waits = _WAITING.search(source) is not None
        """Whether its threads wait for each other."""
        bounds = _LAUNCH_BOUNDS.search(source)
        self.max_threads = None if bounds is None else int(bounds[1])


def compiled(source: str, name: str, options: Sequence[str]) -> HostFunction:
    """
    A function of a translation unit. Without `--fmad=false` products and sums are fused, if
    the host can, as NVRTC would.

    Example: `compiled(text, "scale", NVRTC_OPTIONS).sizes`
    """
    contraction = "off" if "--fmad=false" in options else "fast"
    key = (source, name, contraction)
    with _lock:
        if key not in _functions:
            _functions[key] = _made(source, name, contraction)
        _functions.move_to_end(key)
        while len(_functions) > KEPT:
            _functions.popitem(last=False)
        return _functions[key]


def _made(source: str, name: str, contraction: str) -> HostFunction:
    before, behind = f'#line 1 "{name}.cu"', f"VYRE_SHIM_UNIT({name})"
    text = f'#include "cuda_shim.h"\n{before}\n{source}\n{behind}\n'
    # Kernels of tests run for less time than it takes to optimise them.
    flags = ["-O0", f"-ffp-contract={contraction}", f"-I{HERE}"]
    if contraction == "fast":  # The optimiser is who fuses.
        flags[0] = "-O1"
        if platform.machine() in ("x86_64", "AMD64"):
            flags += ["-mfma", "-fexpensive-optimizations"]
    library = _built(text, flags)
    try:
        return HostFunction(name, source, library)
    finally:
        library.unlink()


@cache
def shim() -> ctypes.CDLL:
    """The runtime that plays the device."""
    text = (HERE / "cuda_shim.cpp").read_text(encoding="utf-8")
    library = ctypes.CDLL(str(_built(text, ["-O2", f"-I{HERE}"])))
    library.vyre_shim_run.argtypes = [POINTER(Job), c_int, POINTER(Settings)]
    library.vyre_shim_run.restype = c_char_p
    return library


def _built(text: str, flags: Sequence[str]) -> Path:
    """A new file with the shared library, which is compiled now or was before."""
    compiler = find_compiler()
    if compiler is None:
        raise UnsupportedFeature(
            "there is no C++ compiler to run CUDA text on the host",
            "install g++ or clang++, or say in CXX where one is",
        )
    handle, made = tempfile.mkstemp(".so", dir=_folder())
    os.close(handle)
    command = [compiler, "-x", "c++", "-", *_FLAGS, *flags, "-lm", "-o"]
    kept, key = KernelCache.default(), key_of(text, _headers(), *command)
    code = None if kept is None else kept.find(key)
    if code is not None:
        Path(made).write_bytes(code)
        return Path(made)
    done = subprocess.run([*command, made], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        os.unlink(made)
        raise CompileFailed(
            f"the host's compiler refuses the text:\n{done.stderr[:2000]}",
            "this is a fault of the code generator, report it",
        )
    if kept is not None:
        kept.keep(key, Path(made).read_bytes())
    return Path(made)


@cache
def _headers() -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(HERE.glob("*.h")))


@cache
def _folder() -> str:
    made = tempfile.TemporaryDirectory(prefix="vyre-host-cuda-", ignore_cleanup_errors=True)
    weakref.finalize(_functions, made.cleanup)
    return made.name
