"""
`vyre-store-once`: stores that all invocations of a launch do alike are done once.

Before:

```mlir
vyre.program @p.1 [64, 1, 1] {
  ...
  vyre.store %square, %kept[%zero] : memref<1xf64>     // the same for everyone
  vyre.store %mine, %out[%i] : memref<?xf64>
}
```

After:

```mlir
vyre.schedule @p {
  ...
  vyre.launch @p.1(%out)
  vyre.launch @p.1.once(%kept) concurrent
}
vyre.program @p.1 [64, 1, 1] {
  ...
  vyre.store %mine, %out[%i] : memref<?xf64>
}
vyre.program @p.1.once [64, 1, 1] {
  ...
  vyre.store %square, %kept[%zero] : memref<1xf64>
}
```

Why the meaning stays: the stores need nothing that the rest of the program computes but
what is computed again from literals, parameters, sizes and loads that are the same for
everyone, and nothing else in the program touches the buffer. So nobody can tell when they
happen, and both programs may run at the same time. In the new program all invocations do
the same, so the code generator lets one of them do it.

That saves more than stores: workers that write to the same place take its cache line from
each other again and again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from typing_extensions import TypeIs
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.buffer_sources import (
    Declaration,
    buffer_sources,
    is_workgroup_memory,
)
from vyre.analysis.uniformity import Level, uniformity
from vyre.analysis.walking import launches_in, operations_in
from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import effect_level
from vyre.lowering.llvm.passes.slices import harmless_slice, unconditional
from vyre.passes.dead_code import remove_dead_code
from vyre.passes.tables import drop_unused, free_symbol


@dataclass(frozen=True)
class StoreOncePass(ModulePass):
    """Takes stores that are the same for the whole grid out of their programs."""

    name = "vyre-store-once"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program, launches in launches_in(op).items():
            stores = _uniform_stores(program)
            if stores:
                _take(stores, program, launches)


def _take(
    stores: Sequence[vyre.StoreOp],
    program: vyre.ProgramOp,
    launches: Sequence[vyre.LaunchOp],
) -> None:
    """Let a program of their own do the stores, which is launched with the old one."""
    needed: dict[Operation, None] = {}
    for store in stores:
        needed |= dict.fromkeys(harmless_slice(store) or ())
        needed[store] = None
    used = {value.owner for op in needed for value in op.operands}
    mapping: dict[SSAValue, SSAValue] = {}
    table = list(program.launch_table)
    body = [op.clone(mapping) for op in (*(e for e in table if e in used), *needed)]
    assert program.parent is not None
    name = free_symbol(program.parent, f"{program.sym_name.data}.once")
    once = vyre.ProgramOp(name, program.workgroup, body)
    once.location = program.location
    Rewriter.insert_op(once, InsertPoint.after(program))
    for launch in launches:
        given = zip(table, launch.arguments, strict=True)
        arguments = [argument for entry, argument in given if entry in used]
        joining = vyre.LaunchOp(name, arguments, concurrent=True)
        joining.location = launch.location
        Rewriter.insert_op(joining, InsertPoint.after(launch))
    for store in stores:
        Rewriter.erase_op(store)
    remove_dead_code(program.body.block)
    drop_unused(program, launches)


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
