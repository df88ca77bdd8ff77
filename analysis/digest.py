"""
What operations say, as one number: for caches of what was made of them.

It is the SHA-256 of all that makes an operation what it is: names, operands, types,
properties, attributes, regions and the names of values; not of where it stands in a file.
The text of a program would do as well, but printing takes several times as long, and a
program is looked up whenever it starts.

Operations that differ have different digests. Everything is written down as it is met, and
so that one can tell where it ends: strings as Python writes them, lists with their length,
values by the place of their definition, or of their first use if they are used before.
Attributes that are not among the usual ones are printed, as they would be in the text.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute


def digest(ops: Iterable[Operation]) -> str:
    """
    64 hexadecimal digits that stand for these operations, and no others.

    Example: `digest([program]) == digest([program.clone()])`
    """
    record = _Record()
    for op in ops:
        record.op(op)
    text = "\n".join(record.parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Record:
    """What was met so far, in order."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._values: dict[SSAValue, int] = {}
        self._blocks: dict[Block, int] = {}
        self._types: dict[Attribute, str] = {}

    def op(self, op: Operation) -> None:
        add = self.parts.append
        operands = [self._value(operand) for operand in op.operands]
        targets = [self._block(block) for block in op.successors]
        add(f"{op.name} {operands} {targets} {len(op.results)} {len(op.regions)}")
        for result in op.results:
            self._defined(result)
        self._named(op.properties)
        self._named(op.attributes)
        for region in op.regions:
            self._region(region)

    def _region(self, region: Region) -> None:
        blocks = list(region.blocks)
        self.parts.append(f"region {[self._block(block) for block in blocks]}")
        for block in blocks:
            ops = list(block.ops)
            self.parts.append(f"block {len(block.args)} {len(ops)}")
            for argument in block.args:
                self._defined(argument)
            for op in ops:
                self.op(op)

    def _value(self, value: SSAValue) -> int:
        return self._values.setdefault(value, len(self._values))

    def _block(self, block: Block) -> int:
        return self._blocks.setdefault(block, len(self._blocks))

    def _defined(self, value: SSAValue) -> None:
        self.parts.append(
            f"{self._value(value)} {value.name_hint!r} {self.attribute(value.type)}"
        )

    def _named(self, attributes: Mapping[str, Attribute]) -> None:
        self.parts.append(str(len(attributes)))
        for name in sorted(attributes):  # In what order they were set says nothing.
            self.parts.append(f"{name!r} {self.attribute(attributes[name])}")

    def attribute(self, attribute: Attribute) -> str:
        written = _WRITTEN.get(type(attribute))
        if written is not None:
            return written(self, attribute)
        if not isinstance(attribute, TypeAttribute):
            return repr(str(attribute))
        # Types that are equal are printed alike, and there are few.
        known = self._types.get(attribute)
        if known is None:
            known = self._types[attribute] = repr(str(attribute))
        return known


def _string(record: _Record, attribute: StringAttr) -> str:
    return f"s{attribute.data!r}"


def _integer(record: _Record, attribute: IntegerAttr) -> str:
    return f"i{attribute.value.data:d} {record.attribute(attribute.type)}"


def _numbers(record: _Record, attribute: DenseArrayBase) -> str:
    return f"n{record.attribute(attribute.elt_type)} {attribute.data.data!r}"


def _array(record: _Record, attribute: ArrayAttr[Attribute]) -> str:
    parts = [record.attribute(part) for part in attribute.data]
    return f"a{len(parts)} {' '.join(parts)}"


def _dictionary(record: _Record, attribute: DictionaryAttr) -> str:
    parts = [f"{name!r} {record.attribute(a)}" for name, a in attribute.data.items()]
    return f"d{len(parts)} {' '.join(parts)}"


def _symbol(record: _Record, attribute: SymbolRefAttr) -> str:
    nested = record.attribute(attribute.nested_references)
    return f"y{attribute.root_reference.data!r} {nested}"


_WRITTEN: dict[type[Attribute], Callable[[_Record, Any], str]] = {
    StringAttr: _string,
    IntegerAttr: _integer,
    DenseArrayBase: _numbers,
    ArrayAttr: _array,
    DictionaryAttr: _dictionary,
    SymbolRefAttr: _symbol,
}
"""How those are written that there are many of."""
