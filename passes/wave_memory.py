"""Memory of a workgroup as a workgroup finds it: filled with zeros."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue

from vyre.dialects.vyre import (
    BarrierOp,
    LinearIdOp,
    ScratchOp,
    StoreOp,
    WorkgroupSizeOp,
)
from vyre.dialects.vyre.attributes import LinearScope, Ordering
from vyre.dialects.vyre.buffers import memref_type
from vyre.passes.index_code import IndexCode, Number
from vyre.passes.wave_ids import each_axis


def clear(code: IndexCode, memory: Sequence[SSAValue]) -> None:
    """
    Write code that fills workgroup memory, or scratch of invocations or workgroups, with
    zeros. All who share it have done with what was there before, and none goes on before
    all is cleared.

    Example: `clear(code, [tile])`
    """
    for each in memory:
        if _scope(each) is LinearScope.INVOCATION:
            me = code.code.put(LinearIdOp(LinearScope.INVOCATION))
            _clear(code, each, [me], 0, 1)
    shared = [each for each in memory if _scope(each) is not LinearScope.INVOCATION]
    if not shared:
        return
    code.code.run(BarrierOp(Ordering.ACQ_REL))
    me = code.code.put(LinearIdOp(LinearScope.LOCAL))
    size = code.product(each_axis(WorkgroupSizeOp, code))
    for each in shared:
        scope = _scope(each)
        first = [] if scope is None else [code.code.put(LinearIdOp(scope))]
        _clear(code, each, first, me, size)
    code.code.run(BarrierOp(Ordering.ACQ_REL))


def clear_if(code: IndexCode, is_again: SSAValue, memory: Sequence[SSAValue]) -> None:
    """
    The same if `is_again`, which must be the same in the whole workgroup if it shares some
    of the memory.

    Example: `clear_if(code, is_again, [tile])`
    """
    block = Block()
    inner = IndexCode(code.code.at_end(block))
    clear(inner, memory)
    inner.code.run(scf.YieldOp())
    code.code.run(scf.IfOp(is_again, [], [block]))


def _scope(memory: SSAValue) -> LinearScope | None:
    """Whose scratch it is; None for workgroup memory."""
    declared = memory.owner
    return declared.scope.data.owner if isinstance(declared, ScratchOp) else None


def _clear(
    code: IndexCode,
    memory: SSAValue,
    first: list[SSAValue],
    begin: Number,
    step: Number,
) -> None:
    """A loop over every `step`th element of those that begin with the first indices."""
    type = memref_type(memory)
    shape = type.get_shape()[len(first) :]
    zero = code.code.constant(0, type.element_type)
    start, end, stride = code.value(begin), code.value(prod(shape)), code.value(step)
    block = Block(arg_types=[start.type])
    inner = IndexCode(code.code.at_end(block))
    left: Number = block.args[0]
    indices: list[SSAValue] = []
    for extent in reversed(shape[1:]):
        indices.insert(0, inner.value(inner.modulo(left, extent)))
        left = inner.over(left, extent)
    if shape:
        indices.insert(0, inner.value(left))
    inner.code.run(StoreOp(zero, memory, [*first, *indices]))
    inner.code.run(scf.YieldOp())
    code.code.run(scf.ForOp(start, end, stride, [], [block]))
