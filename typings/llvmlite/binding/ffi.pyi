# The part of `llvmlite.binding.ffi` that Vyre uses, with types; llvmlite ships none.

from typing import Any, Self

class OutputString:
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...

class _Library:
    _name: str
    _handle: int
    def __getattr__(self, name: str) -> Any: ...

lib: _Library
