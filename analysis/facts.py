"""
What is known about integers at a point of a program.

A *symbol* is a number that does not change while it is visible: an SSA value, the size of
a buffer along a dimension, or a number about the grid. About symbols two kinds of facts
are kept:

- a range of numbers, and
- differences: `a <= b + c` for two symbols and a constant.

A *term* is a symbol plus a constant, or a constant alone. Values that are provably such a
sum without wrapping, as `%i + 1` below a bound, are no symbols of their own: what becomes
known about `%i` is then known about them as well. All facts are about signed numbers.

Facts hold in a scope. The walk over a program opens one for each arm of a branch and each
body of a loop; when it is left, the facts found in it are taken back.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, OpResult, SSAValue

from vyre.analysis import ranges
from vyre.analysis.ranges import MIRRORED, REVERSED, Range, compared, full

SEARCHED = 64
"""Differences that one question looks at; it bounds its cost."""

MAX_SIZE = 2**63 - 1
"""No size is larger: they are signed numbers."""


class Extent(NamedTuple):
    """The size of a buffer along a dimension that its type does not show."""

    memref: SSAValue
    dim: int


class GridNumber(NamedTuple):
    """A number that tells about the grid or a place in it, such as `workgroup_count x`."""

    name: str


Symbol: TypeAlias = SSAValue | Extent | GridNumber


class Term(NamedTuple):
    """A symbol plus a constant, as numbers that do not wrap; no symbol counts as zero."""

    symbol: Symbol | None
    offset: int = 0

    def plus(self, constant: int) -> "Term":
        return Term(self.symbol, self.offset + constant)


@dataclass(frozen=True)
class Summary:
    """What is known about one value: its range, and what it is at most."""

    range: Range
    limits: Mapping[Symbol, int]
    """Symbols and constants: the value is not larger than any of these sums."""
    term: Term | None = None
    """What the value is equal to."""


def bits(type: Attribute) -> int | None:
    """The width of an integer type, or None for other types."""
    match type:
        case IndexType():
            return 64
        case IntegerType():
            return type.width.data
        case _:
            return None


@dataclass
class Facts:
    """Ranges and differences, with a record of how to take them back."""

    _ranges: dict[Symbol, Range] = field(default_factory=dict[Symbol, Range])
    _above: dict[Symbol, dict[Symbol, int]] = field(
        default_factory=dict[Symbol, dict[Symbol, int]]
    )
    _terms: dict[SSAValue, Term] = field(default_factory=dict[SSAValue, Term])
    _undo: list[Callable[[], object]] = field(default_factory=list[Callable[[], object]])

    @contextmanager
    def scope(self) -> Generator[None]:
        """Facts that are found inside are forgotten at the end."""
        mark = len(self._undo)
        yield
        while len(self._undo) > mark:
            self._undo.pop()()

    def term(self, value: SSAValue) -> Term:
        """What a value is equal to; at least itself."""
        return self._terms.get(value) or Term(value)

    def equate(self, value: SSAValue, term: Term) -> None:
        """Let a value be known by another name."""
        self._terms[value] = term

    def range(self, term: Term) -> Range:
        """The numbers that a term may be."""
        symbol = term.symbol
        if symbol is None:
            return Range(term.offset, term.offset)
        return self._range(symbol).shifted(term.offset)

    def range_of(self, value: SSAValue) -> Range:
        """The numbers that a value may be."""
        return self.range(self.term(value))

    def is_defined(self, value: SSAValue) -> bool:
        """Whether the walk has come by the definition of a value, in this scope."""
        return value in self._terms or value in self._ranges

    def define(self, symbol: Symbol, range: Range) -> None:
        """Set what numbers a symbol may be."""
        old = self._ranges.get(symbol)
        if old is None:
            self._undo.append(lambda: self._ranges.pop(symbol))
        else:
            self._undo.append(lambda: self._ranges.update({symbol: old}))
        self._ranges[symbol] = range

    def narrow(self, term: Term, lo: int | None = None, hi: int | None = None) -> None:
        """Learn that a term is between two limits."""
        if term.symbol is None:
            return
        old = self._range(term.symbol)
        new = old.narrowed(
            None if lo is None else lo - term.offset,
            None if hi is None else hi - term.offset,
        )
        if new != old:
            self.define(term.symbol, new)
            if old.lo < 1 <= new.lo:
                self._learn_factors(term.symbol)

    def limit(self, a: Term, b: Term, gap: int = 0) -> None:
        """Learn that a + gap <= b."""
        self.narrow(a, hi=self.range(b).hi - gap)
        self.narrow(b, lo=self.range(a).lo + gap)
        if a.symbol is None or b.symbol is None or a.symbol == b.symbol:
            return
        constant = b.offset - gap - a.offset
        if constant >= self._range(a.symbol).hi - self._range(b.symbol).lo:
            return  # The ranges say so already, and they only ever get narrower.
        above = self._above.setdefault(a.symbol, {})
        old = above.get(b.symbol)
        if old is not None and old <= constant:
            return
        symbol = b.symbol
        if old is None:
            self._undo.append(lambda: above.pop(symbol))
        else:
            self._undo.append(lambda: above.update({symbol: old}))
        above[symbol] = constant

    def compare(self, predicate: int, a: Term, b: Term) -> None:
        """Learn that a predicate of `arith.cmpi` holds for two terms."""
        if predicate in REVERSED:
            predicate, a, b = MIRRORED[predicate], b, a
        match predicate:
            case ranges.EQUAL:
                self.limit(a, b)
                self.limit(b, a)
            case ranges.NOT_EQUAL:
                one, other = compared(predicate, self.range(a), self.range(b))
                self.narrow(a, *one)
                self.narrow(b, *other)
            case ranges.SIGNED_LESS | ranges.SIGNED_AT_MOST:
                self.limit(a, b, 1 if predicate == ranges.SIGNED_LESS else 0)
            case _:
                # Below a bound that is not negative as a signed number, the unsigned and
                # the signed order are the same. One that may be negative says nothing.
                if self.range(b).lo >= 0:
                    self.narrow(a, lo=0)
                    self.limit(a, b, 1 if predicate == ranges.UNSIGNED_LESS else 0)

    def limits(self, term: Term) -> dict[Symbol, int]:
        """
        Symbols and constants whose sum a term does not exceed.

        Differences add up: from `i <= j - 1` and `j <= n` follows `i <= n - 1`.
        """
        if term.symbol is None:
            return {}
        found = {term.symbol: term.offset}
        pending: list[Symbol] = [term.symbol]
        for symbol, above, constant in islice(self._differences(pending), SEARCHED):
            total = found[symbol] + constant
            if above not in found or total < found[above]:
                found[above] = total
                pending.append(above)
        return found

    def _differences(self, pending: list[Symbol]) -> Iterator[tuple[Symbol, Symbol, int]]:
        """Differences of the symbols, newest first: they come from the nearest guards."""
        for symbol in pending:
            for above, constant in reversed(self._above.get(symbol, {}).items()):
                yield symbol, above, constant

    def excess(self, a: Term, b: Term) -> int:
        """The smallest number that is known to be at least a - b."""
        limits = self.limits(a)
        hi = self.range(a).hi
        for symbol, constant in limits.items():
            hi = min(hi, self._range(symbol).hi + constant)
        found = hi - self.range(b).lo
        if b.symbol is not None and b.symbol in limits:
            found = min(found, limits[b.symbol] - b.offset)
        return found

    def summary(self, term: Term) -> Summary:
        """All that is known about a term here, to be used where scopes end."""
        return Summary(self.range(term), self.limits(term), term)

    def joined(self, a: Summary, b: Summary) -> Summary:
        """What is known about a value that is one of two."""
        limits: dict[Symbol, int] = {}
        for symbol in (*a.limits, *b.limits):
            # A number is at most any symbol that is at least as large.
            least = self._range(symbol).lo
            limits[symbol] = max(
                min(one.limits.get(symbol, one.range.hi - least), one.range.hi - least)
                for one in (a, b)
            )
        term = a.term if a.term == b.term else None
        return Summary(a.range.joined(b.range), limits, term)

    def assign(self, value: SSAValue, summary: Summary) -> None:
        """Define a value by what is known about it; symbols that are gone are left out."""
        if summary.term is not None and self._is_here(summary.term.symbol):
            self.equate(value, summary.term)
            return
        self.define(value, summary.range)
        for symbol, constant in summary.limits.items():
            if symbol is not value and self._is_here(symbol):
                self.limit(Term(value), Term(symbol, constant))

    def _is_here(self, symbol: Symbol | None) -> bool:
        return not isinstance(symbol, SSAValue) or symbol in self._ranges

    def _range(self, symbol: Symbol) -> Range:
        found = self._ranges.get(symbol)
        if found is not None:
            return found
        if not isinstance(symbol, SSAValue):
            return Range(0, MAX_SIZE)
        width = bits(symbol.type)
        assert width is not None
        return full(width)

    def _learn_factors(self, symbol: Symbol) -> None:
        """A product that is not zero has no factor that is zero."""
        if isinstance(symbol, OpResult) and isinstance(symbol.op, arith.MuliOp):
            for factor in symbol.op.operands:
                if self.range_of(factor).lo == 0:
                    self.narrow(self.term(factor), lo=1)
