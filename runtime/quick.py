"""
Runs of a bound program without all that is the same every time: a few microseconds are
saved, which is much where a program takes that long.

It is there for engines that work on the caller's arrays and prepare launches, if nothing
has to be brought there or back, or kept for the next dispatch.
"""

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from vyre.dialects.vyre import ScheduleOp
from vyre.runtime import telemetry
from vyre.runtime.backend import Prepared
from vyre.runtime.deadline import Deadline
from vyre.runtime.errors import blaming_engine
from vyre.runtime.session import Session

_NEVER = Deadline()


def quick_run(
    session: Session, results: Mapping[str, NDArray[Any]]
) -> Callable[[], None] | None:
    """
    A function that runs the program of a session on its buffers; None if there is more to
    do than that.

    Example: `run = quick_run(session, {"u": field}); run()`
    """
    exe = session.exe
    declared = exe.bindings.declared
    is_whole = exe.backend.capabilities.whole
    names = {binding.name for binding in declared}
    if not is_whole or exe.keeps or session.in_place != names:
        return None
    zeros = [
        binding.name
        for binding in declared
        if binding.is_written and session.arguments.given(binding) is None
    ]
    prepared = session.prepared(zeros)
    return None if prepared is None else _Quick(session, prepared, results).run


class _Quick:
    """A prepared launch, and what is counted for each run of it."""

    def __init__(
        self, session: Session, prepared: Prepared, results: Mapping[str, NDArray[Any]]
    ):
        self._prepared = prepared
        self._backend = session.exe.backend.name
        self._name = session.exe.program.sym_name.data
        self._timeout = session.plan.config.timeout
        given = map(session.arguments.given, session.exe.bindings.declared)
        self._counts = {
            "dispatches": 1,
            "input_bytes": sum(array.nbytes for array in given if array is not None),
            "output_bytes": sum(array.nbytes for array in results.values()),
            "storage_reused": len(results),
        }
        route = session.plan.route
        if isinstance(route.unit, ScheduleOp):
            self._counts |= telemetry.split_counts(route.launch_count)

    def run(self) -> None:
        """Run, and count it."""
        deadline = _NEVER if self._timeout is None else Deadline(self._timeout)
        try:
            passes, launches = self._prepared.run(deadline)
        except BaseException as error:
            telemetry.add(failures=1, dispatches=1)
            with blaming_engine(self._backend, f"launch @{self._name}"):
                raise error
        telemetry.add(launches=launches, passes=passes, **self._counts)
