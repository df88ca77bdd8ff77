"""
What an engine is to the runtime: memory, transfers and launches.

Only five methods must be written: `allocate`, `free`, `upload`, `download` and `launch`.
All that callers can do (results by name, storage of their own, resident buffers, fixpoints,
times, splitting at grid barriers) is made of these, the same on every engine. The other
methods have defaults that are right, and an engine may know a faster way.

An engine is found by its name through the entry point group `vyre.backends`, or passed to
`vyre.compile(..., engine=MyEngine())`. `vyre.testing.conformance` tells whether it keeps to
the contract, which is in the docstrings here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeIs, override

from vyre.analysis.features import Feature
from vyre.diagnostics import VyreError
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.runtime import telemetry
from vyre.runtime.config import Order
from vyre.runtime.deadline import Deadline
from vyre.runtime.device_array import AnyArray, DeviceArray
from vyre.runtime.geometry import Extent, Geometry
from vyre.runtime.times import NO_TIME, Times
from vyre.runtime.unit import Unit

if TYPE_CHECKING:
    from vyre.passes.pipeline import Pipeline

Bytes = NDArray[np.uint8]
"""Contiguous bytes of the host, one-dimensional."""

Memory = Any
"""Memory of an engine, as it handed it out; nobody else looks inside."""

Kernel = Any
"""A program that an engine has compiled."""


@dataclass(frozen=True)
class Capabilities:
    """
    What an engine can do; its answers must be honest. None means without a limit.

    `grid_sync`: it runs programs with grid barriers as they are. `loops`: for that it
    splits them by itself, and makes all launches in one loop of native code. `in_place`: it
    works in the host's memory and may `adopt` arrays. `orders`: workgroups can be made to
    take turns in the ways of `vyre.runtime.config.Order`. `whole`: it prepares all
    passes of a dispatch by itself, also of a schedule. `lasting`: its memory is never lost.
    `lacks`: what programs may not use. `operations`: names of those that Vyre does not know
    and the engine runs.
    """

    grid_sync: bool = False
    loops: bool = False
    in_place: bool = False
    whole: bool = False
    orders: bool = False
    lasting: bool = False
    lacks: frozenset[Feature] = frozenset()
    operations: Container[str] = frozenset[str]()
    max_groups: Extent | None = None
    max_workgroup: Extent | None = None
    max_workgroup_invocations: int | None = None
    max_buffer_bytes: int | None = None


@dataclass(frozen=True, eq=False)
class Buffer:
    """Memory of an engine as an array: `size` bytes from its beginning."""

    name: str
    memory: Memory
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True, eq=False)
class Launch:
    """
    One launch of a program over the whole grid. `arguments` are the buffers and parameters
    of its table without workgroup buffers, in declaration order. `number` counts the
    launches of a dispatch; `timed` asks for times, also if that means to wait.
    """

    program: ProgramOp
    kernel: Kernel
    arguments: Sequence[Buffer | np.generic]
    geometry: Geometry
    deadline: Deadline
    number: int = 0
    timed: bool = False
    order: Order = "lockstep"
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Whole:
    """
    All passes of a dispatch: a program with all its grid barriers, or a schedule, up to
    `passes` times, until a pass has changed nothing. A pass is compared with the one before
    it every `check_interval` passes, except the last.
    """

    unit: Unit
    kernel: Kernel
    arguments: Sequence[Buffer | np.generic]
    geometry: Geometry
    passes: int = 1
    check_interval: int | None = None
    timed: bool = False
    split: "Callable[[VyreError], Whole] | None" = None
    """
    Gives the same dispatch as a schedule, for an engine whose device refuses to launch the
    program at once, with what it said; None if the caller insists.
    """


@dataclass(frozen=True)
class SegmentReport:
    """What the launches of one program took; `wall` is until the calls returned."""

    name: str
    launches: int = 0
    wall: int = 0
    times: Times = NO_TIME


@dataclass(frozen=True)
class Outcome:
    """What an engine did that ran the whole of a dispatch."""

    times: Times
    passes: int
    segments: tuple[SegmentReport, ...]


class Repeatable(ABC):
    """
    Dispatches with their buffers, to be made many times. Whoever runs them keeps the memory
    alive that they work on.

    Example: `backend.together([one, other]).run(Deadline(1.5))`
    """

    ended: Sequence[tuple[int, int]] | None = ()
    """
    Passes and launches of each dispatch that ended well before the first one that failed;
    None if the engine does not know which one failed.
    """

    @abstractmethod
    def run(self, deadline: Deadline) -> tuple[int, int]:
        """
        Make the dispatches; gives how many passes there were, and how many launches of
        programs. Never called by two threads at once.
        """


class Prepared(Repeatable):
    """
    One dispatch to be made once or many times.

    Example: `backend.prepare(whole, ["out"]).run(Deadline(1.5))`
    """

    @abstractmethod
    def outcome(self, wall: int) -> Outcome:
        """What the last run did, which took so many nanoseconds of the host's."""

    def close(self) -> None:
        """
        The last run ended well and there will be no other: memory of the dispatch may
        serve others. One that is not closed frees it when nobody refers to it.
        """

    @abstractmethod
    def rebind(self, arguments: Sequence[int | np.generic]) -> None:
        """
        Exchange all buffers and parameters, in the order of `Whole.arguments`. Buffers are
        addresses of the host, of arrays with the same sizes; only for an engine that works
        `in_place`.
        """


