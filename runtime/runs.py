"""
Runs of a prepared dispatch without all that is the same every time: many microseconds are
saved, which is much where a program takes that long.

They are there for engines that work on the caller's arrays and prepare dispatches, if
nothing has to be brought there or back, or kept for the next dispatch. Bound programs run
what is prepared for their arrays; for calls, arrays are exchanged (`vyre.runtime.calls`).
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from vyre.diagnostics import BatchRow
from vyre.runtime import telemetry
from vyre.runtime.backend import Repeatable
from vyre.runtime.deadline import Deadline
from vyre.runtime.device_array import AnyArray
from vyre.runtime.errors import batch_row, blaming_engine, labelled
from vyre.runtime.session import Session

Storage: TypeAlias = Literal["reused", "moved"]
"""What happens to the storage of results: see `vyre.runtime.telemetry.Counters`."""

_NEVER = Deadline()


class Runs:
    """
    What runs of a prepared dispatch have in common: what is counted, how long they may
    take, and who is blamed. `begins` and `ends` are what each counts as when it begins, and
    besides when it has ended well. One thread at a time may run.

    Example: `Runs(session, {}, {}).run(prepared, deadline)`
    """

    def __init__(self, session: Session, begins: dict[str, int], ends: dict[str, int]):
        self._backend = session.exe.backend.name
        self._name = session.exe.unit.name
        self.timeout = session.plan.config.timeout
        self.label = session.plan.config.label
        self._begun = {"dispatches": 1, **begins, **session.plan.route.counts}
        self._ended = telemetry.Tally(self._begun | ends)

    @staticmethod
    def of_arrays(
        session: Session, results: Mapping[str, AnyArray], storage: Storage
    ) -> "Runs":
        """Runs on arrays of the caller. `storage` is what happens to that of results."""
        given = map(session.arguments.given, session.exe.bindings.declared)
        inputs = sum(array.nbytes for array in given if array is not None)
        outputs = sum(array.nbytes for array in results.values())
        ends = {"output_bytes": outputs, f"storage_{storage}": len(results)}
        return Runs(session, {"input_bytes": inputs}, ends)

    @staticmethod
    def deadline_of(batch: "Sequence[Runs]") -> Deadline:
        """When a batch that starts now must have ended: the smallest timeout counts."""
        timeouts = [each.timeout for each in batch if each.timeout is not None]
        return Runs.deadline_for(min(timeouts) if timeouts else None)

    @staticmethod
    def deadline_for(timeout: float | None) -> Deadline:
        """When a run that starts now must have ended."""
        return _NEVER if timeout is None else Deadline(timeout)

    def deadline(self) -> Deadline:
        """The same for these runs."""
        return Runs.deadline_for(self.timeout)

    def run(
        self,
        prepared: Repeatable,
        deadline: Deadline,
        others: "Sequence[Runs]" = (),
    ) -> tuple[int, int]:
        """
        Run, and count it; gives how many passes there were, and how many launches. `others`
        are further rows of a batch, of which this one is the first.
        """
        try:
            if deadline is _NEVER:
                counts = prepared.run(deadline)
            else:
                deadline.check()
                counts = prepared.run(deadline)
                deadline.check()
        except BaseException as error:
            row = Runs._count_failure([self, *others], prepared.ended)
            what = f"launch @{self._name}"
            label = self.label if row is None and not others else row and row.label
            with labelled(label), blaming_engine(self._backend, what, row=row):
                raise error
        self._ended.count(*counts)
        for other in others:
            other._ended.count(0, 0)  # The first one has counted all launches.
        return counts

    @staticmethod
    def _count_failure(
        batch: "Sequence[Runs]", ended: Sequence[tuple[int, int]] | None
    ) -> BatchRow | None:
        """
        Count the rows that had ended before one failed, and that one, or all if nobody
        knows which one it was. Gives its place, if there are others.
        """
        count = len(batch)
        number = count - 1 if ended is None else min(len(ended), count - 1)
        for runs, counts in zip(batch[:number], ended or ()):
            runs._ended.count(*counts)
        begun = batch if ended is None else [batch[number]]
        for runs in begun:
            telemetry.add(**runs._begun)
        telemetry.add(failures=1)
        return None if ended is None else batch_row(number, count, batch[number].label)


def is_quick(session: Session) -> bool:
    """
    Whether there is no more to a dispatch than to run the program on its buffers.

    Example: `if is_quick(session): runs = Runs(session, {}, {})`
    """
    exe = session.exe
    names = exe.bindings.by_name.keys()
    return exe.backend.capabilities.whole and not exe.keeps and session.in_place == names
