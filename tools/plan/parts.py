"""The parts of a plan: rows, launches and read-backs, and what they do with rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType

from vyre.dialects.vyre import BufferOp, ScratchOp
from vyre.dialects.vyre.attributes import Access as DeclaredAccess
from vyre.dialects.vyre.attributes import ScratchScope, byte_width, is_scalar
from vyre.locations import Place

SCOPES = {
    ScratchScope.SINGLE: "once",
    ScratchScope.PER_WORKGROUP: "per workgroup",
    ScratchScope.PER_INVOCATION: "per invocation",
}
"""How often scratch exists, in words."""


@dataclass(frozen=True)
class Access:
    """
    What a step does with the elements of a buffer. `updates` are atomics. `in_turn` says
    that the buffer is one of several that a loop passes, as ping-pong algorithms do.

    Example: `str(Access(reads=True, writes=True))` is `"rw"`.
    """

    reads: bool = False
    writes: bool = False
    updates: bool = False
    in_turn: bool = False

    def __bool__(self) -> bool:
        return self.reads or self.writes or self.updates

    def __or__(self, other: Access) -> Access:
        parts = [access for access in (self, other) if access]
        return Access(
            any(part.reads for part in parts),
            any(part.writes for part in parts),
            any(part.updates for part in parts),
            bool(parts) and all(part.in_turn for part in parts),
        )

    @property
    def needs_contents(self) -> bool:
        """Whether what was in the buffer before counts."""
        return self.reads or self.updates

    def taken_in_turn(self) -> Access:
        """The same, by an argument that stands for one of several buffers."""
        return replace(self, in_turn=True)

    def __str__(self) -> str:
        letters = "r" * self.reads + "w" * self.writes + "a" * self.updates
        return letters + "?" * self.in_turn if letters else "."


@dataclass(frozen=True)
class Row:
    """
    A buffer of the caller, or scratch if it has a `scope`. `bytes` are those of an element;
    of scratch, those that one invocation, one workgroup or the grid has.
    """

    name: str
    shape: str
    bytes: int
    access: DeclaredAccess | None = None
    output: bool = False
    scope: ScratchScope | None = None

    @staticmethod
    def of(declaration: BufferOp | ScratchOp, number: int) -> Row:
        """The row of a declaration; `number` names scratch that has no name."""
        type = declaration.memref.type
        if isinstance(declaration, BufferOp):
            name, access = declaration.entry_name.data, declaration.access.data
            is_output = declaration.output is not None
            return Row(name, _shape(type), _bytes(type, ()), access, is_output)
        name = declaration.memref.name_hint or f"scratch {number}"
        sizes = [size for size in type.get_shape() if size != DYNAMIC_INDEX]
        scope = declaration.scope.data
        return Row(name, _shape(type), _bytes(type, sizes), scope=scope)

    @property
    def keeps(self) -> str | None:
        """The name of the value that scratch keeps, if splitting made it."""
        kept = self.name.removesuffix("_kept")
        return None if self.scope is None or kept == self.name else kept

    @property
    def about(self) -> str:
        """A few words, such as `?xi32` or `8 B per invocation`."""
        if self.scope is None:
            return self.shape
        return f"{self.bytes} B {SCOPES[self.scope]}"


def _shape(type: MemRefType) -> str:
    """The type without the word for it, such as `?x4xf32`."""
    return str(type).removeprefix("memref<").removesuffix(">")


def _bytes(type: MemRefType, sizes: Sequence[int]) -> int:
    element = type.element_type
    assert is_scalar(element)
    return byte_width(element) * prod(sizes)


@dataclass(frozen=True)
class InTurn:
    """An argument of a launch that stands for one of several rows."""

    name: str
    rows: tuple[int, ...]
    access: Access


@dataclass(frozen=True)
class Column:
    """
    A launch. `accesses` has an entry for each row, `label` the names of the segment's
    regions; `barriers` counts the grid barriers inside a launch of a whole program.
    """

    step: int
    index: int
    segment: str
    label: str
    place: Place | None
    accesses: tuple[Access, ...]
    in_turn: tuple[InTurn, ...] = ()
    barriers: int = 0


@dataclass(frozen=True)
class ReadBack:
    """The host reads an element, such as `last[0]`, and calls it `name`."""

    step: int
    name: str
    element: str
    place: Place | None
    accesses: tuple[Access, ...]


class GroupKind(Enum):
    """Loops, the two parts of a `while`, and branches; `else` follows its `if`."""

    FOR = "for"
    WHILE = "while"
    TEST = "test"
    DO = "do"
    IF = "if"
    ELSE = "else"

    @property
    def is_loop(self) -> bool:
        return self in (GroupKind.FOR, GroupKind.WHILE)


@dataclass(frozen=True)
class Group:
    """What a loop or branch of the host holds; never empty."""

    kind: GroupKind
    label: str
    body: tuple[Node, ...]

    @property
    def steps(self) -> list[Step]:
        """Launches and read-backs inside, at any depth, in order."""
        return list(steps_in(self.body))

    @property
    def height(self) -> int:
        """How many groups are nested, this one included."""
        inner = [node.height for node in self.body if isinstance(node, Group)]
        return 1 + max(inner, default=0)


Step = Column | ReadBack
Node = Column | ReadBack | Group


def steps_in(nodes: Sequence[Node]) -> Iterator[Step]:
    """Launches and read-backs, groups opened."""
    for node in nodes:
        if isinstance(node, Group):
            yield from steps_in(node.body)
        else:
            yield node


def groups_in(nodes: Sequence[Node]) -> Iterator[Group]:
    """All groups, outer ones first."""
    for node in nodes:
        if isinstance(node, Group):
            yield node
            yield from groups_in(node.body)
