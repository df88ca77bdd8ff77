"""
What kind of failure an error is: whether it helps to build everything anew, to wait, or
only to change the program.

| class | what can be done |
|---|---|
| `DEVICE_LOST` | build the pipeline and its buffers anew, and try again |
| `TRANSIENT` | try again later, or with less |
| `PROGRAM` | change the program or its arguments |
| `UNKNOWN` | nobody knows |

Errors of the runtime have types that say it. Engines of others raise what they like, which
arrives as `DispatchFailed` with their words; these are searched for the names that drivers
have for such things. A lost device is looked for first, since everything else fails behind
it too.
"""

from enum import Enum, auto

from vyre.diagnostics import InvalidProgram
from vyre.runtime.errors import (
    CompileFailed,
    DeviceLost,
    DivergentBarrier,
    DoesNotFit,
    InvalidArgument,
    OutOfMemory,
    Timeout,
    Trapped,
    UnsupportedFeature,
)


class FailureClass(Enum):
    """What kind of failure an error is."""

    DEVICE_LOST = auto()
    TRANSIENT = auto()
    PROGRAM = auto()
    UNKNOWN = auto()


_TYPES: tuple[tuple[type[Exception], FailureClass], ...] = (
    (DeviceLost, FailureClass.DEVICE_LOST),
    (OutOfMemory, FailureClass.TRANSIENT),
    (Timeout, FailureClass.TRANSIENT),
    (CompileFailed, FailureClass.PROGRAM),
    (DivergentBarrier, FailureClass.PROGRAM),
    (DoesNotFit, FailureClass.PROGRAM),
    (InvalidArgument, FailureClass.PROGRAM),
    (InvalidProgram, FailureClass.PROGRAM),
    (Trapped, FailureClass.PROGRAM),
    (UnsupportedFeature, FailureClass.PROGRAM),
)

_WORDS: tuple[tuple[FailureClass, tuple[str, ...]], ...] = (
    (
        FailureClass.DEVICE_LOST,
        (
            "device lost",
            "devicelost",
            "error_device_lost",
            "error_device_removed",
            "error_device_reset",
            "error_device_hung",
            "lost device",
            "context lost",
            "adapter lost",
            "gpu reset",
            "stale pipeline",
        ),
    ),
    (
        FailureClass.TRANSIENT,
        (
            "queue full",
            "backpressure",
            "temporarily unavailable",
            "try again",
            "would block",
            "timeout",
            "timed out",
            "out of memory",
        ),
    ),
    (
        FailureClass.PROGRAM,
        ("invalid", "unsupported", "not supported", "misaligned", "out of bounds"),
    ),
)


def failure_class(error: BaseException) -> FailureClass:
    """
    What kind of failure an error is.

    Example: `failure_class(OutOfMemory("...", "..."))` is `FailureClass.TRANSIENT`.
    """
    for kind, found in _TYPES:
        if isinstance(error, kind):
            return found
    text = str(error).lower()
    for found, words in _WORDS:
        if any(word in text for word in words):
            return found
    return FailureClass.UNKNOWN
