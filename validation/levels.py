"""
How many invocations certainly have the same value: levels of terms.

This is the validator's own account. It is asked where several invocations share a place,
and where a store may overwrite all of a tile. A level is the largest of everything that a
term is made of; what a loop carries is also made of its start, of what goes back and of
what decides about the loop. So a question is a search for something too large, and what was
searched in vain is never looked at again.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation

from vyre.analysis.purity import PURE_OPS
from vyre.dialects.vyre import (
    LengthOp,
    LinearIdOp,
    LoadOp,
    SubgroupSizeOp,
    WorkgroupCountOp,
    WorkgroupIdOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.attributes import LinearScope
from vyre.validation.terms import COUNTER, FRAME, HEAD, OPEN, SYMBOL, TILE, Kind, Term

if TYPE_CHECKING:
    from vyre.validation.equality import Loop

GRID, WORKGROUP, INVOCATION = 0, 1, 2

_OF_OP: dict[type[Operation], int] = {WorkgroupIdOp: WORKGROUP}
"""Levels of operations, where they are not those of the operands or `INVOCATION`."""

_SAME = PURE_OPS | {LengthOp, LoadOp, SubgroupSizeOp, WorkgroupCountOp, WorkgroupSizeOp}
"""Operations that give the same for the same operands."""


class Levels:
    """
    Example: `levels.at_most(term, WORKGROUP)`
    """

    def __init__(self) -> None:
        self.known: dict[Term, int] = {}
        """Levels of terms that whoever makes them knows."""
        self.changing: set[Term] = set()
        """Loads of workgroup memory that is written between the same barriers."""
        self.loop_of: dict[Term, Loop] = {}
        self._proven: tuple[set[Term], ...] = (set(), set())

    def at_most(self, term: Term, level: int) -> bool:
        """Whether a term is the same in the whole grid, or in a whole workgroup."""
        proven = self._proven[level]
        seen: set[Term] = set()
        todo = [term]
        while todo:
            each = todo.pop()
            if each in seen or each in proven:
                continue
            known = self.known.get(each)
            if (self._own(each) if known is None else known) > level:
                return False
            seen.add(each)
            todo += self._parts(each) if known is None else ()
        proven |= seen
        return True

    def _own(self, term: Term) -> int:
        """The level of a term if all that it is made of is the same everywhere."""
        kind = term.kind
        if kind is SYMBOL or kind is COUNTER or kind is FRAME:
            loop = self.loop_of.get(term)
            return GRID if loop is None or loop.is_complete else INVOCATION
        if kind is TILE:
            return WORKGROUP
        if kind.op_type is LinearIdOp:
            return WORKGROUP if _is_of_workgroup(kind) else INVOCATION
        if kind.op_type is LoadOp and term in self.changing:
            return INVOCATION
        if kind is OPEN or kind is HEAD or kind.name == "at":
            # Others may be writing it at this time, unless it belongs to the workgroup.
            memory, frame = term.children[:2]
            is_over = kind is HEAD and self.known.get(frame) == GRID
            return GRID if memory.kind is TILE or is_over else INVOCATION
        if kind.op_type is None or kind.op_type in _SAME:
            return GRID
        return _OF_OP.get(kind.op_type, INVOCATION)

    def _parts(self, term: Term) -> Iterable[Term]:
        loop = self.loop_of.get(term)
        if loop is None:
            return term.children
        if term.kind is SYMBOL:
            return (loop.starts[term], loop.backs[term], *loop.control)
        return loop.control


def _is_of_workgroup(kind: Kind) -> bool:
    details: Any = kind.details
    return details["scope"].data is LinearScope.WORKGROUP
