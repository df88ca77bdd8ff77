"""
The schedule's side: scratch that is no memory, but places for values.

A *slot* is scratch in which everyone has one place: an invocation, a workgroup or the grid.
Storing there at one's own place makes the slot hold the stored term, and loading from there
gives it; neither leaves a trace. That is right if several invocations that share a place
store the same (see `vyre.validation.levels`), and none of them may still have to load what
another has overwritten.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    AsyncWaitOp,
    AtomicCasOp,
    AtomicOp,
    LoadOp,
    ReadBackOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import LinearScope, ScratchScope
from vyre.dialects.vyre.buffers import memref_type
from vyre.dialects.vyre.sync import AsyncCopyOp
from vyre.validation.control import Side
from vyre.validation.equality import Loop
from vyre.validation.footprints import Footprints
from vyre.validation.levels import GRID, INVOCATION, WORKGROUP
from vyre.validation.memory import Shared
from vyre.validation.report import Mismatch
from vyre.validation.segments import Segment
from vyre.validation.terms import SLOT, TILE, ZEROS, Term

_LEVELS = {
    ScratchScope.SINGLE: GRID,
    ScratchScope.PER_WORKGROUP: WORKGROUP,
    ScratchScope.PER_INVOCATION: INVOCATION,
}
_PLACES = {
    ScratchScope.PER_WORKGROUP: LinearScope.WORKGROUP,
    ScratchScope.PER_INVOCATION: LinearScope.INVOCATION,
}


@dataclass(eq=False, slots=True)
class Slot:
    """Scratch in which everyone has one place."""

    level: int
    element: Attribute
    place: Term
    rank: int


@dataclass(eq=False, slots=True)
class Launch:
    """What has happened in a launch to slots and tiles."""

    segment: Segment
    loaded: dict[Term, Term] = field(default_factory=dict[Term, Term])
    stored: set[Term] = field(default_factory=set[Term])
    untouched: dict[Term, Term] = field(default_factory=dict[Term, Term])
    """Versions of tiles at the start of the launch."""
    unfenced: set[Term] = field(default_factory=set[Term])
    """Tiles that were restored, with no barrier since."""
    fence: Operation | None = None
    """A barrier before a save, behind all effects."""
    saves: list[tuple[Term, Term, Term]] = field(
        default_factory=list[tuple[Term, Term, Term]]
    )
    """Slots, what is saved in them and its version then."""


class Places(Side):
    """The schedule, as far as values and accesses are concerned."""

    def __init__(self, shared: Shared, footprints: Footprints):
        super().__init__(shared, footprints)
        self.slots: dict[Term, Slot] = {}
        self.moved: set[Term] = set()
        """Workgroup memory that is scratch in the schedule."""
        self.tiles: dict[str, Term] = {}
        """The workgroup memory of the program."""
        self._launch: Launch | None = None

    def declare_slot(self, scratch: SSAValue, scope: ScratchScope, name: str) -> Term:
        """Scratch is a slot."""
        type_ = memref_type(scratch)
        place = self.terms.zero
        if scope in _PLACES:
            place = self.terms.linear[_PLACES[scope]]
        slot = self.shared.terms.fresh(SLOT)
        level = _LEVELS[scope]
        self.slots[slot] = Slot(level, type_.element_type, place, len(type_.get_shape()))
        self.state[slot] = self.terms.zeros
        self.env[scratch] = slot
        self.shared.names[slot] = name
        return slot

    def enter(
        self,
        op: Operation,
        carried: Iterable[tuple[SSAValue, SSAValue]],
        kept: Iterable[Term] = (),
        frame: Term | None = None,
    ) -> Loop:
        """What the host carries is the same for all, what slots hold for their owners."""
        loop = super().enter(op, carried, kept, frame)
        if self._launch is None:
            known = self.equality.levels.known
            known.update(dict.fromkeys((loop.frame, *loop.starts), GRID))
            for key, symbol in loop.kept.items():
                slot = self.slots.get(key)
                known[symbol] = WORKGROUP if slot is None else slot.level
        return loop

    def count(self, loop: Loop) -> Term:
        """The host's induction variables are the same for all."""
        counter = super().count(loop)
        if self._launch is None:
            self.equality.levels.known[counter] = GRID
        return counter

    def floor(self) -> int:
        """The program is always ahead, so only what both had before is older."""
        return self.shared.synced

    def read_back(self, op: ReadBackOp) -> None:
        """An element that the host reads."""
        memref = self.env[op.source]
        position = op.position.get_values()
        if memref.kind is SLOT:
            if self.slots[memref].level != GRID or any(position):
                raise Mismatch("the host reads a place of somebody else", op)
            self.env[op.value] = self._held(memref)
            return
        indices = [self.terms.index(number) for number in position]
        versions = [self.state[memory] for memory in self.shared.sources[memref]]
        kind = self.terms.kind_of_load(op.value.type)
        self.env[op.value] = self.terms.node(kind, memref, *indices, *versions)

    def _held(self, slot: Term) -> Term:
        """What a slot holds, as a value."""
        held = self.state[slot]
        if held.kind is not ZEROS:
            return held
        element = self.slots[slot].element
        if isinstance(element, AnyFloat):
            return self.terms.constant(FloatAttr(0.0, element))
        return self.terms.constant(_zero_of(element))

    # Accesses

    def load(self, op: LoadOp) -> None:
        """Load from a slot or from memory."""
        memref, *indices = self.values(op.operands)
        if memref.kind is not SLOT:
            indices = self._own(memref, indices, op)
            term = self.loaded(op, memref, indices)
            self._note_changing(op, memref, term)
            self.env[op.value] = term
            return
        launch, slot = self._launch, self.slots[memref]
        assert launch is not None
        self._check_place(slot, indices, op)
        if slot.level != INVOCATION and memref in launch.stored:
            raise Mismatch("others may still load what was stored here", op)
        launch.loaded[memref] = self.state[memref]
        self.env[op.value] = self._held(memref)

    def _note_changing(self, op: LoadOp, memref: Term, term: Term) -> None:
        sources = self.shared.sources[memref]
        if any(memory.kind is TILE for memory in sources):
            assert self._launch is not None
            if not self._launch.unfenced.isdisjoint(sources):
                raise Mismatch("no barrier comes after the copy of what is loaded", op)
            if self._launch.segment.intervals.is_changing(op):
                self.equality.levels.changing.add(term)

    def store(self, op: StoreOp) -> None:
        """Store to a slot or to memory."""
        value, memref, *indices = self.values(op.operands)
        if memref.kind is not SLOT:
            self._refuse_unfenced(memref, op)
            self.stored(op, value, memref, self._own(memref, indices, op))
            return
        launch, slot = self._launch, self.slots[memref]
        assert launch is not None
        self._check_place(slot, indices, op)
        if self.frame.chain:
            raise Mismatch("not every invocation stores to its place", op)
        if slot.level != INVOCATION:
            if not self.equality.levels.at_most(value, slot.level):
                raise Mismatch("invocations that share a place may store what differs", op)
            if launch.loaded.get(memref, value) is not value:
                raise Mismatch("others may still have to load what is overwritten", op)
        if self.state[memref] is not value:
            launch.stored.add(memref)
        self.state[memref] = value

    def _check_place(self, slot: Slot, indices: Sequence[Term], op: Operation) -> None:
        if len(indices) != slot.rank or any(index is not slot.place for index in indices):
            raise Mismatch("this is not the invocation's own place", op)

    def _own(self, memref: Term, indices: Sequence[Term], op: Operation) -> list[Term]:
        """The indices into workgroup memory that is scratch, without the workgroup's."""
        sources = self.shared.sources.get(memref, ())
        if self.moved.isdisjoint(sources):
            return list(indices)
        if not self.moved.issuperset(sources) or (
            indices[0] is not self.terms.linear[LinearScope.WORKGROUP]
        ):
            raise Mismatch("this is not the workgroup's own memory", op)
        return list(indices[1:])

    def _refuse_unfenced(self, memref: Term, op: Operation) -> None:
        launch = self._launch
        sources = self.shared.sources.get(memref)
        if sources is None:
            raise Mismatch("this is done with a place for a value", op)
        if launch is not None and not launch.unfenced.isdisjoint(sources):
            raise Mismatch("no barrier comes after the copy of what is accessed", op)

    def atomic(self, op: AtomicOp | AtomicCasOp) -> None:
        """An atomic on memory."""
        place = list(op.operands).index(op.buffer)
        operands = self.values(op.operands)
        memref = operands[place]
        self._refuse_unfenced(memref, op)
        indices = self._own(memref, operands[place + 1 :], op)
        self.updated(op, operands[:place], memref, indices)

    def copy(self, op: AsyncCopyOp) -> None:
        """A copy between memory and memory."""
        self._refuse_late(op)
        places: list[list[Term]] = []
        for memref, indices in (
            (op.source, op.source_indices),
            (op.destination, op.destination_indices),
        ):
            self._refuse_unfenced(self.env[memref], op)
            places.append(self._own(self.env[memref], self.values(indices), op))
        self.started(op, *places)

    def wait(self, op: AsyncWaitOp) -> None:
        """A wait, which comes before workgroup memory is saved."""
        self._refuse_late(op)
        super().wait(op)

    def _refuse_late(self, op: Operation) -> None:
        if self._launch is not None and self._launch.saves:
            raise Mismatch("a copy may be in flight while workgroup memory is saved", op)

    HANDLERS: ClassVar[dict[type[Operation], Callable[[Any, Any], None]]] = {
        **Side.HANDLERS,
        LoadOp: load,
        StoreOp: store,
        AtomicOp: atomic,
        AtomicCasOp: atomic,
        AsyncLoadOp: copy,
        AsyncStoreOp: copy,
        AsyncWaitOp: wait,
        ReadBackOp: read_back,
    }


def _zero_of(element: Attribute) -> Attribute:
    if isinstance(element, IndexType):
        return IntegerAttr(0, element)
    assert isa(element, IntegerType)
    return IntegerAttr(0, element)
