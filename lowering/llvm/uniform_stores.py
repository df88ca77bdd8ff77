"""
Stores that all invocations of a launch do alike are done once.

Before:

```mlir
vyre.program @p.1 [64, 1, 1] {
  ...
  vyre.store %square, %kept[%zero] : memref<1xf64>     // the same for everyone
  vyre.store %mine, %out[%i] : memref<?xf64>
}
```

After, as two programs that a launch runs at the same time, the second in one invocation:

```mlir
vyre.program @p.1 [64, 1, 1] {
  ...
  vyre.store %mine, %out[%i] : memref<?xf64>
}
vyre.program @p.1.once [64, 1, 1] {
  ...
  vyre.store %square, %kept[%zero] : memref<1xf64>
}
```

Why the meaning stays: all invocations come to the store and put the same value in the same
place, so one of them is enough. Nothing else in the program touches the buffer, so nobody
can tell when that is. What the store needs is computed from literals, parameters, sizes and
loads that are the same for everyone, so in one invocation it is what it was in each.

That saves more than stores: workers that write to the same place take its cache line from
each other again and again.
"""

from collections.abc import Iterable, Iterator, Sequence

from typing_extensions import TypeIs
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from vyre.analysis.buffer_sources import (
    Declaration,
    buffer_sources,
    is_workgroup_memory,
)
from vyre.analysis.uniformity import Level, uniformity
from vyre.analysis.walking import operations_in
from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import effect_level
from vyre.lowering.llvm.slices import harmless_slice, unconditional
from vyre.passes.dead_code import remove_dead_code


def take_uniform_stores(program: vyre.ProgramOp) -> vyre.ProgramOp | None:
    """
    Take the stores that all invocations do alike out of a program, as a program of their
    own; None if there are none, or nothing else.

    Example: `once = take_uniform_stores(program)`
    """
    stores = _uniform_stores(program)
    if not stores:
        return None
    once = _program_of(stores, program)
    for store in stores:
        Rewriter.erase_op(store)
    remove_dead_code(program.body.block)
    return once


def _uniform_stores(program: vyre.ProgramOp) -> list[vyre.StoreOp]:
    ops = list(operations_in(program.body))
    found = [op for op in unconditional(program.body.block.ops) if _may_be_taken(op)]
    if not found or any(isinstance(op, vyre.ReturnOp | vyre.TrapOp) for op in ops):
        return []
    if effect_level(program) is Level.GRID:
        return []
    facts, sources = uniformity(program), buffer_sources(program)
    uniform = [
        op for op in found if all(facts.level(each) is Level.GRID for each in op.operands)
    ]
    others = set(_touched((op for op in ops if op not in uniform), sources))
    return [op for op in uniform if others.isdisjoint(sources[op.buffer])]


def _may_be_taken(op: Operation) -> TypeIs[vyre.StoreOp]:
    """Whether it is a store of the grid's memory that needs nothing but harmless code."""
    if not isinstance(op, vyre.StoreOp) or not isinstance(op.buffer.owner, vyre.BufferOp):
        return False
    return not is_workgroup_memory(op.buffer.owner) and harmless_slice(op) is not None


def _touched(
    ops: Iterable[Operation], sources: dict[SSAValue, tuple[Declaration, ...]]
) -> Iterator[Declaration]:
    """The buffers that operations may touch; asking for their sizes does not."""
    for op in ops:
        if not isinstance(op, vyre.LengthOp):
            for operand in op.operands:
                yield from sources.get(operand, ())


def _program_of(stores: Sequence[vyre.StoreOp], origin: vyre.ProgramOp) -> vyre.ProgramOp:
    """A program with the table of another one that does some of its stores."""
    needed: dict[Operation, None] = dict.fromkeys(origin.launch_table)
    for store in stores:
        needed |= dict.fromkeys(harmless_slice(store) or ())
        needed[store] = None
    mapping: dict[SSAValue, SSAValue] = {}
    body = [op.clone(mapping) for op in needed]
    return vyre.ProgramOp(f"{origin.sym_name.data}.once", origin.workgroup, body)
