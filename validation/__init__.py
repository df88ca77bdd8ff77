"""
Does a schedule mean what its program means?

`validate` proves it for every grid and every input, by one walk over both, or raises
`InvalidSplit`. It shares no decision with the passes that make schedules: it knows the
dialect, and the tables of what operations do.
"""

from dataclasses import dataclass

from vyre.collector import paused_collector
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.dialects.vyre.host import programs_in
from vyre.validation.equality import NotPermuted
from vyre.validation.lockstep import Lockstep
from vyre.validation.report import REQUEST, InvalidSplit, Mismatch

__all__ = ["InvalidSplit", "Validated", "validate"]


@dataclass(frozen=True)
class Validated:
    """
    What was proved to be equal.

    Example: `str(validate(program, schedule))`
    """

    launches: int
    effects: int
    slots: int
    trusted: tuple[str, ...] = ()
    """Passes before the split, which were not looked at."""

    def __str__(self) -> str:
        trusted = ", ".join((*self.trusted, "vyre-verify-program", "the engine"))
        return (
            f"{self.launches} launches, {self.effects} effects, {self.slots} slots; "
            f"trusted: {trusted}"
        )


def validate(program: ProgramOp, schedule: ScheduleOp) -> Validated:
    """
    Prove that a schedule does what a program does, or raise `InvalidSplit`. The programs
    that it launches stand beside it; all of them verify.

    Example: `validate(program, schedule).launches`
    """
    assert schedule.parent is not None
    segments = programs_in(schedule.parent)
    try:
        with paused_collector():
            walk = Lockstep(program, schedule, segments)
            walk.run()
    except Mismatch as mismatch:
        at = schedule if mismatch.at is None else mismatch.at
        raise InvalidSplit(at, mismatch.cause, REQUEST, mismatch.notes) from None
    except NotPermuted as error:
        cause = "two arguments of a launch may be one buffer, and are not marked"
        raise InvalidSplit(error.loop.op, cause, REQUEST) from None
    side = walk.schedule
    return Validated(side.launches, walk.effects, len(side.slots))
