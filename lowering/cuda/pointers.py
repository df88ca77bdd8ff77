"""
What may be said about the pointers of a kernel.

`const` says that nothing is written through a pointer, or one that a loop exchanges with
it. `__restrict__` says more: compilers then take it that nobody else writes what is read
through the pointer, so that they load it once and keep it. That is true only

- of a buffer that nothing in the whole kernel writes, under this or another name, or
- if the kernel has no barrier of any kind, and no other buffer can share the storage: then
  no invocation sees what another one writes.
"""

from collections.abc import Mapping

from xdsl.ir import SSAValue
from xdsl.traits import MemoryEffectKind, get_effects

from vyre.analysis.buffer_sources import (
    Declaration,
    buffer_sources,
    named_buffers,
    shared_storage,
)
from vyre.analysis.phases import COLLECTIVES
from vyre.dialects.vyre import BarrierOp, BufferOp, ProgramOp, ScratchOp


class Pointers:
    """
    Which buffers of a program are `const`, and which `__restrict__`.

    Example: `Pointers(program).is_const(buffer)`
    """

    def __init__(self, program: ProgramOp):
        self._buffers = [e for e in program.table if isinstance(e, BufferOp)]
        self._has_barrier = any(
            isinstance(op, (BarrierOp, *COLLECTIVES)) for op in program.body.walk()
        )
        written = _written_values(program)
        sources, names = buffer_sources(program), named_buffers(program)
        self._written = {d for value in written for d in sources.get(value, ())}
        self._changed = {d for value in written for d in names.get(value, ())}
        _spread(self._changed, names)

    def is_const(self, buffer: Declaration) -> bool:
        """Whether nothing is written through the pointer."""
        return buffer not in self._changed

    def is_restrict(self, buffer: Declaration) -> bool:
        """Whether nobody else changes what is read through the pointer."""
        if isinstance(buffer, ScratchOp):
            return False
        if buffer not in self._written:
            return self.is_const(buffer)
        return not self._has_barrier and not self._may_overlap(buffer)

    def _may_overlap(self, buffer: BufferOp) -> bool:
        mine = shared_storage(buffer)
        return any(
            other is not buffer and shared_storage(other) & mine for other in self._buffers
        )


def _written_values(program: ProgramOp) -> list[SSAValue]:
    """The memrefs that something is written to."""
    return [
        effect.value
        for op in program.body.walk()
        if not op.regions
        for effect in get_effects(op) or ()
        if effect.kind is MemoryEffectKind.WRITE and isinstance(effect.value, SSAValue)
    ]


def _spread(
    changed: set[Declaration], names: Mapping[SSAValue, tuple[Declaration, ...]]
) -> None:
    """Pointers that a loop exchanges have one type."""
    groups = [set(found) for found in names.values() if len(found) > 1]
    before = -1
    while before != len(changed):
        before = len(changed)
        for group in groups:
            if group & changed:
                changed |= group
