"""
Atomics: many lanes change one element, in some order, and each sees its old value.

Lanes are taken in the order of their numbers. Those that meet on an element form a run.
Either all runs advance together, by one lane a step, or each run is worked off at once by
a scan; whichever takes fewer steps.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vyre.dialects.vyre.attributes import AtomicKind
from vyre.interpreter.integers import unsigned

Array = NDArray[Any]


def _as_they_are(x: Array) -> Array:
    return x


COMBINE: dict[AtomicKind, tuple[Callable[[Array], Array], np.ufunc | None]] = {
    AtomicKind.ADD: (_as_they_are, np.add),
    AtomicKind.AND: (_as_they_are, np.bitwise_and),
    AtomicKind.OR: (_as_they_are, np.bitwise_or),
    AtomicKind.XOR: (_as_they_are, np.bitwise_xor),
    AtomicKind.MIN: (_as_they_are, np.minimum),
    AtomicKind.MAX: (_as_they_are, np.maximum),
    AtomicKind.UMIN: (unsigned, np.minimum),
    AtomicKind.UMAX: (unsigned, np.maximum),
    AtomicKind.EXCHANGE: (_as_they_are, None),
}
"""How values are seen and combined; an exchange only takes the new one."""


def update(kind: AtomicKind, data: Array, elements: Array, values: Array) -> Array:
    """Change `data[elements]` by `values`, one lane after the other; gives old values."""
    view, combine = COMBINE[kind]
    order = np.argsort(elements, kind="stable")
    element, value = elements[order], view(values[order])
    starts = np.flatnonzero(np.r_[True, element[1:] != element[:-1]])
    lengths = np.diff(np.r_[starts, len(element)])
    advance = _step_by_step if lengths.max() <= len(starts) else _run_by_run
    old = advance(view(data), element, value, starts, lengths, combine)
    result = np.empty_like(values)
    result[order] = old.view(values.dtype)
    return result


def _step_by_step(
    data: Array,
    element: Array,
    value: Array,
    starts: Array,
    lengths: Array,
    combine: np.ufunc | None,
) -> Array:
    """The first lanes of all runs, then all second ones, and so on."""
    old = np.empty_like(value)
    for step in range(int(lengths.max())):
        lanes = starts[lengths > step] + step
        old[lanes] = data[element[lanes]]
        new = value[lanes]
        data[element[lanes]] = new if combine is None else combine(old[lanes], new)
    return old


def _run_by_run(
    data: Array,
    element: Array,
    value: Array,
    starts: Array,
    lengths: Array,
    combine: np.ufunc | None,
) -> Array:
    """Each run at once: the values an element goes through, beginning with its own."""
    old = np.empty_like(value)
    for start, length in zip(starts, lengths):
        chain = np.r_[data[element[start]], value[start : start + length]]
        chain = chain if combine is None else combine.accumulate(chain, dtype=chain.dtype)
        old[start : start + length] = chain[:-1]
        data[element[start]] = chain[-1]
    return old


def compare_and_swap(
    data: Array, elements: Array, expected: Array, desired: Array
) -> Array:
    """
    Write `desired` where the element is as expected, one lane after the other; gives old
    values.

    Between two successful lanes of a run an element does not change. So each step lets
    every run go on to its next successful lane, and all lanes before that see the same
    value; there are as many steps as successes on one element.
    """
    order = np.argsort(elements, kind="stable")
    element, wanted, new = elements[order], expected[order], desired[order]
    run = np.cumsum(np.r_[False, element[1:] != element[:-1]])
    old = data[element]
    waiting = np.arange(len(element))
    while len(waiting):
        old[waiting] = data[element[waiting]]
        succeeds = waiting[wanted[waiting] == old[waiting]]
        first_of_run = np.unique(run[succeeds], return_index=True)[1]
        winners = succeeds[first_of_run]
        data[element[winners]] = new[winners]
        # Only lanes after their run's winner still have to look.
        winner_of = np.full(len(element), len(element))
        winner_of[run[winners]] = winners
        waiting = waiting[waiting > winner_of[run[waiting]]]
    result = np.empty_like(old)
    result[order] = old
    return result
