"""Where buffers and scratch of a workgroup's schedule are, and what they start with."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import prod

from llvmlite import ir
from typing_extensions import override

from vyre.analysis.walking import operations_of
from vyre.analysis.workgroup_liveness import read_at_start
from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.workgroup_memory import clear, room_for

Declaration = vyre.BufferOp | vyre.ScratchOp


@dataclass(frozen=True)
class Needs:
    """
    The memory that a workgroup of this size needs.

    Example: `Needs.of(plan, program).size`
    """

    workgroup: tuple[int, ...]
    sizes: dict[Declaration, int]
    """In bytes, in the order in which they are laid out."""
    zeros: list[Declaration]
    """Those that must be zeros at the start of a workgroup."""
    ended: int | None
    """Where there is a byte for each invocation, behind the others, for those that have
    trapped; if there are traps."""

    @staticmethod
    def of(plan: vyre.WorkgroupsOp, program: vyre.ProgramOp) -> "Needs":
        """What a program needs whose workgroups run this plan."""
        scratch = [o for o in operations_of(plan.schedule) if isinstance(o, vyre.ScratchOp)]
        sizes = {
            each: room_for(each.memref, _shape(each, program.workgroup))
            for each in (*plan.memory(program), *scratch)
        }
        traps = any(isinstance(op, vyre.TrapOp) for op in operations_of(plan))
        ended = sum(sizes.values()) if traps else None
        return Needs(program.workgroup, sizes, _zeros(program, sizes), ended)

    @property
    def size(self) -> int:
        """Bytes of all together."""
        marks = 0 if self.ended is None else prod(self.workgroup)
        return sum(self.sizes.values()) + marks

    def shape(self, declaration: Declaration) -> list[int]:
        """The sizes of a buffer or of scratch."""
        return _shape(declaration, self.workgroup)


def _zeros(program: vyre.ProgramOp, sizes: dict[Declaration, int]) -> list[Declaration]:
    """
    Which ones must be zeros at the start. The others are written before they are read:
    buffers that the program fills first, and what is kept for each invocation, which is
    values that come before their uses.
    """
    own = {op.entry_name.data: op for op in program.table if isinstance(op, vyre.BufferOp)}
    read = read_at_start(program)

    def is_filled(declaration: Declaration) -> bool:
        if isinstance(declaration, vyre.ScratchOp):
            return declaration.scope.data is ScratchScope.PER_INVOCATION
        origin = own.get(declaration.entry_name.data)
        return origin is not None and origin not in read

    return [declaration for declaration in sizes if not is_filled(declaration)]


def _shape(declaration: Declaration, workgroup: tuple[int, ...]) -> list[int]:
    shape = list(declaration.memref.type.get_shape())
    if isinstance(declaration, vyre.ScratchOp):
        match declaration.scope.data:
            case ScratchScope.PER_INVOCATION:
                shape[0] = prod(workgroup)
            case ScratchScope.PER_WORKGROUP:
                shape[0] = 1
            case ScratchScope.SINGLE:
                pass
    return shape


class Places(ABC):
    """
    Where it is, for the workgroup that runs.

    Example: `WorkerPlaces(context, Needs.of(plan, program)).clear(builder)`
    """

    needs: Needs

    @abstractmethod
    def address(self, builder: ir.IRBuilder, declaration: Declaration) -> ir.Value:
        """The address of a buffer or of scratch."""

    @abstractmethod
    def clear(self, builder: ir.IRBuilder) -> None:
        """Zeros where there must be some at the start of a workgroup."""


class WorkerPlaces(Places):
    """
    In the memory of the worker, one after the other.

    Example: `WorkerPlaces(context, needs).address(builder, buffer)`
    """

    def __init__(self, context: Context, needs: Needs):
        self.needs = needs
        self._context = context
        self._offsets: dict[Declaration, int] = {}
        end = 0
        for declaration, size in needs.sizes.items():
            self._offsets[declaration] = end
            end += size

    @override
    def address(self, builder: ir.IRBuilder, declaration: Declaration) -> ir.Value:
        return self._context.workgroup_memory(builder, self._offsets[declaration])

    @override
    def clear(self, builder: ir.IRBuilder) -> None:
        for begin, end in self._zeros():
            clear(builder, self._context.workgroup_memory(builder, begin), end - begin)

    def _zeros(self) -> list[tuple[int, int]]:
        """Parts of the memory that must be zeros, from where to where."""
        parts: list[tuple[int, int]] = []
        for declaration in self.needs.zeros:
            offset = self._offsets[declaration]
            begin = parts.pop()[0] if parts and parts[-1][1] == offset else offset
            parts.append((begin, offset + self.needs.sizes[declaration]))
        if self.needs.ended is not None:
            parts.append((self.needs.ended, self.needs.size))
        return parts
