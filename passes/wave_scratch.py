"""
Scratch of a wave that is shared out.

An invocation or workgroup of the fused program does the work of several of the wave, one
after the other, each from its beginning to its end. Nobody else may access the scratch of
an invocation or workgroup. So the scratch of one that does the work serves all whose work
it does, if it is filled with zeros in between. Scratch that is there once is that of the
wave as it is.
"""

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from vyre.analysis.bounds import Access
from vyre.analysis.buffer_sources import Declaration, buffer_sources
from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Note, Refusal, name_of
from vyre.dialects.terminators import is_terminator
from vyre.dialects.vyre import LengthOp, LinearIdOp, ProgramOp, ScratchOp, WaveOp
from vyre.dialects.vyre.attributes import LinearScope
from vyre.passes.wave_ids import WaveIds


@dataclass
class WaveScratch:
    """
    Scratch of the invocations and workgroups of a wave, and who uses it.

    Example: `WaveScratch.of(wave, program).replace(ids)`
    """

    memory: list[SSAValue]
    """The scratch that is used."""
    accesses: list[tuple[Access, LinearScope]]
    lengths: dict[LengthOp, LinearScope]
    """Those that say how many invocations or workgroups there are."""

    @staticmethod
    def of(wave: WaveOp, program: ProgramOp) -> "WaveScratch":
        """What there is in a program; refused if it is not known to be only its owner's."""
        scratch = [op for op in program.body.block.ops if isinstance(op, ScratchOp)]
        owned = [op.memref for op in scratch if op.scope.data.owner is not None]
        found = WaveScratch([each for each in owned if each.first_use is not None], [], {})
        if found.memory:
            sources = buffer_sources(program)
            for op in operations_in(program.body):
                for operand in op.operands:
                    scope = _scope(wave, op, sources.get(operand, ()))
                    if scope is not None:
                        found._add(op, scope)
        return found

    def _add(self, op: Operation, scope: LinearScope) -> None:
        if not isinstance(op, LengthOp):
            assert isinstance(op, Access)
            self.accesses.append((op, scope))
        elif op.dim.value.data == 0:
            self.lengths[op] = scope

    def replace(self, ids: WaveIds) -> None:
        """
        Let everybody access the scratch of those who do their work, and sizes be those of
        the wave.
        """
        owners: dict[LinearScope, SSAValue] = {}
        for op, scope in self.accesses:
            if scope not in owners:
                owners[scope] = ids.code.code.put(LinearIdOp(scope))
            op.operands[len(op.operands) - len(op.indices)] = owners[scope]
        for op, scope in self.lengths.items():
            op.length.replace_all_uses_with(ids.code.value(ids.count(scope)))
            Rewriter.erase_op(op)


def _scope(
    wave: WaveOp, op: Operation, sources: tuple[Declaration, ...]
) -> LinearScope | None:
    """Whose scratch an operation uses through a memref; None if nobody's."""
    owned = [
        source
        for source in sources
        if isinstance(source, ScratchOp) and source.scope.data.owner is not None
    ]
    if not owned or op.regions or is_terminator(op):
        return None  # Loops only carry it.
    scopes = {source.scope.data.owner for source in owned}
    if isinstance(op, Access | LengthOp) and len(owned) == len(sources):
        (scope,) = scopes
        return scope
    raise Refusal(
        f"the wave is shared out, and '{name_of(op)}' may use other memory than the "
        "scratch of who executes it",
        fix="access scratch by loads, stores and atomics of its own",
        at=wave,
        notes=[Note(op, "the operation"), Note(owned[0], "the scratch")],
    )
