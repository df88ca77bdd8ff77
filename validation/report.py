"""What users see if a schedule is not proved to mean what the program means."""

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.ir import Operation

from vyre.diagnostics import LocatedError
from vyre.dialects.refusal import Note
from vyre.validation.equality import Claim, Different, Effect, EffectsDiffer
from vyre.validation.terms import Term

_DEEPEST = 6
"""Levels of operations that a term is shown with."""

REQUEST = (
    "this is a mistake in Vyre: report it with the text of the program; until it is "
    "mended, VYRE_VALIDATE=0 runs the schedule unproved"
)


class InvalidSplit(LocatedError):
    """
    A schedule that is not proved to do what its program does. The program may be right.

    Example: `vyre.validation.validate(program, schedule)` may raise it.
    """

    number = 1013


class Mismatch(Exception):
    """Why a schedule is refused, in the middle of the walk."""

    def __init__(self, cause: str, at: Operation | None = None, notes: Sequence[Note] = ()):
        super().__init__(cause)
        self.cause = cause
        self.at = at
        self.notes = tuple(notes)


def of_effects(error: EffectsDiffer, names: Mapping[Term, str]) -> Mismatch:
    """An effect that one side has and the other has not."""
    one, other = error.one, error.other
    notes: list[Note] = []
    if one is None:
        assert other is not None
        cause = "the schedule does this here, and the program does not"
        return Mismatch(f"{cause}: {_effect(other, names)}", other.op)
    if other is None:
        cause = "the program does this here, and the schedule does not"
        return Mismatch(f"{cause}: {_effect(one, names)}", one.op)
    cause = f"the schedule does something else: {_effect(one, names)} in the program, "
    cause += f"{_effect(other, names)} in the schedule"
    notes.append(Note(other.op, "in the schedule"))
    if error.difference is not None:
        notes += (Note(one.op, line) for line in history(error.difference, names))
    return Mismatch(cause, one.op, notes)


def of_terms(
    error: Different, what: str, at: Operation, names: Mapping[Term, str]
) -> Mismatch:
    """Two terms that had to be equal."""
    claim: Claim = error.claim
    cause = f"{what} differs: {text(claim.one, names)} and {text(claim.other, names)}"
    return Mismatch(cause, at, [Note(at, line) for line in history(error, names)])


def history(error: Different, names: Mapping[Term, str]) -> list[str]:
    """The first subterms that differ, and why they have to be equal."""
    lines = [f"{text(error.one, names)} is not {text(error.other, names)}"]
    claim: Claim | None = error.claim
    while claim is not None and len(lines) < _DEEPEST:
        both = f"{text(claim.one, names)} and {text(claim.other, names)}"
        lines.append(f"needed for {claim.reason}: {both}")
        claim = claim.because
    return lines


def _effect(effect: Effect, names: Mapping[Term, str]) -> str:
    if effect.loop is not None or effect.arms or effect.term is None:
        return f"'{effect.op.name}' with effects inside"
    return text(effect.term, names)


def text(term: Term, names: Mapping[Term, str], depth: int = _DEEPEST) -> str:
    """A term as an expression, without what is too deep in it."""
    if term in names:
        return names[term]
    kind = term.kind
    name = kind.name.removeprefix("arith.").removeprefix("vyre.")
    details: Any = kind.details
    if isinstance(details, dict):
        shown = " ".join(filter(None, map(_attribute, details.values())))  # pyright: ignore
        if kind.name == "arith.constant":
            return shown
        name = f"{name} {shown}".strip()
    elif details is not None:
        name = f"{name} {details}"
    if not term.children:
        return f"{name}#{term.birth}" if term.birth else name
    if depth == 0:
        return f"{name}(...)"
    parts = ", ".join(text(child, names, depth - 1) for child in term.children)
    return f"{name}({parts})"


def _attribute(attribute: Any) -> str:
    """What an attribute says, in short; nothing for flags that are not set."""
    data: Any = getattr(attribute, "data", attribute)
    inner: Any = getattr(getattr(attribute, "value", None), "data", data)
    return "" if isinstance(inner, frozenset) else str(inner)
