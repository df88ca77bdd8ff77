"""
Vyre: a compiler for GPU programs with grid-wide barriers.

Example:

```python
import vyre

module = vyre.parse("reach.mlir")
print(module)
```
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vyre.diagnostics import InvalidProgram, SyntaxFailure, VyreError
    from vyre.reading import context, parse
    from vyre.runtime.executable import Executable, compile

__version__ = "0.1.0"

__all__ = [
    "Executable",
    "InvalidProgram",
    "SyntaxFailure",
    "VyreError",
    "compile",
    "context",
    "parse",
]

_HOMES = {
    "Executable": "vyre.runtime.executable",
    "InvalidProgram": "vyre.diagnostics",
    "SyntaxFailure": "vyre.diagnostics",
    "VyreError": "vyre.diagnostics",
    "compile": "vyre.runtime.executable",
    "context": "vyre.reading",
    "parse": "vyre.reading",
}


def __getattr__(name: str) -> object:
    # xDSL's tools import this package at every start, so nothing is imported early.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'vyre' has no attribute {name!r}")
