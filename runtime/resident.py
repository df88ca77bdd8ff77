"""A program whose buffers stay on the engine from one run to the next."""

from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from typing_extensions import override

from vyre.diagnostics import did_you_mean
from vyre.runtime import telemetry
from vyre.runtime.arguments import as_array, check_writable, element_range, zeros
from vyre.runtime.binding import Arguments, Binding
from vyre.runtime.config import DispatchConfig
from vyre.runtime.device_array import as_owned
from vyre.runtime.device_buffer import DeviceBuffer, held_buffers
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.held import NOTHING, Held
from vyre.runtime.passes import Report
from vyre.runtime.trace import Trace

if TYPE_CHECKING:
    from vyre.runtime.executable import Executable

Array = NDArray[Any]


class Resident(Held):
    """
    Buffers that are uploaded once. Runs go on from where the last one ended: outputs are
    zeros at first and are not cleared between runs. Ranges are read and written when
    somebody wants them; the caller's arrays are never touched. Device buffers that were
    passed are used in place.

    Example:

    ```python
    with exe.resident(u=field, n=100) as held:
        held.run()
        held.run(n=50)
        held.read("u", 0, 10)
    ```
    """

    def __init__(
        self,
        exe: "Executable",
        arguments: Arguments,
        config: DispatchConfig,
        trace: Trace | None,
    ):
        super().__init__(exe, arguments, config, trace)
        held = held_buffers(arguments.arrays)
        self._lay_out(held)
        try:
            with exe.keeping():
                for binding in exe.bindings.declared:
                    self._session.fill(binding, held.get(binding.name))
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def run(
        self,
        arguments: Mapping[str, object] = NOTHING,
        /,
        *,
        timed: bool = False,
        **named: Any,
    ) -> Report:
        """
        Run on the buffers as they are, and say what it took. Parameters and options may be
        others than at first.

        Example: `held.run(fixpoint_iterations=10).passes`
        """
        return self._dispatch(arguments, named, timed=timed)

    @override
    def _begin(self) -> None:
        self._session.load_persistent()

    def read(
        self,
        name: str,
        start: int | None = None,
        stop: int | None = None,
        *,
        into: object = None,
    ) -> Array:
        """
        Elements of a buffer, in row-major order; if no range is given, what a call gives
        back: all of them in its shape, or the output range that the program declares. With
        `into` they go to an array of the caller.

        Example: `held.read("u", 16, 32)`
        """
        with self._session.lock, self._exe.keeping():
            self._check_open()
            binding = self.binding(name)
            shape = self._session.arguments.shape(binding)
            if self._session.is_kept(name):
                self._session.fill(binding)
            if start is None and stop is None:
                start, stop = binding.result_bounds(shape)
            begin, end = element_range(name, start, stop, prod(shape))
            if (begin, end) != (0, prod(shape)):
                shape = (end - begin,)
            if into is None:
                array = zeros(name, shape, self._session.arguments.dtype(binding))
            else:
                array = as_array(name, into, binding.element, shape, self._exe.imported)
                check_writable(name, array)
            offset = begin * binding.dtype.itemsize
            self._session.device.fetch(self._session.buffers[name], array, offset)
        telemetry.add(
            output_bytes=array.nbytes,
            storage_reused=int(into is not None),
            storage_moved=int(into is None),
        )
        return as_owned(array)

    def write(self, name: str, data: object, start: int = 0) -> None:
        """
        Overwrite elements of a buffer, in row-major order, from `start` on.

        Example: `held.write("u", np.zeros(16, np.float32), 16)`
        """
        session = self._session
        with session.lock, self._exe.keeping():
            self._check_open()
            binding = self.binding(name)
            array = as_array(name, data, binding.element, None, self._exe.imported)
            total = prod(session.arguments.shape(binding))
            begin, _ = element_range(name, start, None, total, array.size)
            offset = begin * binding.dtype.itemsize
            is_kept = session.is_kept(name)
            if is_kept:
                session.fill(binding)
            session.device.store(session.buffers[name], array, offset)
            if is_kept:
                self._exe.keep(session.buffers[name])
        telemetry.add(input_bytes=array.nbytes)

    def buffer(self, name: str) -> DeviceBuffer:
        """
        Returns a buffer as a value that other programs on the engine can be passed, without
        a copy. It outlives this resident program.

        Example: `other(facts=held.buffer("results"))`
        """
        with self._session.lock:
            self._check_open()
            self.binding(name)
            if self._session.is_kept(name):
                raise InvalidArgument(
                    f"buffer '{name}' is persistent, it belongs to the program",
                    f"pass a device buffer for '{name}', and use that",
                )
            return self._session.shared(name)

    def binding(self, name: str) -> Binding:
        """What a name stands for; refused if there is no such buffer."""
        known = self._exe.bindings.by_name
        if name not in known:
            raise InvalidArgument(
                f"there is no buffer '{name}'",
                did_you_mean(name, known) or f"the buffers are {', '.join(known)}",
            )
        return known[name]
