"""What can go wrong when a program runs."""

from xdsl.ir import Operation

from vyre.diagnostics import LocatedError, VyreError


class InvalidArgument(VyreError):
    """An argument of a dispatch is missing, unknown, misshapen, mistyped or misplaced."""


class UnsupportedFeature(LocatedError):
    """The engine cannot do what the program asks for."""

    def __init__(self, cause: str, fix: str, at: Operation | None = None):
        super().__init__(at, cause, fix)


class DivergentBarrier(LocatedError):
    """Some invocations came to a barrier that others did not come to."""

    def __init__(self, cause: str, fix: str, at: Operation):
        super().__init__(at, cause, fix)
        self.barrier = at


class Trapped(LocatedError):
    """
    An invocation executed a `vyre.trap`.

    `invocation` is the linear id of the first one that did, `tag` the trap's text and
    `value` what it passed, if anything.
    """

    def __init__(self, at: Operation, tag: str, invocation: int, value: object):
        shown = "" if value is None else f" at {value}"
        super().__init__(
            at,
            f'invocation {invocation} trapped: "{tag}"{shown}',
            "find out why the program came here; buffers are unspecified now",
        )
        self.tag = tag
        self.invocation = invocation
        self.value = value


class OutOfMemory(VyreError):
    """There is not enough memory for the dispatch."""


class Timeout(VyreError):
    """The dispatch took longer than it may."""
