"""
`python -m vyre.testing NAME`: run an engine through the conformance suite.

NAME is an engine that `vyre.compile` knows, or `package.module:Class`. The exit code is 1
if a case fails.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, cast

from vyre.diagnostics import VyreError
from vyre.runtime.backend import Backend
from vyre.runtime.backends import backend_names, find_backend
from vyre.testing.conformance import check_backend


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of outcomes."""
    parser = argparse.ArgumentParser(
        "python -m vyre.testing", description="Run an engine through the conformance suite."
    )
    names = ", ".join(backend_names())
    parser.add_argument("name", help=f"package.module:Class, or one of {names}")
    name = parser.parse_args(arguments).name
    try:
        report = check_backend(_maker(name))
    except VyreError as error:
        print(error, file=sys.stderr)
        return 1
    print(report)
    return 0 if report.ok else 1


def _maker(name: str) -> Callable[[], Backend]:
    """What makes the engine."""
    if ":" not in name:
        find_backend(name)
        return partial(find_backend, name)
    module, _, attribute = name.partition(":")
    try:
        make: Any = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise VyreError(
            f"there is no '{name}': {error}", "pass package.module:Class"
        ) from error
    if not (callable(make) and isinstance(make(), Backend)):
        raise VyreError(
            f"'{name}' makes no engine", "derive it from vyre.runtime.backend.Backend"
        )
    return cast(Callable[[], Backend], make)


if __name__ == "__main__":
    sys.exit(main())
