"""How a dispatch is to run: everything that is not a buffer or parameter."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, Literal, TypeAlias, cast, get_args

from vyre.runtime.errors import InvalidArgument

Mode: TypeAlias = Literal["auto", "native", "split"]
"""Grid barriers in one launch, at launch boundaries, or whichever is possible."""

Order: TypeAlias = Literal[
    "lockstep", "mirrored", "in_order", "reversed", "random", "delayed"
]
"""
How invocations take turns: all at once, from the first or the last (which only atomics can
tell apart); or workgroup by workgroup, in this order.
"""


@dataclass(frozen=True)
class DispatchConfig:
    """
    How to run. Every field can also be passed to a call by its name.

    - `grid`: workgroups, a number or up to three; inferred from the buffers if left out.
    - `workgroup`: invocations per workgroup, instead of what the program says.
    - `fixpoint_iterations`: repeat the whole program on its own results, at most so many
      times. None means one pass.
    - `check_interval`: every so many passes, stop if the pass has changed nothing; None
      makes all passes.
    - `mode`: how grid barriers are run; None leaves it to what was compiled.
    - `timeout`: seconds that the dispatch may take as a whole.
    - `max_output_bytes`: how large all results may be together.
    - `label`: a name for traces and errors.
    - `order`, `seed`: how workgroups take turns, on engines that can be told.

    Example: `exe(x=array, config=DispatchConfig(grid=4, timeout=10.0))`
    """

    grid: object = None
    workgroup: object = None
    fixpoint_iterations: int | None = None
    check_interval: int | None = 1
    mode: Mode | None = None
    timeout: float | None = None
    max_output_bytes: int | None = None
    label: str | None = None
    order: Order = "lockstep"
    seed: int = 0

    def __post_init__(self) -> None:
        _check_count("fixpoint_iterations", self.fixpoint_iterations)
        _check_count("check_interval", self.check_interval)
        _check_choice("mode", self.mode, (None, *get_args(Mode)))
        _check_choice("order", self.order, get_args(Order))
        timeout = cast(Any, self.timeout)
        if timeout is not None and not (_is_number(timeout) and timeout > 0):
            raise InvalidArgument(
                f"the timeout is {timeout}", "pass a positive number of seconds"
            )
        limit = cast(Any, self.max_output_bytes)
        if limit is not None and not (isinstance(limit, int) and limit >= 0):
            raise InvalidArgument(f"max_output_bytes is {limit}", "pass a number of bytes")

    @property
    def passes(self) -> int:
        """How many passes there may be."""
        return self.fixpoint_iterations or 1

    def with_options(self, options: Mapping[str, Any]) -> "DispatchConfig":
        """The same with other values for some fields."""
        return replace(self, **options) if options else self


OPTIONS = frozenset(field.name for field in fields(DispatchConfig))
"""What can be passed by name and is no argument of the program."""

TAKEN = OPTIONS | {"config", "into", "timed", "trace"}
"""The names that calls take for themselves; such arguments go in a dictionary."""


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and isfinite(value)


def _check_count(name: str, value: Any) -> None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    # Engines count in 64 bits.
    if value is not None and not (is_number and 1 <= value < 2**64):
        raise InvalidArgument(
            f"{name} is {value}", "pass a number from 1 to 2^64 - 1, or None"
        )


def _check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    if value not in choices:
        named = ", ".join(str(choice) for choice in choices if choice is not None)
        raise InvalidArgument(f"there is no {name} '{value}'", f"use {named}")
