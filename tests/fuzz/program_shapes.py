"""Which of the shapes that `grid_shapes.py` makes a program has."""

from bisect import bisect_right
from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, OpResult, SSAValue

from vyre.analysis.buffer_sources import Declaration, is_workgroup_memory, named_buffers
from vyre.analysis.phases import written_buffers
from vyre.analysis.purity import is_pure
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LengthOp,
    LoadOp,
    ProgramOp,
    RegionOp,
    StoreOp,
    YieldOp,
)

Loop = scf.ForOp | scf.WhileOp


def shape_features(program: ProgramOp) -> Iterator[str]:
    """What a program has of each shape, maybe several times."""
    text = _Text(program)
    names = named_buffers(program)
    for op in program.body.walk():
        match op:
            case LoadOp() | LengthOp() if text.is_given(op.operands[0]):
                yield from _given_buffer(op, text)
            case scf.ForOp() | scf.WhileOp() if text.has_barrier(op):
                yield from _families(op, names)
                yield from _outdated(op, text, names)
            case RegionOp():
                yield from _handed_out(op, text)
            case _:
                pass


class _Text:
    """Where the operations of a program stand, and where its grid barriers."""

    def __init__(self, program: ProgramOp):
        self.ops = list(program.body.walk())
        self.start = {op: number for number, op in enumerate(self.ops)}
        self.end = {op: n + sum(1 for _ in op.walk()) - 1 for op, n in self.start.items()}
        self._barriers = [self.start[op] for op in self.ops if _is_grid_barrier(op)]

    def has_barrier(self, op: Operation) -> bool:
        return self._is_barrier_between(self.start[op], self.end[op])

    def crosses(self, value: SSAValue, user: Operation) -> bool:
        """Whether a grid barrier is between where a value is defined and a use."""
        return self._is_barrier_between(self._definition(value), self.start[user])

    def _is_barrier_between(self, first: int, last: int) -> bool:
        return bisect_right(self._barriers, first) < bisect_right(self._barriers, last)

    def _definition(self, value: SSAValue) -> int:
        if isinstance(value, OpResult):
            return self.end[value.op]
        owner = value.owner
        parent = owner.parent_op() if isinstance(owner, Block) else owner
        return self.start.get(parent, -1) if parent is not None else -1

    def is_given(self, memref: SSAValue) -> bool:
        """Whether plain code gives a memref: a region, or a loop without grid barriers."""
        owner = memref.owner
        return isinstance(owner, RegionOp) or (
            isinstance(owner, Loop) and not self.has_barrier(owner)
        )


def _is_grid_barrier(op: Operation) -> bool:
    return isinstance(op, BarrierOp) and op.is_grid_sync


def _derived(value: SSAValue) -> dict[SSAValue, None]:
    """A value and what is computed from it without memory or control."""
    found = {value: None}
    for one in (pending := [value]):
        for use in one.uses:
            op = use.operation
            region = op.parent_op() if isinstance(op, YieldOp) else None
            if isinstance(region, RegionOp):
                results = [region.results[use.index]]
            else:
                results = list(op.results) if is_pure(op) else []
            pending += [result for result in results if result not in found]
            found.update(dict.fromkeys(results))
    return found


# Buffers that plain code gives


def _given_buffer(op: LoadOp | LengthOp, text: _Text) -> Iterator[str]:
    what = "load" if isinstance(op, LoadOp) else "length"
    is_literal = all(isinstance(i.owner, arith.ConstantOp) for i in op.operands[1:])
    for value in _derived(op.results[0]):
        for use in value.uses:
            user = use.operation
            if _decides(user, use.index) and text.has_barrier(_decided(user)):
                yield f"given buffer: {what} decides about a grid barrier"
            if not text.crosses(op.results[0], user):
                continue
            yield f"given buffer: {what} used after a grid barrier"
            if isinstance(op, LoadOp) and is_literal:
                yield "given buffer: load at a literal index used after a grid barrier"
            if isinstance(user, LoadOp | StoreOp) and value in user.indices:
                yield f"given buffer: {what} is an index after a grid barrier"


def _decides(user: Operation, index: int) -> bool:
    """Whether an operand is a condition or a bound."""
    if isinstance(user, scf.ForOp):
        return index < 3
    return isinstance(user, scf.IfOp | scf.ConditionOp) and index == 0


def _decided(user: Operation) -> Operation:
    """The control that an operand of an operation decides."""
    parent = user.parent_op() if isinstance(user, scf.ConditionOp) else user
    assert parent is not None
    return parent


# Families of buffers


def _families(loop: Loop, names: dict[SSAValue, tuple[Declaration, ...]]) -> Iterator[str]:
    body = loop.body.block if isinstance(loop, scf.ForOp) else loop.after_region.block
    families = {
        names[memref]: None
        for memref in body.args
        if isinstance(memref.type, MemRefType) and len(names[memref]) > 1 and memref.uses
    }
    accesses = {d.access.data for f in families for d in f if isinstance(d, BufferOp)}
    if len(families) < 2 or len(accesses) < 2:
        return
    yield "families: of different access around a grid barrier"
    inside = set(loop.walk())
    buffers = [declaration for family in families for declaration in family]
    if any(op in inside for buffer in buffers for op in _accesses(buffer)):
        yield "families: of different access beside their buffers"


def _accesses(declaration: Declaration) -> Iterator[Operation]:
    for use in declaration.memref.uses:
        if isinstance(use.operation, LoadOp | StoreOp):
            yield use.operation


# Regions


def _handed_out(region: RegionOp, text: _Text) -> Iterator[str]:
    last = region.body.block.last_op
    if not isinstance(last, YieldOp):
        return
    for value, result in zip(last.operands, region.outputs):
        if isinstance(value.owner, BufferOp) or not text.crosses(value, region):
            continue
        what = "buffer" if isinstance(value.type, MemRefType) else "value"
        yield f"region: hands out an earlier {what}"
        if isinstance(value.owner, RegionOp):
            yield "region: hands out what an earlier region gave"
        if not result.uses:
            yield f"region: hands out an earlier {what} to nobody"


# Values that a loop outdates


def _outdated(
    loop: Loop, text: _Text, names: dict[SSAValue, tuple[Declaration, ...]]
) -> Iterator[str]:
    inside = list(loop.walk())
    written = {buffer for op in inside for buffer in written_buffers(op, names)}
    for load in text.ops:
        sources = names.get(load.buffer, ()) if isinstance(load, LoadOp) else ()
        if not isinstance(load, LoadOp) or written.isdisjoint(sources):
            continue
        for how in dict.fromkeys(_outdated_uses(load, loop, text)):
            yield f"outdated: {how}"
            if any(map(is_workgroup_memory, sources)):
                yield "outdated: workgroup memory"


def _outdated_uses(load: LoadOp, loop: Loop, text: _Text) -> Iterator[str]:
    """How a loop, or what follows it, uses what a load has read before its writes."""
    start, end = text.start[loop], text.end[loop]
    is_before = text.end[load] < start
    is_inside = start < text.start[load] < end
    for value in _derived(load.value):
        for use in value.uses:
            number = text.start[use.operation]
            if is_before and start < number <= end:
                yield "used in its loop"
            elif is_before and number > end:
                yield "used after its loop"
            elif is_before and number == start:
                yield "start of a carried value"
            elif is_inside and isinstance(use.operation, scf.YieldOp):
                if use.operation.parent_op() is loop:
                    yield "carried to the next trip"
