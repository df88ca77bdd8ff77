"""
What `exe.explain` says: the route and why, the grid, the buffers, the launches with what
each does to which buffer, and what crosses grid barriers.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from vyre.dialects.vyre import ProgramOp
from vyre.lowering.explain import crossing_values
from vyre.passes.pipeline import ir_after_each
from vyre.runtime.binding import Arguments, Binding
from vyre.runtime.geometry import Geometry
from vyre.runtime.route import Route
from vyre.tools.plan.model import Plan
from vyre.tools.plan.table import plan_table

if TYPE_CHECKING:
    from vyre.runtime.executable import Executable


def explanation(
    exe: "Executable",
    route: Route,
    geometry: Geometry | None = None,
    arguments: Arguments | None = None,
) -> str:
    """
    How a program will run, for people. Without geometry and arguments, only what does not
    depend on them.

    Example: `print(exe.explain(x=array))`
    """
    name = exe.unit.name
    lines = [f"@{name} on engine '{exe.backend.name}'", route.summary]
    if geometry is not None:
        lines.append(f"grid {geometry.groups}, workgroups of {geometry.size}")
    proof = _proof(route)
    if proof is not None:
        lines.append(f"split validated: {proof}")
    lines += _changes(route)
    lines += ["", *_buffers(exe.bindings.declared, arguments)]
    lines += ["", plan_table(Plan.of(route.launched.op)).rstrip()]
    program = route.variant.unit.op
    if route.launched is not exe.unit and isinstance(program, ProgramOp):
        lines += ["", crossing_values(program).rstrip()]
    return "\n".join(lines)


def passes_of(route: Route) -> list[tuple[str, str]]:
    """
    The passes that a program goes through, with the IR after each.

    Example: `passes_of(exe.route(exe.config, None))[0]` is the program as it is written.
    """
    unit, backend = route.variant.unit, route.variant.backend
    found = backend.pipeline(unit, is_split=route.launched is not unit)
    return [] if found is None else list(ir_after_each(*found))


def _changes(route: Route) -> list[str]:
    """Which passes change the program."""
    passes = passes_of(route)
    changed = [name for (_, before), (name, text) in pairwise(passes) if text != before]
    return [f"passes that change it: {', '.join(changed) or 'none'}"] if passes else []


def _proof(route: Route) -> str | None:
    """What was proved of the schedule that runs, if there is one."""
    variant = route.variant
    if route.unit is variant.unit and variant.backend.capabilities.whole:
        kernel: object = variant.whole_kernel(route.unit)
        return getattr(kernel, "proof", None)
    return variant.proof


def _buffers(bindings: Sequence[Binding], arguments: Arguments | None) -> list[str]:
    """A table: what each buffer is for, and how large it is."""
    rows = [("buffer", "role", "type", "bytes")]
    for binding in bindings:
        shape = binding.shape if arguments is None else arguments.shape(binding)
        known = arguments is not None or binding.has_size
        size = str(binding.size_of(shape)) if known else "as passed"
        rows.append((binding.name, binding.role.value, str(binding.buffer.type), size))
    if len(rows) == 1:
        return ["no buffers"]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
        for row in rows
    ]
