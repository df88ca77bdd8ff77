"""
Engines that say what the runtime asks of them. All compute with the reference engine; they
differ in where memory is and in what they can do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from vyre.dialects.vyre import BarrierOp, ProgramOp
from vyre.interpreter.backend import ReferenceBackend
from vyre.interpreter.engine import Dispatch
from vyre.runtime.backend import (
    Backend,
    Buffer,
    Bytes,
    Capabilities,
    Launch,
    is_buffer,
    same_elements,
)
from vyre.runtime.geometry import Geometry
from vyre.runtime.times import Times

Engine: TypeAlias = Backend | Callable[..., None]
Arguments: TypeAlias = Mapping[str, NDArray[Any] | np.generic]

FRESH = 0xFF
"""What every byte of new memory holds."""


class OwnMemory(Backend):
    """
    An engine whose memory the host cannot reach. New memory is not zeros, memory that was
    freed or never allocated cannot be used, and whatever moves is counted.

    With `stays` it fills, copies and compares on the device; otherwise the host does, as
    for an engine that has only what it must have.
    """

    name = "own memory"

    def __init__(
        self,
        *,
        grid_sync: bool = False,
        stays: bool = True,
        room: int | None = None,
        times: Callable[[Launch], Times | None] = lambda launch: None,
        **limits: Any,
    ):
        self.capabilities = Capabilities(grid_sync=grid_sync, **limits)
        self.live: dict[int, Bytes] = {}
        self.launches: list[Launch] = []
        self.uploads: list[int] = []
        self.downloads: list[int] = []
        self.fits: list[Geometry] = []
        self._stays = stays
        self._room = room
        self._times = times
        self._handles = count(1)

    @property
    def launched(self) -> list[ProgramOp]:
        return [launch.program for launch in self.launches]

    @override
    def allocate(self, size: int, alignment: int) -> int:
        assert size > 0, "nothing to allocate"
        room = np.full(size + alignment - 1, FRESH, np.uint8)
        begin = -room.ctypes.data % alignment
        handle = next(self._handles)
        self.live[handle] = room[begin : begin + size]
        return handle

    @override
    def free(self, memory: int) -> None:
        del self.live[memory]

    @override
    def upload(self, memory: int, offset: int, data: Bytes) -> None:
        target = self.live[memory][offset : offset + data.size]
        assert target.size == data.size, "upload outside the memory"
        target[:] = data
        self.uploads.append(data.size)

    @override
    def download(self, memory: int, offset: int, data: Bytes) -> None:
        source = self.live[memory][offset : offset + data.size]
        assert source.size == data.size, "download outside the memory"
        data[:] = source
        self.downloads.append(data.size)

    @override
    def launch(self, launch: Launch) -> Times | None:
        if not self.capabilities.grid_sync:
            assert not grid_barriers(launch.program), "a grid barrier came through"
        self.launches.append(launch)
        host = [self._on_host(a) if is_buffer(a) else a for a in launch.arguments]
        ReferenceBackend().launch(replace(launch, arguments=host))
        return self._times(launch)

    @override
    def resident_groups(self, kernel: object, geometry: Geometry) -> int | None:
        self.fits.append(geometry)
        return self._room

    @override
    def clear(self, memory: int, size: int) -> None:
        if self._stays:
            self.live[memory][:size] = 0
        else:
            super().clear(memory, size)

    @override
    def copy(self, source: int, target: int, size: int) -> None:
        if self._stays:
            self.live[target][:size] = self.live[source][:size]
        else:
            super().copy(source, target, size)

    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        if not self._stays:
            return super().equal(one, other)
        here, there = (
            self.live[b.memory][: b.size].view(b.dtype).reshape(b.shape)
            for b in (one, other)
        )
        return same_elements(here, there)

    def _on_host(self, buffer: Buffer) -> Buffer:
        return replace(buffer, memory=self.live[buffer.memory])


class Watched(ReferenceBackend):
    """The reference engine, which works in place, with what it was asked to launch."""

    def __init__(self) -> None:
        self.launches: list[Launch] = []

    @property
    def launched(self) -> list[ProgramOp]:
        return [launch.program for launch in self.launches]

    @override
    def launch(self, launch: Launch) -> None:
        self.launches.append(launch)
        super().launch(launch)


@dataclass
class Closure:
    """A function that runs programs; it keeps what it was called with."""

    launched: list[ProgramOp] = field(default_factory=list[ProgramOp])
    seen: list[Arguments] = field(default_factory=list[Arguments])

    def __call__(
        self, program: ProgramOp, arguments: Arguments, geometry: Geometry
    ) -> None:
        assert not grid_barriers(program), "a grid barrier came through"
        self.launched.append(program)
        self.seen.append(arguments)
        Dispatch(geometry.groups, size=geometry.size).run(program, arguments)


Kind: TypeAlias = Literal["reference", "closure", "own memory"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def make_engine(kind: Kind) -> OwnMemory | Watched | Closure:
    """An engine of that kind; `launched` are the programs that it has run."""
    match kind:
        case "reference":
            return Watched()
        case "closure":
            return Closure()
        case "own memory":
            return OwnMemory()


def grid_barriers(program: ProgramOp) -> list[BarrierOp]:
    """The grid barriers of a program."""
    return [op for op in program.walk() if isinstance(op, BarrierOp) and op.is_grid_sync]
