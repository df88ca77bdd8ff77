"""
What a dispatch did when, as a file for Perfetto or `chrome://tracing`.

```python
trace = vyre.Trace()
exe(x=array, trace=trace)
trace.save("dispatch.json")
```
"""

import json
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias, cast

from vyre.diagnostics import kind_of
from vyre.runtime.errors import InvalidArgument

Track: TypeAlias = Literal["dispatch", "segments", "transfers", "host"]

_TRACKS: tuple[Track, ...] = ("dispatch", "segments", "transfers", "host")


class Trace:
    """
    Collects spans of time. Dispatches, segments, transfers and what the host does besides
    have tracks of their own, per thread.

    Example: `exe(x=array, trace=trace)`
    """

    def __init__(self) -> None:
        self._origin = time.perf_counter_ns()
        self._events: list[dict[str, Any]] = []
        self._threads: dict[int, int] = {}
        self._lock = threading.Lock()

    @contextmanager
    def span(self, track: Track, name: str, **details: object) -> Generator[None]:
        """The time that the block takes, also if it fails."""
        start = time.perf_counter_ns()
        try:
            yield
        finally:
            end = time.perf_counter_ns()
            self._add(track, name, start, end, details)

    def _add(
        self, track: Track, name: str, start: int, end: int, details: dict[str, object]
    ) -> None:
        with self._lock:
            thread = self._threads.setdefault(threading.get_ident(), len(self._threads))
            self._events.append(
                {
                    "name": name,
                    "cat": track,
                    "ph": "X",
                    "pid": os.getpid(),
                    "tid": thread * len(_TRACKS) + _TRACKS.index(track),
                    "ts": (start - self._origin) / 1e3,
                    "dur": (end - start) / 1e3,
                    "args": details,
                }
            )

    def events(self) -> list[dict[str, Any]]:
        """What was recorded, in the trace event format, after the names of the tracks."""
        with self._lock:
            names = [
                {
                    "name": "thread_name",
                    "ph": "M",
                    "pid": os.getpid(),
                    "tid": thread * len(_TRACKS) + number,
                    "args": {"name": track if not thread else f"{track} (thread {thread})"},
                }
                for thread in self._threads.values()
                for number, track in enumerate(_TRACKS)
            ]
            return names + list(self._events)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file."""
        Path(path).write_text(self.document(), encoding="utf-8")

    def document(self) -> str:
        """The contents of the file."""
        return json.dumps({"traceEvents": self.events(), "displayTimeUnit": "ns"})


@contextmanager
def saved_trace(trace: Trace | str | PathLike[str] | None) -> Generator[Trace | None]:
    """
    The trace itself, or a new one that is written to a file in the end. A file that cannot
    be written is refused at the beginning.
    """
    if trace is None or isinstance(trace, Trace):
        yield trace
        return
    made = Trace()
    with _opened(trace) as file:
        try:
            yield made
        finally:
            file.write(made.document())


def _opened(path: object) -> TextIO:
    if not isinstance(path, str | PathLike):
        raise InvalidArgument(f"the trace is {kind_of(path)}", "pass a Trace, or a path")
    try:
        return open(cast(PathLike[str], path), "w", encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(
            f"the trace cannot be written to '{path}': {error.strerror}",
            "pass a path that can be written",
        ) from error
