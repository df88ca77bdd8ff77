"""Workgroup memory as a workgroup finds it: filled with zeros."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue

from vyre.dialects.vyre import BarrierOp, LinearIdOp, StoreOp, WorkgroupSizeOp
from vyre.dialects.vyre.attributes import LinearScope, Ordering
from vyre.dialects.vyre.buffers import memref_type
from vyre.passes.index_code import IndexCode, Number
from vyre.passes.wave_ids import each_axis


def clear(code: IndexCode, tiles: Sequence[SSAValue]) -> None:
    """
    Write code that fills workgroup memory with zeros. All invocations of the workgroup have
    done with what was there before, and none goes on before all is cleared.

    Example: `clear(code, [tile])`
    """
    code.code.run(BarrierOp(Ordering.ACQ_REL))
    me = code.code.put(LinearIdOp(LinearScope.LOCAL))
    size = code.product(each_axis(WorkgroupSizeOp, code))
    for tile in tiles:
        _clear(code, tile, me, size)
    code.code.run(BarrierOp(Ordering.ACQ_REL))


def clear_if(code: IndexCode, is_again: SSAValue, tiles: Sequence[SSAValue]) -> None:
    """
    The same if `is_again`, which must be the same in the whole workgroup.

    Example: `clear_if(code, is_again, [tile])`
    """
    block = Block()
    inner = IndexCode(code.code.at_end(block))
    clear(inner, tiles)
    inner.code.run(scf.YieldOp())
    code.code.run(scf.IfOp(is_again, [], [block]))


def _clear(code: IndexCode, tile: SSAValue, me: SSAValue, size: Number) -> None:
    """A loop in which the invocations of a workgroup share the elements of one buffer."""
    type = memref_type(tile)
    shape = type.get_shape()
    zero = code.code.constant(0, type.element_type)
    end, step = code.value(prod(shape)), code.value(size)
    block = Block(arg_types=[me.type])
    inner = IndexCode(code.code.at_end(block))
    left: Number = block.args[0]
    indices: list[SSAValue] = []
    for extent in reversed(shape[1:]):
        indices.insert(0, inner.value(inner.modulo(left, extent)))
        left = inner.over(left, extent)
    if shape:
        indices.insert(0, inner.value(left))
    inner.code.run(StoreOp(zero, tile, indices))
    inner.code.run(scf.YieldOp())
    code.code.run(scf.ForOp(me, end, step, [], [block]))
