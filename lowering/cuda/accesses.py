"""
Loads, stores and atomics on buffers.

Each index is compared with its own size, as an unsigned number. Outside, a load gives zero,
a store does nothing, and an atomic gives zero and does nothing; `inbounds` accesses are not
compared.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, Float16Type
from xdsl.ir import Attribute, SSAValue

from vyre.analysis.buffer_sources import Declaration, is_workgroup_memory
from vyre.dialects.vyre import AtomicCasOp, AtomicOp, LoadOp, StoreOp
from vyre.dialects.vyre.attributes import AtomicKind
from vyre.dialects.vyre.buffers import memref_type
from vyre.lowering.cuda.comparisons import related
from vyre.lowering.cuda.control import LINE, ControlCode
from vyre.lowering.cuda.expressions import (
    Expression,
    call,
    choice,
    comparison,
    conjunction,
    element,
)
from vyre.lowering.cuda.literals import float_literal, integer_literal
from vyre.lowering.cuda.scalar_code import combined, implied
from vyre.lowering.cuda.types import (
    BOOL,
    BYTE,
    FLOAT,
    HALF_BITS,
    SIGNED,
    UINT,
    ULONG,
    UNSIGNED,
    CType,
    register_type,
)
from vyre.lowering.cuda.values import Place

_ATOMICS = {
    AtomicKind.ADD: "atomicAdd",
    AtomicKind.OR: "atomicOr",
    AtomicKind.AND: "atomicAnd",
    AtomicKind.XOR: "atomicXor",
    AtomicKind.MIN: "atomicMin",
    AtomicKind.MAX: "atomicMax",
    AtomicKind.UMIN: "atomicMin",
    AtomicKind.UMAX: "atomicMax",
    AtomicKind.EXCHANGE: "atomicExch",
}


def linear(place: Place, indices: Sequence[Expression]) -> Expression:
    """The position of an element that is there: so nothing wraps."""
    if not indices:
        return integer_literal(0, UINT)
    position = indices[0]
    for index, size in zip(indices[1:], place.sizes[1:]):
        if size.number == 1:
            continue  # Then the index is 0.
        if position.number == 0:
            position = index
            continue
        is_short = all(
            x.number is not None or x.type == UINT for x in (position, index, size)
        )
        type = UINT if is_short and _is_small(place) else ULONG
        position = combined(combined(position, "*", size, type), "+", index, type)
    return position


def _is_small(place: Place) -> bool:
    """Whether 32 bits hold every position."""
    total = 1
    for size in place.sizes:
        if size.number is None:
            return False
        total *= size.number
    return total < 2**32


class AccessCode(ControlCode):
    """Writes accesses."""

    def load(self, op: LoadOp) -> None:
        """An element, zero if there is none."""
        indices = self.values.scalars(op.indices)
        found = self.element(op.buffer, indices)
        inside = self.inside(op.buffer, op.indices, checked=op.inbounds is None)
        if inside is not None:
            type = found.type
            found = choice(inside, found, zero(op.value.type, type), type)
        self.define([op.value], [found])

    def store(self, op: StoreOp) -> None:
        """Write an element, if there is one."""
        indices = self.values.scalars(op.indices)
        text = self.stored(op.buffer, indices, self.values.scalar(op.value))
        inside = self.inside(op.buffer, op.indices, checked=op.inbounds is None)
        self.guarded(inside, text)

    def guarded(self, condition: Expression | None, statement: str) -> None:
        """A statement, if a condition holds."""
        line = statement if condition is None else f"if ({condition.text}) {statement}"
        if condition is None or len(line) <= LINE:
            self.writer.line(line)
        else:
            with self.writer.block(f"if ({condition.text})"):
                self.writer.line(statement)

    def element(self, buffer: SSAValue, indices: Sequence[Expression]) -> Expression:
        """An element that is there, in a register."""
        place = self.values.place(buffer)
        return self.from_storage(self._at(place, indices), memref_type(buffer).element_type)

    def stored(
        self, buffer: SSAValue, indices: Sequence[Expression], value: Expression
    ) -> str:
        """A statement that writes an element that is there."""
        place = self.values.place(buffer)
        element = memref_type(buffer).element_type
        kept = self.to_storage(value, element, place.element)
        return f"{self._at(place, indices).text} = {kept.text};"

    def _at(self, place: Place, indices: Sequence[Expression]) -> Expression:
        pointer = place.pointer
        return element(
            pointer.text, linear(place, indices), place.element, changes=bool(pointer.reads)
        )

    def from_storage(self, stored: Expression, type: Attribute) -> Expression:
        """What was loaded, as it is computed with. Of an `i1`, any byte but 0 is true."""
        if isinstance(type, Float16Type):
            return self.scalars.library.call("vyre_from_half", [stored], FLOAT)
        if stored.type == BYTE and register_type(type) == BOOL:
            return comparison(stored, "!=", integer_literal(0, BYTE))
        return stored

    def to_storage(self, value: Expression, type: Attribute, stored: CType) -> Expression:
        """A value as it is stored; C++ converts the sign by itself."""
        if isinstance(type, Float16Type):
            return self.scalars.library.call("vyre_to_half", [value], HALF_BITS)
        return value if stored == BYTE and value.type == BOOL else implied(value, stored)

    def inside(
        self, buffer: SSAValue, indices: Sequence[SSAValue], *, checked: bool = True
    ) -> Expression | None:
        """Whether indices are those of an element; None if they certainly are."""
        sizes = self.values.sizes(buffer)
        conditions: list[Expression] = []
        for index, size in zip(indices, sizes) if checked else ():
            range = self.scalars.numbers.range(index)
            if size.number is not None and range.lo >= 0 and range.hi < size.number:
                continue
            is_natural = range.lo >= 0
            conditions.append(is_below(self.values.scalar(index), size, is_natural))
        return conjunction(conditions) if conditions else None

    def atomic(self, op: AtomicOp) -> None:
        """Change an element and give the old one."""
        place = self.values.place(op.buffer)
        at = self._at(place, self.values.scalars(op.indices))
        kind = op.kind.data
        function = _ATOMICS[kind]
        type = place.element
        if isinstance(op.value.type, AnyFloat):
            if type == FLOAT and self.is_global(op.buffer):
                function = self.scalars.library.use("vyre_atomic_add")
        elif kind in (AtomicKind.MIN, AtomicKind.MAX):
            type = SIGNED[type.bits]
        else:
            type = UNSIGNED[type.bits]
        operands = [self._address(at, type), implied(self.values.scalar(op.value), type)]
        self._change(op, call(function, operands, type))

    def atomic_cas(self, op: AtomicCasOp) -> None:
        """Change an element if it is as expected, and give the old one."""
        place = self.values.place(op.buffer)
        at = self._at(place, self.values.scalars(op.indices))
        type = UNSIGNED[place.element.bits]
        values = self.values.scalars((op.expected, op.desired))
        operands = [self._address(at, type), *(implied(value, type) for value in values)]
        self._change(op, call("atomicCAS", operands, type))

    def _address(self, at: Expression, type: CType) -> Expression:
        address = f"&{at.text}"
        if at.type != type:
            address = f"({type.name} *){address}"
        return Expression(address, type, reads=at.reads)

    def _change(self, op: AtomicOp | AtomicCasOp, change: Expression) -> None:
        inside = self.inside(op.buffer, op.indices, checked=op.inbounds is None)
        if op.old not in self.needs.values:
            self.guarded(inside, f"{change.text};")
            return
        if inside is not None:
            type = change.type
            change = choice(inside, change, zero(op.old.type, type), type)
        self.define([op.old], [change])

    def is_global(self, buffer: SSAValue) -> bool:
        """Whether a buffer may be other than workgroup memory."""
        return not all(map(is_workgroup_memory, self.sources[buffer]))

    sources: dict[SSAValue, tuple[Declaration, ...]]
    """The buffers that each memref may be."""


def is_below(index: Expression, size: Expression, is_natural: bool = False) -> Expression:
    """Whether an index is below a size, as an unsigned number."""
    return related(index, "<", size, 64, signed=None if is_natural else False)


def zero(element: Attribute, type: CType) -> Expression:
    """Zero of a type."""
    if isinstance(element, AnyFloat):
        return float_literal(0.0, type)
    return integer_literal(0, type)
