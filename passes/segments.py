"""
Programs made of runs: what a run uses from elsewhere becomes its table.

A segment declares the buffers, scratch and parameters that its run uses, under the names
that they have in the program; names for what has none are the same in all segments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, SymbolRefAttr, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vyre.analysis.buffer_sources import (
    Declaration,
    is_memref,
    named_buffers,
    never_the_same,
)
from vyre.analysis.spine import Run, Spine
from vyre.dialects.vyre import BufferOp, LaunchOp, ParamOp, ProgramOp
from vyre.dialects.vyre.attributes import Access
from vyre.dialects.vyre.buffers import memref_type
from vyre.passes.dead_code import remove_dead_code, writes_memory

Sources = Mapping[SSAValue, tuple[Declaration, ...]]


class Table:
    """Names, bindings and order of what segments declare."""

    def __init__(self, program: ProgramOp, sources: Sources):
        self.sources = sources
        self._named = named_buffers(program)
        self._order: dict[SSAValue, int] = {}
        self._names: dict[SSAValue, str] = {}
        for entry in program.table:
            self._order[entry.results[0]] = len(self._order)
            self._names[entry.results[0]] = entry.entry_name.data
        self._taken = set(self._names.values())
        bindings = [
            entry.binding.value.data
            for entry in program.table
            if isinstance(entry, BufferOp) and entry.binding is not None
        ]
        self.next_binding = max(bindings, default=-1) + 1

    def place(self, value: SSAValue) -> tuple[bool, int]:
        """Buffers before parameters; within these, the order of the program's table."""
        return not is_memref(value), self._order.setdefault(value, len(self._order))

    def declaration(self, value: SSAValue) -> BufferOp | ParamOp:
        """A declaration for a value that a run uses, as in the program if it is there."""
        if isinstance(value.owner, BufferOp | ParamOp):
            return value.owner.clone()
        name = self._name(value)
        if not is_memref(value):
            return ParamOp(name, value.type)
        accesses = [
            named.access.data if isinstance(named, BufferOp) else Access.READ_WRITE
            for named in self._named[value]
        ]
        is_read = all(access.readable for access in accesses)
        is_written = all(access.writable for access in accesses)
        access = Access.WRITE_ONLY if is_written else Access.READ_ONLY
        if is_read and is_written:
            access = Access.READ_WRITE
        return BufferOp(name, access, memref_type(value), binding=0)

    def _name(self, value: SSAValue) -> str:
        if value not in self._names:
            hint = value.name_hint or ("scratch" if is_memref(value) else "value")
            name, number = hint, 0
            while name in self._taken:
                number += 1
                name = f"{hint}_{number}"
            self._names[value] = name
            self._taken.add(name)
        return self._names[value]


@dataclass(eq=False)
class Segment:
    """A run on its way to a program, and the launch that is to run it."""

    run: Run
    launch: LaunchOp
    body: Block = field(default_factory=Block)
    entries: dict[SSAValue, BufferOp | ParamOp] = field(
        default_factory=dict[SSAValue, "BufferOp | ParamOp"]
    )
    """Declarations of the values from elsewhere."""
    passed: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """What the host passes for these."""

    def fill(
        self,
        spine: Spine,
        table: Table,
        source: Callable[[SSAValue], SSAValue],
        host_value: Callable[[SSAValue], SSAValue],
    ) -> None:
        """
        Move the run's operations here, and let them use declarations of their own. What
        regions hand out is declared as what it is: its `source`.
        """
        for op, index, operand in list(spine.outer_operands(self.run)):
            value = source(operand)
            if value not in self.entries:
                self.entries[value] = entry = table.declaration(value)
                if not _is_workgroup_memory(entry):
                    self.passed[value] = host_value(value)
            op.operands[index] = self.entries[value].results[0]
        for op in self.run.ops:
            op.detach()
            self.body.add_op(op)
        self._mark_aliases(table)

    def _mark_aliases(self, table: Table) -> None:
        """Mark buffers that may be one and the same by the storage that they may be."""
        memrefs = [value for value in self.entries if is_memref(value)]
        marked: dict[SSAValue, None] = {}
        for one, other in combinations(memrefs, 2):
            if set(table.sources[one]).isdisjoint(table.sources[other]):
                continue
            if not never_the_same(one, other):
                marked.update({one: None, other: None})
        sources = dict.fromkeys(s for value in marked for s in table.sources[value])
        numbers = {source: number for number, source in enumerate(sources)}
        for value in marked:
            entry = self.entries[value]
            assert isinstance(entry, BufferOp)
            shared = sorted(numbers[source] for source in table.sources[value])
            entry.may_alias = DenseArrayBase.from_list(i64, shared)

    def has_effect(self) -> bool:
        """Remove what is not used; if nothing with an effect is left, the launch too."""
        remove_dead_code(self.body)
        if writes_memory(self.body):
            return True
        self._drop()
        return False

    def finish(self, name: str, like: ProgramOp, table: Table) -> ProgramOp:
        """The program, with a table of what it uses, which the launch passes."""
        used = [value for value, entry in self.entries.items() if entry.results[0].uses]
        used.sort(key=table.place)
        self._bind(used, table)
        for value in reversed(used):
            entry = self.entries[value]
            entry.location = like.location
            first = self.body.first_op
            assert first is not None
            self.body.insert_op_before(entry, first)
        self.launch.segment = SymbolRefAttr(name)
        self.launch.operands = [self.passed[v] for v in used if v in self.passed]
        program = ProgramOp(name, like.workgroup, Region(self.body))
        program.location = like.location
        program.attributes = about_code(like)
        return program

    def _bind(self, used: list[SSAValue], table: Table) -> None:
        """Bindings for what the program's table does not have."""
        binding = table.next_binding
        for value in used:
            entry = self.entries[value]
            if isinstance(entry, BufferOp) and not isinstance(value.owner, BufferOp):
                entry.binding = IntegerAttr(binding, i64)
                binding += 1

    def _drop(self) -> None:
        self.launch.detach()
        self.launch.erase()
        for op in reversed(list(self.body.ops)):
            op.detach()
            op.erase(safe_erase=False)


def about_code(program: ProgramOp) -> dict[str, Attribute]:
    """
    The attributes of a program that hold for each part of its code. The others, such as
    `sym_visibility`, are about its name, which its schedule has.

    Example: `about_code(program).get("my.target")`
    """
    return {n: a for n, a in program.attributes.items() if not n.startswith("sym_")}


def _is_workgroup_memory(entry: Operation) -> bool:
    return isinstance(entry, BufferOp) and entry.access.data is Access.WORKGROUP
