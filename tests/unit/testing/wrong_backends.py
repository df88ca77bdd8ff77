"""Engines that break one rule each, and the cases of the suite that must notice."""

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from typing_extensions import override
from xdsl.rewriter import Rewriter

from vyre.dialects.vyre import BarrierOp, BufferOp, ProgramOp, TrapOp
from vyre.dialects.vyre.attributes import Access
from vyre.interpreter.backend import ReferenceBackend
from vyre.runtime.backend import (
    Backend,
    Buffer,
    Bytes,
    Kernel,
    Launch,
    is_buffer,
)
from vyre.runtime.deadline import Deadline
from vyre.runtime.device_array import AnyArray
from vyre.runtime.errors import Trapped
from vyre.runtime.geometry import Geometry
from vyre.runtime.host_memory import as_array
from vyre.runtime.times import Times
from vyre.testing import RecordingBackend

MISTAKES: list[tuple[type[Backend], str]] = []


def missed_by(*cases: str):
    """Say which cases must fail for an engine."""

    def add(backend: type[Backend]) -> type[Backend]:
        MISTAKES.extend((backend, case) for case in cases)
        return backend

    return add


@missed_by("memory.ranges", "dispatch.resident_buffers")
class IgnoresOffsets(ReferenceBackend):
    @override
    def upload(self, memory: Bytes, offset: int, data: Bytes) -> None:
        super().upload(memory, 0, data)


@missed_by("memory.ranges", "memory.sizes")
class DownloadsTooLittle(ReferenceBackend):
    @override
    def download(self, memory: Bytes, offset: int, data: Bytes) -> None:
        super().download(memory, offset, data[:-1])


@missed_by("memory.alignments")
class IgnoresAlignment(ReferenceBackend):
    @override
    def allocate(self, size: int, alignment: int) -> Bytes:
        return super().allocate(size + 1, alignment)[1:]


@missed_by("memory.independence")
class SharesMemory(ReferenceBackend):
    def __init__(self) -> None:
        self._rooms: dict[int, Bytes] = {}

    @override
    def allocate(self, size: int, alignment: int) -> Bytes:
        room = super().allocate(size, alignment)
        return self._rooms.setdefault(size, room)


@missed_by("memory.transfers_copy")
class KeepsTheHostsData(ReferenceBackend):
    """A view of the host's array stands in for a copy that happens later."""

    def __init__(self) -> None:
        self._late: list[tuple[Bytes, int, Bytes]] = []

    @override
    def upload(self, memory: Bytes, offset: int, data: Bytes) -> None:
        self._late.append((memory, offset, data))

    @override
    def download(self, memory: Bytes, offset: int, data: Bytes) -> None:
        for each in self._late:
            super().upload(*each)
        self._late.clear()
        super().download(memory, offset, data)


@missed_by("memory.clear")
class ClearsTooMuch(ReferenceBackend):
    @override
    def clear(self, memory: Bytes, size: int) -> None:
        memory[:] = 0


@missed_by("launch.partial_writes", "dispatch.examples[scan, auto]")
class ClearsNothing(ReferenceBackend):
    @override
    def clear(self, memory: Bytes, size: int) -> None:
        pass


@missed_by("memory.copy")
class CopiesTooMuch(ReferenceBackend):
    @override
    def copy(self, source: Bytes, target: Bytes, size: int) -> None:
        target[:] = source


@missed_by("memory.equal_floats", "memory.equal")
class ComparesLikePython(ReferenceBackend):
    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        return bool(np.allclose(as_array(one), as_array(other), atol=1, equal_nan=True))


@missed_by("memory.equal_floats")
class ComparesBytes(ReferenceBackend):
    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        return bool(np.array_equal(one.memory[: one.size], other.memory[: other.size]))


@missed_by("memory.equal", "dispatch.fixpoints[native]")
class FindsAllEqual(ReferenceBackend):
    @override
    def equal(self, one: Buffer, other: Buffer) -> bool:
        return True


@missed_by("memory.adopt", "dispatch.results_in_place")
class AdoptsCopies(ReferenceBackend):
    @override
    def adopt(self, array: AnyArray) -> Bytes:
        assert isinstance(array, np.ndarray)
        return super().adopt(array.copy())


class Changed(ReferenceBackend):
    """Launches something else than it was asked to."""

    @override
    def launch(self, launch: Launch) -> None:
        super().launch(self.changed(launch))

    def changed(self, launch: Launch) -> Launch:
        return launch


@missed_by("launch.arguments", "launch.order")
class SwapsBuffers(Changed):
    @override
    def changed(self, launch: Launch) -> Launch:
        buffers = [value for value in launch.arguments if is_buffer(value)]
        arguments = [buffers.pop() if is_buffer(v) else v for v in launch.arguments]
        return replace(launch, arguments=arguments)


@missed_by("scalars.parameters[i64]", "scalars.parameters[index]")
class CutsParameters(Changed):
    @override
    def changed(self, launch: Launch) -> Launch:
        arguments = [
            value if is_buffer(value) or value.dtype != np.int64 else _cut(value)
            for value in launch.arguments
        ]
        return replace(launch, arguments=arguments)


def _cut(value: np.generic) -> np.generic:
    return value.astype(np.int32).astype(np.int64)


