"""
Which values and which control flow are the same in every invocation.

A value is *grid-uniform* if all invocations that compute it compute the same: constants,
parameters, sizes, pure operations and results of uniform control over these, and loads at
a uniform index from a buffer that nothing writes in the same phase. It is
*workgroup-uniform* if that holds within each workgroup: the same, plus `workgroup_id`, and
loads from workgroup memory that nothing writes between the same workgroup barriers.
Everything else, and every result of a loop whose number of trips diverges, is divergent.

Each value has a level, the smaller the more uniform: the largest among the levels of what
it is computed from, also around loops. The cost is linear in the size of the program. For
every value that is not grid-uniform the analysis remembers why, so that a diagnostic can
name the origin.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TypeAlias

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from vyre.analysis.buffer_sources import (
    Declaration,
    is_workgroup_memory,
    named_buffers,
    with_aliases,
)
from vyre.analysis.phases import (
    Phases,
    Write,
    Writers,
    grid_phases,
    workgroup_phases,
    writers_by_phase,
    writes_of,
)
from vyre.analysis.purity import PURE_OPS, is_pure
from vyre.dialects.refusal import name_of
from vyre.dialects.vyre import (
    AssignOp,
    BufferOp,
    GetOp,
    InvocationIdOp,
    LetOp,
    LinearIdOp,
    LoadOp,
    LocalIdOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    ScratchOp,
    SubgroupLocalIdOp,
    WorkgroupIdOp,
)
from vyre.dialects.vyre.attributes import LinearScope


class Level(IntEnum):
    """Across what a value is the same."""

    GRID = 0
    WORKGROUP = 1
    INVOCATION = 2

    def __str__(self) -> str:
        return ("grid", "workgroup", "divergent")[self]


@dataclass(frozen=True)
class Reason:
    """Why a value is not more uniform than it is."""

    text: str
    """What is wrong with it, to follow the value's name in a sentence."""
    at: Operation
    """Where that is decided."""
    because: SSAValue | None = None
    """The value it got its level from, if it did not diverge here."""
    also: Operation | None = None
    """Another operation that takes part, such as a write in the same phase."""


@dataclass
class Uniformity:
    """
    Levels of a program's values and of the control around its operations.

    Example: `uniformity(program).level(value)` is `Level.GRID` for a constant.
    """

    levels: dict[SSAValue, Level] = field(default_factory=dict[SSAValue, Level])
    controls: dict[Block, Level] = field(default_factory=dict[Block, Level])
    reasons: dict[SSAValue, Reason] = field(default_factory=dict[SSAValue, Reason])
    control_values: dict[Block, SSAValue] = field(default_factory=dict[Block, SSAValue])

    def level(self, value: SSAValue) -> Level:
        """Across what `value` is the same."""
        return self.levels.get(value, Level.GRID)

    def control(self, op: Operation) -> Level:
        """Across what it is the same whether `op` is reached."""
        assert op.parent is not None
        return self.controls.get(op.parent, Level.GRID)

    def diverging_value(self, op: Operation) -> SSAValue | None:
        """The condition or bound that decides the level of the control around `op`."""
        assert op.parent is not None
        return self.control_values.get(op.parent)

    def origin(self, value: SSAValue) -> tuple[SSAValue, Reason] | None:
        """The value at which the divergence of `value` began, and why it diverges."""
        reason = self.reasons.get(value)
        if reason is None:
            return None
        while reason.because is not None and reason.because in self.reasons:
            value, reason = reason.because, self.reasons[reason.because]
        return value, reason


def uniformity(program: ProgramOp) -> Uniformity:
    """Compute the levels of all values and all control flow of a program."""
    return _Analysis(program).run()


Node: TypeAlias = SSAValue | Block
"""What has a level: a value, or whether a block is reached."""

_DECLARATIONS = (BufferOp, ScratchOp, ParamOp)
"""What is the same for all; what it holds may not be."""


