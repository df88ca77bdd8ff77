"""
The functions of the programs that a schedule launches, each emitted when it is first
needed: a phase if no invocation waits for another one, and else a little schedule for each
workgroup, whose launches are phases.
"""

from collections.abc import Iterable

from llvmlite import ir
from xdsl.ir import Operation

from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.walking import operations_of
from vyre.dialects import vyre
from vyre.dialects.vyre.host import workgroups_of
from vyre.locations import place_of
from vyre.lowering.llvm.collectives import emit_collective
from vyre.lowering.llvm.costs import is_uneven
from vyre.lowering.llvm.layout import RECORD_BYTES, Layout, Trap
from vyre.lowering.llvm.phase_arguments import declare_phase
from vyre.lowering.llvm.phases import Phase
from vyre.lowering.llvm.workgroup_memory import workgroup_layout
from vyre.lowering.llvm.workgroup_phases import WorkgroupPhases
from vyre.lowering.llvm.workgroups import emit_workgroups


class ProgramFunctions:
    """
    The functions of a module.

    Example: `ProgramFunctions(module, layout, [program]).of(program)`
    """

    def __init__(
        self,
        module: ir.Module,
        layout: Layout,
        programs: Iterable[vyre.ProgramOp],
    ):
        self._module = module
        self._layout = layout
        self._functions: dict[vyre.ProgramOp, ir.Function] = {}
        self._traps: list[vyre.TrapOp] = []
        self._phases = WorkgroupPhases(module, self._traps)
        programs = list(programs)
        self._by_name = {program.sym_name.data: program for program in programs}
        self.has_uneven = any(map(is_uneven, programs))
        self.has_traps = any(
            isinstance(op, vyre.TrapOp)
            for program in programs
            for op in operations_of(program)
        )

    def program(self, launch: vyre.LaunchOp) -> vyre.ProgramOp:
        """The program that a launch runs."""
        return self._by_name[launch.segment.string_value()]

    def of(self, program: vyre.ProgramOp) -> ir.Function:
        """The function that runs a range of a program's workgroups."""
        if program not in self._functions:
            self._functions[program] = self._emitted(program)
        return self._functions[program]

    def _emitted(self, program: vyre.ProgramOp) -> ir.Function:
        first_trap = len(self._traps)
        collective = _collective(program)
        if collective is not None:
            return emit_collective(self._module, program, collective)
        workgroups = workgroups_of(program)
        if workgroups is not None:
            function, size = emit_workgroups(
                self._module, program, workgroups, self._phases
            )
        else:
            function, values = declare_phase(self._module, program)
            Phase(function, values, program, self._traps, is_alone=False).emit()
            size = workgroup_layout(program)[1]
        self._layout.memory_bytes = max(self._layout.memory_bytes, RECORD_BYTES + size)
        for trap in self._traps[first_trap:]:
            self._layout.traps.append(
                Trap(
                    trap.tag.data,
                    str(place_of(trap)),
                    None if trap.wave is None else trap.wave.data,
                    has_value=trap.value is not None,
                )
            )
        return function


def _collective(program: vyre.ProgramOp) -> Operation | None:
    """The collective that a program consists of, if it is one."""
    return next((op for op in program.body.block.ops if isinstance(op, COLLECTIVES)), None)
