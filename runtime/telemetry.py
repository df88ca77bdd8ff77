"""
Counters of all dispatches in this process.

```python
from vyre.runtime import telemetry

before = telemetry.snapshot()
exe(x=array)
print((telemetry.snapshot() - before).launches)
print(telemetry.prometheus())
```
"""

import sys
import weakref
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, fields

from vyre.fork_locks import ForkLock


@dataclass(frozen=True)
class Counters:
    """
    What has happened. Bytes in and out are those of arguments and results; uploaded and
    downloaded bytes are what really moved, which is nothing on an engine that works in
    place. Storage is reused if a result went to where the caller wanted it, and moved if
    the caller was given new storage.
    """

    dispatches: int = 0
    passes: int = 0
    launches: int = 0
    input_bytes: int = 0
    output_bytes: int = 0
    uploaded_bytes: int = 0
    downloaded_bytes: int = 0
    read_backs: int = 0
    grid_sync_splits: int = 0
    grid_sync_segments: int = 0
    grid_sync_points: int = 0
    storage_reused: int = 0
    storage_moved: int = 0
    failures: int = 0

    def __sub__(self, other: "Counters") -> "Counters":
        return Counters(*(a - b for a, b in zip(astuple(self), astuple(other))))


_HELP = {
    "dispatches": "Dispatches that were started",
    "passes": "Passes over a program, several for a fixpoint",
    "launches": "Launches of a program or segment",
    "input_bytes": "Bytes of arguments",
    "output_bytes": "Bytes of results",
    "uploaded_bytes": "Bytes that moved to an engine",
    "downloaded_bytes": "Bytes that moved from an engine",
    "read_backs": "Elements that the host read to decide how to go on",
    "storage_reused": "Results that went to storage of the caller",
    "storage_moved": "Results in new storage",
    "failures": "Dispatches that ended with an error",
}
_SPLITS = {
    "programs": "grid_sync_splits",
    "segments": "grid_sync_segments",
    "sync_points": "grid_sync_points",
}

_lock = ForkLock()
_counts = asdict(Counters())


def add(**amounts: int) -> None:
    """Count what happened, by the names of the counters."""
    _add(amounts)


def _add(amounts: Mapping[str, int], times: int = 1) -> None:
    with _lock:
        for name, amount in amounts.items():
            _counts[name] += amount * times


class Tally:
    """
    Dispatches that all count as the same, but for their passes and launches. They are added
    up when somebody asks, which makes counting one of them quick. One thread at a time may
    count; others may ask meanwhile.

    Example: `Tally({"dispatches": 1}).count(passes, launches)`
    """

    def __init__(self, amounts: Mapping[str, int]):
        self._amounts = dict(amounts)
        self._runs = self._passes = self._launches = 0
        self._added = (0, 0, 0)
        with _lock:
            _tallies.add(self)

    def count(self, passes: int, launches: int) -> None:
        """Count one more dispatch."""
        self._passes += passes
        self._launches += launches
        self._runs += 1

    def settle(self) -> None:
        """Add what was counted since the last time."""
        with _lock:
            now = self._runs, self._passes, self._launches
            runs, passes, launches = (a - b for a, b in zip(now, self._added))
            self._added = now
            _add(self._amounts, runs)
            _add({"passes": passes, "launches": launches})

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        # When Python ends there may be no lock any more, nor anybody who asks.
        if not is_finalizing():
            self.settle()


_tallies: "weakref.WeakSet[Tally]" = weakref.WeakSet()


def _settle() -> None:
    for tally in list(_tallies):
        tally.settle()


@contextmanager
def counting_failures() -> Generator[None]:
    """Count a dispatch that ends with an error."""
    try:
        yield
    except BaseException:
        add(failures=1)
        raise


def snapshot() -> Counters:
    """What has happened since the start or the last reset."""
    with _lock:
        _settle()
        return Counters(**_counts)


def reset() -> Counters:
    """Start again from zero; gives back what had been counted, so that nothing is lost."""
    with _lock:
        before = snapshot()
        _counts.update(dict.fromkeys(_counts, 0))
    return before


def prometheus() -> str:
    """The counters in the text format that Prometheus reads."""
    now = snapshot()
    lines: list[str] = []
    for field in fields(now):
        if field.name in _HELP:
            name = f"vyre_{field.name}_total"
            lines += [f"# HELP {name} {_HELP[field.name]}.", f"# TYPE {name} counter"]
            lines.append(f"{name} {getattr(now, field.name)}")
    name = "vyre_grid_sync_splits_total"
    lines += [
        f"# HELP {name} Dispatches of split programs, with their segments and grid "
        "barriers.",
        f"# TYPE {name} counter",
    ]
    for kind, counter in _SPLITS.items():
        lines.append(f'{name}{{kind="{kind}"}} {getattr(now, counter)}')
    return "\n".join(lines) + "\n"
