"""
Signal handlers that wait.

Python runs signal handlers between any two of its instructions, also in a `__del__` that
runs when a call of LLVM has returned. There an exception is printed and forgotten. In
llvmlite it may also come between taking a lock and what releases it. So Ctrl-C would be
lost, or the next compilation would wait forever. While LLVM is used, signals are kept, and
their handlers run afterwards.
"""

import inspect
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]


@contextmanager
def signals_kept() -> Generator[None]:
    """
    Let Python's signal handlers wait until the end, where one may raise an exception. Only
    the main thread runs any.

    Example: `with signals_kept(): optimise(module, machine, 3)`
    """
    with ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    stack.enter_context(_kept(number, handler))
        yield


@contextmanager
def _kept(number: int, handler: Handler) -> Generator[None]:
    came: list[int] = []

    def keep(number: int, _: FrameType | None) -> None:
        # The frame would keep alive what is in it, for the garbage collector to free it in
        # any order; LLVM's modules must go before their contexts.
        came.append(number)

    try:
        signal.signal(number, keep)
        yield
    finally:
        signal.signal(number, handler)
        if came:
            handler(number, inspect.currentframe())
