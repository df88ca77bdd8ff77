"""How tools end when something goes wrong: one diagnostic, exit code 1, no traceback."""

import os
import re
import sys
import traceback
from argparse import ArgumentParser
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TextIO

from xdsl.ir import Operation
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    ShrinkException,
)

from vyre.diagnostics import VyreError, did_you_mean, invalid
from vyre.dialects.refusal import Refusal

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

TRACEBACK = "VYRE_TRACEBACK"
"""Set this environment variable to see the traceback of an internal error."""


@contextmanager
def blaming(culprit: str, module: Operation) -> Generator[None]:
    """
    Turn whatever `culprit` raises while it works on `module` into a diagnostic.

    Example: `with blaming("pass 'cse'", module): ...`
    """
    try:
        yield
    except (VyreError, ParseError, ShrinkException):
        raise
    except Refusal as refusal:
        raise invalid(module, refusal) from None
    except DiagnosticException as error:
        raise VyreError(
            f"{culprit} failed: {_first_line(error)}",
            "change the program so that it can be applied, or leave it out",
        ) from None
    except RecursionError:
        raise VyreError(
            f"{culprit} failed: the program is nested too deeply for it",
            "nest less deeply",
        ) from None
    except Exception as error:
        raise _internal_error(culprit, error) from error


def report_failures(run: Callable[[], None]) -> int:
    """
    Run a tool and return its exit code, reporting any failure on standard error.

    Example: `sys.exit(report_failures(lambda: VyreOptMain().run()))`
    """
    try:
        run()
        flush_output()
        return 0
    except VyreError as error:
        failure = error
    except ArgSpecParseError as error:
        failure = VyreError(str(error).strip(), "write passes as `name{option=value},name`")
    except BrokenPipeError:
        # Whoever read our output has gone; Python must not flush into the void at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        what = "writing the output failed" if error.filename is None else ""
        what = what or f"cannot open '{error.filename}'"
        failure = VyreError(f"{what}: {error.strerror}", "check path and free space")
    except KeyboardInterrupt:
        print(VyreError("interrupted", "run it again"), file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        failure = _internal_error("the tool", error)
        failure.__cause__ = error
    if failure.__cause__ is not None and TRACEBACK in os.environ:
        traceback.print_exception(failure.__cause__)
    print(failure, file=sys.stderr)
    return 1


def refused(parser: ArgumentParser, message: str) -> VyreError:
    """
    What to say when a command line cannot be understood: an option may be misspelt.

    Example: `raise refused(parser, "unrecognized arguments: --gird 2")`
    """
    words = re.findall(r"(?<=arguments: )-[\w-]+|(?<=choice: ').*?(?=')", message)
    known = re.findall(r"--[\w-]+", parser.format_help())
    if "choose from" in message:
        known = re.findall(r"[\w-]+", message.split("choose from")[1])
    fixes = [did_you_mean(word, known) for word in words[:1]]
    return VyreError(message, next(filter(None, fixes), f"see `{parser.prog} --help`"))


def flush_output() -> None:
    """Standard output may be closed, and is None then."""
    output: TextIO | None = sys.stdout
    if output is not None:
        output.flush()


def _internal_error(culprit: str, error: Exception) -> VyreError:
    return VyreError(
        f"{culprit} broke down: {type(error).__name__}: {_first_line(error)}",
        f"this is a bug; set {TRACEBACK}=1 and report what is printed then",
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
