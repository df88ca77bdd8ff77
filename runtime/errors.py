"""
What can go wrong when a program is compiled or runs.

| error | number | when |
|---|---|---|
| `OutOfMemory` | 1001 | an engine has not enough memory |
| `UnsupportedFeature` | 1002 | an engine cannot do what the program or caller asks for |
| `CompileFailed` | 1004 | an engine could not compile a program |
| `DispatchFailed` | 1005 | a transfer or launch failed |
| `InvalidProgram`, `InvalidArgument` | 1006 | what was given breaks a rule |
| `DoesNotFit` | 1007 | more was asked for than there is room for |
| `DeviceLost` | 1008 | the device is gone, with everything on it |
| `Trapped` | 1009 | an invocation executed a `vyre.trap` |
| `Timeout` | 1010 | the dispatch took longer than it may |
| `DivergentBarrier` | 1011 | some invocations came to a barrier that others missed |

All are `VyreError`s: `cause` says what is wrong, `fix` what can be done, `number` stays the
same in all versions, and `segment` tells the launch of a split program in which it
happened, if it was one.
"""

from collections.abc import Generator
from contextlib import contextmanager

from xdsl.ir import Operation

from vyre.diagnostics import BatchRow, LocatedError, Segment, VyreError
from vyre.dialects.vyre import TrapOp


class OutOfMemory(VyreError):
    """There is not enough memory for the dispatch."""

    number = 1001


class UnsupportedFeature(LocatedError):
    """The engine cannot do what the program asks for."""

    number = 1002

    def __init__(self, cause: str, fix: str, at: Operation | None = None):
        super().__init__(at, cause, fix)


class CompileFailed(VyreError):
    """The engine could not compile a program."""

    number = 1004


class DispatchFailed(VyreError):
    """A transfer or launch failed for a reason that only the engine knows."""

    number = 1005


class InvalidArgument(VyreError):
    """An argument of a dispatch is missing, unknown, misshapen, mistyped or misplaced."""

    number = 1006


class DoesNotFit(VyreError):
    """
    More was asked for than there is room for: `needed` against `limit`. Either a grid whose
    workgroups cannot all wait for each other at once, or results beyond the caller's limit.
    """

    number = 1007

    def __init__(self, cause: str, fix: str, *, needed: int, limit: int):
        super().__init__(cause, fix)
        self.needed = needed
        self.limit = limit


class DeviceLost(VyreError):
    """The device is gone, and so is everything that was on it."""

    number = 1008


class Trapped(LocatedError):
    """
    An invocation executed a `vyre.trap`.

    `invocation` is the linear id of the first one that did, in its `wave` if it is of one,
    `tag` the trap's text and `value` what it passed, if anything.
    """

    number = 1009

    def __init__(self, at: Operation, tag: str, invocation: int, value: object):
        shown = "" if value is None else f" at {value}"
        wave = at.wave if isinstance(at, TrapOp) else None
        self.wave = None if wave is None else wave.data
        where = "" if wave is None else f' of wave "{wave.data}"'
        super().__init__(
            at,
            f'invocation {invocation}{where} trapped: "{tag}"{shown}',
            "find out why the program came here; buffers are unspecified now",
        )
        self.tag = tag
        self.invocation = invocation
        self.value = value


class Timeout(VyreError):
    """The dispatch took longer than it may."""

    number = 1010


class DivergentBarrier(LocatedError):
    """Some invocations came to a barrier that others did not come to."""

    number = 1011

    def __init__(self, cause: str, fix: str, at: Operation):
        super().__init__(at, cause, fix)
        self.barrier = at


_LOST = (
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
)
"""What drivers call it."""


def is_device_lost(error: VyreError) -> bool:
    """
    Whether to build everything anew and try again. Engines of others raise what they like,
    which arrives as `DispatchFailed` with their words.

    Example: `is_device_lost(DispatchFailed("VK_ERROR_DEVICE_LOST", "..."))`
    """
    if isinstance(error, DispatchFailed):
        text = str(error).lower()
        return any(words in text for words in _LOST)
    return isinstance(error, DeviceLost)


def batch_row(index: int, count: int, label: str | None) -> BatchRow | None:
    """
    The place of a dispatch in a batch; None if it is the only one.

    Example: `batch_row(1, 3, "second")`
    """
    return BatchRow(index, count, label) if count > 1 else None


@contextmanager
def labelled(label: str | None) -> Generator[None]:
    """
    Give errors the label of the dispatch.

    Example: `with labelled(config.label): ...`
    """
    try:
        yield
    except VyreError as error:
        error.label = error.label or label
        raise


@contextmanager
def blaming_engine(
    engine: str,
    what: str,
    segment: Segment | None = None,
    otherwise: type[CompileFailed | DispatchFailed] = DispatchFailed,
    row: BatchRow | None = None,
) -> Generator[None]:
    """
    Turn whatever an engine raises into an error of this file, which knows its segment, and
    its row in a batch.

    Example: `with blaming_engine("reference", "upload 'a'"): ...`
    """
    try:
        yield
    except VyreError as error:
        error.segment = error.segment or segment
        error.row = error.row or row
        raise
    except MemoryError as error:
        failure = OutOfMemory(
            f"engine '{engine}' ran out of memory when it was to {what}",
            "use a smaller grid or smaller buffers, with a loop in the program",
        )
        failure.segment, failure.row = segment, row
        raise failure from error
    except Exception as error:
        text = str(error).strip() or "no further words"
        failure = otherwise(
            f"engine '{engine}' could not {what}: {type(error).__name__}: {text}",
            "try another engine; if this one is not yours, report it",
        )
        failure.segment, failure.row = segment, row
        raise failure from error
