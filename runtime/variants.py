"""
What a program becomes for an engine: with another size of workgroups, split at its grid
barriers, compiled. Each is made when it is first needed, and once.
"""

from collections.abc import Callable
from typing import TypeVar

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64

from vyre.analysis.features import features
from vyre.diagnostics import Segment
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    LaunchOp,
    LoadOp,
    ProgramOp,
    ScheduleOp,
    StoreOp,
)
from vyre.fork_locks import ForkLock
from vyre.passes.host_plan import split_for_engine
from vyre.runtime.backend import Backend, Kernel
from vyre.runtime.errors import CompileFailed, UnsupportedFeature, blaming_engine
from vyre.runtime.geometry import Extent, Geometry, programs_of, workgroup_of
from vyre.runtime.schedule_host import segments_of
from vyre.runtime.unit import Unit
from vyre.source import deep_recursion

_Source = TypeVar("_Source", ProgramOp, Unit)


class Variants:
    """
    A program on a backend, for every size of workgroups that it is run with.

    Example: `Variants(unit, backend).of((64, 1, 1)).split()`
    """

    def __init__(self, unit: Unit, backend: Backend):
        self._written = Variant(unit, backend)
        self._others: dict[Extent, Variant] = {}
        self._lock = ForkLock()

    def of(self, workgroup: Extent | None) -> "Variant":
        """The program with this size of workgroups, or with the one that it says."""
        if workgroup is None or workgroup == self._written.unit.outline.workgroup:
            return self._written
        with self._lock:
            if workgroup not in self._others:
                unit = Unit(_resized(self._written.unit.op, workgroup))
                self._others[workgroup] = Variant(unit, self._written.backend)
            return self._others[workgroup]


class Variant:
    """A program with one size of workgroups, on a backend."""

    def __init__(self, unit: Unit, backend: Backend):
        self.unit = unit
        self.backend = backend
        self.refused: dict[Geometry, str] = {}
        """Why the device did not launch the program natively."""
        self._lock = ForkLock()
        self._split: Unit | None = None
        self.proof: str | None = None
        """What was proved of the schedule, if anything was."""
        self._possible: set[Unit] = set()
        self._kernels: dict[ProgramOp | Unit, Kernel] = {}
        self._segments: dict[ScheduleOp, dict[LaunchOp, Segment]] = {}

    def split(self) -> Unit:
        """The program as a schedule of launches, or as it is if there is nothing to cut."""
        if not self.unit.outline.has_grid_barrier:
            return self.unit
        with self._lock:
            if self._split is None:
                program = self.unit.op
                assert isinstance(program, ProgramOp)
                split, self.proof = split_program(program)
                self._split = Unit(split)
            return self._split

    def require(self, unit: Unit) -> None:
        """Refuse what needs more than the backend has."""
        with self._lock:
            if unit not in self._possible and self.backend.capabilities.lacks:
                for program in programs_of(unit.op):
                    _refuse_what_is_lacking(self.backend, program)
                self._possible.add(unit)

    def kernel(self, program: ProgramOp, segment: Segment | None = None) -> Kernel:
        """A program that the backend has compiled."""
        return self._compiled(program, program.sym_name.data, self.backend.compile, segment)

    def whole_kernel(self, unit: Unit) -> Kernel:
        """A program or schedule that the backend has compiled as a whole."""
        return self._compiled(unit, unit.name, self.backend.compile_whole, None)

    def native_kernel(self) -> Kernel:
        """The program with its grid barriers, as it would be launched."""
        if self.backend.capabilities.whole:
            return self.whole_kernel(self.unit)
        program = self.unit.op
        assert isinstance(program, ProgramOp)
        return self.kernel(program)

    def _compiled(
        self,
        source: _Source,
        name: str,
        compile: Callable[[_Source], Kernel],
        segment: Segment | None,
    ) -> Kernel:
        with self._lock:
            if source not in self._kernels:
                what = f"compile @{name}"
                with blaming_engine(self.backend.name, what, segment, CompileFailed):
                    self._kernels[source] = compile(source)
            return self._kernels[source]

    def segments(self, schedule: ScheduleOp) -> dict[LaunchOp, Segment]:
        """The launches of a schedule, numbered as they are written."""
        with self._lock:
            if schedule not in self._segments:
                self._segments[schedule] = segments_of(schedule)
            return self._segments[schedule]


def split_program(program: ProgramOp) -> tuple[ProgramOp | ScheduleOp, str | None]:
    """
    The program as a schedule of launches, in a module of its own, and what was proved of
    it; a copy of the program if it has no grid barrier.
    """
    with deep_recursion():
        module, proof = split_for_engine(program)
    return _named(module, program.sym_name.data), proof


def _resized(program: ProgramOp | ScheduleOp, size: Extent) -> ProgramOp:
    """
    A copy with other workgroups, in a module of its own. What a split saves of workgroup
    memory, and what is proved to be `inbounds`, holds for one size only.
    """
    if isinstance(program, ScheduleOp):
        raise UnsupportedFeature(
            f"@{program.sym_name.data} was split for workgroups of "
            f"{list(workgroup_of(program))} and cannot run with {list(size)}",
            "pass the program as it was before it was split, or leave the size out",
            at=program,
        )
    copy = program.clone()
    copy.workgroup_size = DenseArrayBase.from_list(i64, size)
    for access in copy.walk():
        if isinstance(access, LoadOp | StoreOp | AtomicOp | AtomicCasOp):
            access.inbounds = None
    ModuleOp([copy])  # Programs are always in a module.
    return copy


def _named(module: ModuleOp, name: str) -> ProgramOp | ScheduleOp:
    found = (op for op in module.ops if isinstance(op, ProgramOp | ScheduleOp))
    return next(op for op in found if op.sym_name.data == name)


def _refuse_what_is_lacking(backend: Backend, program: ProgramOp) -> None:
    for feature, op in features(program).items():
        if feature in backend.capabilities.lacks:
            raise UnsupportedFeature(
                f"engine '{backend.name}' has no {feature.value}",
                "use another engine, or write the program without",
                at=op,
            )
