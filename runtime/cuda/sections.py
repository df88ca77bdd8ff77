"""What is enqueued between two looks of the host: a tape, and what to know about it."""

from collections import Counter
from dataclasses import dataclass, field

from vyre.runtime.cuda.tape import Step, Tape
from vyre.runtime.cuda.traps import RECORDS, TrappingLaunch
from vyre.runtime.cuda.watchdog import WatchedLaunch

MOST_STEPS = 96
"""What is enqueued at once: several times that must fit in a stream's queue."""


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a pass. `trapping` are the launches that may trap, each of which has a
    record, in order."""

    tape: Tape
    trapping: tuple[TrappingLaunch, ...]
    launches: Counter[str]
    """How often each program is launched."""
    watched: WatchedLaunch | None = None
    """The last launch, if it has a watchdog."""


@dataclass(eq=False)
class SectionBuilder:
    """
    A section while it is written.

    Example: `builder.steps.append(ClearStep(address, 4)); builder.section()`
    """

    steps: list[Step] = field(default_factory=list[Step])
    trapping: list[TrappingLaunch] = field(default_factory=list[TrappingLaunch])
    launches: Counter[str] = field(default_factory=Counter[str])
    watched: WatchedLaunch | None = None

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another launch."""
        is_long = len(self.steps) >= MOST_STEPS or len(self.trapping) == RECORDS
        return is_long or self.watched is not None

    def section(self) -> Section:
        """All that was added."""
        return Section(tuple(self.steps), tuple(self.trapping), self.launches, self.watched)
