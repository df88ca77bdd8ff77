"""A program bound to arrays of the caller, to run on them in place."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from typing_extensions import override

from vyre.runtime import telemetry
from vyre.runtime.arguments import check_writable
from vyre.runtime.backend import Prepared
from vyre.runtime.binding import Arguments
from vyre.runtime.config import DispatchConfig
from vyre.runtime.device_array import DeviceArray, as_owned
from vyre.runtime.held import NOTHING, Held
from vyre.runtime.passes import Report
from vyre.runtime.runs import Runs, is_quick
from vyre.runtime.trace import Trace

if TYPE_CHECKING:
    from vyre.runtime.executable import Executable

Array = NDArray[Any]


class Bound(Held):
    """
    A program with its arguments. Each call runs it on the arrays as they are then, writes
    its results to them, and gives these by name. Outputs that were not passed have arrays
    here, which every call writes again.

    Example:

    ```python
    step = exe.bind(u=field, n=100)
    for _ in range(1000):
        step()
    field  # has changed
    ```
    """

    def __init__(
        self,
        exe: "Executable",
        arguments: Arguments,
        config: DispatchConfig,
        trace: Trace | None,
    ):
        self._written = exe.bindings.written
        for binding in self._written:
            if binding.name in arguments.arrays:
                check_writable(binding.name, arguments.arrays[binding.name])
        super().__init__(exe, arguments, config, trace)
        self._homes = dict(arguments.arrays)
        for binding in self._written:
            if binding.name not in self._homes:
                self._homes[binding.name] = self._session.new_home(binding)
        self._results = {
            binding.name: self._session.new_result(binding, self._homes[binding.name])
            for binding in self._written
        }
        self.results = {name: as_owned(array) for name, array in self._results.items()}
        """The arrays that every call writes to."""
        self._lay_out(self._session.homes_in_place(self._homes))
        self._prepared: Prepared | None = None
        if trace is None and is_quick(self._session) and self._are_whole():
            written = (b for b in self._written if arguments.given(b) is None)
            self._prepared = self._session.prepared([binding.name for binding in written])
        self._runs = Runs.of_arrays(self._session, self._results, "reused")

    def _are_whole(self) -> bool:
        """Whether no result has to be copied in the end."""
        pairs = ((self._homes[name], self._results[name]) for name in self._results)
        return all(
            not isinstance(result, DeviceArray) or result is home for home, result in pairs
        )

    def __call__(
        self, arguments: Mapping[str, object] = NOTHING, /, **named: Any
    ) -> dict[str, Array]:
        """
        Run. Parameters and options may be others than were bound.

        Example: `step(n=50)`
        """
        if self._prepared is None or arguments or named:
            self.run(arguments, **named)
        else:
            with self._session.lock:
                self._check_open()
                self._runs.run(self._prepared, self._runs.deadline())
        return self.results

    def run(
        self,
        arguments: Mapping[str, object] = NOTHING,
        /,
        *,
        timed: bool = False,
        **named: Any,
    ) -> Report:
        """Run, and say what it took."""
        report = self._dispatch(arguments, named, timed=timed)
        telemetry.add(
            output_bytes=sum(array.nbytes for array in self._results.values()),
            storage_reused=len(self._results),
        )
        return report

    @override
    def _begin(self) -> None:
        for binding in self._exe.bindings.declared:
            self._session.fill(binding, self._homes.get(binding.name))

    @override
    def _end(self) -> None:
        for binding in self._written:
            name = binding.name
            self._session.fetch(binding, self._homes[name], self._results[name])
