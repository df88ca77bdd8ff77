"""The grid of a dispatch: how invocations are numbered and where each one is."""

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from vyre.dialects.vyre.attributes import Axis
from vyre.interpreter.frames import Lanes

SUBGROUP_SIZE = 32

Extent = tuple[int, int, int]


@dataclass(frozen=True)
class Grid:
    """
    Workgroups along x, y and z, and invocations per workgroup.

    Lanes number the invocations workgroup by workgroup, x fastest in both, so that
    workgroups and subgroups are stretches of consecutive lanes.

    Example: `Grid(groups=(4, 1, 1), size=(64, 1, 1)).lane_count` is 256.
    """

    groups: Extent
    size: Extent

    @cached_property
    def group_count(self) -> int:
        return prod(self.groups)

    @cached_property
    def group_size(self) -> int:
        return prod(self.size)

    @cached_property
    def lane_count(self) -> int:
        return self.group_count * self.group_size

    @cached_property
    def subgroups_per_group(self) -> int:
        return -(-self.group_size // SUBGROUP_SIZE)

    def all_lanes(self) -> Lanes:
        return np.arange(self.lane_count)

    def group(self, lanes: Lanes) -> Lanes:
        """Number of each lane's workgroup."""
        return lanes // self.group_size

    def group_id(self, lanes: Lanes, axis: Axis) -> Lanes:
        return _coordinate(self.group(lanes), self.groups, axis)

    def local_id(self, lanes: Lanes, axis: Axis) -> Lanes:
        return _coordinate(lanes % self.group_size, self.size, axis)

    def invocation_id(self, lanes: Lanes, axis: Axis) -> Lanes:
        width = self.size[axis.position]
        return self.group_id(lanes, axis) * width + self.local_id(lanes, axis)

    def linear_id(self, lanes: Lanes) -> Lanes:
        """Number of each invocation in the whole grid, x fastest."""
        extent_x, extent_y, _ = (g * s for g, s in zip(self.groups, self.size))
        x, y, z = (self.invocation_id(lanes, axis) for axis in Axis)
        return (z * extent_y + y) * extent_x + x

    def linear_local_id(self, lanes: Lanes) -> Lanes:
        """Number of each invocation in its workgroup, x fastest."""
        return lanes % self.group_size

    def subgroup(self, lanes: Lanes) -> Lanes:
        """Number of each lane's subgroup in the grid."""
        within = (lanes % self.group_size) // SUBGROUP_SIZE
        return self.group(lanes) * self.subgroups_per_group + within

    def subgroup_local_id(self, lanes: Lanes) -> Lanes:
        return (lanes % self.group_size) % SUBGROUP_SIZE

    def describe(self, lane: int) -> str:
        """An invocation as diagnostics name it: `(3, 0, 0)`."""
        lanes = np.array([lane])
        return str(tuple(int(self.invocation_id(lanes, axis)[0]) for axis in Axis))

    def describe_group(self, lanes: Lanes) -> str:
        """The workgroup of the first of the lanes."""
        return str(tuple(int(self.group_id(lanes[:1], axis)[0]) for axis in Axis))


def _coordinate(number: Lanes, extent: Extent, axis: Axis) -> Lanes:
    below = prod(extent[: axis.position])
    return number // below % extent[axis.position]
