"""
Equality of terms across loops, by binding.

Loops carry values under symbols, and the two sides have symbols of their own. When a symbol
has to equal another term, it is *bound* to it: from then on the two count as equal, and it
remains to be shown that they start equal and that, if they are equal at the head of a trip,
they are equal at the end of it. That is an induction over the trips, with all bindings of a
loop as its hypothesis. A symbol can be bound to a symbol of its loop's partner on the other
side, or to what was there before the loop. Each is bound once, and each pair of terms is
compared once; so this ends, and a failure is final.
"""

from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation

from vyre.validation.levels import Levels
from vyre.validation.terms import (
    COUNTER,
    FRAME,
    ITE,
    PARTLY,
    SYMBOL,
    ZEROS,
    Term,
    number_of,
)


@dataclass(eq=False, slots=True)
class Loop:
    """One side's loop: what it carries, what decides about it and what it does."""

    op: Operation
    frame: Term
    floor: int
    """Terms that are not younger than this are the same in all its trips."""
    counter: Term | None = None
    control: tuple[Term, ...] = ()
    """Bounds, or the condition."""
    starts: dict[Term, Term] = field(default_factory=dict[Term, Term])
    backs: dict[Term, Term] = field(default_factory=dict[Term, Term])
    bodies: "tuple[list[Effect], ...]" = ()
    is_complete: bool = False
    pending: "list[Claim]" = field(default_factory=list["Claim"])
    """What is to be shown as soon as it is known what goes back."""
    partners: "list[Loop]" = field(default_factory=list["Loop"])
    kept: dict[Term, Term] = field(default_factory=dict[Term, Term])
    """Symbols of what is no value: slots, and workgroup memory."""
    permuted: list[Term] = field(default_factory=list[Term])
    """Buffers that it has to exchange, so that they stay different."""


@dataclass(eq=False, slots=True)
class Effect:
    """What a side does: an operation's effect, or control flow with effects inside."""

    op: Operation
    term: Term | None
    """The effect, or the condition of a branch."""
    arms: "tuple[list[Effect], ...]" = ()
    loop: Loop | None = None


@dataclass(eq=False, slots=True)
class Claim:
    """Why two terms have to be equal."""

    one: Term
    other: Term
    reason: str
    because: "Claim | None" = None
    fact: Term | None = None
    """What has to be true for them to be equal (see `vyre.validation.alive`)."""


class Different(Exception):
    """Two terms that are not equal, and what they come from."""

    def __init__(self, one: Term, other: Term, claim: Claim):
        super().__init__("different")
        self.one = one
        self.other = other
        self.claim = claim


class NotPermuted(Exception):
    """A loop of which it was taken that it only exchanges the buffers that it carries."""

    def __init__(self, loop: Loop):
        super().__init__("not permuted")
        self.loop = loop


class EffectsDiffer(Exception):
    """An effect of the program, and what the schedule does in its place."""

    def __init__(
        self, one: Effect | None, other: Effect | None, difference: Different | None = None
    ):
        super().__init__("effects differ")
        self.one = one
        self.other = other
        self.difference = difference


