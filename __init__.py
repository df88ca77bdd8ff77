"""
Vyre: a compiler for GPU programs with grid-wide barriers.

Example:

```python
import vyre

module = vyre.parse("reach.mlir")
print(module)
```
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vyre.diagnostics import InvalidProgram, SyntaxFailure, VyreError
    from vyre.reading import context, parse

__version__ = "0.1.0"

__all__ = ["InvalidProgram", "SyntaxFailure", "VyreError", "context", "parse"]


def __getattr__(name: str) -> object:
    # xDSL's tools import this package at every start, so nothing is imported early.
    if name in ("context", "parse"):
        from vyre import reading

        return getattr(reading, name)
    if name in __all__:
        from vyre import diagnostics

        return getattr(diagnostics, name)
    raise AttributeError(f"module 'vyre' has no attribute {name!r}")
