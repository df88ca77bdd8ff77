"""What bound and resident programs have in common: a session that is held for many runs."""

import time
import weakref
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from vyre.runtime.binding import Arguments
from vyre.runtime.config import DispatchConfig
from vyre.runtime.deadline import Deadline
from vyre.runtime.device_array import AnyArray
from vyre.runtime.errors import InvalidArgument, labelled
from vyre.runtime.passes import Report
from vyre.runtime.session import DispatchPlan, Session
from vyre.runtime.trace import Trace

if TYPE_CHECKING:
    from vyre.runtime.executable import Executable

NOTHING: Mapping[str, Any] = MappingProxyType({})


class Held:
    """
    Memory on an engine that is freed by `close`, at the end of a `with` block, or when
    nobody needs it any more. Several threads may use it; they take turns.
    """

    def __init__(
        self,
        exe: "Executable",
        arguments: Arguments,
        config: DispatchConfig,
        trace: Trace | None,
    ):
        self._exe = exe
        self._session = Session(exe, arguments, config, trace)
        self._free = weakref.finalize(self, self._session.device.abandon)

    def close(self) -> None:
        """Free the memory. A second time does nothing."""
        with self._session.lock:
            if self._free.detach() is not None:
                self._session.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._session.lock:
            self._free.detach()
            self._session.device.__exit__(kind, error, trace)

    def _lay_out(self, homes: Mapping[str, AnyArray]) -> None:
        """Make the buffers, or free what was made."""
        try:
            self._session.open(homes)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def _check_open(self) -> None:
        if not self._free.alive:
            raise InvalidArgument("the memory was freed", "run it before it is closed")

    def _dispatch(
        self, arguments: Mapping[str, object], named: Mapping[str, Any], *, timed: bool
    ) -> Report:
        """One run. What is refused is so before anything has changed."""
        session = self._session
        label = session.plan.config.label
        with labelled(label), session.lock, self._exe.keeping():
            self._check_open()
            started = time.perf_counter_ns()
            plan, scalars = self._replanned(arguments, named)
            deadline = Deadline(plan.config.timeout)
            with session.dispatching(plan):
                self._begin()
                work = session.work(plan, scalars, deadline, timed=timed)
                work.run()
                self._end()
                session.keep_persistent()
        return work.report(started)

    def _begin(self) -> None:
        """Bring arguments to the engine, if every run does."""

    def _end(self) -> None:
        """Bring results back, if every run does."""

    def _replanned(
        self, arguments: Mapping[str, object], named: Mapping[str, Any]
    ) -> tuple[DispatchPlan, dict[str, np.generic]]:
        """The plan for a run whose parameters and options may be others than at first."""
        session = self._session
        if not arguments and not named:
            return session.plan, {}
        bindings = self._exe.bindings
        given, config = self._exe.sorted_out(
            arguments, session.plan.config, named, held=bindings.names
        )
        bindings.check_known(given)
        for name in given:
            if name in bindings.by_name:
                raise InvalidArgument(
                    f"buffer '{name}' is held already",
                    "pass parameters and options only, or hold another one",
                )
        return self._exe.plan(session.arguments, config), bindings.scalars(given)
