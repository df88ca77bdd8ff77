"""
What code is, apart from names and from the literals that could as well be passed to it.

Two pieces of code with the same key are the same text, operation by operation, but for the
names of what they use from tables, the names of regions, places in the source, and
literals. What they use of their tables, and the literals, are listed in the order in which
the code comes to them. So one of the two does the work of the other if it is passed the
other's buffers, parameters and literals.

A literal is part of the key where a processor, or the code generator, can do more with it
than with a register: as a bound, a factor, a divisor, a distance between elements. It is
listed apart from the key where it makes no difference: as a term, in a comparison, as how
far bits are moved down, as what is stored and where. Bits that are moved up stay in the
key: with others moved down they may be a rotation, which is one instruction.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Block, Operation, SSAValue

from vyre.dialects import vyre
from vyre.locations import place_of

Entry: TypeAlias = vyre.BufferOp | vyre.ParamOp

_ACCESSES = (vyre.LoadOp, vyre.StoreOp, vyre.AtomicOp)
_EVERYWHERE = (arith.CmpiOp, *_ACCESSES)
_IN_NUMBERS = (
    arith.AddiOp,
    arith.SubiOp,
    arith.XOrIOp,
    arith.ShRUIOp,
    arith.AddfOp,
    arith.SubfOp,
    arith.MulfOp,
    arith.CmpfOp,
)
_OF_THE_GRID = (arith.ConstantOp, vyre.WorkgroupCountOp, vyre.WorkgroupSizeOp)
_NAMES = ("name", "binding")


@dataclass(frozen=True)
class Form:
    """
    Code without names and without literals that could be passed.

    Example: `form_of(program.body.block.ops).key`
    """

    key: Hashable
    """The same for code that is the same but for the following."""
    entries: Sequence[Entry]
    """What it uses of its table."""
    literals: Sequence[arith.ConstantOp]
    """Literals that could be passed."""


def form_of(code: Iterable[Operation]) -> Form:
    """
    The form of operations of a program; declarations among them are left out.

    Example: `form_of([region]).entries`
    """
    reading = _Reading()
    for op in code:
        if not isinstance(op, vyre.BufferOp | vyre.ParamOp):
            reading.read(op)
    return Form(tuple(reading.text), reading.entries, reading.literals)


@dataclass
class _Reading:
    """A walk over code that writes down its form."""

    text: list[Hashable] = field(default_factory=list[Hashable])
    entries: list[Entry] = field(default_factory=list[Entry])
    literals: list[arith.ConstantOp] = field(default_factory=list[arith.ConstantOp])
    numbers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def read(self, op: Operation) -> None:
        for operand in op.operands:
            if operand not in self.numbers:
                self._meet(operand)
        operands = tuple(self.numbers[operand] for operand in op.operands)
        results = tuple(result.type for result in op.results)
        self.text.append((op.name, operands, self._details(op), results, len(op.regions)))
        self._number(op.results)
        for region in op.regions:
            self.text.append(len(region.blocks))
            for block in region.blocks:
                self._read_block(block)

    def _read_block(self, block: Block) -> None:
        self.text.append(tuple(argument.type for argument in block.args))
        self._number(block.args)
        for op in block.ops:
            self.read(op)
        self.text.append("end")

    def _number(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            self.numbers[value] = len(self.numbers)

    def _meet(self, value: SSAValue) -> None:
        """Something from elsewhere is used for the first time."""
        entry = value.owner
        assert isinstance(entry, vyre.BufferOp | vyre.ParamOp)
        self.entries.append(entry)
        self.text.append(kind_of(entry))
        self._number([value])

    def _details(self, op: Operation) -> Hashable:
        """What an operation is besides its name, operands and results."""
        match op:
            case arith.ConstantOp():
                if is_passable(op.result):
                    self.literals.append(op)
                    return None
                return op.value
            case vyre.RegionOp():
                return None
            case vyre.TrapOp():
                return _attributes(op), str(place_of(op))
            case _:
                return _attributes(op)


def kind_of(entry: Entry) -> Hashable:
    """
    What an entry of a table is, apart from its name.

    Example: it is the same for all parameters of type `index`.
    """
    return entry.name, _attributes(entry, _NAMES), entry.results[0].type


def _attributes(op: Operation, without: Sequence[str] = ()) -> Hashable:
    if not op.properties and not op.attributes:
        return None
    properties = ((k, v) for k, v in sorted(op.properties.items()) if k not in without)
    return tuple(properties), tuple(sorted(op.attributes.items()))


def is_passable(literal: SSAValue) -> bool:
    """
    Whether code is as good if it is passed the number instead of the literal.

    Example: true for `2 : i32` in a sum, false for `2 : i32` as a divisor.
    """
    if literal.type == i1:
        return False
    is_index = isinstance(literal.type, IndexType)
    return all(_is_passable_to(use.operation, is_index) for use in literal.uses)


def _is_passable_to(op: Operation, is_index: bool) -> bool:
    if isinstance(op, _EVERYWHERE) or (not is_index and isinstance(op, _IN_NUMBERS)):
        return True
    is_product = isinstance(op, arith.MuliOp | arith.RemUIOp)
    return is_product and all(_is_of_grid(operand) for operand in op.operands)


def _is_of_grid(value: SSAValue) -> bool:
    """Whether a number is computed from the sizes of the grid, once for all invocations."""
    pending, seen = [value], {value}
    for each in pending:
        owner = each.owner
        if isinstance(owner, arith.MuliOp):
            new = [operand for operand in owner.operands if operand not in seen]
            pending += new
            seen.update(new)
        elif not isinstance(owner, _OF_THE_GRID):
            return False
    return True
