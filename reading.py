"""Programs from files and strings: the library's entry."""

from os import PathLike, fspath
from pathlib import Path
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.universe import XDSL_UNIVERSE

from vyre.diagnostics import InvalidProgram, did_you_mean, kind_of
from vyre.dialects import get_all_dialects
from vyre.passes.verify_module import verify_module
from vyre.source import SourceParser


def context() -> Context:
    """
    An xDSL context that knows Vyre's dialect and all of xDSL's.

    Example: `CanonicalizePass().apply(vyre.context(), module)`
    """
    ctx = Context()
    for name, dialect in (XDSL_UNIVERSE.all_dialects | get_all_dialects()).items():
        ctx.register_dialect(name, dialect)
    return ctx


def parse(
    source: str | PathLike[str],
    *,
    name: str | None = None,
    ctx: Context | None = None,
) -> ModuleOp:
    """
    Read a module and check that its programs are valid.

    A string with a line break or a brace in it is program text; any other string, and any
    path object, names a file. `name` is what diagnostics call text that is in no file.
    `ctx` is the context to parse with, by default one from `vyre.context()`.

    Raises `InvalidProgram` with a complete diagnostic, also if the file cannot be read.

    Example:

    ```python
    module = vyre.parse("reach.mlir")
    module = vyre.parse("vyre.program @nothing [1, 1, 1] {}", name="nothing")
    ```
    """
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return parse_text(source, name or "<string>", ctx or context())
    path = _file(source)
    return parse_text(decode(_read(path), str(path)), str(path), ctx or context())


def _file(source: object) -> Path:
    """The file that a path names."""
    if isinstance(source, str | PathLike) and isinstance(fspath(source), str):
        return Path(cast(str, fspath(source)))
    raise InvalidProgram(
        None,
        f"the program is {kind_of(cast(object, source))}, neither text nor a module",
        "pass the path of a file, the text of a program, or its module",
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        near = path.parent.iterdir() if path.parent.is_dir() else ()
        fix = did_you_mean(path.stem, (), {each.stem.lower(): str(each) for each in near})
        raise InvalidProgram(
            None,
            f"there is no file '{path}'",
            fix or "pass the path of a file, or text with the braces of a program",
        ) from None
    except OSError as error:
        raise InvalidProgram(
            None, f"cannot read '{path}': {error.strerror}", "pass the path of a file"
        ) from None


def parse_text(
    text: str,
    name: str,
    ctx: Context,
    *,
    implicit_module: bool = True,
    verify: bool = True,
) -> ModuleOp:
    """`parse` for text that is already at hand, as the tools need it."""
    module = SourceParser(ctx, text, name).parse_module(implicit_module)
    if verify:
        verify_module(module)
    return module


def decode(data: bytes, name: str) -> str:
    """The text of a file, which must be UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidProgram(
            None,
            f"{name}:{line}: byte {error.start} is not UTF-8 text",
            "save the file as UTF-8",
        ) from None
