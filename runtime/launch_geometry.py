"""How wide a resident megakernel is launched: slots of work, and workgroups for them."""

from dataclasses import dataclass

from vyre.runtime.config import DispatchConfig
from vyre.runtime.errors import InvalidArgument
from vyre.runtime.geometry import Extent


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


def _check(name: str, value: object) -> None:
    if not isinstance(value, int) or value < 1:
        raise InvalidArgument(f"{name} is {value!r}", "pass a number from 1 on")
