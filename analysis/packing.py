"""
Cutting a layer of waves into groups that fit into a budget.

In order: waves are taken one after the other, and a new group begins when the next one does
not fit any more. First fit decreasing: the most expensive wave first, each into the first
group that has room. The second often needs fewer groups and sometimes more, so that a
caller who may choose the order of waves takes the better of the two.
"""

from collections.abc import Sequence
from typing import TypeAlias

from vyre.analysis.wave_errors import checked_bytes

Groups: TypeAlias = list[list[int]]


def packed_in_order(waves: Sequence[int], costs: Sequence[int], budget: int) -> Groups:
    """
    Groups of consecutive waves, none of which costs more than the budget alone.

    The running sum is checked before it is decided to cut: two waves whose costs do not fit
    in 64 bits together are an error, although they would be in different groups.

    Example: `packed_in_order([0, 1, 2], [60, 30, 60], 100)` is `[[0, 1], [2]]`.
    """
    groups: Groups = []
    total = 0
    for wave in waves:
        cost = costs[wave]
        field = "barrier group fused wave budget bytes"
        if groups and checked_bytes(total + cost, field, wave) <= budget:
            groups[-1].append(wave)
            total += cost
        else:
            groups.append([wave])
            total = cost
    return groups


def packed_decreasing(waves: Sequence[int], costs: Sequence[int], budget: int) -> Groups:
    """
    Groups by first fit decreasing. Waves of a group stay in their order, and groups are in
    the order of their first waves.

    Example: `packed_decreasing([0, 1, 2], [60, 60, 30], 100)` is `[[0, 2], [1]]`.
    """
    room = _Room(len(waves), budget)
    group_of = {
        wave: room.take(costs[wave]) for wave in sorted(waves, key=lambda w: -costs[w])
    }
    groups: dict[int, list[int]] = {}
    for wave in waves:
        groups.setdefault(group_of[wave], []).append(wave)
    return list(groups.values())


class _Room:
    """
    What is left in each group: a tree whose nodes hold the largest room below them, so
    that the first group with enough room is found in logarithmic time.
    """

    def __init__(self, count: int, budget: int):
        self._width = 1 << max(0, count - 1).bit_length()
        self._largest = [budget] * (2 * self._width)

    def take(self, cost: int) -> int:
        """Put something of this cost into the first group that has room for it."""
        node = 1
        while node < self._width:
            node *= 2
            if self._largest[node] < cost:
                node += 1
        group = node - self._width
        self._largest[node] -= cost
        while node > 1:
            node //= 2
            self._largest[node] = max(self._largest[2 * node : 2 * node + 2])
        return group
