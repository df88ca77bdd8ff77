"""
Memory: versions of buffers, and what slots hold.

Versions are names: a load is a term over the memref, the indices and the version of all
that may stand behind the memref. A version says after which effect of which frame it was,
so that both sides have the same name exactly while they have done the same:

| version | when |
|---|---|
| `open` | from the start of a phase that writes the buffer somewhere |
| `at` | after an effect on it, and after each barrier or wait in such a phase |
| `closed` | after the phase |
| `head` | at the head of a loop that writes it |

A frame is a phase, an arm of a branch or the body of a loop. Versions of workgroup memory
also have a *base*, what was there before the phase; it is forgotten once all of it has been
overwritten.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from vyre.validation.equality import Effect, Equality
from vyre.validation.footprints import Footprints
from vyre.validation.overwriting import Overwriting
from vyre.validation.terms import CLOSED, OPEN, PARTLY, TILE, Kind, Term, Terms


@dataclass(eq=False, slots=True)
class Frame:
    """Where effects are counted."""

    term: Term
    chain: tuple[Term, ...] = ()
    """What decides whether control comes here from the start of the phase."""
    count: int = 0
    effects: list[Effect] = field(default_factory=list[Effect])


@dataclass(eq=False)
class Shared:
    """What both sides have in common."""

    terms: Terms
    equality: Equality
    overwriting: Overwriting
    sources: dict[Term, tuple[Term, ...]] = field(
        default_factory=dict[Term, "tuple[Term, ...]"]
    )
    """The declarations that may stand behind a memref."""
    names: dict[Term, str] = field(default_factory=dict[Term, str])
    shapes: dict[Term, tuple[int, ...]] = field(
        default_factory=dict[Term, "tuple[int, ...]"]
    )
    """Of workgroup buffers."""
    synced: int = 0
    """How old terms are that are older than what either side does at the moment."""


class Memory:
    """The values and the memory of a side, while it is executed."""

    def __init__(self, shared: Shared, footprints: Footprints):
        self.shared = shared
        self.terms = shared.terms
        self.equality = shared.equality
        self.footprints = footprints
        self.env: dict[SSAValue, Term] = {}
        self.state: dict[Term, Term] = {}
        """The version of each buffer, and what each slot holds."""
        self.bases: dict[Term, Term] = {}
        self.written: frozenset[Term] = frozenset()
        """What the phase writes."""
        self.frame: Frame = Frame(shared.terms.zeros)
        self.since = 0
        """How old what this phase makes is at most."""

    # Phases

    def begin(self, phase: Term | None, written: frozenset[Term]) -> None:
        """Start a phase; without one nothing can be written."""
        self.frame = Frame(self.terms.zeros if phase is None else phase)
        self.since = self.terms.now + 1 if phase is None else phase.birth
        self.written = written
        for memory in written:
            if memory.kind is TILE:
                self.bases[memory] = self.state[memory]
            self.state[memory] = self.version(OPEN, memory)

    def end(self) -> list[Effect]:
        """End the phase; its effects."""
        for memory in self.written:
            self.state[memory] = self.version(CLOSED, memory)
        effects = self.frame.effects
        self.begin(None, frozenset())
        return effects

    def version(self, kind: Kind, memory: Term) -> Term:
        """A version of memory in this frame."""
        if memory.kind is TILE:
            base = self.bases.get(memory, self.terms.nothing)
            return self.terms.node(kind, memory, self.frame.term, base)
        return self.terms.node(kind, memory, self.frame.term)

    def record(self, effect: Effect, changed: Iterable[Term]) -> None:
        """Note an effect, after which memory has other versions."""
        frame = self.frame
        frame.effects.append(effect)
        frame.count += 1
        kind = self.terms.kind("at", frame.count)
        for memory in changed:
            self.state[memory] = self.version(kind, memory)

    def memory(self, roots: Iterable[SSAValue]) -> frozenset[Term]:
        """The memory that memrefs stand for."""
        sources, env = self.shared.sources, self.env
        return frozenset(
            memory for root in roots if root in env for memory in sources.get(env[root], ())
        )

    def changes(self, op: Operation) -> frozenset[Term]:
        """The memory of which an operation makes new versions."""
        footprint = self.footprints.of(op)
        if footprint.is_unknown or footprint.waits:
            return self.written | self.memory(footprint.written)
        return self.memory(footprint.written)

    def overwrite(self, tile: Term) -> None:
        """Nothing is left of what was in a tile, if all invocations come here."""
        base = self.bases.get(tile, self.terms.nothing)
        if self.frame.chain and base is not self.terms.nothing:
            self.bases[tile] = self.terms.node(PARTLY, base, *self.frame.chain)
        else:
            self.bases[tile] = self.terms.nothing

    def moment(self) -> Term:
        """The name of the next effect."""
        return self.terms.node(self.terms.kind("moment", self.frame.count), self.frame.term)