class Backend(ABC):
    """
    An engine. Methods may be called from several threads at once.

    Any exception that a method raises ends the dispatch and is reported as a typed error;
    `MemoryError` as `OutOfMemory`. Everything that was allocated is freed then.

    Example: `docs/runtime.md` has a complete engine.
    """

    name: ClassVar[str]
    capabilities: Capabilities = Capabilities()

    @abstractmethod
    def allocate(self, size: int, alignment: int) -> Memory:
        """`size` bytes, at least one, of any contents, at a multiple of `alignment`."""

    @abstractmethod
    def free(self, memory: Memory) -> None:
        """
        Give memory back. Called once for all that was allocated, whatever happened; after
        a failure launches may still be using it, which is for the engine to know.
        """

    @abstractmethod
    def upload(self, memory: Memory, offset: int, data: Bytes) -> None:
        """Copy the host's bytes to the memory, from byte `offset` on."""

    @abstractmethod
    def download(self, memory: Memory, offset: int, data: Bytes) -> None:
        """Fill the host's bytes from the memory, after all launches before."""

    def launch(self, launch: Launch) -> Times | None:
        """
        Run a program over the grid, after all launches and transfers before. It may return
        before the program has ended; then `finish` and `download` wait for it, and raise
        what went wrong. Only an engine that prepares the `whole` of dispatches needs none.
        """
        raise NotImplementedError

    def compile(self, program: ProgramOp) -> Kernel:
        """
        Prepare a program for many launches. Unless the engine has `grid_sync`, there is no
        grid barrier in it.
        """
        return program

    def pipeline(
        self, unit: Unit, *, is_split: bool
    ) -> "tuple[ProgramOp | ScheduleOp, Pipeline] | None":
        """
        Return what a program is compiled from and the passes that it goes through, if there
        are any.
        """
        from vyre.passes.host_plan import HostPlanPass

        return (unit.op, HostPlanPass()) if is_split else None

    def compile_whole(self, unit: Unit) -> Kernel:
        """
        Compile a program or schedule for `prepare`, if the engine can do the `whole`. Waves
        are fused when `unit.op` is first asked for.
        """
        raise NotImplementedError

    def prepare(self, whole: Whole, zeros: Sequence[str] = ()) -> Prepared:
        """
        A dispatch to be made, if the engine can do the `whole`. The buffers that are named
        are zeros when it starts.
        """
        raise NotImplementedError

    def together(self, batch: Sequence[Prepared]) -> Repeatable:
        """Dispatches that were prepared, as one; they have no buffer in common."""
        return _InTurn(batch)

    def sources(self, kernel: Kernel) -> dict[str, str]:
        """The text that was generated for a compiled program, by names of files."""
        return {}

    def resident_groups(self, kernel: Kernel, geometry: Geometry) -> int | None:
        """How many workgroups can wait for each other at a grid barrier; None for any."""
        return None

    def adopt(self, array: AnyArray) -> Memory | None:
        """An array in place as memory, which is not freed; None if that cannot be."""
        return None

    def device_array(self, value: object) -> DeviceArray | None:
        """
        What a caller passed, if it is an array in the engine's own memory. It can be
        adopted then. One that is in the memory of another device is refused.
        """
        return None

    def new_device_array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceArray:
        """An array for a caller, of any contents, if callers can pass such arrays."""
        raise NotImplementedError

    def part(self, memory: Memory, offset: int) -> Memory | None:
        """Memory from a byte on, which is not freed; None if that cannot be."""
        return None if offset else memory

    def host_array(self, buffer: Buffer) -> NDArray[Any] | None:
        """A buffer as an array of the host, if its memory is the host's."""
        return None

    def reopened(self) -> "Backend":
        """An engine in the place of this one, whose device was lost; perhaps itself."""
        return self

    def finish(self) -> None:
        """Wait until all launches have ended."""

    def clear(self, memory: Memory, size: int) -> None:
        """Fill the first `size` bytes with zeros."""
        self.upload(memory, 0, np.zeros(size, np.uint8))
        telemetry.add(uploaded_bytes=size)

    def copy(self, source: Memory, target: Memory, size: int) -> None:
        """Copy the first `size` bytes of one memory to another."""
        data = np.empty(size, np.uint8)
        self.download(source, 0, data)
        self.upload(target, 0, data)
        telemetry.add(downloaded_bytes=size, uploaded_bytes=size)

    def equal(self, one: Buffer, other: Buffer) -> bool:
        """Whether two buffers hold the same; any NaN is like any other."""
        contents: list[NDArray[Any]] = []
        for buffer in (one, other):
            data = np.empty(buffer.size, np.uint8)
            self.download(buffer.memory, 0, data)
            telemetry.add(downloaded_bytes=data.size)
            contents.append(data.view(buffer.dtype))
        return same_elements(*contents)


class _InTurn(Repeatable):
    """Dispatches one after the other."""

    def __init__(self, batch: Sequence[Prepared]):
        self._batch = batch

    @override
    def run(self, deadline: Deadline) -> tuple[int, int]:
        self.ended = counts = list[tuple[int, int]]()
        for prepared in self._batch:
            counts.append(prepared.run(deadline))
        return sum(passes for passes, _ in counts), sum(n for _, n in counts)


def same_elements(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays are the same to the bit, but for NaNs, which are all alike."""
    bits = f"u{one.dtype.itemsize}"
    differ = one.view(bits) != other.view(bits)
    if one.dtype.kind != "f" or not differ.any():
        return not differ.any()
    return bool(np.all(np.isnan(one[differ]) & np.isnan(other[differ])))


def is_buffer(argument: Buffer | np.generic) -> TypeIs[Buffer]:
    """Whether an argument of a launch is a buffer and not a parameter."""
    return isinstance(argument, Buffer)
