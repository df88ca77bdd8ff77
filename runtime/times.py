"""How long launches took."""

from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Times:
    """
    Nanoseconds: on the device, until the work was handed over, and until it was waited
    for. None is what nobody knows.

    Example: `Times(device=1200) + Times(device=800)` has 2000 ns on the device.
    """

    device: int | None = None
    enqueue: int | None = None
    wait: int | None = None

    def __add__(self, other: "Times") -> "Times":
        sums: dict[str, int | None] = {}
        for field in fields(self):
            here, there = getattr(self, field.name), getattr(other, field.name)
            sums[field.name] = None if here is None or there is None else here + there
        return Times(**sums)


NO_TIME = Times(0, 0, 0)
"""What nothing takes."""


def total(times: Iterable[Times]) -> Times:
    """The sum; what is unknown for one is unknown for all."""
    found = list(times)
    return sum(found[1:], found[0]) if found else NO_TIME
