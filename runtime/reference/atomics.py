"""
Atomics: many lanes change one element, in some order, and each sees its old value.

Lanes are taken in the order of their numbers. Those that meet on an element form a run;
the old value that a lane sees is the element combined with the values of the lanes before
it in the run, which is a scan. All kinds are associative (for `exchange` the combination
of two values is the second), so the scan doubles its reach at each step.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vyre.dialects.vyre.attributes import AtomicKind
from vyre.runtime.reference.integers import unsigned

Array = NDArray[Any]
Combine = Callable[[Array, Array], Array]


def _as_unsigned(function: Combine) -> Combine:
    return lambda a, b: function(unsigned(a), unsigned(b)).view(a.dtype)


COMBINE: dict[AtomicKind, Combine] = {
    AtomicKind.ADD: np.add,
    AtomicKind.AND: np.bitwise_and,
    AtomicKind.OR: np.bitwise_or,
    AtomicKind.XOR: np.bitwise_xor,
    AtomicKind.MIN: np.minimum,
    AtomicKind.MAX: np.maximum,
    AtomicKind.UMIN: _as_unsigned(np.minimum),
    AtomicKind.UMAX: _as_unsigned(np.maximum),
    AtomicKind.EXCHANGE: lambda a, b: b,
}


def update(data: Array, elements: Array, values: Array, combine: Combine) -> Array:
    """Change `data[elements]` by `values`, one lane after the other; gives old values."""
    order = np.argsort(elements, kind="stable")
    element = elements[order]
    starts = np.flatnonzero(np.r_[True, element[1:] != element[:-1]])
    rank = np.arange(len(element)) - np.repeat(starts, np.diff(np.r_[starts, len(element)]))
    total = _scanned(values[order], rank, combine)

    before = data[element]
    old = before.copy()
    follows = np.flatnonzero(rank > 0)
    old[follows] = combine(before[follows], total[follows - 1])
    ends = np.r_[starts[1:], len(element)] - 1
    data[element[ends]] = combine(before[ends], total[ends])

    result = np.empty_like(old)
    result[order] = old
    return result


def _scanned(values: Array, rank: Array, combine: Combine) -> Array:
    """Each value combined with all before it in its run; `rank` counts from the start."""
    total = values.copy()
    if combine is np.add and values.dtype.kind == "i":
        # Integers wrap, so the sum up to a run's start can be taken off again.
        np.cumsum(values, out=total)
        before_run = np.arange(len(rank)) - rank - 1
        return total - np.where(before_run < 0, 0, total[before_run])
    reach = 1
    while reach <= rank.max(initial=0):
        # The first `reach` of a run have nothing that far before them.
        later = np.flatnonzero(rank >= reach)
        total[later] = combine(total[later - reach], total[later])
        reach *= 2
    return total


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
