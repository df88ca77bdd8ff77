"""
What code does to buffers, and when two pieces of code need an order between invocations.

Two accesses to a buffer are in conflict if one of them writes. Atomics read and write, and
an operation that Vyre does not know does everything. Most effects begin and end with their
operation. A copy that runs beside the program begins where it is started and ends where it
is waited for; touching its ranges in between is a race whatever else is there. So a barrier
orders what has ended before it with what begins after it.
"""

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from vyre.analysis.buffer_sources import Declaration, buffer_sources, is_memref
from vyre.analysis.purity import effects_of, is_known
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    AsyncWaitOp,
    BufferOp,
    ProgramOp,
    TrapOp,
)
from vyre.dialects.vyre.attributes import Access

Buffers: TypeAlias = int
"""A set of buffers, one bit for each."""

ALL: Buffers = -1


@dataclass(frozen=True)
class Effects:
    """What code does, as far as the order between invocations can matter."""

    reads: Buffers = 0
    writes: Buffers = 0
    traps: bool = False
    works: bool = False
    """Whether it does anything that must not happen after a trap, such as not to end."""

    def __or__(self, other: "Effects") -> "Effects":
        return Effects(
            self.reads | other.reads,
            self.writes | other.writes,
            self.traps or other.traps,
            self.works or other.works,
        )

    def within(self, buffers: Buffers) -> "Effects":
        """The same with accesses to these buffers only."""
        reads, writes = self.reads & buffers, self.writes & buffers
        return Effects(reads, writes, self.traps, self.works)

    def must_precede(self, later: "Effects") -> bool:
        """
        Whether all invocations have to do this before any of them does `later`.

        Example: `Effects(writes=1).must_precede(Effects(reads=1))`
        """
        conflict = self.writes & (later.reads | later.writes) or self.reads & later.writes
        return bool(conflict) or (self.traps and later.works)


NOTHING = Effects()


class ProgramEffects:
    """
    Numbers the buffers of a program, and says what its operations do to them.

    Example: `ProgramEffects(program).begun_by(store).writes` has the bit of one buffer.
    """

    def __init__(self, program: ProgramOp):
        self._sources = buffer_sources(program)
        found = {d: None for behind in self._sources.values() for d in behind}
        self._bits = {declaration: 1 << n for n, declaration in enumerate(found)}
        self._handed_on = NOTHING
        for op in operations_in(program.body):
            if isinstance(op, AsyncLoadOp | AsyncStoreOp) and _is_handed_on(op.token):
                self._handed_on |= self._accesses(op)

    @property
    def workgroup_memory(self) -> Buffers:
        """The buffers that exist once per workgroup."""
        return sum(bit for d, bit in self._bits.items() if _is_workgroup_memory(d))

    def begun_by(self, op: Operation) -> Effects:
        """What begins with the operation itself, without those in its regions."""
        return NOTHING if isinstance(op, AsyncWaitOp) else self._own(op)

    def ended_by(self, op: Operation) -> Effects:
        """What ends with the operation itself, without those in its regions."""
        match op:
            case AsyncLoadOp() | AsyncStoreOp():
                return NOTHING
            case AsyncWaitOp():
                return self._waited_for(op)
            case _:
                return self._own(op)

    def _own(self, op: Operation) -> Effects:
        if not is_known(op):
            return Effects(ALL, ALL, traps=True, works=True)
        match op:
            case scf.ForOp() | scf.WhileOp():
                return Effects(works=True)
            case TrapOp():
                return Effects(traps=True, works=True)
            case _:
                return NOTHING if op.regions else self._accesses(op)

    def buffers(self, memref: SSAValue) -> Buffers:
        """The buffers that a memref may stand for."""
        if memref not in self._sources:
            return ALL if is_memref(memref) else 0
        return sum(self._bits[declaration] for declaration in self._sources[memref])

    def _accesses(self, op: Operation) -> Effects:
        touched = {MemoryEffectKind.READ: 0, MemoryEffectKind.WRITE: 0}
        for effect in effects_of(op) or ():
            if isinstance(effect.value, SSAValue) and effect.kind in touched:
                touched[effect.kind] |= self.buffers(effect.value)
        reads, writes = touched.values()
        return Effects(reads, writes, works=bool(reads | writes))

    def _waited_for(self, op: AsyncWaitOp) -> Effects:
        """The copies that end here; a token that was handed on may be of any such copy."""
        effects = NOTHING
        for token in op.tokens:
            copy = token.owner
            is_copy = isinstance(copy, AsyncLoadOp | AsyncStoreOp)
            effects |= self._accesses(copy) if is_copy else self._handed_on
        return effects


def _is_handed_on(token: SSAValue) -> bool:
    return not all(isinstance(use.operation, AsyncWaitOp) for use in token.uses)


def _is_workgroup_memory(declaration: Declaration) -> bool:
    return isinstance(declaration, BufferOp) and declaration.access.data is Access.WORKGROUP
