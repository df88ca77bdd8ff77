"""Programs whose workgroups are run by schedules: see `vyre.workgroups`."""

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
from xdsl.ir import SSAValue

from vyre.dialects import vyre
from vyre.interpreter.frames import Value
from vyre.interpreter.memory import Memory
from vyre.runtime.errors import Trapped
from vyre.runtime.geometry import Extent, Geometry
from vyre.runtime.scalars import dtype_of


def table_values(
    workgroups: vyre.WorkgroupsOp,
    program: vyre.ProgramOp,
    passed: Mapping[SSAValue, Value],
    groups: Extent,
    place: Extent,
) -> dict[SSAValue, Value]:
    """
    What the schedule of one workgroup gets, from what the program gets.

    Example: `table_values(workgroups, program, entries, (4, 1, 1), (2, 0, 0))`
    """
    entries: dict[SSAValue, Value] = {}
    for entry, own in zip(workgroups.passed(program), program.launch_table, strict=True):
        entries[entry.results[0]] = passed[own.results[0]]
    for entry in workgroups.memory(program):
        data = np.zeros(entry.type.get_shape(), dtype_of(entry.type.element_type))
        entries[entry.memref] = Memory.of(entry.entry_name.data, data)
    for entry, number in zip(workgroups.ids, (*place, *groups), strict=True):
        entries[entry.value] = np.int64(number)
    return entries


def run_workgroups(geometry: Geometry, run: Callable[[Extent], None]) -> None:
    """
    Runs one workgroup after the other; of several traps, the one of the smallest invocation
    of the grid is raised.

    Example: `run_workgroups(geometry, lambda place: ...)`
    """
    traps: list[Trapped] = []
    for z, y, x in product(*map(range, reversed(geometry.groups))):
        try:
            run((x, y, z))
        except Trapped as trap:
            traps.append(_in_grid(trap, geometry, (x, y, z)))
    if traps:
        raise min(traps, key=lambda trap: trap.invocation)


def _in_grid(trap: Trapped, geometry: Geometry, place: Extent) -> Trapped:
    """The trap of an invocation of a workgroup, by its number in the grid."""
    size = geometry.size
    if isinstance(trap.at, vyre.TrapOp) and trap.at.invocation is not None:
        return trap  # It has said so itself.
    number = trap.invocation
    local = (number % size[0], number // size[0] % size[1], number // size[0] // size[1])
    x, y, z = (g * s + i for g, s, i in zip(place, size, local))
    width, height, _ = (g * s for g, s in zip(geometry.groups, size))
    assert trap.at is not None
    return Trapped(trap.at, trap.tag, (z * height + y) * width + x, trap.value)
