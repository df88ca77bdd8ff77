"""Work for another thread, whose result is asked for later."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")

ENOUGH_STACK = 1 << 20
"""Bytes that LLVM may need; it ends the process if there are too few."""


class Ahead(Generic[T]):
    """
    What a function gives. Another thread calls it meanwhile. If that has not done it, as
    there are no more threads, they have small stacks, or it is gone after a fork, the one
    who asks does.

    Example: `later = Ahead(lambda: emitted(module, machine)); ...; later.result()`
    """

    def __init__(self, function: Callable[[], T]):
        self._function = function
        self._results: list[T] = []
        self._errors: list[BaseException] = []
        self._thread = threading.Thread(target=self._call, name="vyre ahead")
        self._is_started = False
        if 0 < threading.stack_size() < ENOUGH_STACK:
            return
        with suppress(RuntimeError):  # There may be no more threads.
            self._thread.start()
            self._is_started = True

    def _call(self) -> None:
        try:
            self._results.append(self._function())
        except BaseException as error:
            self._errors.append(error)

    def result(self) -> T:
        """The result, or the exception that was raised."""
        if self._is_started:
            self._thread.join()
        if not self._results and not self._errors:
            self._call()
        for error in self._errors:
            raise error
        return self._results[0]
