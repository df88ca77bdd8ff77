"""
A row: the buffers of one handle on one engine, and its dispatch, which is prepared.

Rows are submitted one at a time or many together. An engine that prepares dispatches gets
all of them as one; for another one the launches of all rows are enqueued, and then it waits
once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from vyre.diagnostics import did_you_mean
from vyre.runtime import telemetry
from vyre.runtime.arguments import (
    as_array,
    check_overlaps,
    check_writable,
    copied,
    zeros,
)
from vyre.runtime.backend import Buffer, Prepared, Repeatable
from vyre.runtime.binding import Arguments, Binding
from vyre.runtime.config import DispatchConfig
from vyre.runtime.deadline import Deadline
from vyre.runtime.device_array import AnyArray, DeviceArray, is_device_buffer
from vyre.runtime.errors import InvalidArgument, labelled
from vyre.runtime.executable import Executable
from vyre.runtime.geometry import Geometry
from vyre.runtime.resident import Resident
from vyre.runtime.runs import Runs, Storage
from vyre.runtime.session import Session
from vyre.runtime.shared_memory import SharedMemory

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Readback:
    """A result of a row: where it is, and what array it fills."""

    binding: Binding
    buffer: Buffer
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    size: int
    source: Array | None
    """The result in place, if the engine's memory is the host's."""

    @staticmethod
    def of(session: Session, name: str) -> "Readback":
        """How to read a buffer of a session back."""
        binding = session.exe.bindings.by_name[name]
        buffer = session.buffers[name]
        whole = session.arguments.shape(binding)
        begin, end = binding.result_bounds(whole)
        shape = binding.result_shape(whole)
        dtype = session.arguments.dtype(binding)
        source = session.exe.backend.host_array(buffer)
        if source is not None:
            source = source.reshape(-1)[begin:end].view(dtype).reshape(shape)
        item = dtype.itemsize
        size = (end - begin) * item
        return Readback(binding, buffer, begin * item, shape, dtype, size, source)

    def is_filled_by(self, array: Array) -> bool:
        """Whether an array is right for the result."""
        return array.shape == self.shape and array.dtype == self.dtype


class _InOrder(Repeatable):
    """Dispatches on an engine that does not prepare them; it waits once, for all."""

    def __init__(self, sessions: Sequence[Session]):
        self._sessions = sessions

    @override
    def run(self, deadline: Deadline) -> tuple[int, int]:
        self.ended = counts = list[tuple[int, int]]()
        first = self._sessions[0]
        with first.exe.keeping():
            for session in self._sessions:
                session.load_persistent()
                work = session.work(deadline=deadline)
                work.enqueue()
                if session.keeps:
                    session.device.finish(None)
                    session.keep_persistent()
                counts.append((work.passes, work.launches))
            self.ended = None  # Nobody knows whose launches are waited for.
            first.device.finish(None)
            self.ended = counts
        return sum(passes for passes, _ in counts), sum(n for _, n in counts)


class Row(Resident):
    """
    Buffers on an engine with a dispatch that is prepared.

    Example: `row.submit(); row.fetch(arrays)`
    """

    def __init__(
        self,
        exe: Executable,
        arguments: Arguments,
        config: DispatchConfig,
        reads: Sequence[str],
    ):
        super().__init__(exe, arguments, config, None)
        session = self._session
        self.readbacks = {name: Readback.of(session, name) for name in reads}
        self.buffer_count = len(session.buffers)
        self._prepared: Repeatable = _InOrder([session])
        self._runs = Runs(session, {}, {})
        self._fetched: dict[tuple[Storage, int, int], telemetry.Tally] = {}
        if exe.backend.capabilities.whole and not session.keeps:
            self._prepared = session.prepared([])

    @property
    def keeps(self) -> bool:
        """Whether there are persistent buffers, which other rows write too."""
        return self._session.keeps

    @property
    def arguments(self) -> Arguments:
        """What the row was made with."""
        return self._session.arguments

    @property
    def geometry(self) -> Geometry:
        """The grid, and the size of workgroups."""
        return self._session.plan.geometry

    @cached_property
    def shared(self) -> list[tuple[str, SharedMemory, bool]]:
        """Device buffers that were passed: name, memory, and whether they are written."""
        known = self._exe.bindings.by_name
        return [
            (name, array.memory, known[name].is_written)
            for name, array in self.arguments.arrays.items()
            if isinstance(array, DeviceArray) and array.memory is not None
        ]

    @property
    def input_bytes(self) -> int:
        """The bytes of buffers that were brought to the engine."""
        given = map(self.arguments.given, self._exe.bindings.declared)
        moved = (a for a in given if a is not None and not is_device_buffer(a))
        return sum(array.nbytes for array in moved)

    @property
    def buffer_bytes(self) -> int:
        """The bytes of all buffers that are the row's own."""
        total = sum(buffer.size for buffer in self._session.buffers.values())
        return total - sum(memory.buffer.size for _, memory, _ in self.shared)

    def submit(self) -> tuple[int, int]:
        """Make the dispatch; gives how many passes there were, and how many launches."""
        self._check_open()
        return self._runs.run(self._prepared, self._runs.deadline())

    @staticmethod
    def submit_all(rows: Sequence["Row"]) -> tuple[int, int]:
        """Make the dispatches of some rows of one program as one submission."""
        for row in rows:
            row._check_open()
        _check_sharing(rows)
        first, *others = [row._runs for row in rows]
        batch = [row._prepared for row in rows]
        prepared = [each for each in batch if isinstance(each, Prepared)]
        if len(prepared) == len(rows):
            together = rows[0]._exe.backend.together(prepared)
        else:
            together = _InOrder([row._session for row in rows])
        return first.run(together, Runs.deadline_of([first, *others]), others)

    def checked_outputs(self, given: Mapping[str, object]) -> dict[str, AnyArray]:
        """Arrays of the caller for results by name, which are refused if they are wrong."""
        found: dict[str, AnyArray] = {}
        for name, value in given.items():
            readback = self.readbacks.get(name)
            if readback is None:
                names = ", ".join(self.readbacks) or "none"
                raise InvalidArgument(
                    f"there is no result '{name}' to be put into an array",
                    did_you_mean(name, self.readbacks) or f"the results are {names}",
                )
            element, imported = readback.binding.element, self._exe.imported
            found[name] = as_array(name, value, element, readback.shape, imported)
            check_writable(name, found[name])
        check_overlaps((name, array, True) for name, array in found.items())
        return found

    def fetch(self, arrays: Mapping[str, AnyArray], storage: Storage) -> int:
        """
        Fill arrays with results, by name; gives how many bytes they are. `storage` tells
        whose they are.
        """
        try:
            size = self._filled(arrays)
        except BaseException as error:
            telemetry.add(failures=1)
            with labelled(self._runs.label):
                raise error
        key = (storage, size, len(arrays))
        if key not in self._fetched:
            amounts = {"output_bytes": size, f"storage_{storage}": len(arrays)}
            self._fetched[key] = telemetry.Tally(amounts)
        self._fetched[key].count(0, 0)
        return size

    def _filled(self, arrays: Mapping[str, AnyArray]) -> int:
        size = 0
        for name, array in arrays.items():
            readback = self.readbacks[name]
            size += readback.size
            source = readback.source
            if source is not None and isinstance(array, np.ndarray):
                array[...] = (
                    source if array.dtype is source.dtype else source.view(array.dtype)
                )
            else:
                self._session.device.fetch(readback.buffer, array, readback.offset)
        return size

    def overwrite(self, name: str, data: object, start: int) -> Array:
        """Overwrite elements of a buffer; gives a copy of them."""
        element = self.binding(name).element
        array = as_array(name, data, element, None, self._exe.imported)
        is_there = isinstance(array, DeviceArray)
        kept = array.to_host() if is_there else copied(name, array)
        self.write(name, kept, start)
        return kept

    def first_contents(self) -> dict[str, Array]:
        """
        Copies of what the buffers start with, while that is what they hold. Nothing comes
        back from the engine but what was passed there.
        """
        found: dict[str, Array] = {}
        for binding in self._exe.bindings.declared:
            given = self.arguments.given(binding)
            if given is None:
                found[binding.name] = self._new_array(binding)
            elif isinstance(given, DeviceArray):
                found[binding.name] = self._content(binding)
            else:
                found[binding.name] = copied(binding.name, given)
        return found

    def contents(self) -> dict[str, Array]:
        """Copies of all buffers."""
        with self._session.lock:
            self._check_open()
            return {b.name: self._content(b) for b in self._exe.bindings.declared}

    def _content(self, binding: Binding) -> Array:
        array = self._new_array(binding)
        self._session.device.download(self._session.buffers[binding.name], array)
        return array

    def _new_array(self, binding: Binding) -> Array:
        shape, dtype = self.arguments.shape(binding), self.arguments.dtype(binding)
        return zeros(binding.name, shape, dtype)

    def restore(self, contents: Mapping[str, Array]) -> None:
        """Let buffers that do not start with what was passed hold it."""
        for binding in self._exe.bindings.declared:
            if binding.is_written:
                buffer = self._session.buffers[binding.name]
                self._session.device.upload(buffer, contents[binding.name])


def _check_sharing(rows: Sequence[Row]) -> None:
    """
    Refuses rows that share a device buffer which one of them writes: engines may run rows
    in any order, or at the same time.
    """
    seen: dict[SharedMemory, tuple[int, str, bool]] = {}
    for number, row in enumerate(rows):
        for name, memory, is_written in row.shared:
            other, its_name, too = seen.setdefault(memory, (number, name, is_written))
            if other != number and (is_written or too):
                raise InvalidArgument(
                    f"'{its_name}' of row {other} and '{name}' of row {number} are the same"
                    " device buffer, and one is written",
                    "run them in different batches, or on buffers of their own",
                )
