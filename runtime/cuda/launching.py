"""From a launch of a program to steps for the device."""

from collections.abc import Sequence
from math import prod

import numpy as np

from vyre.diagnostics import Segment
from vyre.lowering.cuda.kernel import CudaKernel, Extra, ScratchArgument
from vyre.runtime.backend import Buffer
from vyre.runtime.cuda.arguments import packed
from vyre.runtime.cuda.kernels import LoadedKernel
from vyre.runtime.cuda.sections import SectionBuilder
from vyre.runtime.cuda.tape import ClearStep, LaunchStep
from vyre.runtime.cuda.traps import NEW_RECORDS, RECORD_BYTES, TrappingLaunch
from vyre.runtime.cuda.watchdog import WatchedLaunch
from vyre.runtime.cuda.workspace import GRID_BYTES, Workspace, scratch_buffer
from vyre.runtime.geometry import Geometry, scratch_sizes
from vyre.runtime.scalars import dtype_of


def add_launch(
    section: SectionBuilder,
    space: Workspace,
    loaded: LoadedKernel,
    name: str | None,
    values: Sequence[Buffer | np.generic],
    geometry: Geometry,
    guard: int = 0,
    segment: Segment | None = None,
) -> None:
    """
    Add a launch to a section, and what it needs before: zeros for scratch of the program,
    and for the words of its grid barrier. `guard` is where the byte is that tells a guarded
    kernel to do nothing.

    Example: `add_launch(section, space, loaded, "p.0", [buffer], geometry)`
    """
    kernel = loaded.kernel
    scratch = _scratch(kernel, space, geometry)
    cleared = [(buffer.memory.address, buffer.size) for buffer in scratch]
    extras = {Extra.GUARD: guard, Extra.STOP: space.stop.address}
    if Extra.GRID in kernel.extras:
        extras[Extra.GRID] = space.memory("grid", GRID_BYTES)
        cleared.append((extras[Extra.GRID], GRID_BYTES))
        if kernel.watchdog is not None:
            groups = prod(geometry.groups)
            section.watched = WatchedLaunch(kernel, groups, extras[Extra.GRID])
    if Extra.TRAP in kernel.extras:
        records = space.filled("records", NEW_RECORDS)
        extras[Extra.TRAP] = records + RECORD_BYTES * len(section.trapping)
        section.trapping.append(TrappingLaunch(kernel, segment))
    section.steps += (ClearStep(address, size) for address, size in cleared if size)
    section.steps.append(
        LaunchStep(
            name,
            loaded.function,
            geometry.groups,
            kernel.workgroup,
            packed(kernel, [*values, *scratch], extras),
            kernel.is_cooperative,
            segment,
        )
    )


def _scratch(kernel: CudaKernel, space: Workspace, geometry: Geometry) -> list[Buffer]:
    """Memory for scratch that the program itself declares."""
    found: list[Buffer] = []
    for number, argument in enumerate(kernel.arguments):
        if isinstance(argument, ScratchArgument):
            shape = scratch_sizes(argument.scope, argument.type.get_shape(), geometry)
            dtype = dtype_of(argument.type.element_type)
            found.append(scratch_buffer(space, (kernel.name, number), shape, dtype))
    return found