class _Analysis:
    """
    Collects in one walk what is divergent from the start and what gets its level from what,
    and then spreads levels along these edges, the most divergent first. So every value and
    block is settled when it is first reached.
    """

    def __init__(self, program: ProgramOp):
        self.program = program
        self.facts = Uniformity()
        self.roots: list[tuple[Level, Node, Reason | None]] = []
        self.edges: defaultdict[Node, list[tuple[Node, str]]] = defaultdict(list)
        self.names = named_buffers(program)

    # Only loads ask for phases, and only those from workgroup memory for local ones.

    @cached_property
    def grid_phases(self) -> Phases:
        return grid_phases(self.program)

    @cached_property
    def local_phases(self) -> Phases:
        return workgroup_phases(self.program)

    @cached_property
    def writes(self) -> list[Write]:
        return writes_of(self.program, with_aliases(self.names))

    @cached_property
    def grid_writers(self) -> Writers:
        return writers_by_phase(self.writes, self.grid_phases)

    @cached_property
    def local_writers(self) -> Writers:
        return writers_by_phase(self.writes, self.local_phases)

    def run(self) -> Uniformity:
        self._block(self.program.body.block)
        for level in (Level.INVOCATION, Level.WORKGROUP):
            pending: deque[Node] = deque()
            for root_level, node, reason in self.roots:
                if root_level is level and self._settle(node, level, reason, None):
                    pending.append(node)
            while pending:
                origin = pending.popleft()
                for target, how in self.edges[origin]:
                    reason = self._reason(target, origin, how)
                    if self._settle(target, level, reason, origin):
                        pending.append(target)
        return self.facts

    def _settle(
        self, node: Node, level: Level, reason: Reason | None, origin: Node | None
    ) -> bool:
        """Give a node its level, unless it has one already."""
        if isinstance(node, SSAValue):
            if node in self.facts.levels:
                return False
            self.facts.levels[node] = level
            assert reason is not None
            self.facts.reasons[node] = reason
            return True
        if node in self.facts.controls:
            return False
        self.facts.controls[node] = level
        decider = self._decider(origin)
        if decider is not None:
            self.facts.control_values[node] = decider
        return True

    def _decider(self, origin: Node | None) -> SSAValue | None:
        """The value behind the level of a value, or of the control around a block."""
        if isinstance(origin, Block):
            return self.facts.control_values.get(origin)
        return origin

    def _reason(self, target: Node, origin: Node, how: str) -> Reason | None:
        if isinstance(target, Block):
            return None
        return Reason(how, _op_of(target), because=self._decider(origin))

    def _raise(self, value: SSAValue, level: Level, reason: Reason) -> None:
        self.roots.append((level, value, reason))

    def _flow(self, targets: Iterable[SSAValue], *sources: Iterable[SSAValue]) -> None:
        """Each target is at most as uniform as the sources at its position."""
        for target, *origins in zip(targets, *sources, strict=True):
            for origin in origins:
                self._inherit(target, origin, "gets its value from it")

    def _inherit(self, target: SSAValue, origin: SSAValue, how: str) -> None:
        self.edges[origin].append((target, how))

    def _block(self, block: Block) -> None:
        for op in block.ops:
            if type(op) in PURE_OPS:
                self._pure(op)
            elif type(op) in _DECLARATIONS:
                continue
            elif op.results or op.regions or isinstance(op, AssignOp):
                self._op(op)

    def _nested(self, op: Operation, region: Region, *deciders: SSAValue) -> None:
        """The blocks of a region that is entered depending on `deciders`."""
        assert op.parent is not None
        for block in region.blocks:
            for origin in (op.parent, *deciders):
                self.edges[origin].append((block, "decides"))
            self._block(block)

    def _op(self, op: Operation) -> None:
        match op:
            case InvocationIdOp() | LocalIdOp() | SubgroupLocalIdOp():
                self._diverge(op, Level.INVOCATION, "differs between invocations")
            case WorkgroupIdOp() | LinearIdOp():
                self._number(op)
            case LoadOp():
                self._load(op)
            case LetOp() | AssignOp() | GetOp():
                self._cell(op)
            case scf.IfOp():
                self._branch(op, op.cond)
            case scf.IndexSwitchOp():
                self._branch(op, op.arg)
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case RegionOp():
                self._nested(op, op.body)
                self._flow(op.outputs, _yielded(op.body))
            case _:
                self._other(op)

    def _pure(self, op: Operation) -> None:
        for result in op.results:
            for operand in op.operands:
                self._inherit(result, operand, "is computed from it")

    def _number(self, op: WorkgroupIdOp | LinearIdOp) -> None:
        if isinstance(op, WorkgroupIdOp) or op.scope.data is LinearScope.WORKGROUP:
            self._diverge(op, Level.WORKGROUP, "differs between workgroups")
        else:
            self._diverge(op, Level.INVOCATION, "differs between invocations")

    def _other(self, op: Operation) -> None:
        if is_pure(op):
            self._pure(op)
            return
        self._diverge(
            op, Level.INVOCATION, f"is what '{name_of(op)}' gives each invocation"
        )
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    reason = Reason(f"is passed by '{name_of(op)}'", op)
                    self._raise(argument, Level.INVOCATION, reason)
                self.roots.append((Level.INVOCATION, block, None))
                self._block(block)

    def _cell(self, op: LetOp | AssignOp | GetOp) -> None:
        """A variable is as uniform as everything that is ever assigned to it."""
        match op:
            case LetOp():
                self._inherit(op.cell, op.initial, "starts with it")
            case AssignOp():
                self._inherit(op.cell, op.value, "is assigned it")
                assert op.parent is not None
                text = "is assigned in divergent control"
                self.edges[op.parent].append((op.cell, text))
            case GetOp():
                self._inherit(op.value, op.cell, "reads it")

    def _diverge(self, op: Operation, level: Level, text: str) -> None:
        for result in op.results:
            self._raise(result, level, Reason(text, op))

    def _load(self, op: LoadOp) -> None:
        for index in op.indices:
            self._inherit(op.value, index, "is loaded at it")
        # What writes an alias of a buffer counts as writing the buffer, too.
        for declaration in self.names.get(op.buffer, ()):
            name = _name(declaration)
            if is_workgroup_memory(declaration):
                text = f'is loaded from the workgroup buffer "{name}"'
                self._raise(op.value, Level.WORKGROUP, Reason(text, op))
                writer = self.local_writers.writer(self.local_phases.of[op], declaration)
            else:
                writer = self.grid_writers.writer(self.grid_phases.of[op], declaration)
            if writer is not None:
                text = f'is loaded from "{name}", which its phase also writes'
                self._raise(op.value, Level.INVOCATION, Reason(text, op, also=writer))

    def _branch(self, op: Operation, decider: SSAValue) -> None:
        for region in op.regions:
            self._nested(op, region, decider)
            if region.blocks.first is not None:
                self._flow(op.results, _yielded(region))
        for result in op.results:
            self._inherit(result, decider, "is chosen by it")

    def _for(self, op: scf.ForOp) -> None:
        bounds = (op.lb, op.ub, op.step)
        induction, *carried = op.body.block.args
        for bound in bounds:
            self._inherit(induction, bound, "is bounded by it")
        self._nested(op, op.body, *bounds)
        self._flow(carried, op.iter_args, _yielded(op.body))
        self._flow(op.res, carried)
        for result in op.res:
            for bound in bounds:
                self._inherit(result, bound, "depends on a number of trips, given by it")

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region, op.after_region
        condition = before.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        decider = condition.condition
        self._nested(op, before, decider)
        self._nested(op, after, decider)
        self._flow(before.block.args, op.arguments, _yielded(after))
        self._flow(after.block.args, condition.args)
        self._flow(op.res, condition.args)
        for result in op.res:
            self._inherit(result, decider, "depends on a number of trips, given by it")


def _yielded(region: Region) -> Sequence[SSAValue]:
    terminator = region.block.last_op
    return () if terminator is None else terminator.operands


def _op_of(value: SSAValue) -> Operation:
    if isinstance(value, OpResult):
        return value.op
    assert isinstance(value, BlockArgument)
    owner = value.block.parent_op()
    assert owner is not None
    return owner


def _name(declaration: Declaration) -> str:
    return declaration.entry_name.data if isinstance(declaration, BufferOp) else "scratch"
