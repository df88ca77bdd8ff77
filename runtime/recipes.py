"""
How calls went, so that calls of the same kind do only what is new in each.

Two calls are of the same kind if they pass the same names, arrays of the same dtypes and
sizes, and the same options. Then all that a call checks, plans and looks up is the same,
but for three things: whether arrays overlap, where they are, and what the parameters are.
What is unusual about a call (another kind of array, a strided one, storage of the caller,
a trace) takes the long way, and so does what is going to be refused.
"""

from collections.abc import Mapping
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute

from vyre.diagnostics import VyreError
from vyre.runtime.arguments import address_of, as_scalar, zeros
from vyre.runtime.backend import Prepared
from vyre.runtime.binding import Binding
from vyre.runtime.config import OPTIONS
from vyre.runtime.device_buffer import DeviceBuffer
from vyre.runtime.held import NOTHING
from vyre.runtime.quick import QuickRuns, is_quick
from vyre.runtime.session import Session
from vyre.runtime.telemetry import SharedTally

if TYPE_CHECKING:
    from vyre.runtime.executable import Executable

Array = NDArray[Any]
Kind = tuple[object, ...]

MOST = 64
"""Kinds of calls that an executable remembers."""

_NO_OPTIONS: frozenset[str] = frozenset()
_PLAIN = frozenset({int, float, str, type(None)})
"""Types of options that are compared by their values."""


class Call(NamedTuple):
    """What a caller passes: arguments in a dictionary, arguments and options by name."""

    exe: "Executable"
    arguments: Mapping[str, Any]
    named: Mapping[str, Any]

    def kind(self) -> Kind | None:
        """What is the same for all calls of a kind; None for an unusual call."""
        parts: list[object] = []
        if self.arguments is not NOTHING:
            if self.arguments.__class__ is not dict:
                return None
            if not _describe(self.arguments, _NO_OPTIONS, parts):
                return None
            parts.append(None)
        return tuple(parts) if _describe(self.named, OPTIONS, parts) else None

    def given(self) -> Mapping[str, Any]:
        """The arguments, and perhaps options of other names."""
        return {**self.named, **self.arguments} if self.arguments else self.named


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


class Recipes:
    """
    What an executable remembers of its calls. The second call of a kind makes the recipe,
    because many come only once. Several threads may call at the same time.

    Example: `Recipes().results(Call(exe, NOTHING, {"x": array}))` is None at first.
    """

    def __init__(self) -> None:
        self._known: dict[Kind, _Recipe | Literal["seen", "unusual"]] = {}

    def results(self, call: Call) -> dict[str, Array] | None:
        """Make a call; None if it has to take the long way."""
        kind = call.kind()
        if kind is None:
            return None
        known = self._known.get(kind)
        if isinstance(known, _Recipe):
            return known.results(call)
        if known is None:
            self._note(kind, "seen")
        elif known == "seen":
            with suppress(VyreError):  # The long way tells what is wrong.
                prepared = _PreparedCall.of(call)
                self._note(kind, "unusual" if prepared is None else _Recipe(prepared))
        return None

    def _note(self, kind: Kind, what: "_Recipe | Literal['seen', 'unusual']") -> None:
        self._known[kind] = what
        for oldest in list(self._known)[:-MOST]:
            self._known.pop(oldest, None)


class _PreparedCall(NamedTuple):
    """A call that an engine has prepared, on arrays that stand in for its results."""

    session: Session
    homes: dict[str, Array]
    prepared: Prepared

    @staticmethod
    def of(call: Call) -> "_PreparedCall | None":
        exe = call.exe
        given, config = exe.sorted_out(call.arguments, None, call.named)
        session = Session(exe, exe.bindings.check(given), config)
        arrays = session.arguments.arrays
        if any(given[name].__class__ is not np.ndarray for name in arrays):
            return None
        homes = {n: a for n, a in arrays.items() if isinstance(a, np.ndarray)}
        for binding in exe.bindings.written:
            if binding.name not in homes:
                homes[binding.name] = zeros(binding.name, binding.shape, binding.dtype)
        with session.device:
            session.open(homes)
            prepared = session.prepared([]) if is_quick(session) else None
        return None if prepared is None else _PreparedCall(session, homes, prepared)


class _Result(NamedTuple):
    """A result of calls of one kind; `is_copied` if it starts as what the caller passes."""

    binding: Binding
    name: str
    shape: tuple[int, ...]
    is_given: bool
    is_copied: bool

    def home(self, given: Mapping[str, Any]) -> Array:
        """A new array for the whole buffer."""
        if self.is_copied:
            return given[self.name].copy()
        dtype = given[self.name].dtype if self.is_given else self.binding.dtype
        return np.zeros(self.shape, dtype)


class _Recipe:
    """How to make calls of one kind. It refers to no array of a caller, nor to results."""

    def __init__(self, call: _PreparedCall):
        session = call.session
        bindings, arguments = session.exe.bindings, session.arguments
        results = {b.name: b.result_of(call.homes[b.name]) for b in bindings.written}
        self._runs = QuickRuns.of_arrays(session, results, "moved", SharedTally)
        self._idle = [call.prepared]
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
                binding,
                binding.name,
                arguments.shape(binding),
                binding.name in arguments.arrays,
                arguments.given(binding) is not None,
            )
            for binding in bindings.written
        ]
        self._ranges = [
            (binding.name, binding)
            for binding in bindings.written
            if binding.result_range is not None
        ]
        self._aligned = [
            (binding.name, binding.alignment)
            for binding in bindings.declared
            if binding.alignment > binding.dtype.alignment
        ]

    def results(self, call: Call) -> dict[str, Array] | None:
        """Make a call; None if it has to take the long way."""
        deadline = self._runs.deadline()
        given = call.given()
        values: dict[str, Any] = {name: address_of(given[name]) for name in self._given}
        if self._may_overlap(values):
            return None
        try:
            for name, type in self._params:
                values[name] = as_scalar(name, given[name], type)
        except VyreError as error:
            error.label = self._runs.label
            raise
        try:
            homes = {result.name: result.home(given) for result in self._results}
        except MemoryError:
            return None
        for name, home in homes.items():
            values[name] = address_of(home)
        prepared = self._taken(call) if self._is_aligned(values) else None
        if prepared is None:
            return None
        prepared.rebind([values[name] for name in self._table])
        self._runs.run(prepared, deadline)
        self._idle.append(prepared)  # One that failed is not used again.
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
        return not self._aligned or all(
            addresses[name] % alignment == 0 for name, alignment in self._aligned
        )

    def _taken(self, call: Call) -> Prepared | None:
        """One that no other thread uses."""
        with suppress(IndexError):
            return self._idle.pop()
        with suppress(VyreError):
            made = _PreparedCall.of(call)
            return None if made is None else made.prepared
        return None
