"""
LLVM IR of schedules as `vyre-cpu-pipeline` leaves them.

Code is made for a program, not for sizes: these are words of the job. But which accesses
need no test depends on sizes and grid, so there may be several pieces of code for one
program, which differ in what was proved.
"""

import json
from dataclasses import dataclass

from llvmlite import ir

from vyre import pipelines
from vyre.analysis.extents import Setting
from vyre.analysis.walking import units_in
from vyre.collector import paused_collector
from vyre.dialects.vyre import ProgramOp, ScheduleOp
from vyre.lowering import get_all_passes
from vyre.lowering.llvm.entries import emit_entry
from vyre.lowering.llvm.layout import Layout
from vyre.lowering.llvm.names import plain
from vyre.passes.pipeline import own_module, passes_named
from vyre.passes.prove_inbounds import mark_inbounds
from vyre.passes.validate_split import run_validated
from vyre.source import deep_recursion

Unit = ProgramOp | ScheduleOp


@dataclass(frozen=True)
class Source:
    """LLVM IR of a program, and the words of its job."""

    text: str
    layout: Layout

    @property
    def identity(self) -> str:
        """All that compiled code is; what traps say, for one, is no part of the text."""
        return f"{json.dumps(self.layout.as_data())}\n{self.text}"


class Translation:
    """
    A program or schedule after the passes of `vyre.pipelines.CPU`.

    Example: `Translation(program).source(Setting()).text`
    """

    def __init__(self, unit: Unit):
        self._was_schedule = isinstance(unit, ScheduleOp)
        self._name = unit.sym_name.data
        with deep_recursion(), paused_collector():
            self.module = own_module(unit)
            steps = passes_named(pipelines.CPU, get_all_passes())
            programs = [unit] if isinstance(unit, ProgramOp) else []
            self.proof = run_validated(steps, self.module, programs)

    def source(self, setting: Setting) -> Source:
        """The program as LLVM IR, with accesses proved for these sizes."""
        with deep_recursion(), paused_collector():
            mark_inbounds(self.module, setting)  # `vyre-prove-inbounds`
            module = ir.Module(plain(self._name))
            layout = emit_entry(module, self._schedule)
            layout.is_schedule = self._was_schedule
            return Source(str(module), layout)

    @property
    def _schedule(self) -> ScheduleOp:
        found = units_in(self.module, ScheduleOp)
        return next(op for op in found if op.sym_name.data == self._name)
