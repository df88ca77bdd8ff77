"""
Vyre: a compiler for GPU programs with grid-wide barriers.

Example:

```python
import vyre

exe = vyre.compile("reach.mlir")
print(exe.explain())
```
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vyre.diagnostics import InvalidProgram, SyntaxFailure, VyreError
    from vyre.reading import context, parse
    from vyre.runtime import telemetry
    from vyre.runtime.backend import Backend, Capabilities
    from vyre.runtime.config import DispatchConfig
    from vyre.runtime.device_buffer import DeviceBuffer, device_buffer
    from vyre.runtime.errors import (
        CompileFailed,
        DeviceLost,
        DispatchFailed,
        DivergentBarrier,
        DoesNotFit,
        InvalidArgument,
        OutOfMemory,
        Timeout,
        Trapped,
        UnsupportedFeature,
    )
    from vyre.runtime.executable import Executable, compile
    from vyre.runtime.launch_geometry import LaunchGeometry
    from vyre.runtime.megakernel import BatchStorage, Megakernel
    from vyre.runtime.splitting import Split, has_grid_barrier, split
    from vyre.runtime.trace import Trace

__version__ = "0.1.0"

__all__ = [
    "Backend",
    "BatchStorage",
    "Capabilities",
    "CompileFailed",
    "DeviceBuffer",
    "DeviceLost",
    "DispatchConfig",
    "DispatchFailed",
    "DivergentBarrier",
    "DoesNotFit",
    "Executable",
    "InvalidArgument",
    "InvalidProgram",
    "LaunchGeometry",
    "Megakernel",
    "OutOfMemory",
    "Split",
    "SyntaxFailure",
    "Timeout",
    "Trace",
    "Trapped",
    "UnsupportedFeature",
    "VyreError",
    "compile",
    "context",
    "device_buffer",
    "has_grid_barrier",
    "parse",
    "split",
    "telemetry",
]

_HOMES = {
    "vyre.diagnostics": ("InvalidProgram", "SyntaxFailure", "VyreError"),
    "vyre.reading": ("context", "parse"),
    "vyre.runtime": ("telemetry",),
    "vyre.runtime.backend": ("Backend", "Capabilities"),
    "vyre.runtime.config": ("DispatchConfig",),
    "vyre.runtime.device_buffer": ("DeviceBuffer", "device_buffer"),
    "vyre.runtime.errors": (
        "CompileFailed",
        "DeviceLost",
        "DispatchFailed",
        "DivergentBarrier",
        "DoesNotFit",
        "InvalidArgument",
        "OutOfMemory",
        "Timeout",
        "Trapped",
        "UnsupportedFeature",
    ),
    "vyre.runtime.executable": ("Executable", "compile"),
    "vyre.runtime.launch_geometry": ("LaunchGeometry",),
    "vyre.runtime.megakernel": ("BatchStorage", "Megakernel"),
    "vyre.runtime.splitting": ("Split", "has_grid_barrier", "split"),
    "vyre.runtime.trace": ("Trace",),
}


def __getattr__(name: str) -> object:
    # xDSL's tools import this package at every start, so nothing is imported early.
    for home, names in _HOMES.items():
        if name in names:
            module = import_module(home)
            # A submodule is an attribute only once it is imported.
            is_module = not hasattr(module, name)
            return import_module(f"{home}.{name}") if is_module else getattr(module, name)
    raise AttributeError(f"module 'vyre' has no attribute {name!r}")
