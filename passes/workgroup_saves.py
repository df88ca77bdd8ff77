"""
Code that saves workgroup memory in scratch of its workgroup, and restores it.

The invocations of a workgroup share the work: each copies the elements at its linear local
id and every workgroup's size further. A barrier before a save lets all writes of the run
happen first, one after a restore lets the copy happen before anyone reads.
"""

from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LinearIdOp,
    LoadOp,
    ScratchOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import LinearScope, Ordering


def save(buffer: BufferOp, scratch: ScratchOp, workgroup_size: int) -> list[Operation]:
    """Operations that copy workgroup memory to scratch."""
    copy = _copy(buffer, scratch, workgroup_size, is_save=True)
    return [BarrierOp(Ordering.ACQ_REL), *copy]


def restore(buffer: BufferOp, scratch: ScratchOp, workgroup_size: int) -> list[Operation]:
    """Operations that copy scratch to workgroup memory."""
    copy = _copy(buffer, scratch, workgroup_size, is_save=False)
    return [*copy, BarrierOp(Ordering.ACQ_REL)]


def _constant(number: int) -> arith.ConstantOp:
    return arith.ConstantOp.from_int_and_width(number, IndexType())


def _copy(
    buffer: BufferOp, scratch: ScratchOp, workgroup_size: int, *, is_save: bool
) -> list[Operation]:
    shape = buffer.type.get_shape()
    lane, group = LinearIdOp(LinearScope.LOCAL), LinearIdOp(LinearScope.WORKGROUP)
    end, step = _constant(prod(shape)), _constant(workgroup_size)
    body = Block(arg_types=[IndexType()])
    element = body.args[0]
    element.name_hint = "element"
    build = Builder(InsertPoint.at_end(body))
    indices = _indices(build, element, shape)
    row = [group.id, *indices]
    if is_save:
        value = build.insert(LoadOp(buffer.memref, indices)).value
        build.insert(StoreOp(value, scratch.memref, row))
    else:
        value = build.insert(LoadOp(scratch.memref, row)).value
        build.insert(StoreOp(value, buffer.memref, indices))
    build.insert(scf.YieldOp())
    loop = scf.ForOp(lane, end, step, [], body)
    return [lane, group, end, step, loop]


def _indices(build: Builder, element: SSAValue, shape: tuple[int, ...]) -> list[SSAValue]:
    """The indices of an element, counted in row-major order."""
    indices: list[SSAValue] = []
    for size in reversed(shape[1:]):
        extent = build.insert(_constant(size))
        indices.append(build.insert(arith.RemUIOp(element, extent)).result)
        element = build.insert(arith.DivUIOp(element, extent)).result
    return [element, *reversed(indices)] if shape else []
