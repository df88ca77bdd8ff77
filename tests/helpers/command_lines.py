"""Command-line tools run as functions, with standard streams of their own."""

import gc
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from subprocess import CompletedProcess
from unittest.mock import patch

from xdsl.ir import Attribute
from xdsl.utils.diagnostic import Diagnostic


def run_tool(
    main: Callable[[], object], *args: object, stdin: str = "", merged: bool = False
) -> CompletedProcess[str]:
    """
    Runs the `main` of a tool in this process and returns what a process would have given.
    If `merged`, standard error goes to standard output.

    Example: `run_tool(vyre_opt.main, "-p", "cse", stdin=text).stdout`
    """
    module = getattr(main, "__module__", "script")
    name = module.rsplit(".", 1)[-1].replace("_", "-")
    argv = [name, *map(str, args)]
    out, err = _stream(), _stream()
    with (
        redirect_stdout(out),
        redirect_stderr(out if merged else err),
        patch.object(sys, "stdin", _stream(stdin)),
        patch.object(sys, "argv", argv),
        patch.dict(os.environ),
        # xDSL changes these for `--disable-verify` and `--syntax-highlight`.
        patch.object(Attribute, "__post_init__", Attribute.__post_init__),
        patch.object(Diagnostic, "colored", Diagnostic.colored),
        warnings.catch_warnings(),
    ):
        # A process that ends closes its files.
        warnings.simplefilter("ignore", ResourceWarning)
        code = _exit_code(main)
        if code:
            gc.collect()
    return CompletedProcess[str](argv, code, _text(out), _text(err))


def _exit_code(main: Callable[[], object]) -> int:
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _stream(text: str = "") -> TextIOWrapper:
    return TextIOWrapper(BytesIO(text.encode()), "utf-8", newline="")


def _text(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
