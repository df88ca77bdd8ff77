"""
The route: one launch with grid barriers in it, or a launch per segment.

A backend without grid barriers never sees one. One that has them runs the program as it is
if all workgroups can wait for each other at once, and else gets the split program.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ScheduleOp
from vyre.runtime.backend import Backend
from vyre.runtime.config import Mode
from vyre.runtime.errors import DoesNotFit, UnsupportedFeature, blaming_engine
from vyre.runtime.geometry import Geometry
from vyre.runtime.unit import Unit
from vyre.runtime.variants import Variant

Way: TypeAlias = Literal["native", "split"]


@dataclass(frozen=True)
class Route:
    """What runs, in which way, and why."""

    way: Way
    reason: str
    unit: Unit
    variant: Variant

    @property
    def table(self) -> tuple[str, ...]:
        """The names of the buffers and parameters that are passed, as they are declared."""
        return self.unit.outline.names

    @property
    def summary(self) -> str:
        """
        What happens and why, for people.

        Example: `"split (native loop): the engine has grid barriers"`
        """
        return f"{self.form}: {self.reason}"

    @property
    def form(self) -> str:
        """The way, and what the engine makes of it."""
        return "split (native loop)" if self._is_looped else self.way

    @property
    def launched(self) -> Unit:
        """What is launched in the end: a schedule also if the engine itself splits."""
        return self.variant.split() if self._is_looped else self.unit

    @property
    def _is_looped(self) -> bool:
        has_barrier = self.unit.outline.has_grid_barrier
        return has_barrier and self.variant.backend.capabilities.loops

    @property
    def launch_count(self) -> int:
        """How many launches are written; loops may make more of them."""
        if not self.unit.outline.is_schedule:
            return 1
        schedule = self.unit.op
        assert isinstance(schedule, ScheduleOp)
        return len(self.variant.segments(schedule))

    @property
    def counts(self) -> dict[str, int]:
        """Counters of a dispatch of a split program; nothing if it is not split."""
        if not self.unit.outline.is_schedule:
            return {}
        count = self.launch_count
        return {
            "grid_sync_splits": 1,
            "grid_sync_segments": count,
            "grid_sync_points": max(0, count - 1),
        }


def choose_route(variant: Variant, mode: Mode, geometry: Geometry | None) -> Route:
    """
    The route for a mode. Without a geometry nobody asks whether it fits.

    Example: `choose_route(variant, "auto", geometry).reason`
    """
    if geometry is not None:
        _check_limits(variant.backend, geometry)
    way, reason = _way(variant, mode, geometry)
    unit = variant.split() if way == "split" else variant.unit
    variant.require(unit)
    return Route(way, reason, unit, variant)


def _way(variant: Variant, mode: Mode, geometry: Geometry | None) -> tuple[Way, str]:
    unit, backend = variant.unit, variant.backend
    if unit.outline.is_schedule:
        if mode == "native":
            raise UnsupportedFeature(
                f"@{unit.name} is split already and cannot run natively",
                "pass the program as it was before it was split, or use mode='split'",
                at=unit.op,
            )
        return "split", "it is a schedule already"
    if not unit.outline.has_grid_barrier:
        return "native", "there is no grid barrier, so one launch does it"
    if mode == "split":
        return "split", "as asked for"
    if not backend.capabilities.grid_sync:
        if mode == "native":
            raise UnsupportedFeature(
                f"engine '{backend.name}' has no grid barriers",
                "use mode='split' or 'auto', which give the same results",
                at=unit.op,
            )
        return "split", f"engine '{backend.name}' has no grid barriers"
    return _fitting(variant, mode, geometry)


def _fitting(variant: Variant, mode: Mode, geometry: Geometry | None) -> tuple[Way, str]:
    """Native if all workgroups can wait for each other."""
    backend = variant.backend
    asked = "as asked for" if mode == "native" else "the engine has grid barriers"
    if geometry is None:
        return "native", asked
    refused = variant.refused.get(geometry)
    if refused is not None and mode == "auto":
        return "split", refused
    kernel = variant.native_kernel()
    with blaming_engine(backend.name, "say how many workgroups fit"):
        limit = backend.resident_groups(kernel, geometry)
    if limit is None:
        return "native", f"{asked}, for any number of workgroups"
    count = geometry.group_count
    if count <= limit:
        return "native", f"{asked}, and all {count} workgroups fit at once (of {limit})"
    if mode == "native":
        raise DoesNotFit(
            f"{count} workgroups cannot wait for each other on engine '{backend.name}', "
            f"which holds {limit} at once",
            "use a smaller grid, or mode='auto', which splits the program then",
            needed=count,
            limit=limit,
        )
    return "split", f"{count} workgroups do not fit at once, only {limit} do"


def split_after(route: Route, geometry: Geometry, refusal: VyreError) -> Route:
    """
    The route for a program that the device has just refused to launch natively; also the
    one of later dispatches with the same geometry.

    Example: `split_after(route, geometry, error).reason`
    """
    why = f"{geometry.group_count} workgroups were refused at once: {refusal.cause}"
    route.variant.refused[geometry] = why
    return choose_route(route.variant, "auto", geometry)


def _check_limits(backend: Backend, geometry: Geometry) -> None:
    """Refuse what the engine cannot launch at all."""
    can = backend.capabilities
    limits = [
        *_per_axis("workgroups", geometry.groups, can.max_groups),
        *_per_axis("invocations of a workgroup", geometry.size, can.max_workgroup),
    ]
    if can.max_workgroup_invocations is not None:
        size = geometry.invocation_count // geometry.group_count
        limits.append(("invocations per workgroup", size, can.max_workgroup_invocations))
    for what, needed, limit in limits:
        if needed > limit:
            raise DoesNotFit(
                f"{needed} {what} are more than the {limit} of engine '{backend.name}'",
                "use a smaller grid or workgroup, with a loop in the program",
                needed=needed,
                limit=limit,
            )


def _per_axis(
    what: str, needed: tuple[int, ...], limits: tuple[int, ...] | None
) -> list[tuple[str, int, int]]:
    axes = zip("xyz", needed, limits or ())
    return [(f"{what} along {axis}", count, limit) for axis, count, limit in axes]
