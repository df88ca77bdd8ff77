"""
The host's side of a schedule: control flow around launches.

It computes with the semantics of the reference engine, as one lane, so that loops and
conditions mean the same on every engine. What launches and memory are is up to the
subclass.
"""

from abc import abstractmethod
from collections.abc import Generator
from typing import Any

import numpy as np
from typing_extensions import override
from xdsl.ir import Operation, SSAValue

from vyre.diagnostics import Segment
from vyre.dialects import vyre
from vyre.dialects.vyre.host import programs_in
from vyre.interpreter.control import ControlFlow
from vyre.interpreter.frames import Frame, Value
from vyre.runtime.errors import UnsupportedFeature
from vyre.runtime.geometry import Geometry, scratch_sizes


class ScheduleHost(ControlFlow):
    """
    Executes a schedule whose buffers and parameters have the values `entries`.

    Example: see `vyre.runtime.passes`, which launches on a backend.
    """

    def __init__(self, schedule: vyre.ScheduleOp, geometry: Geometry):
        assert schedule.parent is not None
        self.schedule = schedule
        self.geometry = geometry
        self._programs = programs_in(schedule.parent)

    @abstractmethod
    def launch(self, op: vyre.LaunchOp, segment: vyre.ProgramOp, values: list[Any]) -> None:
        """Run a segment with values for its table."""

    @abstractmethod
    def scratch(self, op: vyre.ScratchOp) -> Value:
        """Memory of the schedule, filled with zeros."""

    @abstractmethod
    def shape(self, buffer: Any) -> tuple[int, ...]:
        """The sizes of a buffer."""

    @abstractmethod
    def element(self, buffer: Any, position: tuple[int, ...]) -> Value:
        """An element of a buffer, zero if there is none."""

    def run(self, entries: dict[SSAValue, Value]) -> None:
        """Execute the schedule from its beginning to its end."""
        frame = Frame(np.zeros(1, np.int64))
        for key, value in entries.items():
            frame[key] = value
        with np.errstate(all="ignore"):
            for _ in self.block(self.schedule.body.block, frame):
                raise AssertionError("a schedule has no barriers")

    @override
    def live(self, frame: Frame) -> None:
        return None

    @override
    def effect(self, op: Operation, frame: Frame) -> Generator[Operation, None, None]:
        match op:
            case vyre.BufferOp() | vyre.ParamOp():
                pass
            case vyre.ScratchOp():
                frame[op.memref] = self.scratch(op)
            case vyre.WorkgroupCountOp():
                frame[op.id] = np.int64(self.geometry.groups[op.axis.data.position])
            case vyre.WorkgroupSizeOp():
                frame[op.id] = np.int64(self.geometry.size[op.axis.data.position])
            case vyre.LengthOp():
                frame[op.length] = np.int64(self.shape(frame[op.buffer])[op.dim.value.data])
            case vyre.LaunchOp():
                segment = self._programs[op.segment.string_value()]
                self.launch(op, segment, [frame[argument] for argument in op.arguments])
            case vyre.LoadOp():
                buffer = frame[op.buffer]
                frame[op.value] = self.element(buffer, self._position(op, frame))
            case vyre.ReadBackOp():
                position = tuple(op.position.get_values())
                frame[op.value] = self.element(frame[op.source], position)
            case _:
                raise UnsupportedFeature(
                    f"a schedule cannot execute '{op.name}'",
                    "lower it to arith, math, scf and vyre operations",
                    at=op,
                )
        yield from ()

    def _position(self, op: vyre.LoadOp, frame: Frame) -> tuple[int, ...]:
        """Where a load reads, or the end of a dimension if that is outside the buffer."""
        indices = [int(frame[index]) for index in op.indices]
        sizes = self.shape(frame[op.buffer])
        return tuple(
            index if 0 <= index < size else size for index, size in zip(indices, sizes)
        )


def segments_of(schedule: vyre.ScheduleOp) -> dict[vyre.LaunchOp, Segment]:
    """
    The launches of a schedule, numbered as they are written.

    Example: `str(segments_of(schedule)[launch])` is `"segment 1 of 2, @p.1"`.
    """
    launches = [op for op in schedule.body.walk() if isinstance(op, vyre.LaunchOp)]
    return {
        op: Segment(index, len(launches), op.segment.string_value())
        for index, op in enumerate(launches)
    }


def scratch_shape(op: vyre.ScratchOp, geometry: Geometry) -> tuple[int, ...]:
    """How large scratch is for a grid."""
    return scratch_sizes(op.scope.data, op.memref.type.get_shape(), geometry)
