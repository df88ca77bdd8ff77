"""
Loops of a schedule that need not wait for the host in every trip.

Whether a `scf.while` goes on depends on what a launch has computed, which the host reads
back. Waiting for that in every trip is slow. Instead several trips are enqueued at once,
and the device decides: after each trip a little program computes the condition from what
the host would have read, and all launches of later trips do nothing if it is false. Later
the host looks how many trips there were.

```mlir
%end = scf.while (%level = %zero) : (i32) -> i32 {
  %last = vyre.read_back %deepest[0] : memref<1xi32>
  %go = arith.cmpi eq, %last, %level : i32
  scf.condition(%go) %level : i32
} do {
  ^bb0(%level_1: i32):
    vyre.launch @bfs.1(%levels, %level_1)
    %next = arith.addi %level_1, %one : i32
    scf.yield %next : i32
}
```

has this program, to which the host passes `%level` of the trip that is decided:

```mlir
vyre.program @condition [1, 1, 1] {
  %read_0 = vyre.buffer "read_0" read_only : memref<1xi32>
  %guards = vyre.buffer "guards" read_write : memref<?xi1>
  %at = vyre.param "at" : index
  %value_0 = vyre.param "value_0" : i32
  %last = vyre.load %read_0[0] : memref<1xi32>
  %go = arith.cmpi eq, %last, %value_0 : i32
  // guards[at] = guards[at - 1] and go
}
```

It works for loops in which what is read decides about nothing but the condition: no launch,
branch or inner loop depends on it; and inner loops must end in trips that do not take
place, too. It may be carried from one trip to the next, as long as
each trip reads it anew, and nothing that comes between the place where the host would read
and the condition may write it. Then it can be read at the end of the trip, and also once
when the loop has ended.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    i1,
)
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from vyre.analysis.purity import is_pure
from vyre.dialects.vyre import (
    BufferOp,
    LaunchOp,
    LoadOp,
    ParamOp,
    ProgramOp,
    ReadBackOp,
    ScratchOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import Access
from vyre.dialects.vyre.buffers import memref_type
from vyre.lowering.cuda.functions import FUNCTIONS

_INDEX = IndexType()


@dataclass(frozen=True, eq=False)
class LoopAhead:
    """
    A loop whose trips can be enqueued before it is known whether they take place.

    `condition` takes the buffers that are `read`, the guards, the number of the trip, and
    the host's `values`.
    """

    condition: ProgramOp
    read: tuple[SSAValue, ...]
    values: tuple[SSAValue, ...]


def loop_ahead(loop: scf.WhileOp, programs: Mapping[str, ProgramOp]) -> LoopAhead | None:
    """
    How to run a loop ahead, if that is possible; `programs` are those that it launches.

    Example: `loop_ahead(loop, programs_in(module.body.block))`
    """
    read_backs = [op for op in loop.walk() if isinstance(op, ReadBackOp)]
    blocks = (loop.before_region.block, loop.after_region.block)
    if not read_backs or any(op.parent_block() not in blocks for op in read_backs):
        return None
    if any(isinstance(op, LoadOp) or _may_never_end(op, loop) for op in loop.walk()):
        return None
    if any(_is_changed_before_the_condition(op, loop, programs) for op in read_backs):
        return None
    unknown = _unknown_values(loop)
    if unknown is None or _condition(loop).condition not in unknown:
        return None
    return _Condition(loop, unknown).loop_ahead()


def _condition(loop: scf.WhileOp) -> scf.ConditionOp:
    last = loop.before_region.block.last_op
    assert isinstance(last, scf.ConditionOp)
    return last


def _yielded(loop: scf.WhileOp) -> tuple[SSAValue, ...]:
    last = loop.after_region.block.last_op
    assert isinstance(last, scf.YieldOp)
    return tuple(last.arguments)


def _may_never_end(op: Operation, loop: scf.WhileOp) -> bool:
    """Whether an inner loop may be endless in a trip that does not take place."""
    if isinstance(op, scf.ForOp):
        return any(_is_of_a_trip(bound, loop) for bound in (op.lb, op.ub, op.step))
    return isinstance(op, scf.WhileOp) and op is not loop


def _is_of_a_trip(value: SSAValue, loop: scf.WhileOp) -> bool:
    inside = loop.is_ancestor(value.owner)
    return inside and not isinstance(value.owner, arith.ConstantOp)


# ---- What is read must still be there at the condition -----------------------------------


def _is_changed_before_the_condition(
    read_back: ReadBackOp, loop: scf.WhileOp, programs: Mapping[str, ProgramOp]
) -> bool:
    if not isinstance(read_back.source.owner, BufferOp | ScratchOp):
        return True  # It may be another buffer in each trip.
    return any(
        _may_write(launch, read_back.source, programs)
        for launch in _launches_until_the_condition(read_back, loop)
    )


def _launches_until_the_condition(
    read_back: ReadBackOp, loop: scf.WhileOp
) -> Iterator[LaunchOp]:
    op = read_back.next_op
    while op is not None:
        yield from (each for each in op.walk() if isinstance(each, LaunchOp))
        op = op.next_op
    if read_back.parent_block() is loop.after_region.block:
        inside = loop.before_region.walk()
        yield from (each for each in inside if isinstance(each, LaunchOp))


def _may_write(
    launch: LaunchOp, memref: SSAValue, programs: Mapping[str, ProgramOp]
) -> bool:
    table = programs[launch.segment.string_value()].launch_table
    for argument, entry in zip(launch.arguments, table, strict=True):
        if not isinstance(entry, BufferOp) or not entry.access.data.writable:
            continue
        is_declared = isinstance(argument.owner, BufferOp | ScratchOp)
        if argument is memref or not is_declared:
            return True
    return False


# ---- What depends on it ------------------------------------------------------------------


def _unknown_values(loop: scf.WhileOp) -> set[SSAValue] | None:
    """What the host does not know when it runs ahead; None if it has to know."""
    before, after = loop.before_region.block, loop.after_region.block
    unknown: set[SSAValue] = set()
    size = -1
    while size != len(unknown):
        size = len(unknown)
        for op in (*before.ops, *after.ops):
            if not _spread(op, unknown):
                return None
        _hand_on(tuple(_condition(loop).args), after, unknown)
        _hand_on(_yielded(loop), before, unknown)
    if any(_depends_on(value, after, unknown) for value in _yielded(loop)):
        return None  # Each trip would add to what it read before.
    return unknown


def _spread(op: Operation, unknown: set[SSAValue]) -> bool:
    """Mark results that are unknown; whether the operation may have unknown operands."""
    if isinstance(op, ReadBackOp):
        unknown.add(op.value)
        return True
    if isinstance(op, scf.ConditionOp | scf.YieldOp):
        return True
    if not any(operand in unknown for each in op.walk() for operand in each.operands):
        return True
    unknown.update(op.results)
    # Functions that engines round differently would decide differently here and there.
    return is_pure(op) and type(op) not in FUNCTIONS


def _hand_on(values: tuple[SSAValue, ...], block: Block, unknown: set[SSAValue]) -> None:
    unknown.update(
        argument for value, argument in zip(values, block.args) if value in unknown
    )


def _depends_on(value: SSAValue, block: Block, unknown: set[SSAValue]) -> bool:
    """Whether an unknown value is computed from what the block is given."""
    pending, seen = [value], {value}
    for each in pending:
        if each not in unknown or isinstance(each.owner, ReadBackOp):
            continue
        if isinstance(each, BlockArgument):
            if each.owner is block:
                return True
            continue
        assert isinstance(each.owner, Operation)
        new = set(each.owner.operands) - seen
        pending += new
        seen |= new
    return False


# ---- The program that decides ------------------------------------------------------------


class _Condition:
    """Writes the program: copies of what the condition is computed from."""

    def __init__(self, loop: scf.WhileOp, unknown: set[SSAValue]):
        self._loop = loop
        self._unknown = unknown
        self._copies: dict[SSAValue, SSAValue] = {}
        self._table: list[Operation] = []
        self._code: list[Operation] = []
        self._read: list[SSAValue] = []
        self._values: list[SSAValue] = []

    def loop_ahead(self) -> LoopAhead:
        go = self._copy(_condition(self._loop).condition)
        guards = BufferOp(
            "guards", Access.READ_WRITE, MemRefType(i1, [DYNAMIC_INDEX]), binding=0
        )
        at = ParamOp("at", _INDEX)
        one = arith.ConstantOp(IntegerAttr(1, _INDEX))
        before = arith.SubiOp(at, one)
        held = LoadOp(guards.memref, [before])
        both = arith.AndIOp(held, go)
        store = StoreOp(both, guards.memref, [at])
        table = [*self._buffers(), guards, at, *self._params()]
        code = [*self._code, one, before, held, both, store]
        program = ProgramOp("condition", [1, 1, 1], [*table, *code])
        ModuleOp([program])  # Programs are always in a module.
        return LoopAhead(program, tuple(self._read), tuple(self._values))

    def _buffers(self) -> list[Operation]:
        return [op for op in self._table if isinstance(op, BufferOp)]

    def _params(self) -> list[Operation]:
        return [op for op in self._table if isinstance(op, ParamOp)]

    def _copy(self, value: SSAValue) -> SSAValue:
        """The same value in the program."""
        if value not in self._copies:
            self._copies[value] = self._made(value)
        return self._copies[value]

    def _made(self, value: SSAValue) -> SSAValue:
        if value in self._unknown and isinstance(value, BlockArgument):
            # Those of `before` come from the trip; those of `after` decide nothing.
            return self._copy(_yielded(self._loop)[value.index])
        owner = value.owner
        if isinstance(owner, ReadBackOp):
            return self._load(owner)
        is_copied = value in self._unknown or isinstance(owner, arith.ConstantOp)
        if not is_copied or not isinstance(value, OpResult):
            return self._param(value)
        assert isinstance(owner, Operation)
        operands = {operand: self._copy(operand) for operand in owner.operands}
        copy = owner.clone(value_mapper=operands)
        self._code.append(copy)
        return copy.results[value.index]

    def _load(self, read_back: ReadBackOp) -> SSAValue:
        buffer = self._copies.get(read_back.source)
        if buffer is None:
            made = BufferOp(
                f"read_{len(self._read)}",
                Access.READ_ONLY,
                memref_type(read_back.source),
                binding=len(self._read) + 1,
            )
            self._table.append(made)
            self._read.append(read_back.source)
            buffer = self._copies[read_back.source] = made.memref
        places = [
            arith.ConstantOp(IntegerAttr(place, _INDEX))
            for place in read_back.position.get_values()
        ]
        load = LoadOp(buffer, places)
        self._code += [*places, load]
        return load.results[0]

    def _param(self, value: SSAValue) -> SSAValue:
        made = ParamOp(f"value_{len(self._values)}", value.type)
        self._table.append(made)
        self._values.append(value)
        return made.value
