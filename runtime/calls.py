"""
Calls of one kind: what the first of them checked, planned and prepared, for those after it.

Two calls are of the same kind if they pass the same names, arrays of the same dtypes and
sizes, and the same options. Then all that a call checks, plans and looks up is the same,
but for three things: whether arrays overlap, where they are, and what the parameters are.
What is unusual about a call (another kind of array, a strided one, storage of the caller,
a trace) is checked and planned each time, and so is what is going to be refused.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute

from vyre.diagnostics import VyreError
from vyre.runtime.arguments import ALIGNMENT, address_of, as_scalar, zeros
from vyre.runtime.backend import Prepared
from vyre.runtime.binding import Binding
from vyre.runtime.config import OPTIONS
from vyre.runtime.device_buffer import DeviceBuffer
from vyre.runtime.errors import OutOfMemory
from vyre.runtime.held import NOTHING
from vyre.runtime.passes import Work
from vyre.runtime.runs import Runs, is_quick
from vyre.runtime.session import Session

Array = NDArray[Any]
Kind = tuple[object, ...]

MOST = 64
"""Kinds of calls that an executable remembers."""

MOST_IDLE = 32
"""Dispatches of a kind that wait for the next call."""

_NO_OPTIONS: frozenset[str] = frozenset()
_PLAIN = frozenset({int, float, str, type(None)})
"""Types of options that are compared by their values."""


def kind_of_call(arguments: Mapping[str, Any], named: Mapping[str, Any]) -> Kind | None:
    """
    What is the same for all calls of a kind: arguments in a dictionary, arguments and
    options by name. None for an unusual call.

    Example: `kind_of_call({}, {"x": array, "grid": 4})`
    """
    parts: list[object] = []
    if arguments is not NOTHING:
        if arguments.__class__ is not dict or not _describe(arguments, _NO_OPTIONS, parts):
            return None
        parts.append(None)
    return tuple(parts) if _describe(named, OPTIONS, parts) else None


def _describe(
    given: Mapping[str, Any], options: frozenset[str], parts: list[object]
) -> bool:
    """Add what matters about arguments and options, if they are usual ones."""
    for name, value in given.items():
        if name in options:
            if not _is_plain(value):
                return False
            parts += (name, value.__class__, value)
        elif value.__class__ is np.ndarray:
            flags = value.flags
            if not (flags.c_contiguous and flags.aligned):
                return False
            parts += (name, value.dtype, value.shape)
        elif value.__class__ is DeviceBuffer:
            return False
        else:
            parts.append(name)
    return True


def _is_plain(option: Any) -> bool:
    if option.__class__ is tuple:
        return all(part.__class__ is int for part in option)
    return option.__class__ in _PLAIN


class _Result(NamedTuple):
    """A result of calls of one kind; `is_copied` if it starts as what the caller passes."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_copied: bool
    alignment: int | None
    """If it is more than that of every array."""


def _home(result: _Result, given: Mapping[str, Any]) -> Array:
    """A new array for the whole buffer."""
    if result.alignment is None and result.is_copied:
        return given[result.name].copy()
    if result.alignment is None:
        return np.zeros(result.shape, result.dtype)
    made = zeros(result.name, result.shape, result.dtype, result.alignment)
    if result.is_copied:
        made[...] = given[result.name]
    return made


class Call:
    """
    How to make calls of one kind, several at a time if threads do. It refers to no array of
    a caller, nor to results.

    Example: `call = Call(session)`, then `call.results({"x": array})`
    """

    def __init__(self, session: Session):
        bindings, arguments = session.exe.bindings, session.arguments
        self._timeout = session.plan.config.timeout
        self._label = session.plan.config.label
        self._idle: list[tuple[Runs, Prepared]] = []
        self._table = session.plan.route.table
        self._given = tuple(arguments.arrays)
        sizes = [(name, array.nbytes) for name, array in arguments.arrays.items()]
        self._pairs = [
            (one, size, other, its_size)
            for (one, size), (other, its_size) in combinations(sizes, 2)
            if bindings.by_name[one].is_written or bindings.by_name[other].is_written
        ]
        self._params: list[tuple[str, Attribute]] = bindings.param_types
        self._results = [
            _Result(
                binding.name,
                arguments.shape(binding),
                arguments.dtype(binding),
                arguments.given(binding) is not None,
                binding.alignment if binding.alignment > ALIGNMENT else None,
            )
            for binding in bindings.written
        ]
        self._ranges: list[tuple[str, Binding]] = [
            (binding.name, binding)
            for binding in bindings.written
            if binding.result_range is not None
        ]
        self._aligned = [
            (binding.name, binding.alignment)
            for binding in bindings.declared
            if binding.alignment > binding.dtype.alignment
        ]

    def keep(self, runs: Runs, prepared: Prepared) -> None:
        """Let later calls make a dispatch that has ended well."""
        if len(self._idle) < MOST_IDLE:
            self._idle.append((runs, prepared))

    def results(self, given: Mapping[str, Any]) -> dict[str, Array] | None:
        """Make a call; None if it has to be checked and planned."""
        deadline = Runs.deadline_for(self._timeout)
        values: dict[str, Any] = {name: address_of(given[name]) for name in self._given}
        if self._pairs and self._may_overlap(values):
            return None
        try:
            for name, type in self._params:
                values[name] = as_scalar(name, given[name], type)
        except VyreError as error:
            error.label = self._label
            raise
        homes: dict[str, Array] = {}
        try:
            for result in self._results:
                home = homes[result.name] = _home(result, given)
                values[result.name] = address_of(home)
        except (MemoryError, OutOfMemory):
            return None
        if self._aligned and not self._is_aligned(values):
            return None
        try:
            runs, prepared = self._idle.pop()
        except IndexError:
            return None  # Other threads use all that there are.
        prepared.rebind([values[name] for name in self._table])
        runs.run(prepared, deadline)
        self._idle.append((runs, prepared))  # One that failed is not used again.
        for name, binding in self._ranges:
            homes[name] = binding.result_of(homes[name])
        return homes

    def _may_overlap(self, addresses: Mapping[str, int]) -> bool:
        for one, size, other, its_size in self._pairs:
            first, second = addresses[one], addresses[other]
            if first < second + its_size and second < first + size:
                return True
        return False

    def _is_aligned(self, addresses: Mapping[str, int]) -> bool:
        return all(addresses[name] % alignment == 0 for name, alignment in self._aligned)


def remember(
    known: dict[Kind, Call],
    kind: Kind,
    session: Session,
    given: Mapping[str, object],
    results: Mapping[str, Array],
    work: Work,
) -> None:
    """
    Remember what a call has done that has ended well, if others of its kind need no more
    than to run.

    Example: `remember(known, kind, session, {"x": array}, {"x": result}, work)`
    """
    assert work.prepared is not None
    arrays = (given[name] for name in session.arguments.arrays)
    is_usual = all(array.__class__ is np.ndarray for array in arrays)
    if not (is_usual and is_quick(session) and work.route is session.plan.route):
        work.prepared.close()
        return
    call = known.get(kind)
    if call is None:
        call = known[kind] = Call(session)
        for oldest in list(known)[:-MOST]:
            known.pop(oldest, None)
    call.keep(Runs.of_arrays(session, results, "moved"), work.prepared)
