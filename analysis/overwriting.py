"""
Operations that overwrite a whole workgroup buffer when a workgroup executes them.

A store overwrites a whole buffer if every invocation of the workgroup executes it, at its
own local id, and the buffer has the shape of the workgroup, or if those do whose linear
local id is below a number that is not below the buffer's size; so does a loop that starts
at the linear local id and steps by no more than the size of the workgroup.

All of this goes by the size of a workgroup that the program is written with.
"""

from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from vyre.analysis.buffer_sources import is_workgroup_memory
from vyre.analysis.spine import through_regions
from vyre.dialects.vyre import (
    BufferOp,
    LinearIdOp,
    LocalIdOp,
    StoreOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.attributes import Axis, LinearScope


def overwritten_buffer(op: Operation, workgroup: tuple[int, ...]) -> BufferOp | None:
    """
    The buffer of which nothing old is left after a whole workgroup has executed the
    operation, if there is one. Whether the operation itself reads it is not looked at.
    """
    match op:
        case StoreOp() if _is_own_element(op, workgroup):
            return _declaration(op)
        case scf.ForOp() if _strides_over(op, workgroup):
            stores = (inner for inner in op.body.block.ops if isinstance(inner, StoreOp))
            whole = (store for store in stores if _is_at_counter(store, op))
            store = next(whole, None)
            return None if store is None else _declaration(store)
        case scf.IfOp():
            return _overwritten_by_first_lanes(op, workgroup)
        case _:
            return None


def _overwritten_by_first_lanes(
    op: scf.IfOp, workgroup: tuple[int, ...]
) -> BufferOp | None:
    """A buffer with at most as many elements as there are lanes below the guard."""
    guard = through_regions(op.cond).owner
    if not isinstance(guard, arith.CmpiOp) or guard.predicate.value.data not in (2, 6):
        return None
    if not _is_linear_local_id(guard.lhs, workgroup):
        return None
    lanes = min(_literal(guard.rhs), prod(workgroup))
    for store in op.true_region.block.ops:
        buffer = _declaration(store) if isinstance(store, StoreOp) else None
        if buffer is None or not isinstance(store, StoreOp) or len(store.indices) != 1:
            continue
        is_own = _is_linear_local_id(store.indices[0], workgroup)
        if is_own and buffer.type.get_shape()[0] <= lanes:
            return buffer
    return None


def _is_at_counter(store: StoreOp, loop: scf.ForOp) -> bool:
    """Whether the store is at the loop's counter in row-major order, up to the end."""
    buffer = _declaration(store)
    if buffer is None:
        return False
    shape = buffer.type.get_shape()
    rest: SSAValue = loop.body.block.args[0]
    for index, size in zip(reversed(store.indices[1:]), reversed(shape[1:])):
        column = index.owner
        if not isinstance(column, arith.RemUIOp) or column.lhs is not rest:
            return False
        rows = [use.operation for use in rest.uses]
        row = next((op for op in rows if isinstance(op, arith.DivUIOp)), None)
        if row is None or row.lhs is not rest:
            return False
        if _literal(column.rhs) != size or _literal(row.rhs) != size:
            return False
        rest = row.result
    is_first = not store.indices or store.indices[0] is rest
    return is_first and _literal(loop.ub) >= prod(shape)


def _declaration(op: StoreOp) -> BufferOp | None:
    owner = op.buffer.owner
    if isinstance(owner, BufferOp) and is_workgroup_memory(owner):
        return owner
    return None


def _is_own_element(op: StoreOp, workgroup: tuple[int, ...]) -> bool:
    """Whether the indices are the local ids, over a buffer of the workgroup's shape."""
    buffer = _declaration(op)
    if buffer is None:
        return False
    shape, indices = buffer.type.get_shape(), list(map(through_regions, op.indices))
    if len(indices) == 1 and _is_linear_local_id(indices[0], workgroup):
        return shape[0] == prod(workgroup)
    axes = list(Axis)[: len(indices)][::-1]
    sizes = [workgroup[axis.position] for axis in axes]
    rest = prod(workgroup[len(indices) :])
    are_ids = all(_is_local_id(i, axis) for i, axis in zip(indices, axes))
    return are_ids and list(shape) == sizes and rest == 1


def _strides_over(op: scf.ForOp, workgroup: tuple[int, ...]) -> bool:
    """Whether the workgroup's trips together count through everything below the end."""
    if not _is_linear_local_id(through_regions(op.lb), workgroup):
        return False
    axes = _size_axes(op.step)
    if axes:
        return len(set(axes)) == len(axes)
    return 0 < _literal(op.step) <= prod(workgroup)


def _size_axes(value: SSAValue, depth: int = 2) -> list[Axis]:
    """The axes whose sizes a product multiplies; none if it has other factors."""
    owner = through_regions(value).owner
    if isinstance(owner, WorkgroupSizeOp):
        return [owner.axis.data]
    if not isinstance(owner, arith.MuliOp) or not depth:
        return []
    one, other = (_size_axes(factor, depth - 1) for factor in (owner.lhs, owner.rhs))
    return [*one, *other] if one and other else []


def _is_local_id(value: SSAValue, axis: Axis) -> bool:
    owner = through_regions(value).owner
    return isinstance(owner, LocalIdOp) and owner.axis.data is axis


def _is_linear_local_id(value: SSAValue, workgroup: tuple[int, ...]) -> bool:
    """The operation itself, x where it is all there is, or x + width * y."""
    value = through_regions(value)
    owner = value.owner
    if isinstance(owner, LinearIdOp):
        return owner.scope.data is LinearScope.LOCAL
    if workgroup[1:] == (1, 1):
        return _is_local_id(value, Axis.X)
    if not isinstance(owner, arith.AddiOp) or workgroup[2] != 1:
        return False
    pairs = ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs))
    return any(
        _is_local_id(x, Axis.X) and _is_row_start(row, workgroup) for x, row in pairs
    )


def _is_row_start(value: SSAValue, workgroup: tuple[int, ...]) -> bool:
    owner = through_regions(value).owner
    if not isinstance(owner, arith.MuliOp):
        return False
    pairs = ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs))
    return any(_is_local_id(y, Axis.Y) and _is_width(w, workgroup) for y, w in pairs)


def _is_width(value: SSAValue, workgroup: tuple[int, ...]) -> bool:
    owner = through_regions(value).owner
    if isinstance(owner, WorkgroupSizeOp):
        return owner.axis.data is Axis.X
    return _literal(value) == workgroup[0]


def _literal(value: SSAValue) -> int:
    """The number that a constant is, -1 for anything else."""
    constant = through_regions(value).owner
    if isinstance(constant, arith.ConstantOp) and isinstance(constant.value, IntegerAttr):
        return constant.value.value.data
    return -1
