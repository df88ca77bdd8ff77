"""
Engines that say what the runtime asks of them. All compute with the reference engine; they
differ in where memory is and in what they can do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
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
    Memory,
    is_buffer,
)
from vyre.runtime.geometry import Geometry
from vyre.runtime.times import Times
from vyre.testing import RecordingBackend

Engine: TypeAlias = Backend | Callable[..., None]
Arguments: TypeAlias = Mapping[str, NDArray[Any] | np.generic]


class _Apart(Backend):
    """The reference engine with memory of its own, which nobody uses after it was freed."""

    def __init__(self, room: int | None, capabilities: Capabilities):
        self.capabilities = capabilities
        self._room = room
        self._host = ReferenceBackend()
        self._live: dict[object, Bytes] = {}

    @override
    def allocate(self, size: int, alignment: int) -> object:
        assert size > 0, "nothing to allocate"
        handle = object()
        self._live[handle] = self._host.allocate(size, alignment)
        return handle

    @override
    def free(self, memory: object) -> None:
        del self._live[memory]

    @override
    def upload(self, memory: object, offset: int, data: Bytes) -> None:
        self._part(memory, offset, data.size)[:] = data

    @override
    def download(self, memory: object, offset: int, data: Bytes) -> None:
        data[:] = self._part(memory, offset, data.size)

    def _part(self, memory: object, offset: int, size: int) -> Bytes:
        part = self._live[memory][offset : offset + size]
        assert part.size == size, "outside the memory"
        return part

    @override
    def launch(self, launch: Launch) -> None:
        if not self.capabilities.grid_sync:
            assert not grid_barriers(launch.program), "a grid barrier came through"
        host = [self._on_host(a) if is_buffer(a) else a for a in launch.arguments]
        self._host.launch(replace(launch, arguments=host))

    @override
    def resident_groups(self, kernel: object, geometry: Geometry) -> int | None:
        return self._room

    @override
    def clear(self, memory: object, size: int) -> None:
        self._live[memory][:size] = 0

    @override
    def copy(self, source: object, target: object, size: int) -> None:
        self._live[target][:size] = self._live[source][:size]

    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        return self._host.equal(self._on_host(one), self._on_host(other))

    def _on_host(self, buffer: Buffer) -> Buffer:
        return replace(buffer, memory=self._live[buffer.memory])


class OwnMemory(RecordingBackend):
    """
    An engine whose memory the host cannot reach. With `stays` it fills, copies and compares
    on the device; otherwise the host does, as for an engine with nothing but what it must
    have.
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
        super().__init__(_Apart(room, Capabilities(grid_sync=grid_sync, **limits)))
        self.fits: list[Geometry] = []
        self._stays = stays
        self._times = times

    @override
    def launch(self, launch: Launch) -> Times | None:
        super().launch(launch)
        return self._times(launch)

    @override
    def resident_groups(self, kernel: object, geometry: Geometry) -> int | None:
        self.fits.append(geometry)
        return super().resident_groups(kernel, geometry)

    @override
    def clear(self, memory: Memory, size: int) -> None:
        if self._stays:
            super().clear(memory, size)
        else:
            Backend.clear(self, memory, size)

    @override
    def copy(self, source: Memory, target: Memory, size: int) -> None:
        if self._stays:
            super().copy(source, target, size)
        else:
            Backend.copy(self, source, target, size)

    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        return super().equal(one, other) if self._stays else Backend.equal(self, one, other)


def in_place() -> RecordingBackend:
    """Gives the reference engine, which works on the caller's arrays."""
    return RecordingBackend(ReferenceBackend(), in_place=True)


@dataclass
class Closure:
    """A function that runs programs; it keeps what it was called with."""

    programs: list[ProgramOp] = field(default_factory=list[ProgramOp])
    seen: list[Arguments] = field(default_factory=list[Arguments])

    def __call__(
        self, program: ProgramOp, arguments: Arguments, geometry: Geometry
    ) -> None:
        assert not grid_barriers(program), "a grid barrier came through"
        self.programs.append(program)
        self.seen.append(arguments)
        Dispatch(geometry.groups, size=geometry.size).run(program, arguments)


Kind: TypeAlias = Literal["reference", "closure", "own memory"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def make_engine(kind: Kind) -> RecordingBackend | Closure:
    """Gives an engine of that kind."""
    match kind:
        case "reference":
            return in_place()
        case "closure":
            return Closure()
        case "own memory":
            return OwnMemory()


def programs(engine: RecordingBackend | Closure) -> list[ProgramOp]:
    """Gives the programs that it has run."""
    if isinstance(engine, Closure):
        return engine.programs
    return [launch.program for launch in engine.launches]


def grid_barriers(program: ProgramOp) -> list[BarrierOp]:
    """The grid barriers of a program."""
    return [op for op in program.walk() if isinstance(op, BarrierOp) and op.is_grid_sync]
