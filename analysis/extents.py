"""
How large buffers are, as far as it is known before a dispatch.

Sizes that a buffer's type shows are constants. A `?` stands for a symbol, which
`vyre.length` gives as well, unless the size is known otherwise: because whoever asks says
so, because all launches of the program agree (see `vyre.analysis.launches`), or because
the buffer is scratch, whose leading size counts invocations or workgroups of the grid.

A memref that a loop carries is one of several buffers. Its size is a symbol of its own if
theirs are not all the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import SSAValue

from vyre.analysis.buffer_sources import Declaration, buffer_sources
from vyre.analysis.facts import MAX_SIZE, Extent, Facts, Term
from vyre.analysis.geometry import INVOCATIONS, MAX_INVOCATIONS, WORKGROUPS, Grid
from vyre.analysis.ranges import Range
from vyre.dialects.vyre import BufferOp, ProgramOp, ScheduleOp, ScratchOp
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.dialects.vyre.buffers import memref_type

MAX_ELEMENTS = 2**60
"""More than any machine can address."""


@dataclass(frozen=True)
class Setting:
    """
    What is known about the dispatches that a program is made for.

    Names are those of the schedule, or of a program that no schedule launches.

    Example: `Setting(grid=(4, 1, 1), sizes={"a": (1024,), "b": (16, 16)})`
    """

    grid: Grid | None = None
    """Workgroups along each axis."""
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    """Sizes of buffers, by name."""
    params: Mapping[str, Range] = field(default_factory=dict[str, Range])
    """What parameters can be, by name."""
    most_invocations: int = MAX_INVOCATIONS
    """The largest grid."""


@dataclass(frozen=True)
class Size:
    """What the launches of a program tell about a `?`."""

    range: Range
    term: Term | None
    """What it is equal to, if that means the same in the launched program."""

    def joined(self, other: "Size") -> "Size":
        term = self.term if self.term == other.term else None
        return Size(self.range.joined(other.range), term)


class Extents:
    """The sizes of all memrefs of a program or schedule."""

    def __init__(
        self,
        program: ProgramOp | ScheduleOp,
        facts: Facts,
        given: Mapping[str, tuple[int, ...]],
        launched: Mapping[Extent, Size],
    ):
        self._facts = facts
        self._given = given
        self._launched = launched
        self._terms: dict[Extent, Term] = {}
        self._sources = buffer_sources(program)
        for memref, declarations in self._sources.items():
            self._declare(memref, declarations)

    def size(self, memref: SSAValue, dim: int) -> Term:
        """The size of a memref along a dimension."""
        extent = Extent(memref, dim)
        return self._terms.get(extent) or Term(extent)

    def possible_sizes(self, memref: SSAValue, dim: int) -> list[Term]:
        """The sizes of all buffers that a memref may stand for, if they are known."""
        return [self.size(source.memref, dim) for source in self._sources.get(memref, ())]

    def _declare(self, memref: SSAValue, declarations: tuple[Declaration, ...]) -> None:
        for dim, size in enumerate(memref_type(memref).get_shape()):
            extent = Extent(memref, dim)
            if size != DYNAMIC_INDEX:
                self._terms[extent] = Term(None, size)
            elif isinstance(memref.owner, BufferOp | ScratchOp):
                self._declared(memref.owner, dim)
            else:
                self._carried(extent, [self._declared(d, dim) for d in declarations])

    def _declared(self, declaration: Declaration, dim: int) -> Term:
        """The size of a declared buffer, along a dimension whose size is a `?`."""
        extent = Extent(declaration.memref, dim)
        if extent not in self._terms:
            self._terms[extent] = self._found(declaration, extent)
        return self._terms[extent]

    def _found(self, declaration: Declaration, extent: Extent) -> Term:
        if isinstance(declaration, ScratchOp):
            per_group = declaration.scope.data is ScratchScope.PER_WORKGROUP
            return Term(WORKGROUPS if per_group else INVOCATIONS)
        launched = self._launched.get(extent)
        if launched is not None:
            if launched.term is not None:
                return launched.term
            self._facts.define(extent, launched.range)
            return Term(extent)
        given = self._given.get(declaration.entry_name.data)
        if given is not None:
            return Term(None, given[extent.dim])
        self._facts.define(extent, Range(0, _most(declaration.type, extent.dim)))
        return Term(extent)

    def _carried(self, extent: Extent, sizes: list[Term]) -> None:
        first = sizes[0]
        if all(size == first for size in sizes):
            self._terms[extent] = first
            return
        found = self._facts.range(first)
        for size in sizes:
            found = found.joined(self._facts.range(size))
        self._facts.define(extent, found)
        self._terms[extent] = Term(extent)


def _most(type: MemRefType, dim: int) -> int:
    # If another dimension is zero there are no elements, and this one may be anything.
    others = [size for at, size in enumerate(type.get_shape()) if at != dim]
    return MAX_ELEMENTS if all(size > 0 for size in others) else MAX_SIZE
