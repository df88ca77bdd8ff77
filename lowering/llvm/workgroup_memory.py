"""Where the buffers of a workgroup are in the memory of the worker that runs it."""

from collections.abc import Sequence
from math import prod

from llvmlite import ir
from xdsl.ir import SSAValue

from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import Access, byte_width, is_scalar
from vyre.dialects.vyre.buffers import memref_type
from vyre.lowering.llvm.values import INDEX, POINTER

ALIGNMENT = 64
"""Of workgroup buffers, in bytes."""


def clear(builder: ir.IRBuilder, address: ir.Value, size: int | ir.Value) -> None:
    """Fill memory with zeros."""
    count = ir.Constant(INDEX, size) if isinstance(size, int) else size
    zero, never = ir.Constant(ir.IntType(8), 0), ir.Constant(ir.IntType(1), 0)
    fill = builder.module.declare_intrinsic("llvm.memset", [POINTER, INDEX])
    builder.call(fill, [address, zero, count, never])


def has_workgroup_memory(program: vyre.ProgramOp) -> bool:
    """Whether there is a workgroup buffer."""
    return bool(workgroup_layout(program)[1])


def workgroup_layout(program: vyre.ProgramOp) -> tuple[dict[vyre.BufferOp, int], int]:
    """
    Where each workgroup buffer is in the memory of a workgroup, and how large that is.

    Example: `memory = bytearray(workgroup_layout(program)[1])`
    """
    offsets: dict[vyre.BufferOp, int] = {}
    end = 0
    for entry in program.table:
        if isinstance(entry, vyre.BufferOp) and entry.access.data is Access.WORKGROUP:
            offsets[entry] = end
            end += room_for(entry.memref, entry.type.get_shape())
    return offsets, end


def room_for(memref: SSAValue, shape: Sequence[int]) -> int:
    """Bytes of a workgroup's memory for a buffer of this shape, to a cache line."""
    element = memref_type(memref).element_type
    assert is_scalar(element)
    return -(-prod(shape) * byte_width(element) // ALIGNMENT) * ALIGNMENT
