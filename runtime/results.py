"""Where the results of a call go: new arrays, or storage of the caller."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from vyre.diagnostics import did_you_mean, kind_of
from vyre.runtime import telemetry
from vyre.runtime.arguments import as_array, check_overlaps, check_writable, span_of
from vyre.runtime.binding import Arguments, Binding
from vyre.runtime.device_array import AnyArray, Importer, as_owned
from vyre.runtime.errors import DoesNotFit, InvalidArgument
from vyre.runtime.session import Session

Array = NDArray[Any]


class Results:
    """
    The arrays that a call gives back. `into` holds those that the caller provides; the
    others are made.

    An engine that works in place writes right into them. A result that is only a range of
    its buffer has an array of its own for the whole buffer.
    """

    def __init__(self, session: Session, into: Mapping[str, object]):
        self._session = session
        self._written = session.exe.bindings.written
        imported = session.exe.imported
        self._into = _checked_storage(session.arguments, into, imported)
        self._homes = {b.name: self._home(b) for b in self._written}

    def _home(self, binding: Binding) -> AnyArray:
        """An array for the whole buffer."""
        if binding.result_range is None and binding.name in self._into:
            return self._into[binding.name]
        return self._session.new_home(binding)

    def lay_out(self) -> None:
        """Make all buffers, filled with what they start with."""
        session = self._session
        homes = session.homes_in_place({**session.arguments.arrays, **self._homes})
        session.open(homes)
        for binding in session.exe.bindings.declared:
            name = binding.name
            if name in session.in_place and self._starts_right(binding):
                continue
            session.fill(binding, homes.get(name))

    def _starts_right(self, binding: Binding) -> bool:
        """New arrays of the host are zeros, and large ones should not be touched."""
        home = self._homes.get(binding.name)
        is_new = home is not None and home is not self._into.get(binding.name)
        return is_new and binding.starts_as_zeros and isinstance(home, np.ndarray)

    def fetched(self) -> dict[str, Array]:
        """The results by name, brought home."""
        found: dict[str, AnyArray] = {}
        for binding in self._written:
            home = self._homes[binding.name]
            result = self._into.get(binding.name)
            if result is None:
                result = self._session.new_result(binding, home)
            self._session.fetch(binding, home, result)
            found[binding.name] = result
        reused = len(self._into)
        telemetry.add(
            output_bytes=sum(array.nbytes for array in found.values()),
            storage_reused=reused,
            storage_moved=len(found) - reused,
        )
        return {name: as_owned(array) for name, array in found.items()}


def check_output_size(arguments: Arguments, limit: int | None) -> None:
    """Refuse a dispatch whose results together are larger than the caller allows."""
    if limit is None:
        return
    needed = 0
    for binding in arguments.plan.written:
        shape = binding.result_shape(arguments.shape(binding))
        needed += int(np.prod(shape, dtype=np.int64)) * binding.dtype.itemsize
    if needed > limit:
        raise DoesNotFit(
            f"the results have {needed} bytes, max_output_bytes is {limit}",
            "raise the limit, or ask for less with an output range",
            needed=needed,
            limit=limit,
        )


def _checked_storage(
    arguments: Arguments, into: Mapping[str, object], imported: Importer
) -> dict[str, AnyArray]:
    """Arrays of the caller that results can be written to."""
    plan = arguments.plan
    if not isinstance(cast(object, into), Mapping):
        raise InvalidArgument(
            f"'into' is {kind_of(into)}",
            "pass a dictionary of arrays by the names of results",
        )
    names = [binding.name for binding in plan.written]
    found: dict[str, AnyArray] = {}
    for name, value in into.items():
        if name not in names:
            raise InvalidArgument(
                f"there is no result '{name}' to be put into an array",
                did_you_mean(name, names) or f"the results are {', '.join(names)}",
            )
        binding = plan.by_name[name]
        shape = binding.result_shape(arguments.shape(binding))
        found[name] = as_array(name, value, binding.element, shape, imported)
        check_writable(name, found[name])
    others = [
        (name, array, False)
        for name, array in arguments.arrays.items()
        if not _is_same(array, found.get(name))
    ]
    check_overlaps([*others, *((name, array, True) for name, array in found.items())])
    return found


def _is_same(array: AnyArray, other: AnyArray | None) -> bool:
    """Whether both are the very same memory: then the call works in place."""
    return other is not None and span_of(array) == span_of(other)
