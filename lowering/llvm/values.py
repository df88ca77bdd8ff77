"""
What values of a program are in LLVM: a register, a buffer's address and sizes, or nothing
at all for tokens, because copies are done when they start.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from llvmlite import ir
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, SSAValue

from vyre.dialects.vyre.attributes import TokenType, is_scalar
from vyre.lowering.llvm.types import register_type

INDEX = ir.IntType(64)
POINTER = ir.PointerType()


@dataclass(frozen=True)
class Place:
    """Where a buffer is: the address of its first element, and its sizes."""

    address: ir.Value
    sizes: tuple[ir.Value, ...]


class Environment:
    """
    The LLVM values of a function being written, by SSA value.

    A value that flows through control flow is a list of registers: one for a scalar, the
    address and all sizes for a buffer.

    Example: `values.bind([sum], [register]); values.scalar(sum)`
    """

    def __init__(self) -> None:
        self._registers: dict[SSAValue, list[ir.Value]] = {}

    def inner(self) -> "Environment":
        """A copy, for code whose values are not there outside."""
        copy = Environment()
        copy._registers.update(self._registers)
        return copy

    def has(self, value: SSAValue) -> bool:
        """Whether the value is in registers."""
        return value in self._registers

    def scalar(self, value: SSAValue) -> ir.Value:
        """The register of a number."""
        (register,) = self._registers[value]
        return register

    def place(self, buffer: SSAValue) -> Place:
        """Where a buffer is."""
        address, *sizes = self._registers[buffer]
        return Place(address, tuple(sizes))

    def size(self, buffer: SSAValue, axis: int) -> ir.Value:
        """
        A size of a buffer. One that its type says is known also where the buffer is not:
        workgroup memory is asked for ahead of workgroups, and by schedules.
        """
        type = buffer.type
        assert isinstance(type, MemRefType)
        size = type.get_shape()[axis]
        if size != DYNAMIC_INDEX:
            return ir.Constant(INDEX, size)
        return self.place(buffer).sizes[axis]

    def registers(self, values: Sequence[SSAValue]) -> list[ir.Value]:
        """All registers of some values, one after the other."""
        return [register for value in values for register in self._registers[value]]

    def bind(self, values: Sequence[SSAValue], registers: Sequence[ir.Value]) -> None:
        """Let values be in these registers, as `registers` would give them."""
        first = 0
        for value in values:
            is_one = is_scalar(value.type)
            count = 1 if is_one else len(register_types([value.type]))
            self._registers[value] = list(registers[first : first + count])
            first += count


def register_types(types: Sequence[Attribute]) -> list[ir.Type]:
    """
    The types of the registers of values of these types.

    Example: `register_types([f32, memref])` is a float, a pointer and the memref's sizes.
    """
    found: list[ir.Type] = []
    for type in types:
        if isinstance(type, MemRefType):
            found += [POINTER, *[INDEX] * len(type.get_shape())]
        elif not isinstance(type, TokenType):
            found.append(register_type(type))
    return found
