"""
Dispatches without all that is the same every time: many microseconds are saved, which is
much where a program takes that long.

It is there for engines that work on the caller's arrays and prepare dispatches, if nothing
has to be brought there or back, or kept for the next dispatch. Bound programs run what is
prepared for their arrays; for calls, arrays are exchanged (`vyre.runtime.recipes`).
"""

from collections.abc import Mapping
from typing import Literal

from vyre.runtime import telemetry
from vyre.runtime.backend import Repeatable
from vyre.runtime.deadline import Deadline
from vyre.runtime.device_array import AnyArray
from vyre.runtime.errors import blaming_engine
from vyre.runtime.session import Session

_NEVER = Deadline()


class QuickRuns:
    """
    What runs of a prepared dispatch have in common: what is counted, how long they may
    take, and who is blamed. `begins` and `ends` are what each counts as when it begins, and
    besides when it has ended well; `tally` is one in which threads may count that run at
    once, if they do.

    Example: `QuickRuns(session, {}, {}).run(prepared, deadline)`
    """

    def __init__(
        self,
        session: Session,
        begins: dict[str, int],
        ends: dict[str, int],
        tally: type[telemetry.Tally] = telemetry.Tally,
    ):
        self._backend = session.exe.backend.name
        self._name = session.exe.unit.name
        self._timeout = session.plan.config.timeout
        self._begun = {"dispatches": 1, **begins}
        route = session.plan.route
        if route.unit.outline.is_schedule:
            self._begun |= telemetry.split_counts(route.launch_count)
        self._ended = tally(self._begun | ends)

    @staticmethod
    def of_arrays(
        session: Session,
        results: Mapping[str, AnyArray],
        storage: Literal["reused", "moved"],
        tally: type[telemetry.Tally] = telemetry.Tally,
    ) -> "QuickRuns":
        """Runs on arrays of the caller. `storage` is what happens to that of results."""
        given = map(session.arguments.given, session.exe.bindings.declared)
        inputs = sum(array.nbytes for array in given if array is not None)
        outputs = sum(array.nbytes for array in results.values())
        ends = {"output_bytes": outputs, f"storage_{storage}": len(results)}
        return QuickRuns(session, {"input_bytes": inputs}, ends, tally)

    def deadline(self) -> Deadline:
        """When a run that starts now must have ended."""
        return _NEVER if self._timeout is None else Deadline(self._timeout)

    def run(self, prepared: Repeatable, deadline: Deadline) -> tuple[int, int]:
        """Run, and count it; gives how many passes there were, and how many launches."""
        passes = launches = 0
        try:
            if deadline is _NEVER:
                passes, launches = prepared.run(deadline)
            else:
                deadline.check()
                passes, launches = prepared.run(deadline)
                deadline.check()
        except BaseException as error:
            telemetry.add(failures=1, passes=passes, launches=launches, **self._begun)
            with blaming_engine(self._backend, f"launch @{self._name}"):
                raise error
        self._ended.count(passes, launches)
        return passes, launches

    def count_along(self) -> None:
        """Count a run that was part of another one, which has counted its launches."""
        self._ended.count(0, 0)


def is_quick(session: Session) -> bool:
    """
    Whether there is no more to a dispatch than to run the program on its buffers.

    Example: `is_quick(session) and session.prepared([])`
    """
    exe = session.exe
    names = exe.bindings.by_name.keys()
    return exe.backend.capabilities.whole and not exe.keeps and session.in_place == names
