"""
Scratch that values share: two of them need two places only while both are alive.

The life of a kept value or variable is an interval of runs, from the first that writes it
to the last that may read it; a loop that comes back to a read is inside it as a whole (see
`Spine.end_of_life`). Control flow is structured, so at every point of an execution the
values that are alive are among those whose intervals contain the run: intervals that do not
overlap can share a place.

A run reads before it writes. So a place of an invocation may be read for the last time and
written for the first time in one run. A place that several invocations share may not: one
would overwrite what another has still to read.

Places are given out in the order of the intervals' starts, each to the one that became free
first; for intervals this takes as few places as possible.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeAlias

from xdsl.ir import Attribute

from vyre.analysis.crossing import Crossing, Kept
from vyre.analysis.uniformity import Level
from vyre.analysis.variables import Variable

Tenant: TypeAlias = Kept | Variable
"""Who lives in a slot."""


@dataclass(eq=False)
class Slot:
    """A place in scratch for values of one type and level."""

    level: Level
    type: Attribute
    tenants: list[Tenant]

    @property
    def name(self) -> str:
        """A name for people: that of the first tenant that has one."""
        names = (tenant_name(tenant) for tenant in self.tenants)
        return next((name for name in names if name), "value")


def tenant_name(tenant: Tenant) -> str | None:
    """The name of a kept value or variable."""
    if isinstance(tenant, Variable):
        return tenant.position.name
    return tenant.value.name_hint


def assign_slots(crossing: Crossing, reads: dict[Tenant, list[int]]) -> dict[Tenant, Slot]:
    """
    A slot for each kept value and variable that is read. `reads` has the runs that read
    each; those that are read nowhere get no slot.
    """
    lives = [
        (*_life(crossing, tenant, runs), number, tenant)
        for number, (tenant, runs) in enumerate(reads.items())
        if runs
    ]
    lives.sort(key=lambda life: (life[0], life[2]))
    free: defaultdict[tuple[Level, Attribute], list[tuple[int, int, Slot]]]
    free = defaultdict(list)
    slots: dict[Tenant, Slot] = {}
    for start, end, number, tenant in lives:
        kind = (tenant.level, _type(tenant))
        # The run after which another may write: at once, unless the place is shared.
        is_shared = tenant.level is not Level.INVOCATION
        if free[kind] and free[kind][0][0] <= start:
            slot = heappop(free[kind])[2]
            slot.tenants.append(tenant)
        else:
            slot = Slot(*kind, [tenant])
        slots[tenant] = slot
        heappush(free[kind], (end + is_shared, number, slot))
    return slots


def _type(tenant: Tenant) -> Attribute:
    return tenant.position.type if isinstance(tenant, Variable) else tenant.value.type


def _life(crossing: Crossing, tenant: Tenant, reads: list[int]) -> tuple[int, int]:
    """The first run that writes a tenant, and the last that may read it."""
    spine = crossing.spine
    if isinstance(tenant, Kept):
        return tenant.home, max(spine.end_of_life(tenant.home, run) for run in reads)
    start = min(run for _, run in tenant.writes)
    ends = [spine.end_of_life(start, run) for run in (*reads, *_writers(tenant))]
    return start, max(ends)


def _writers(variable: Variable) -> list[int]:
    return [run for _, run in variable.writes]
