"""
Loads that are the same for all invocations of a row along x are done once, ahead of it.

Before, as a loop over invocations of a row:

```
for x in first .. end:
    b[y, x] = a[y, k] + ...
```

After:

```
once = a[y, k]
for x in first .. end:
    b[y, x] = once + ...
```

Why the meaning stays: an invocation that loads an element which another one writes before
the next barrier has a data race with it, so in a valid program only the invocation itself
could have changed the element before. That is why loads after something that may write to
the same buffer stay where they are, and so do loads in loops. A load ahead of the row is
always compared with the buffer's size, whoever would not have come to it.
"""

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.buffer_sources import buffer_sources
from vyre.analysis.walking import operations_of
from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import is_same_along_x

_WRITERS = frozenset[type[Operation]](
    (
        vyre.StoreOp,
        vyre.AtomicOp,
        vyre.AtomicCasOp,
        vyre.AsyncLoadOp,
        vyre.AsyncStoreOp,
    )
)


def row_loads(program: vyre.ProgramOp) -> list[vyre.LoadOp]:
    """
    The loads that can be done once for each row, in an order in which they can be done.

    Example: for `vyre.load %a[%y]` with y the invocation's place along y
    """
    found: dict[SSAValue, vyre.LoadOp] = {}
    for op in loads_before_writes(program):
        if all(is_same_along_x(index, found) for index in op.indices):
            found[op.value] = op
    return list(found.values())


def loads_before_writes(program: vyre.ProgramOp) -> Iterator[vyre.LoadOp]:
    """
    The loads outside loops, from buffers that the invocation has not written before.

    Example: `list(loads_before_writes(program))`
    """
    sources = buffer_sources(program)
    written: set[Operation] = set()
    for op in _outside_loops(program.body.block):
        if isinstance(op, vyre.LoadOp):
            is_declared = isinstance(op.buffer.owner, vyre.BufferOp)
            if is_declared and written.isdisjoint(sources[op.buffer]):
                yield op
        else:
            written.update(_written(op, sources))


def _outside_loops(block: Block) -> Iterator[Operation]:
    """Operations in the order of the text; loops count as one."""
    for op in block.ops:
        if op.regions and isinstance(op, scf.IfOp | vyre.RegionOp):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _outside_loops(inner)
        else:
            yield op


def _written(
    op: Operation, sources: dict[SSAValue, tuple[vyre.BufferOp | vyre.ScratchOp, ...]]
) -> Iterator[Operation]:
    """The buffers that an operation, or one inside it, may write."""
    for inner in operations_of(op):
        if type(inner) in _WRITERS:
            for operand in inner.operands:
                yield from sources.get(operand, ())
