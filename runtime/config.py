"""How a dispatch is to run: everything that is not a buffer or parameter."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any, Literal, TypeAlias, cast, get_args

from vyre.diagnostics import did_you_mean
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
        check_choice("mode", self.mode, (None, *get_args(Mode)))
        check_choice("order", self.order, get_args(Order))
        timeout = cast(Any, self.timeout)
        if timeout is not None and not (_is_number(timeout) and timeout > 0):
            raise InvalidArgument(
                f"the timeout is {timeout!r}",
                "pass a positive number of seconds, or leave it out",
            )
        limit = cast(Any, self.max_output_bytes)
        if limit is not None and not (isinstance(limit, int) and limit >= 0):
            raise InvalidArgument(
                f"max_output_bytes is {limit!r}", "pass a whole number of bytes"
            )
        if not isinstance(cast(Any, self.seed), int):
            raise InvalidArgument(f"the seed is {self.seed!r}", "pass a whole number")
        if not isinstance(cast(Any, self.label), str | None):
            raise InvalidArgument(f"the label is {self.label!r}", "pass text")

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

OTHER_WORDS = {
    **dict.fromkeys(("blocks", "groups", "workgroups"), "grid"),
    **dict.fromkeys(("block", "threads", "blocksize"), "workgroup"),
    **dict.fromkeys(("iterations", "passes", "fixpoint"), "fixpoint_iterations"),
    "seconds": "timeout",
    "interval": "check_interval",
}
"""What people call options."""

ELSEWHERE = {
    **dict.fromkeys(("engine", "program"), "pass it to `vyre.compile`"),
    "into": "pass it to a call of the executable, or bind these arrays",
    "kinds": "pass it to `check`",
}
"""Arguments of other functions, and what can be done with them."""


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


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """
    Refuse what is none of the choices.

    Example: `check_choice("mode", mode, ("native", "split"))`
    """
    if value not in choices:
        named = [str(choice) for choice in choices if choice is not None]
        raise InvalidArgument(
            f"there is no {name} '{value}'",
            did_you_mean(value, named) or f"use {', '.join(named)}",
        )
