"""
Buffers of a megakernel that stay on the engine, and how they come back when it is lost.

A handle has a row: its buffers on one engine, with the dispatch prepared. If the device
is lost, everything on it is, so a handle knows how to make its row again: a copy of all
buffers that it took at some point, and what was done since. Dispatches are functions of
the buffers, so that the same dispatches and writes on the same contents give the same
contents, byte for byte. Engines that are never lost need no copies.
"""

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Self, cast

from numpy.typing import NDArray

from vyre.diagnostics import VyreError, kind_of
from vyre.runtime.config import DispatchConfig
from vyre.runtime.device_array import AnyArray
from vyre.runtime.device_buffer import DeviceBuffer
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.executable import Executable
from vyre.runtime.geometry import Geometry
from vyre.runtime.row import Row

Array = NDArray[Any]

REPLAYED = 1024
"""Dispatches after which a new copy is taken, so that not too many must be made again."""

_numbers = count()


@dataclass(frozen=True, eq=False)
class _Write:
    name: str
    data: Array
    start: int


class Handle:
    """
    Buffers of a megakernel on its engine, made by `Megakernel.resident`. Dispatches go on
    from what they hold. `close` frees them, and so does the end of a `with` block.

    Example:

    ```python
    with megakernel.resident(facts=facts) as handle:
        megakernel.dispatch(handle)
        handle.write("facts", np.ones(4, np.int32), start=8)
        megakernel.dispatch(handle)["results"]
    ```
    """

    def __init__(
        self,
        owner: object,
        exe: Executable,
        given: Mapping[str, object],
        config: DispatchConfig,
        reads: Sequence[str],
        recovers: bool,
    ):
        self.owner = owner
        """The megakernel."""
        self.lock = threading.RLock()
        self.number = next(_numbers)
        """Handles are locked in this order."""
        self.row = Row(exe, exe.checked(given), config, reads)
        self._exe = exe
        self._config = config
        self._reads = reads
        self._outputs: tuple[dict[str, object], dict[str, AnyArray]] = ({}, {})
        self._copy: dict[str, Array] | None = None
        self._since: list[_Write | int] = []
        """Writes and numbers of dispatches since the copy was taken."""
        self._dispatches = 0
        is_lasting = exe.backend.capabilities.lasting
        # What others do to shared memory is not known here, and cannot be done again.
        self._is_alone = not self.row.keeps and not self.row.shared
        if recovers and not is_lasting and self._is_alone:
            self._copy = self.row.first_contents()

    @property
    def is_recoverable(self) -> bool:
        """Whether it can be made again if the device is lost."""
        return self._copy is not None

    @property
    def geometry(self) -> Geometry:
        """The grid that dispatches have, and the size of workgroups."""
        return self.row.geometry

    def read(
        self, name: str, start: int | None = None, stop: int | None = None
    ) -> NDArray[Any]:
        """
        Elements of a buffer, as `Resident.read` gives them.

        Example: `handle.read("results", 0, 16)`
        """
        with self.lock:
            return self.row.read(name, start, stop)

    def write(self, name: str, data: object, start: int = 0) -> None:
        """
        Overwrite elements of a buffer, in row-major order, from `start` on.

        Example: `handle.write("facts", np.zeros(16, np.int32), 16)`
        """
        with self.lock:
            if self._copy is None:
                self.row.write(name, data, start)
            else:
                written = self.row.overwrite(name, data, start)
                self._since.append(_Write(name, written, start))

    def buffer(self, name: str) -> DeviceBuffer:
        """
        Returns a buffer as a value, as `Resident.buffer` does. The handle cannot be made
        again from then on if the device is lost.

        Example: `other.resident(facts=handle.buffer("results"))`
        """
        with self.lock:
            made = self.row.buffer(name)
            self._is_alone = False
            self._copy = None
            return made

    def checkpoint(self) -> None:
        """
        Remember what the buffers hold now, so that less must be done again if the device is
        lost. It is done by itself after many dispatches.
        """
        with self.lock:
            if not self._is_alone:
                raise InvalidArgument(
                    "the handle shares buffers with others, and cannot be made again",
                    "pass arrays for all buffers",
                )
            self._copy = self.row.contents()
            self._since.clear()
            self._dispatches = 0

    def outputs(self, given: Mapping[str, object]) -> dict[str, AnyArray]:
        """Arrays of the caller for results, if they are right; quick for the same again."""
        if given.__class__ is not dict and not isinstance(cast(object, given), Mapping):
            raise InvalidArgument(
                f"'outputs' is {kind_of(given)}", "pass a dictionary of arrays"
            )
        before, arrays = self._outputs
        if len(before) == len(given):
            for name in before:
                if given.get(name) is not before[name]:
                    break
            else:
                return arrays
        arrays = self.row.checked_outputs(given)
        self._outputs = dict(given), arrays
        return arrays

    def get_ready(self, exe: Executable) -> None:
        """Come to where the program is compiled now, if that is not where it was."""
        if self._copy is None:
            return
        if exe is not self._exe:
            self._make_again(exe, self._copy)
        if self._dispatches >= REPLAYED:
            self.checkpoint()

    def dispatched(self) -> None:
        """Remember that a dispatch has ended."""
        if self._copy is None:
            return
        self._dispatches += 1
        last = self._since[-1] if self._since else None
        if isinstance(last, int):
            self._since[-1] = last + 1
        else:
            self._since.append(1)

    def _make_again(self, exe: Executable, copy: Mapping[str, Array]) -> None:
        """A row on another engine, with the contents that this one had."""
        with suppress(VyreError):  # What was on the lost device needs no freeing.
            self.row.close()
        arguments = exe.checked({**self.row.arguments.scalars, **copy})
        self.row = Row(exe, arguments, self._config, self._reads)
        self.row.restore(copy)
        for step in self._since:
            if isinstance(step, _Write):
                self.row.write(step.name, step.data, step.start)
                continue
            for _ in range(step):
                self.row.submit()
        self._exe = exe

    def close(self) -> None:
        """Free the buffers. A second time does nothing."""
        with self.lock:
            self.row.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
