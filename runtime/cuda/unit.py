"""A program or schedule on a device: its kernels, and memory that dispatches use again."""

import threading
from functools import cached_property

from xdsl.dialects import scf

from vyre.diagnostics import Segment
from vyre.dialects.vyre import LaunchOp, LoadOp, ProgramOp, ReadBackOp, ScheduleOp
from vyre.dialects.vyre.host import programs_in
from vyre.lowering.cuda.passes.cuda_pipeline import COUNTED_IN_32_BITS
from vyre.lowering.cuda.programs import ANY, USUAL, cuda_kernel, prepared
from vyre.runtime.cuda.engine import CudaEngine
from vyre.runtime.cuda.kernels import LoadedKernel
from vyre.runtime.cuda.loops_ahead import LoopAhead, loop_ahead
from vyre.runtime.cuda.workspace import Workspace
from vyre.runtime.geometry import Geometry, programs_of
from vyre.runtime.schedule_host import segments_of

KEPT = 2
"""Workspaces that wait for the next dispatch."""


class CudaUnit:
    """
    What was compiled as a whole. Kernels are made for all programs at once, so that what
    cannot be compiled is refused early; those that few dispatches need are made when they
    are first needed.

    Example: `CudaUnit(program, engine).sources()`
    """

    def __init__(self, unit: ProgramOp | ScheduleOp, engine: CudaEngine):
        self.unit = unit
        self._engine = engine
        self._lock = threading.RLock()
        self._kernels: dict[tuple[ProgramOp, bool, bool], LoadedKernel] = {}
        self._programs: dict[tuple[ProgramOp, bool], ProgramOp] = {}
        self._loops: dict[scf.WhileOp, LoopAhead | None] = {}
        self._idle: list[Workspace] = []
        for program in programs_of(unit):
            self._kernel(program, is_guarded=False, is_large=False)

    @cached_property
    def decides(self) -> bool:
        """Whether the host has to read something to know how to go on."""
        ops = self.unit.walk() if isinstance(self.unit, ScheduleOp) else ()
        return any(isinstance(op, LoadOp | ReadBackOp) for op in ops)

    @cached_property
    def segments(self) -> dict[LaunchOp, Segment]:
        """The launches of a schedule, as errors name them."""
        return segments_of(self.unit) if isinstance(self.unit, ScheduleOp) else {}

    def kernel(
        self, program: ProgramOp, geometry: Geometry, *, is_guarded: bool = False
    ) -> LoadedKernel:
        """The kernel of a program for a grid."""
        is_large = geometry.invocation_count > COUNTED_IN_32_BITS
        return self._kernel(program, is_guarded=is_guarded, is_large=is_large)

    def _kernel(
        self, program: ProgramOp, *, is_guarded: bool, is_large: bool
    ) -> LoadedKernel:
        key = (program, is_guarded, is_large)
        with self._lock:
            if key not in self._kernels:
                text = cuda_kernel(
                    self._prepared(program, is_large=is_large),
                    is_guarded=is_guarded,
                    setting=ANY if is_large else USUAL,
                    watchdog=self._engine.watchdog,
                )
                self._kernels[key] = self._engine.loader.load(text)
            return self._kernels[key]

    def _prepared(self, program: ProgramOp, *, is_large: bool) -> ProgramOp:
        """What the pipeline makes of a program, of the unit or of a loop's condition."""
        if (program, is_large) not in self._programs:
            own = programs_of(self.unit)
            units = [self.unit, *own] if program in own else [program]
            found = prepared(dict.fromkeys(units), ANY if is_large else USUAL)
            for each in units:
                if isinstance(each, ProgramOp):
                    self._programs[each, is_large] = found[each.sym_name.data]
        return self._programs[program, is_large]

    def loop_ahead(self, loop: scf.WhileOp) -> LoopAhead | None:
        """How to run a loop of the schedule ahead, if that is possible."""
        assert self.unit.parent is not None
        with self._lock:
            if loop not in self._loops:
                self._loops[loop] = loop_ahead(loop, programs_in(self.unit.parent))
            return self._loops[loop]

    def sources(self) -> dict[str, str]:
        """The text of all kernels, by names of files."""
        found: dict[str, str] = {}
        for program in programs_of(self.unit):
            kernel = self._kernel(program, is_guarded=False, is_large=False).kernel
            found[f"{program.sym_name.data}.cu"] = kernel.source
        return found

    def workspace(self) -> Workspace:
        """Memory for dispatches, one at a time."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Workspace(self._engine.device, self._engine.stream)

    def give_back(self, space: Workspace) -> None:
        """Keep memory for the next dispatch, as the last one ended well."""
        with self._lock:
            self._idle.append(space)
            while len(self._idle) > KEPT:
                self._idle.pop(0).close()

    def drop_idle(self) -> None:
        """Give memory back that no dispatch uses now."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()
