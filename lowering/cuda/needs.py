"""
What a program's text needs of its values: those that reach an effect, and those sizes of
buffers that something is compared with, counted by or told.

Loops carry everything through variables, and a variable that nobody reads makes compilers
and readers wonder.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects

from vyre.analysis.buffer_sources import (
    Declaration,
    buffer_sources,
    is_memref,
    is_workgroup_memory,
)
from vyre.analysis.purity import is_pure
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    LengthOp,
    LoadOp,
    ProgramOp,
    RegionOp,
    StoreOp,
)
from vyre.dialects.vyre.attributes import TokenType
from vyre.dialects.vyre.buffers import memref_type

Sources = Mapping[SSAValue, tuple[Declaration, ...]]

_CHANGES = (AtomicOp, AtomicCasOp)
_ACCESSES = (LoadOp, StoreOp, *_CHANGES)


@dataclass
class Needs:
    """
    The values that are needed, and of buffers the dimensions whose size is.

    Example: `needs(program).sizes` holds `(%a, 0)` if `%a[%i]` is compared.
    """

    values: set[SSAValue] = field(default_factory=set[SSAValue])
    sizes: set[tuple[SSAValue, int]] = field(default_factory=set[tuple[SSAValue, int]])
    ops: set[Operation] = field(default_factory=set[Operation])
    """Operations that are needed for what they do, or for what is in them."""

    def has(self, op: Operation) -> bool:
        """Whether an operation is needed, for what it does or what it gives."""
        return op in self.ops or any(result in self.values for result in op.results)

    def do(self, op: Operation) -> None:
        """Add an operation for what it does, and what it needs for that."""
        self.ops.add(op)
        self.need(op.operands)
        self.need_sizes_for(op)
        self.reach(op)

    def need(self, values: Iterable[SSAValue]) -> None:
        """Add values, and what they come from."""
        pending = list(values)
        while pending:
            value = pending.pop()
            if value in self.values or isinstance(value.type, TokenType):
                continue
            self.values.add(value)
            pending += origins(value)
            if isinstance(value, OpResult):
                self.reach(value.op)
                if isinstance(value.op, LengthOp):
                    self.need_sizes(value.op.buffer, [value.op.dim.value.data])
                elif not value.op.regions:
                    pending += value.op.operands
                    self.need_sizes_for(value.op)

    def reach(self, op: Operation) -> None:
        """Add the control flow that leads to an operation, and that it is."""
        holder: Operation | None = op
        while holder is not None and holder not in self._reached:
            self._reached.add(holder)
            if holder.regions and not isinstance(holder, ProgramOp):
                self.ops.add(holder)
                self.need(_decisions(holder))
            holder = holder.parent_op()

    _reached: set[Operation] = field(default_factory=set[Operation])

    def need_sizes_for(self, op: Operation) -> None:
        """Add the sizes that an operation looks at."""
        if isinstance(op, _ACCESSES):
            first = 0 if op.inbounds is None else 1
            rank = len(memref_type(op.buffer).get_shape())
            self.need_sizes(op.buffer, range(first, rank))
        elif not is_pure(op):
            for operand in op.operands:
                if is_memref(operand):
                    self.need_sizes(operand, range(len(memref_type(operand).get_shape())))

    def need_sizes(self, memref: SSAValue, dims: Iterable[int]) -> None:
        """Add sizes of a buffer, and where they come from."""
        shape = memref_type(memref).get_shape()
        pending = [(memref, dim) for dim in dims if shape[dim] == DYNAMIC_INDEX]
        while pending:
            value, dim = pending.pop()
            if (value, dim) not in self.sizes:
                self.sizes.add((value, dim))
                pending += [(origin, dim) for origin in origins(value)]


def needs(program: ProgramOp) -> Needs:
    """What the effects of a program need, and the control flow around them."""
    sources = buffer_sources(program)
    effects = [op for op in program.body.walk() if _has_effect(op)]
    whiles = [op for op in program.body.walk() if isinstance(op, scf.WhileOp)]
    read: set[Declaration] = set()
    while True:
        # Who writes workgroup memory that nobody needs to read does nothing.
        found = Needs()
        for op in whiles:
            found.reach(op)  # It may never end, and whoever runs it shall see that.
        for op in effects:
            if not _only_changes(op, read, sources):
                found.do(op)
        more = _read_by(found, sources)
        if more <= read:
            return found
        read |= more


def _read_by(found: Needs, sources: Sources) -> set[Declaration]:
    """The buffers of which something is read that is needed."""
    results = {value.op for value in found.values if isinstance(value, OpResult)}
    return {
        declaration
        for op in found.ops | results
        if not op.regions and not (isinstance(op, _CHANGES) and op.old not in found.values)
        for effect in get_effects(op) or ()
        if effect.kind is MemoryEffectKind.READ and isinstance(effect.value, SSAValue)
        for declaration in sources.get(effect.value, ())
    }


def _only_changes(op: Operation, read: set[Declaration], sources: Sources) -> bool:
    """Whether an operation only changes workgroup memory of which nothing is read."""
    written = [
        declaration
        for effect in get_effects(op) or ()
        if effect.kind is MemoryEffectKind.WRITE and isinstance(effect.value, SSAValue)
        for declaration in sources[effect.value]
    ]
    return bool(written) and all(
        is_workgroup_memory(declaration) and declaration not in read
        for declaration in written
    )


def _decisions(op: Operation) -> list[SSAValue]:
    """What decides whether and how often an operation runs its regions."""
    match op:
        case scf.IfOp():
            return [op.cond]
        case scf.ForOp():
            return [op.lb, op.ub, op.step]
        case scf.WhileOp():
            return _yielded(op.before_region.block, 0)
        case _:
            return []


def _has_effect(op: Operation) -> bool:
    """Whether somebody else, or what comes later, can tell that the operation ran."""
    if op.regions or is_pure(op):
        return False
    effects = get_effects(op)
    return effects is None or any(e.kind is MemoryEffectKind.WRITE for e in effects)


def origins(value: SSAValue) -> list[SSAValue]:
    """
    The values that control flow passes on as this one.

    Example: of what an `scf.if` gives, these are what its arms yield.
    """
    if isinstance(value, BlockArgument):
        return _passed_to(value.block, value.index)
    assert isinstance(value, OpResult)
    op, index = value.op, value.index
    match op:
        case scf.IfOp():
            return [v for region in op.regions for v in _yielded(region.block, index)]
        case scf.ForOp():
            return [op.body.block.args[index + 1]]
        case scf.WhileOp():
            return _yielded(op.before_region.block, index + 1)
        case RegionOp():
            return _yielded(op.body.block, index)
        case _:
            return []


def _passed_to(block: Block, index: int) -> list[SSAValue]:
    loop = block.parent_op()
    match loop:
        case scf.ForOp():
            if index == 0:
                return []
            return [loop.iter_args[index - 1], *_yielded(block, index - 1)]
        case scf.WhileOp() if block is loop.before_region.block:
            return [loop.arguments[index], *_yielded(loop.after_region.block, index)]
        case scf.WhileOp():
            return _yielded(loop.before_region.block, index + 1)
        case _:
            return []


def _yielded(block: Block, index: int) -> list[SSAValue]:
    last = block.last_op
    assert last is not None
    return [last.operands[index]]