class Equality:
    """
    What is known to be equal, or to be shown.

    Example: `equality.require(one, other, "conditions")`
    """

    def __init__(self, levels: Levels):
        self.levels = levels
        self.loop_of = levels.loop_of
        """The loop of a symbol, counter or frame."""
        self._bound: dict[Term, Term] = {}
        self._seen: set[tuple[Term, Term, Term | None]] = set()
        self._todo: list[tuple[Term, Term, Claim]] = []

    def require(self, one: Term, other: Term, reason: str) -> None:
        """Show that two terms are equal, or raise `Different`."""
        if one is not other:
            self._demand(Claim(one, other, reason))
            self._settle()

    def _demand(self, claim: Claim) -> None:
        self._todo.append((claim.one, claim.other, claim))

    def _find(self, term: Term, claim: Claim) -> Term:
        while term in self._bound:
            term = self._bound[term]
        return term

    def _note(self, symbol: Term, term: Term, claim: Claim) -> None:
        self._bound[symbol] = term

    def _settle(self) -> None:
        todo, seen = self._todo, self._seen
        while todo:
            one, other, claim = todo.pop()
            if one.kind is SYMBOL or other.kind is SYMBOL:
                one, other = self._find(one, claim), self._find(other, claim)
            if one is other or (one, other, claim.fact) in seen:
                continue
            seen.add((one, other, claim.fact))
            self._equate(one, other, claim)

    def _equate(self, one: Term, other: Term, claim: Claim) -> None:
        if one.kind is SYMBOL:
            self._bind(one, other, claim)
        elif other.kind is SYMBOL:
            self._bind(other, one, claim)
        elif one.kind is not other.kind:
            self._unlike(one, other, claim)
        elif one.kind is FRAME or one.kind is COUNTER:
            self._same_loop(one, other, claim)
        elif len(one.children) != len(other.children) or not one.children:
            raise Different(one, other, claim)
        elif not (one.kind is PARTLY and any(map(self._is_overwritten, (one, other)))):
            todo = self._todo
            for child, twin in zip(one.children, other.children):
                if child is not twin:
                    todo.append((child, twin, claim))

    def _is_overwritten(self, partly: Term) -> bool:
        """Whether whole workgroups come where the tile is overwritten."""
        return all(self.levels.at_most(term, 1) for term in partly.children[1:])

    def _unlike(self, one: Term, other: Term, claim: Claim) -> None:
        if other.kind is ITE or other.kind is ZEROS:
            one, other = other, one
        if one.kind is ITE:
            # A choice between two that equal the other.
            self._todo += ((arm, other, claim) for arm in one.children[1:])
        elif not (one.kind is ZEROS and _is_zero(other)):
            raise Different(one, other, claim)

    def _same_loop(self, one: Term, other: Term, claim: Claim) -> None:
        loop, twin = self.loop_of.get(one), self.loop_of.get(other)
        if loop is None or twin is None or not self._may_pair(loop, twin):
            raise Different(one, other, claim)
        self.pair(loop, twin, claim)

    def _bind(self, symbol: Term, term: Term, claim: Claim) -> None:
        loop = self.loop_of[symbol]
        twin = self.loop_of[term] if term.kind is SYMBOL else None
        if twin is not None and (twin is loop or twin in loop.partners):
            self._link(symbol, term, loop, twin, claim)
        elif term.birth <= loop.floor:
            self._fix(symbol, term, loop, claim)
        elif twin is not None and symbol.birth <= twin.floor:
            self._fix(term, symbol, twin, claim)
        elif twin is not None and self._may_pair(loop, twin):
            self.pair(loop, twin, claim)
            self._link(symbol, term, loop, twin, claim)
        elif term.kind is ITE:
            self._todo += ((symbol, arm, claim) for arm in term.children[1:])
        else:
            raise Different(symbol, term, claim)

    def _link(
        self, symbol: Term, other: Term, loop: Loop, twin: Loop, claim: Claim
    ) -> None:
        self._note(symbol, other, claim)
        start, again = loop.starts[symbol], twin.starts[other]
        self._demand(Claim(start, again, "before the first trip of a loop", claim))
        _later(loop, twin).pending.append(Claim(symbol, other, "", claim))
        self._discharge(_later(loop, twin))

    def _fix(self, symbol: Term, term: Term, loop: Loop, claim: Claim) -> None:
        """Bind a symbol to what no trip changes."""
        self._note(symbol, term, claim)
        start = loop.starts[symbol]
        self._demand(Claim(start, term, "before the first trip of a loop", claim))
        loop.pending.append(Claim(symbol, term, "", claim))
        self._discharge(loop)

    def _discharge(self, loop: Loop) -> None:
        if not loop.is_complete:
            return
        pending, loop.pending = loop.pending, []
        for each in pending:
            one, other = (self._back(term, loop) for term in (each.one, each.other))
            self._demand(Claim(one, other, "after a trip of a loop", each.because))

    def _back(self, term: Term, loop: Loop) -> Term:
        """What a term is at the end of a trip."""
        if term.kind is SYMBOL:
            owner = self.loop_of[term]
            if owner is loop or owner in loop.partners:
                return owner.backs[term]
        return term

    def finish(self, *loops: Loop) -> None:
        """It is known what goes back: show what had to wait for that."""
        for loop in loops:
            loop.is_complete = True
            backs = {loop.backs[symbol] for symbol in loop.permuted}
            if backs != set(loop.permuted):
                raise NotPermuted(loop)
        for loop in loops:
            self._discharge(loop)
        self._settle()

    # Loops and effects

    def _may_pair(self, loop: Loop, twin: Loop) -> bool:
        if twin in loop.partners:
            return True
        is_free = not loop.partners and not twin.partners
        is_complete = loop.is_complete and twin.is_complete
        return is_free and is_complete and type(loop.op) is type(twin.op)

    def pair(self, loop: Loop, twin: Loop, claim: Claim | None = None) -> None:
        """Show that two loops decide alike and have the same effects."""
        if twin in loop.partners:
            return
        self.marry(loop, twin)
        for one, other in zip(loop.control, twin.control, strict=True):
            self._demand(Claim(one, other, "what decides about a loop", claim))
        for body, again in zip(loop.bodies, twin.bodies, strict=True):
            self.same_effects(body, again)

    def marry(self, loop: Loop, twin: Loop) -> None:
        """Two loops are the same, which somebody else shows."""
        loop.partners.append(twin)
        twin.partners.append(loop)
        loop.floor = twin.floor = min(loop.floor, twin.floor)

    def same_effects(self, program: list[Effect], schedule: list[Effect]) -> None:
        """Show that two sides do the same in the same order."""
        for one, other in zip(program, schedule):
            self.same_effect(one, other)
        count = min(len(program), len(schedule))
        if len(program) != len(schedule):
            rest = program[count:], schedule[count:]
            one, other = (side[0] if side else None for side in rest)
            raise EffectsDiffer(one, other)

    def same_effect(self, one: Effect, other: Effect) -> None:
        """Show that two effects are the same."""
        if (one.loop is None) != (other.loop is None) or len(one.arms) != len(other.arms):
            raise EffectsDiffer(one, other)
        try:
            if one.loop is not None and other.loop is not None:
                if not self._may_pair(one.loop, other.loop):
                    raise EffectsDiffer(one, other)
                self.pair(one.loop, other.loop)
                self._settle()
            elif one.term is not None and other.term is not None:
                self.require(one.term, other.term, "an effect")
        except Different as difference:
            raise EffectsDiffer(one, other, difference) from None
        for arm, again in zip(one.arms, other.arms):
            self.same_effects(arm, again)


def _later(loop: Loop, twin: Loop) -> Loop:
    """The one of two loops of which it is not yet known what goes back."""
    return twin if loop.is_complete else loop


def _is_zero(term: Term) -> bool:
    """Whether all bits of a constant are zero."""
    if number_of(term) == 0:
        return True
    details: Any = term.kind.details
    if term.kind.op_type is not arith.ConstantOp:
        return False
    value: object = details["value"]
    return isinstance(value, FloatAttr) and str(value.value.data) == "0.0"
