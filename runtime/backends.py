"""
Engines by name.

Others can add engines: a package names a `Backend` class, or a function that makes one, in
the entry point group `vyre.backends`.

```toml
[project.entry-points."vyre.backends"]
mine = "my_package:MyBackend"
```
"""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from vyre.diagnostics import did_you_mean, kind_of
from vyre.fork_locks import ForkLock
from vyre.runtime.backend import Backend
from vyre.runtime.errors import InvalidArgument, UnsupportedFeature

GROUP = "vyre.backends"

_lock = ForkLock()
_made: dict[str, Backend] = {}


def _reference() -> Backend:
    from vyre.interpreter.backend import ReferenceBackend

    return ReferenceBackend()


def _cpu() -> Backend:
    from vyre.runtime.cpu.backend import CpuBackend

    return CpuBackend()


def _cupy() -> Backend:
    from vyre.runtime.cuda.backend import CudaBackend

    return CudaBackend()


_OWN: dict[str, Callable[[], Backend]] = {
    "cpu": _cpu,
    "cupy": _cupy,
    "reference": _reference,
}
"""Vyre's engines."""

_OTHER_WORDS = {
    **dict.fromkeys(("gpu", "cuda", "nvidia"), "cupy"),
    **dict.fromkeys(("llvm", "native", "host"), "cpu"),
    **dict.fromkeys(("ref", "numpy", "interpreter"), "reference"),
}
"""What people call them."""


def _best() -> str:
    """The engine that `auto` stands for."""
    from vyre.runtime.cuda.presence import has_gpu

    return "cupy" if has_gpu() else "cpu"


def backend_names() -> list[str]:
    """
    All engines that can be asked for.

    Example: `vyre.compile(file, engine=backend_names()[0])`
    """
    return [*_OWN, *(name for name in _found() if name not in _OWN)]


def find_backend(engine: str | Backend | Callable[..., None]) -> Backend:
    """
    The engine of that name, the engine itself, or one that a function makes.

    Example: `find_backend("reference").capabilities`
    """
    if isinstance(engine, Backend):
        return engine
    if isinstance(engine, type):
        raise InvalidArgument(
            f"the engine is the class {engine.__name__}", f"pass `{engine.__name__}()`"
        )
    if callable(engine):
        from vyre.runtime.host_memory import ClosureBackend

        return ClosureBackend(engine)
    if not isinstance(cast(object, engine), str):
        raise InvalidArgument(
            f"the engine is {kind_of(engine)}, not a name",
            f"pass 'auto' or one of {', '.join(backend_names())}",
        )
    name = _best() if engine == "auto" else engine
    with _lock:
        if name not in _made:
            _made[name] = _make(name)
        return _made[name]


def _make(name: str) -> Backend:
    if name in _OWN:
        return _OWN[name]()
    entry = _found().get(name)
    if entry is None:
        names = backend_names()
        raise InvalidArgument(
            f"there is no engine '{name}'",
            did_you_mean(name, names, _OTHER_WORDS)
            or f"the engines are {', '.join(names)}",
        )
    try:
        made = entry.load()()
    except Exception as error:
        raise UnsupportedFeature(
            f"engine '{name}' cannot be used here: {type(error).__name__}: {error}",
            f"see what '{entry.value}' needs, or use another engine",
        ) from error
    if not isinstance(made, Backend):
        raise UnsupportedFeature(
            f"'{entry.value}' of engine '{name}' makes no Backend",
            "derive it from vyre.runtime.backend.Backend",
        )
    return made


def _found() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
