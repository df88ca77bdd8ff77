"""How wide a resident megakernel is launched: slots of work, and workgroups for them."""

from dataclasses import dataclass

from vyre.runtime.config import DispatchConfig
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.geometry import Extent

MAX_GROUPS = 1024
"""Workgroups that are launched at most, however long the queue is."""


@dataclass(frozen=True)
class LaunchGeometry:
    """
    `slots` invocations in workgroups of `width`, along x.

    Example: `Megakernel(file, config=LaunchGeometry(1024, 256).config())`
    """

    slots: int = 256
    width: int = 256

    def __post_init__(self) -> None:
        _check("slots", self.slots)
        _check("width", self.width)
        if self.slots % self.width:
            raise InvalidArgument(
                f"{self.slots} slots are not whole workgroups of {self.width}",
                "take a positive multiple of the width",
            )

    @property
    def grid(self) -> Extent:
        """Workgroups along x, y and z."""
        return self.slots // self.width, 1, 1

    @property
    def workgroup(self) -> Extent:
        """Invocations of a workgroup along x, y and z."""
        return self.width, 1, 1

    def config(self, *, timeout: float | None = None) -> DispatchConfig:
        """What a dispatch is told."""
        return DispatchConfig(grid=self.grid, workgroup=self.workgroup, timeout=timeout)

    @staticmethod
    def sized(queue: int, workers: int, max_width: int) -> "LaunchGeometry":
        """
        For a queue of so many slots, on so many workers: workgroups as wide as there are
        workers, if the engine allows it, and as many as the queue fills, but no more than
        workers or `MAX_GROUPS`.

        Example: `LaunchGeometry.sized(queue=1000, workers=64, max_width=1024).grid`
        """
        _check("queue", queue, 0)
        _check("workers", workers, 0)
        _check("max_width", max_width)
        width = min(max(workers, 1), max_width)
        filled = max(1, -(-queue // width))
        return LaunchGeometry(width * min(filled, max(workers, 1), MAX_GROUPS), width)


def _check(name: str, value: object, least: int = 1) -> None:
    if not isinstance(value, int) or value < least:
        raise InvalidArgument(f"{name} is {value!r}", f"pass a number from {least} on")
