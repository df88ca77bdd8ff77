"""
When the contents of a row count: from a write to the last read of what it wrote.

A row counts at a moment if a later step may read it before one writes it again. Loops are
followed twice, because what the end of a trip leaves may be read at the start of the next,
and of a branch either arm may be taken. A write is taken to replace the contents; that is
so for scratch, of which each invocation has its own part.
"""

from collections.abc import Sequence

from vyre.tools.plan.model import Plan
from vyre.tools.plan.parts import Group, GroupKind, Node, Step


def lives(plan: Plan, row: int) -> list[tuple[float, float]]:
    """
    The stretches in which the contents of a row count. Step k reaches from k to k + 1; it
    reads in its first half and writes in its second.

    Example: `[(0.5, 2.5)]` if step 0 writes it and step 2 is the last to read that.
    """
    steps = plan.steps
    touching = [step.step for step in steps if step.accesses[row]]
    if not touching:
        return []
    counts = _Counting(row, len(steps))
    counts.before(plan.body, False)
    # What nothing has written yet is zeros, and needs no place.
    for half in range(2 * touching[0]):
        counts.halves[half] = False
    return counts.stretches()


class _Counting:
    """Goes backwards through a plan, and notes in which halves of steps a row counts."""

    def __init__(self, row: int, steps: int):
        self.row = row
        self.halves = [False] * (2 * steps)
        self._before: dict[tuple[int, bool], bool] = {}

    def stretches(self) -> list[tuple[float, float]]:
        found: list[tuple[float, float]] = []
        for half, counts in enumerate(self.halves):
            if not counts:
                continue
            if found and found[-1][1] == half / 2:
                found[-1] = (found[-1][0], (half + 1) / 2)
            else:
                found.append((half / 2, (half + 1) / 2))
        return found

    def before(self, nodes: Sequence[Node], after: bool) -> bool:
        """Whether the row counts before these nodes, if it does or does not after them."""
        counts = after
        behind_branch = after
        for node in reversed(nodes):
            if not isinstance(node, Group):
                counts = self._before_step(node, counts)
            elif node.kind.is_loop:
                counts = self._before_loop(node, counts)
            elif node.kind is GroupKind.ELSE:
                behind_branch, counts = counts, self.before(node.body, counts)
                continue
            elif node.kind is GroupKind.IF:
                counts |= self.before(node.body, behind_branch)
            else:
                counts = self.before(node.body, counts)
            behind_branch = counts
        return counts

    def _before_step(self, step: Step, after: bool) -> bool:
        access = step.accesses[self.row]
        counts = access.needs_contents or (after and not access.writes)
        self.halves[2 * step.step] |= counts
        self.halves[2 * step.step + 1] |= after
        return counts

    def _before_loop(self, loop: Group, after: bool) -> bool:
        # Remembered, so that nested loops are not followed twice as often at each level.
        known = self._before.get((id(loop), after))
        if known is not None:
            return known
        test, body = _parts(loop)
        counts = False
        for _ in range(2):
            goes_on = self.before(body, counts)
            counts = self.before(test, after or goes_on)
        self._before[id(loop), after] = counts
        return counts


def _parts(loop: Group) -> tuple[Sequence[Node], Sequence[Node]]:
    """The nodes of a loop that decide whether it goes on, and the others."""
    test = [node for node in loop.body if _is_part(node, GroupKind.TEST)]
    return test, [node for node in loop.body if not _is_part(node, GroupKind.TEST)]


def _is_part(node: Node, kind: GroupKind) -> bool:
    return isinstance(node, Group) and node.kind is kind
