"""
What code may write, by its text: scanned before the code is executed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Block, Operation, OperationInvT, SSAValue
from xdsl.traits import MemoryEffectKind

from vyre.analysis.purity import PURE_OPS, effects_of, is_known
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AllGatherOp,
    AllReduceOp,
    AssignOp,
    AsyncWaitOp,
    BarrierOp,
    BroadcastOp,
    BufferOp,
    LaunchOp,
    LetOp,
    ProgramOp,
    ReduceScatterOp,
    RegionOp,
    ScheduleOp,
    ScratchOp,
    TrapOp,
    YieldOp,
)

COLLECTIVES = (AllReduceOp, AllGatherOp, ReduceScatterOp, BroadcastOp)


@dataclass(frozen=True, slots=True)
class Footprint:
    """The memrefs that code writes, as its table declares them, and what else it does."""

    written: frozenset[SSAValue] = frozenset()
    waits: bool = False
    """For others or for copies."""
    traps: bool = False
    is_unknown: bool = False
    """There is an operation that may write everything."""
    assigned: frozenset[SSAValue] = frozenset()
    """Variables, which only their invocation sees."""

    @property
    def acts(self) -> bool:
        """Whether it does more than compute and wait."""
        return bool(self.written) or self.traps or self.is_unknown

    def __or__(self, other: "Footprint") -> "Footprint":
        return Footprint(
            self.written | other.written,
            self.waits or other.waits,
            self.traps or other.traps,
            self.is_unknown or other.is_unknown,
            self.assigned | other.assigned,
        )


_NOTHING = Footprint()


class Footprints:
    """
    Footprints of the code of a program or schedule.

    Example: `Footprints(program).of(loop).written`
    """

    def __init__(self, unit: ProgramOp | ScheduleOp):
        self.by_type: defaultdict[type[Operation], list[Operation]] = defaultdict(list)
        """All operations but those that only compute."""
        for op in operations_in(unit.body):
            op_type = type(op)
            if op_type not in PURE_OPS:
                self.by_type[op_type].append(op)
        self._roots = self._reached()
        self.handed_on = {
            root
            for value, roots in self._roots.items()
            if roots != (value,)
            for root in roots
        }
        """The declarations that loops carry, or regions hand out."""
        self._known: dict[Operation, Footprint] = {}

    def having(self, *kinds: type[OperationInvT]) -> list[OperationInvT]:
        """The operations of some kinds."""
        return [op for kind in kinds for op in self.by_type.get(kind, ())]  # pyright: ignore[reportReturnType]

    def _reached(self) -> dict[SSAValue, tuple[SSAValue, ...]]:
        """The declarations that reach each memref that a loop or region hands on."""
        flows: defaultdict[SSAValue, list[SSAValue]] = defaultdict(list)
        for op in self.having(scf.ForOp, scf.WhileOp, RegionOp):
            if any(map(is_memref, (*op.operands, *op.results))):
                for origin, target in _flows(op):
                    if is_memref(origin):
                        flows[origin].append(target)
        reached: defaultdict[SSAValue, list[SSAValue]] = defaultdict(list)
        for declaration in self.having(BufferOp, ScratchOp) if flows else ():
            for value in _reachable(declaration.memref, flows):
                reached[value].append(declaration.memref)
        return {value: tuple(found) for value, found in reached.items()}

    def roots(self, memref: SSAValue) -> tuple[SSAValue, ...]:
        """The declarations that reach a memref."""
        return self._roots.get(memref) or (memref,)

    def over(self, ops: Iterable[Operation]) -> Footprint:
        """What operations do that follow each other."""
        found = _NOTHING
        for op in ops:
            if type(op) not in PURE_OPS:
                one = self.of(op)
                if one is not _NOTHING:
                    found = found | one
        return found

    def of(self, op: Operation) -> Footprint:
        """What an operation does, with all inside it."""
        found = self._known.get(op)
        if found is None:
            self._known[op] = found = self._scan(op)
        return found

    def _scan(self, op: Operation) -> Footprint:
        if type(op) is BarrierOp or type(op) is AsyncWaitOp:
            return Footprint(waits=True)
        if type(op) is TrapOp:
            return Footprint(traps=True)
        if type(op) is LaunchOp or type(op) is LetOp:
            return _NOTHING
        if type(op) is AssignOp:
            return Footprint(assigned=frozenset((op.cell,)))
        if not is_known(op):
            return Footprint(is_unknown=True)
        if op.regions:
            blocks = (block for region in op.regions for block in region.blocks)
            return self.over(inner for block in blocks for inner in block.ops)
        written = [
            root
            for effect in effects_of(op) or ()
            if effect.kind is MemoryEffectKind.WRITE and isinstance(effect.value, SSAValue)
            for root in self.roots(effect.value)
        ]
        return Footprint(frozenset(written)) if written else _NOTHING


_MEMREFS = (MemRefType, UnrankedMemRefType)


def is_memref(value: SSAValue) -> bool:
    """Whether a value stands for memory."""
    return type(value.type) in _MEMREFS


def is_grid_cut(op: Operation) -> bool:
    """Whether the whole grid meets at the operation."""
    return type(op) in COLLECTIVES or (type(op) is BarrierOp and op.is_grid_sync)


def terminator(block: Block) -> Operation:
    """The last operation of a block."""
    last = block.last_op
    assert last is not None
    return last


def _reachable(
    start: SSAValue, flows: Mapping[SSAValue, list[SSAValue]]
) -> Iterable[SSAValue]:
    seen = {start: None}
    todo = [start]
    while todo:
        for target in flows.get(todo.pop(), ()):
            if target not in seen:
                seen[target] = None
                todo.append(target)
    return seen


def _flows(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Where values go that control flow hands on."""
    match op:
        case scf.ForOp():
            again = terminator(op.body.block).operands
            for values in (op.iter_args, again):
                yield from zip(values, op.body.block.args[1:])
                yield from zip(values, op.res)
        case scf.WhileOp():
            before, after = op.before_region.block, op.after_region.block
            passed = terminator(before).operands[1:]
            yield from zip(op.arguments, before.args)
            yield from zip(terminator(after).operands, before.args)
            yield from zip(passed, after.args)
            yield from zip(passed, op.res)
        case RegionOp():
            last = terminator(op.body.block)
            if isinstance(last, YieldOp):
                yield from zip(last.operands, op.outputs)
        case _:
            return
