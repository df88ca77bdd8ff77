"""
Terms: names for what a program computes.

A term is an operation over terms. There is one object for each content, so two values with
the same term are equal; which side computed them does not matter. Nothing is simplified:
passes clone operations, they do not rewrite them. Only a choice between equal values is
that value.

Some leaves are made by the walk and not by the program: symbols of loops, and frames, which
say where memory was in which state. A term is as old as the youngest of them in it.
"""

from collections.abc import Iterable
from itertools import count
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation

from vyre.dialects.vyre import LinearIdOp, LoadOp
from vyre.dialects.vyre.attributes import LinearScope


class Kind:
    """What a term does with its children: an operation with its properties, or a name."""

    __slots__ = ("details", "name", "op_type")

    def __init__(self, name: str, op_type: type[Operation] | None, details: object = None):
        self.name = name
        self.op_type = op_type
        self.details = details


class Term:
    """A value, or a state of memory. Equal contents are one object."""

    __slots__ = ("birth", "children", "kind")

    def __init__(self, kind: Kind, children: "tuple[Term, ...]", birth: int):
        self.kind = kind
        self.children = children
        self.birth = birth


SYMBOL = Kind("symbol", None)
"""A value that a loop carries, when control was last at its head."""
COUNTER = Kind("counter", None)
"""The induction variable of an `scf.for`."""
FRAME = Kind("frame", None)
"""A phase, or the body of a loop: where effects are counted."""
SLOT = Kind("slot", None)
"""Scratch of the schedule that is no memory, but a place for one value of each owner."""
PARAM = Kind("parameter", None)
BUFFER = Kind("buffer", None)
CELL = Kind("variable", None)
TILE = Kind("tile", None)
"""A workgroup buffer."""
ITE = Kind("if", None)
ZEROS = Kind("zeros", None)
"""What memory of a workgroup and scratch hold when they start."""

NOTHING = Kind("nothing", None)
"""What is left in a tile that was overwritten as a whole."""
INITIAL = Kind("initial", None)
OPEN = Kind("open", None)
CLOSED = Kind("closed", None)
HEAD = Kind("head", None)
JOIN = Kind("join", None)
ANYONE = Kind("anyone", None)
"""What a word holds in which nobody who is alive has answered."""
PARTLY = Kind("partly", None)
"""What was in a tile before a store that overwrites it, if control there diverges."""


class Terms:
    """
    All terms of a validation.

    Example: `terms.node(ITE, condition, one, other)`
    """

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Term] = {}
        self._kinds: dict[tuple[object, ...], Kind] = {}
        self._numbers: dict[int, int] = {}
        self._by_value: dict[Attribute, int] = {}
        self._alive: list[Attribute] = []
        self._clock = count(1)
        self.now = 0
        self.zeros = self.node(ZEROS)
        self.nothing = self.node(NOTHING)
        self.zero = self.constant(IntegerAttr(0, IndexType()))
        self.linear = {
            scope: self.node(self.kind_of(LinearIdOp(scope))) for scope in LinearScope
        }

    def node(self, kind: Kind, *children: Term) -> Term:
        """The term of this kind over these children."""
        key = (kind, *children)
        term = self._nodes.get(key)
        if term is None:
            birth = 0
            for child in children:
                if child.birth > birth:
                    birth = child.birth
            self._nodes[key] = term = Term(kind, children, birth)
        return term

    def fresh(self, kind: Kind) -> Term:
        """A leaf that is equal to no other."""
        self.now = next(self._clock)
        return Term(kind, (), self.now)

    def choice(self, condition: Term, *arms: Term) -> Term:
        """What a branch gives: the same for each condition, or a choice."""
        if all(arm is arms[0] for arm in arms):
            return arms[0]
        return self.node(ITE, condition, *arms)

    def kind(self, name: str, details: object) -> Kind:
        """The kind of this name with these details."""
        key = (name, details)
        found = self._kinds.get(key)
        if found is None:
            self._kinds[key] = found = Kind(name, None, details)
        return found

    def kind_of(self, op: Operation, left_out: Iterable[str] = ()) -> Kind:
        """The kind of terms that an operation's results are."""
        key: list[object] = [type(op)]
        properties = op.properties
        if properties:
            for name in sorted(properties) if len(properties) > 1 else properties:
                if name not in left_out:
                    key += (name, self._number(properties[name]))
        for result in op.results:
            key.append(self._number(result.type))
        return self._kind(tuple(key), op)

    def kind_of_unknown(self, op: Operation) -> Kind:
        """The kind of an operation of which all attributes count."""
        everything = {**op.properties, **op.attributes}
        key: list[object] = [type(op), "unknown"]
        for name in sorted(everything):
            key += (name, self._number(everything[name]))
        key += [self._number(type) for type in op.result_types]
        return self._kind(tuple(key), op)

    def _kind(self, key: tuple[object, ...], op: Operation) -> Kind:
        found = self._kinds.get(key)
        if found is None:
            found = Kind(op.name, type(op), dict(op.properties))
            self._kinds[key] = found
        return found

    def _number(self, attribute: Attribute) -> int:
        """A number for an attribute's value; clones share the object, so this is quick."""
        number = self._numbers.get(id(attribute))
        if number is None:
            number = self._by_value.setdefault(attribute, len(self._by_value))
            self._numbers[id(attribute)] = number
            self._alive.append(attribute)
        return number

    # What the validator itself expects

    def constant(self, value: Attribute) -> Term:
        """A constant."""
        return self.node(
            self.kind_of(
                arith.ConstantOp.create(
                    properties={"value": value}, result_types=[_type_of(value)]
                )
            )
        )

    def index(self, number: int) -> Term:
        """A constant index."""
        return self.constant(IntegerAttr(number, IndexType()))

    def kind_of_load(self, type_: Attribute) -> Kind:
        """The kind of a load that gives this type."""
        key = (LoadOp, self._number(type_))
        kind = self._kinds.get(key)
        if kind is None:
            self._kinds[key] = kind = Kind(LoadOp.name, LoadOp, {})
        return kind

    def binary(self, op_type: type[Operation], one: Term, other: Term) -> Term:
        """An operation on two indices."""
        key = (op_type, self._number(_INDEX))
        kind = self._kinds.get(key)
        if kind is None:
            self._kinds[key] = kind = Kind(op_type.name, op_type, {})
        return self.node(kind, one, other)

    def place(self, element: Term, shape: tuple[int, ...]) -> tuple[Term, ...]:
        """The indices of an element that is counted in row-major order."""
        indices: list[Term] = []
        for size in reversed(shape[1:]):
            extent = self.index(size)
            indices.append(self.binary(arith.RemUIOp, element, extent))
            element = self.binary(arith.DivUIOp, element, extent)
        return (element, *reversed(indices)) if shape else ()


_INDEX = IndexType()


def _type_of(value: Attribute) -> Attribute:
    type_ = getattr(value, "type", None)
    assert isinstance(type_, Attribute)
    return type_


def number_of(term: Term) -> int | None:
    """The number that a term is, if it is a constant integer."""
    if term.kind.op_type is not arith.ConstantOp:
        return None
    details: Any = term.kind.details
    value: object = details["value"]
    return value.value.data if isinstance(value, IntegerAttr) else None
