"""
The phases of workgroups' schedules, those that do the same once.

Programs with barriers and subgroup operations are cut into many small segments, and much of
these is the same in all of them: adding up what the lanes of a subgroup have, or storing
what one of them found. LLVM takes as long for each copy as for the first one, and calls
phases as functions anyway.

Two segments are the same if they have the same tables and code, apart from names; see
`vyre.lowering.llvm.forms`. Those that may trap stay apart: each says which trap it is.
"""

from collections.abc import Hashable

from llvmlite import ir

from vyre.dialects import vyre
from vyre.lowering.llvm.forms import form_of, kind_of
from vyre.lowering.llvm.phase_arguments import declare_phase
from vyre.lowering.llvm.phases import Phase


class WorkgroupPhases:
    """
    The functions of a module for segments, each emitted when it is first needed.

    Example: `WorkgroupPhases(module, []).of(segment, None)`
    """

    def __init__(self, module: ir.Module, traps: list[vyre.TrapOp]):
        self._module = module
        self._traps = traps
        self._found: dict[Hashable, ir.Function] = {}

    def of(
        self, segment: vyre.ProgramOp, ended: int | None, *, inlined: bool = False
    ) -> ir.Function:
        """
        The function that runs a segment for one workgroup. Where there are traps, `ended`
        is where the workgroup's memory has a byte for each invocation.
        """
        if ended is not None:
            return self._emitted(segment, ended, inlined)
        key = inlined, _key(segment)
        if key not in self._found:
            self._found[key] = self._emitted(segment, None, inlined)
        return self._found[key]

    def _emitted(
        self, segment: vyre.ProgramOp, ended: int | None, inlined: bool
    ) -> ir.Function:
        function, values = declare_phase(self._module, segment, inlined=inlined)
        Phase(function, values, segment, self._traps, is_alone=True, ended=ended).emit()
        return function


def _key(segment: vyre.ProgramOp) -> Hashable:
    """The same for segments whose functions are the same."""
    form = form_of(segment.body.block.ops)
    places = {entry: place for place, entry in enumerate(form.entries)}
    table = tuple((kind_of(entry), places.get(entry)) for entry in segment.table)
    literals = tuple(literal.value for literal in form.literals)
    attributes = tuple(sorted(segment.attributes.items()))
    return segment.workgroup, attributes, table, form.key, literals
