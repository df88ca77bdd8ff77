"""
Equality for those who are alive.

A program with returns and one without are the same if whoever is alive does the same, and
whoever has returned has no effects. So terms are compared *under a fact*, a term that is
true for whoever is alive there: a choice that it decides is the arm that it chooses. Being
alive only ends, so a fact implies earlier ones. That two terms say alike who is alive
is shown without a fact, for those who have returned, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, isnan
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, i1
from xdsl.ir import Operation

from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    AsyncWaitOp,
    BarrierOp,
    LoadOp,
    SubgroupBallotOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
)
from vyre.dialects.vyre.attributes import ReduceKind
from vyre.validation.equality import Claim, Different, Effect, EffectsDiffer, Equality, Loop
from vyre.validation.levels import Levels
from vyre.validation.terms import ANYONE, ITE, SYMBOL, Kind, Term, number_of

_BOTH = Kind("both", None)
"""Two facts."""
_EMPTY: dict[type[Operation], int] = {
    **dict.fromkeys((SubgroupBallotOp, SubgroupReduceOp, SubgroupShuffleOp), 0),
    **dict.fromkeys((AsyncLoadOp, AsyncStoreOp), 2),
}
"""What everybody takes part in, with nothing to give if that operand says so."""


@dataclass(eq=False, slots=True)
class Guarded(Effect):
    """An effect, and what decides about it since the loop or program around it began."""

    path: tuple[tuple[Term, bool], ...] = ()
    alive: Term | None = None
    """Who is alive; None is everybody."""
    place: int = 0
    """Where in the path a guard has to be, if there is one."""


@dataclass(eq=False, slots=True)
class Lives:
    """Who is alive in a loop of the program with returns; None is everybody."""

    entry: Term | None
    tested: Term | None = None
    """When an `scf.while` decides, unless only those who are alive run it."""
    end: Term | None = None
    symbol: Term | None = None


class UnderAlive(Equality):
    """
    Example: `UnderAlive(levels).same_effects(program, predicated)`
    """

    def __init__(self, levels: Levels):
        super().__init__(levels)
        self.lives: dict[Loop, Lives] = {}
        self._inner: list[Term | None] = [None]
        """What is true in the loops around, and says who is alive."""
        self._known: dict[Term, Term] = {}
        """What says who is alive, for both sides."""
        self._for_some: dict[Term, Term] = {}
        """Symbols that are bound for those who are alive."""
        self._before: dict[Term, Term | None] = {}
        self._pairs: dict[tuple[Term, Term], Term] = {}
        self._walked: set[Loop] = set()
        self.asking: dict[Term, tuple[Operation, int]] = {}
        """The loops that ask whether anyone is alive, and a level for their conditions."""

    # Facts

    def _holds(self, term: Term, fact: Term | None) -> bool:
        """Whether a fact implies a term, because being alive only ends."""
        if fact is not None and fact.kind is _BOTH:
            return any(self._holds(term, each) for each in fact.children)
        while fact is not None and fact is not term:
            fact = self._earlier(fact)
        return fact is not None

    def _earlier(self, term: Term) -> Term | None:
        """What was true before if a term is true."""
        if term not in self._before:
            self._before[term] = None
            self._before[term] = self._find_earlier(term)
        return self._before[term]

    def _find_earlier(self, term: Term) -> Term | None:
        if term.kind is SYMBOL:
            loop = self.loop_of[term]
            is_kept = self._holds(term, loop.backs[term])
            return loop.starts[term] if is_kept else None
        if term.kind is not ITE:
            return None
        one, other = term.children[1:]
        if _is_false(one) or _is_false(other):
            return other if _is_false(one) else one
        while not self._holds(one, other):
            before = self._earlier(one)
            if before is None:
                return None
            one = before
        return one

    def _fact(self, alive: Term | None) -> Term | None:
        """What the program without returns has for being alive, as far as it is known."""
        return None if alive is None else self._known.get(alive, alive)

    def _agree(self, alive: Term, known: Term) -> Term:
        """Both say alike who is alive, which is a fact for these."""
        self._demand(Claim(alive, known, "who is alive"))
        self._known[alive] = known
        return known

    # Terms

    def _find(self, term: Term, claim: Claim) -> Term:
        while True:
            found = self._bound.get(term)
            if found is None and claim.fact is not None:
                found = self._for_some.get(term)
            if found is None:
                return term
            term = found

    def _note(self, symbol: Term, term: Term, claim: Claim) -> None:
        (self._bound if claim.fact is None else self._for_some)[symbol] = term

    def _equate(self, one: Term, other: Term, claim: Claim) -> None:
        chosen = self._chosen(one, claim.fact), self._chosen(other, claim.fact)
        if chosen != (one, other):
            self._todo.append((*chosen, claim))
        elif one.kind is ITE and other.kind is ITE:
            self._same_choice(one, other, claim)
        else:
            super()._equate(one, other, claim)

    def _chosen(self, term: Term, fact: Term | None) -> Term:
        """What a term is if a fact decides it."""
        is_decided = term.kind is ITE and self._holds(term.children[0], fact)
        return term.children[1] if is_decided else term

    def _same_choice(self, one: Term, other: Term, claim: Claim) -> None:
        """Arms are compared for who chooses them, and that for who was alive then."""
        before = self._earlier(other)
        is_known = before is None or self._holds(before, claim.fact)
        facts = [claim.fact if is_known else before]
        facts += (self._given(claim.fact, other.children[0], arm) for arm in (1, 2))
        for each, twin, fact in zip(one.children, other.children, facts):
            self._demand(Claim(each, twin, claim.reason, claim.because, fact))

    def _given(self, fact: Term | None, condition: Term, arm: int) -> Term | None:
        """What a fact also says about those who went by one arm of a branch."""
        if fact is not None and fact.kind is _BOTH:
            return self._given(fact.children[0], condition, arm)
        each = fact
        while fact is not None and each is not None:
            if each.kind is ITE and each.children[0] is condition:
                if any(map(_is_false, each.children)):
                    return fact
                both = each.children[arm], fact
                return self._pairs.setdefault(both, Term(_BOTH, both, 0))
            each = self._earlier(each)
        return fact

    def _unlike(self, one: Term, other: Term, claim: Claim) -> None:
        """A choice is nothing else, unless a fact decides it."""
        raise Different(one, other, claim)

    def _link(
        self, symbol: Term, other: Term, loop: Loop, twin: Loop, claim: Claim
    ) -> None:
        self._note(symbol, other, claim)
        starts = loop.starts[symbol], twin.starts[other]
        lives = self._lives(loop)
        fact = None if claim.fact is None else self._fact(lives.entry)
        self._demand(Claim(*starts, "before the first trip of a loop", claim, fact))
        loop.pending.append(Claim(symbol, other, "", claim))
        self._discharge(loop)

    def _fix(self, symbol: Term, term: Term, loop: Loop, claim: Claim) -> None:
        raise Different(symbol, term, claim)

    def _lives(self, loop: Loop) -> Lives:
        both = (loop, *loop.partners)
        return next(self.lives[each] for each in both if each in self.lives)

    def _discharge(self, loop: Loop) -> None:
        """What goes back is compared for those who are alive at the end of a trip."""
        if loop not in self._walked:
            return
        pending, loop.pending = loop.pending, []
        lives = self._lives(loop)
        end = self._fact(lives.end)
        known = None if lives.symbol is None else self._bound.get(lives.symbol)
        if known is not None and known.kind is SYMBOL:
            end = self.loop_of[known].backs[known]
        for each in pending:
            assert each.because is not None
            one, other = (self._back(term, loop) for term in (each.one, each.other))
            fact = None if each.because.fact is None else end
            self._demand(Claim(one, other, "after a trip of a loop", each.because, fact))

    def _may_pair(self, loop: Loop, twin: Loop) -> bool:
        return twin in loop.partners

    # Effects

    def same_effects(self, program: list[Effect], schedule: list[Effect]) -> None:
        """Also the same if everybody meets once more at the end."""
        if len(schedule) == len(program) + 1 and isinstance(schedule[-1].op, BarrierOp):
            schedule = schedule[:-1]
        super().same_effects(program, schedule)

    def same_effect(self, one: Effect, other: Effect) -> None:
        """Show that two effects are the same for those who are alive, and only theirs."""
        assert isinstance(one, Guarded)
        assert isinstance(other, Guarded)
        is_alike = one.loop is not None or type(one.op) is type(other.op)
        is_loop = one.loop is not None, other.loop is not None
        if not is_alike or len(set(is_loop)) > 1 or len(one.arms) != len(other.arms):
            raise EffectsDiffer(one, other)
        if isinstance(other.op, LoadOp) and other.op.inbounds is None:
            return
        try:
            self._compare(one, other)
            self._settle()
        except Different as difference:
            raise EffectsDiffer(one, other, difference) from None
        for arm, again in zip(one.arms, other.arms, strict=True):
            self.same_effects(arm, again)

    def _compare(self, one: Guarded, other: Guarded) -> None:
        guard, path = _without_guard(one, other)
        fact, terms = self._who(one, other, guard)
        if len(path) != len(one.path):
            raise EffectsDiffer(one, other)
        for (condition, holds), (again, also) in zip(one.path, path, strict=True):
            if holds != also:
                raise EffectsDiffer(one, other)
            self._demand(Claim(condition, again, "a condition", None, fact))
        if one.loop is not None and other.loop is not None:
            self._settle()
            self._same_loops(one, other, guard or self._inner[-1])
        else:
            self._same_terms(one, other, terms, fact)

    def _who(
        self, one: Guarded, other: Guarded, guard: Term | None
    ) -> tuple[Term | None, Sequence[Term]]:
        """What says that whoever does it is alive, and what is done then."""
        terms = () if other.term is None else other.term.children
        if one.alive is None:
            if guard is not None:
                raise EffectsDiffer(one, other)
            return None, terms
        known = guard
        if known is None:
            known, terms = _contribution(one, other)
        is_free = one.loop is not None or type(one.op) in _WAITING or _gives_nothing(other)
        if known is None and not is_free:
            known = self._inner[-1]
            if known is None:
                raise EffectsDiffer(one, other)
        if known is not None:
            self._agree(one.alive, known)
            self._settle()
        return self._fact(one.alive), terms

    def _same_terms(
        self, one: Guarded, other: Guarded, terms: Sequence[Term], fact: Term | None
    ) -> None:
        assert one.term is not None
        assert other.term is not None
        if one.term.kind is not other.term.kind or len(one.term.children) != len(terms):
            raise EffectsDiffer(one, other)
        is_promised = isinstance(one.op, LoadOp) and one.op.inbounds is not None
        if isinstance(other.op, LoadOp) and not is_promised:
            raise EffectsDiffer(one, other)
        for each, twin in zip(one.term.children, terms):
            self._demand(Claim(each, twin, "an effect", None, fact))

    # Loops

    def _same_loops(self, one: Guarded, other: Guarded, inner: Term | None) -> None:
        loop, twin = one.loop, other.loop
        assert loop is not None
        assert twin is not None
        if loop.partners or twin.partners:
            raise EffectsDiffer(one, other)
        self.marry(loop, twin)
        if isinstance(twin.op, scf.ForOp):
            if isinstance(loop.op, scf.WhileOp):
                raise EffectsDiffer(one, other)
            decide = self._decide_for
        else:
            # What is done before the test is done without knowing what it says.
            decide = self._decide_while
            *tested, _ = loop.bodies
            self._inside(inner, tested[0] if tested else [], twin.bodies[0])
        inner = decide(one, other, loop, twin, inner)
        *_, body = loop.bodies
        *_, again = twin.bodies
        self._inside(inner, body, again)
        self._walked |= {loop, twin}
        for each in (loop, twin):
            self._discharge(each)

    def _inside(self, inner: Term | None, one: list[Effect], other: list[Effect]) -> None:
        self._inner.append(inner)
        self.same_effects(one, other)
        self._inner.pop()

    def _decide_for(
        self, one: Effect, other: Effect, loop: Loop, twin: Loop, inner: Term | None
    ) -> Term | None:
        """The same bounds, or no trips for those who have returned."""
        entry = self.lives[loop].entry
        lower, upper, step = twin.control
        if entry is not None and _layers(upper, lower) > _layers(
            loop.control[1], loop.control[0]
        ):
            inner = self._agree(entry, upper.children[0])
            upper = upper.children[1]
            self._settle()
        elif upper is lower:
            # Nobody runs this.
            inner = self._fact(entry)
        fact = self._fact(entry)
        for each, again in zip(loop.control, (lower, upper, step), strict=True):
            self._demand(Claim(each, again, "what decides about a loop", None, fact))
        if loop.counter is not None and loop.counter.kind is SYMBOL:
            assert twin.counter is not None
            self._bound[loop.counter] = twin.counter
        self._settle()
        return inner

    def _decide_while(
        self, one: Effect, other: Effect, loop: Loop, twin: Loop, inner: Term | None
    ) -> Term | None:
        """The same condition, and someone is alive."""
        lives, (goes_on,) = self.lives[loop], twin.control
        is_for = isinstance(loop.op, scf.ForOp)
        if is_for and loop.counter not in loop.starts:
            raise EffectsDiffer(one, other)
        condition = list(loop.starts)[-1] if is_for else loop.control[0]
        fact = self._fact(lives.entry)
        if lives.tested is not None:
            asked = inner
            if _conditions(goes_on) > _conditions(condition):
                goes_on, alive = goes_on.children
                question = _question(alive)
                if question is None:
                    inner = asked = alive
                else:
                    asked, _, nobody = question.children
                    asking, level = self.asking[nobody]
                    is_step = level > 1 or self.levels.at_most(goes_on, level)
                    if asking is not twin.op or not (
                        is_step and self._is_fresh(alive, twin)
                    ):
                        raise EffectsDiffer(one, other)
            if asked is None:
                raise EffectsDiffer(one, other)
            fact = self._agree(lives.tested, asked)
            self._settle()
        self._demand(Claim(condition, goes_on, "what decides about a loop", None, fact))
        self._settle()
        return inner

    def _is_fresh(self, question: Term, twin: Loop) -> bool:
        """Whether the answer is no if nobody is alive: it is of this round, or the only."""
        if question.kind is ITE:
            return number_of(question.children[1]) in (1, -1)
        answer, current = question.children
        if answer.children[1] is not current or self.loop_of.get(current) is not twin:
            return False
        back, start = twin.backs[current], number_of(twin.starts[current])
        is_next = back.kind.op_type is arith.AddiOp and back.children[0] is current
        return is_next and number_of(back.children[1]) == 1 and start == 1


_WAITING = (BarrierOp, AsyncWaitOp)


def _without_guard(
    one: Guarded, other: Guarded
) -> tuple[Term | None, Sequence[tuple[Term, bool]]]:
    """The guard in a path, and the rest of the path."""
    path = list(other.path)
    if len(path) <= len(one.path):
        return None, path
    guard, holds = path.pop(one.place)
    if not holds:
        raise EffectsDiffer(one, other)
    return guard, path


def _contribution(one: Guarded, other: Guarded) -> tuple[Term | None, Sequence[Term]]:
    """
    Who gives something where everybody takes part, and what they give.
    """
    terms = () if other.term is None else other.term.children
    place = _EMPTY.get(type(other.op))
    if place is None or one.term is None:
        return None, terms
    given, value = terms[place], one.term.children[place]
    if given.kind is not ITE or not _is_nothing(other, given.children[2]):
        return None, terms
    if _layers(given, given.children[2]) <= _layers(value, given.children[2]):
        return None, terms
    alive, chosen, _ = given.children
    return alive, (*terms[:place], chosen, *terms[place + 1 :])


def _gives_nothing(effect: Guarded) -> bool:
    """Whether nothing is given where everybody takes part, whoever is alive."""
    place = _EMPTY.get(type(effect.op))
    if place is None or effect.term is None:
        return False
    return _is_nothing(effect, effect.term.children[place])


def _layers(term: Term, otherwise: Term) -> int:
    """How many conditions a value has, apart from which it is something else."""
    count = 0
    while term.kind is ITE and term.children[2] is otherwise:
        term, count = term.children[1], count + 1
    return count


def _conditions(term: Term) -> int:
    """How many conditions come before the first that is no conjunction."""
    count = 0
    while term.kind.op_type is arith.AndIOp:
        term, count = term.children[0], count + 1
    return count


def _is_nothing(effect: Effect, term: Term) -> bool:
    """Whether a value changes nothing for the others that take part."""
    if not isinstance(effect.op, SubgroupReduceOp):
        return number_of(term) == 0 or _float_of(term) == 0
    kind = effect.op.kind.data
    type_: Any = effect.op.value.type
    number = number_of(term)
    if number is None:
        value = _float_of(term)
        match kind:
            case ReduceKind.ADD:
                return value == 0 and copysign(1, value) < 0
            case ReduceKind.MUL:
                return value == 1
            case _:
                return value is not None and isnan(value)
    bits: int = 64 if isinstance(type_, IndexType) else type_.width.data
    top = 1 << (bits - 1)
    wanted = {
        ReduceKind.MUL: 1,
        ReduceKind.AND: -1,
        ReduceKind.UMIN: -1,
        ReduceKind.MIN: top - 1,
        ReduceKind.MAX: top,
    }.get(kind, 0)
    return (number - wanted) % (2 * top) == 0


def _float_of(term: Term) -> float | None:
    if term.kind.op_type is not arith.ConstantOp:
        return None
    details: Any = term.kind.details
    value: object = details["value"]
    return value.value.data if isinstance(value, FloatAttr) else None


def _is_false(term: Term) -> bool:
    details: Any = term.kind.details
    return number_of(term) == 0 and details["value"].type == i1


def _question(term: Term) -> Term | None:
    """What is loaded if a term asks whether anyone is alive."""
    if term.kind.op_type is arith.CmpiOp:
        details: Any = term.kind.details
        if details["predicate"].value.data != 0:
            return None
        term = term.children[0]
    is_answer = term.kind is ITE and term.children[2].kind is ANYONE
    return term if is_answer else None
