"""
Workgroup memory that a loop with grid barriers carries moves to scratch.

The host carries memrefs through such a loop, but workgroup memory does not outlive a
launch. So these buffers become scratch of their workgroups for the whole program:

```mlir
%v = vyre.load %tile[%l] : memref<64xf32>
```

becomes

```mlir
%v = vyre.load %tile_kept[%group, %l] : memref<?x64xf32>
```

with `%group = vyre.linear_id workgroup`. Scratch of a workgroup starts as zeros and lives
to the end, as workgroup memory does; nobody else accesses it; and barriers of a workgroup
order accesses to either.
"""

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.buffer_sources import (
    Declaration,
    buffer_sources,
    is_memref,
    is_workgroup_memory,
)
from vyre.analysis.positions import positions_of
from vyre.analysis.purity import is_known
from vyre.analysis.spine import TABLE_OPS, Spine
from vyre.analysis.walking import operations_of
from vyre.dialects.refusal import Note, Refusal, name_of
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    BufferOp,
    LengthOp,
    LinearIdOp,
    LoadOp,
    ProgramOp,
    ScratchOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import LinearScope, ScratchScope
from vyre.dialects.vyre.buffers import memref_type
from vyre.dialects.vyre.sync import AsyncCopyOp


def move_carried_workgroup_memory(program: ProgramOp) -> None:
    """Replace the workgroup buffers that loops of the spine carry by scratch."""
    if not any(map(_carries_memref, operations_of(program))):
        return
    carried = [
        position.values[0]
        for holder in Spine.of(program).holders
        for position in positions_of(holder)
        if is_memref(position.values[0])
    ]
    if not carried:
        return
    sources = buffer_sources(program)
    moved = _families(carried, sources)
    if moved:
        _Move(program, {v: s for v, s in sources.items() if not moved.isdisjoint(s)}).run()


def _carries_memref(op: Operation) -> bool:
    is_loop = bool(op.regions) and isinstance(op, scf.ForOp | scf.WhileOp)
    return is_loop and any(map(is_memref, op.operands))


def _families(
    carried: Sequence[SSAValue], sources: dict[SSAValue, tuple[Declaration, ...]]
) -> set[Declaration]:
    """The workgroup buffers among what is carried, and others that share a memref."""
    moved: set[Declaration] = set()
    for value in carried:
        moved.update(d for d in sources[value] if is_workgroup_memory(d))
    size = -1
    while size != len(moved):
        size = len(moved)
        for value, behind in sources.items():
            if not moved.isdisjoint(behind):
                moved.update(filter(is_workgroup_memory, behind))
                _refuse_mixture(value, behind)
    return moved


def _refuse_mixture(value: SSAValue, behind: tuple[Declaration, ...]) -> None:
    if not all(map(is_workgroup_memory, behind)):
        raise Refusal(
            "a loop carries a memref that is workgroup memory in some trips only, and is "
            "used across a grid barrier",
            fix="carry workgroup memory and other buffers as two values",
            at=value,
            notes=[Note(d.memref, "one of its sources") for d in behind],
        )


class _Move:
    def __init__(
        self, program: ProgramOp, memrefs: dict[SSAValue, tuple[Declaration, ...]]
    ):
        self.memrefs = memrefs
        block = program.body.block
        first = next(op for op in block.ops if not isinstance(op, TABLE_OPS))
        self.group = LinearIdOp(LinearScope.WORKGROUP)
        self.group.id.name_hint = "group"
        self.group.location = first.location
        Rewriter.insert_op(self.group, InsertPoint.before(first))

    def run(self) -> None:
        users = {u.operation: None for value in self.memrefs for u in value.uses}
        for op in users:
            self._rewrite(op)
        for value in self.memrefs:
            type = memref_type(value)
            wider = MemRefType(type.element_type, [DYNAMIC_INDEX, *type.get_shape()])
            if isinstance(value.owner, BufferOp):
                scratch = ScratchOp(ScratchScope.PER_WORKGROUP, wider)
                scratch.memref.name_hint = f"{value.name_hint or 'tile'}_kept"
                Rewriter.replace_op(value.owner, scratch)
            else:
                Rewriter.replace_value_with_new_type(value, wider)

    def _rewrite(self, op: Operation) -> None:
        """Let an access name the workgroup; what only passes a memref on stays."""
        match op:
            case LoadOp() | StoreOp() | AtomicOp() | AtomicCasOp():
                place = list(op.operands).index(op.buffer) + 1
                op.operands = [*op.operands[:place], self.group.id, *op.operands[place:]]
            case AsyncCopyOp():
                self._rewrite_copy(op)
            case LengthOp():
                size = memref_type(op.buffer).get_shape()[op.dim.value.data]
                constant = arith.ConstantOp.from_int_and_width(size, IndexType())
                constant.location = op.location
                Rewriter.replace_op(op, constant)
            case _:
                if not is_known(op):
                    raise Refusal(
                        f"nothing is known about what '{name_of(op)}' does with workgroup "
                        "memory that a loop with a grid barrier carries",
                        fix="use vyre.load and vyre.store",
                        at=op,
                    )

    def _rewrite_copy(self, op: AsyncCopyOp) -> None:
        source = self._place(op.source, op.source_indices)
        destination = self._place(op.destination, op.destination_indices)
        new = type(op)(op.source, source, op.destination, destination, op.count)
        new.location = op.location
        Rewriter.replace_op(op, new)

    def _place(self, buffer: SSAValue, indices: Sequence[SSAValue]) -> list[SSAValue]:
        return [self.group.id, *indices] if buffer in self.memrefs else list(indices)