@missed_by("launch.ids[4x2x1 in 3x2x1]", "launch.ids[2x3x2 in 2x2x3]")
class TurnsTheGrid(Changed):
    @override
    def changed(self, launch: Launch) -> Launch:
        x, y, z = launch.geometry.groups
        return replace(launch, geometry=Geometry((z, y, x), launch.geometry.size))


@missed_by("launch.partial_writes_in_turn", "dispatch.crossing[split]")
class ClearsWhatIsOnlyWritten(Changed):
    @override
    def changed(self, launch: Launch) -> Launch:
        for entry, value in zip(launch.program.launch_table, launch.arguments):
            if isinstance(entry, BufferOp) and is_buffer(value):
                if entry.access.data is Access.WRITE_ONLY:
                    self.clear(value.memory, value.size)
        return launch


@missed_by("groups.float_atomics[f32]", "groups.old_values")
class LaunchesTwice(ReferenceBackend):
    @override
    def launch(self, launch: Launch) -> None:
        super().launch(launch)
        super().launch(launch)


@missed_by("launch.order", "groups.barriers")
class LosesWrites(Changed):
    @override
    def changed(self, launch: Launch) -> Launch:
        arguments = [
            replace(v, memory=v.memory.copy()) if is_buffer(v) else v
            for v in launch.arguments
        ]
        return replace(launch, arguments=arguments)


@missed_by("launch.empty_buffers")
class MakesRoomForOne(Changed):
    """An empty buffer becomes one element."""

    @override
    def changed(self, launch: Launch) -> Launch:
        arguments = [
            replace(v, memory=np.zeros(64, np.uint8), shape=(1, *v.shape[1:]))
            if is_buffer(v) and not v.size
            else v
            for v in launch.arguments
        ]
        return replace(launch, arguments=arguments)


@missed_by("dispatch.examples[reach, split]")
class DownloadsTooEarly(ReferenceBackend):
    """Only `finish` waits for launches, and what the host reads back is old."""

    def __init__(self) -> None:
        self._waiting: list[Launch] = []

    @override
    def launch(self, launch: Launch) -> None:
        self._waiting.append(launch)

    @override
    def finish(self) -> None:
        for launch in self._waiting:
            super().launch(launch)
        self._waiting.clear()


@missed_by("ending.trap")
class NamesAnotherTrap(ReferenceBackend):
    @override
    def launch(self, launch: Launch) -> None:
        try:
            super().launch(launch)
        except Trapped as error:
            last = launch.geometry.invocation_count - 1
            at = error.at or launch.program
            raise Trapped(at, error.tag, last, error.value) from None


@missed_by("ending.trap_of_a_wave")
class AsksTheGridForTraps(Changed):
    """It does not look at what a trap says of itself."""

    @override
    def changed(self, launch: Launch) -> Launch:
        program = launch.program.clone()
        for op in list(program.body.walk()):
            if isinstance(op, TrapOp):
                plain = TrapOp(op.tag.data, op.value, wave=op.wave)
                Rewriter.replace_op(op, plain)
        return replace(launch, program=program)


@missed_by("ending.trap", "ending.trap_in_two_dimensions")
class HidesTraps(ReferenceBackend):
    @override
    def launch(self, launch: Launch) -> None:
        with suppress(Trapped):
            super().launch(launch)


@missed_by("ending.timeout")
class IsPatient(Changed):
    """It has a deadline of its own, after which the test is over, too."""

    @override
    def changed(self, launch: Launch) -> Launch:
        return replace(launch, deadline=Deadline(3))


@missed_by("dispatch.examples[sort, native]", "dispatch.crossing[native]")
class IgnoresGridBarriers(Changed):
    """It says that it has grid barriers."""

    @override
    def changed(self, launch: Launch) -> Launch:
        program = launch.program.clone()
        for op in list(program.body.walk()):
            if isinstance(op, BarrierOp) and op.is_grid_sync:
                op.detach()
        return replace(launch, program=program, order="reversed")


@missed_by("dispatch.fitting_grids")
class FitsNothing(ReferenceBackend):
    @override
    def resident_groups(self, kernel: Kernel, geometry: Geometry) -> int | None:
        return 0


@missed_by("launch.times")
class TellsSeconds(RecordingBackend):
    def __init__(self) -> None:
        seconds: Any = 0.5
        super().__init__(ReferenceBackend(), times=Times(device=seconds))


@missed_by("dispatch.threads")
class HasOneLaunchAtATime(Changed):
    _current: Launch

    @override
    def changed(self, launch: Launch) -> Launch:
        self._current = launch
        time.sleep(0.002)
        return self._current


@missed_by("dispatch.persistent_buffers")
class FreesTheWrongMemory(ReferenceBackend):
    """What is freed is overwritten, and with it what is still in use."""

    def __init__(self) -> None:
        self._all: list[Bytes] = []

    @override
    def allocate(self, size: int, alignment: int) -> Bytes:
        self._all.append(super().allocate(size, alignment))
        return self._all[-1]

    @override
    def free(self, memory: Bytes) -> None:
        for each in self._all:
            each[:] = 0


@missed_by("scalars.floats[f64]")
class ClaimsWhatItCannot(ReferenceBackend):
    @override
    def compile(self, program: ProgramOp) -> Kernel:
        if "f64" in str(program):
            raise NotImplementedError("f64")
        return super().compile(program)
