"""
Which values and which control flow are the same in every invocation.

A value is *grid-uniform* if all invocations that compute it compute the same: constants,
parameters, sizes, pure operations and results of uniform control over these, and loads at
a uniform index from a buffer that nothing writes in the same phase. It is
*workgroup-uniform* if that holds within each workgroup: the same, plus `workgroup_id`, and
loads from workgroup memory that nothing writes between the same workgroup barriers.
Everything else, and every result of a loop whose number of trips diverges, is divergent.

Each value has a level, the smaller the more uniform. A value's level is the largest among
what it is computed from; loops are iterated until nothing changes, which the three levels
bound. For every value that is not grid-uniform the analysis remembers why, so that a
diagnostic can name the origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from vyre.analysis.buffer_sources import Declaration, buffer_sources
from vyre.analysis.phases import (
    grid_phases,
    workgroup_phases,
    writers_by_phase,
)
from vyre.analysis.purity import is_pure
from vyre.dialects.vyre import (
    AssignOp,
    BufferOp,
    GetOp,
    InvocationIdOp,
    LetOp,
    LoadOp,
    LocalIdOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    SubgroupLocalIdOp,
    WorkgroupIdOp,
)
from vyre.dialects.vyre.attributes import Access


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


class _Analysis:
    def __init__(self, program: ProgramOp):
        self.program = program
        self.facts = Uniformity()
        self.changed = True
        self.sources = buffer_sources(program)
        self.grid_phases = grid_phases(program)
        self.local_phases = workgroup_phases(program)
        self.grid_writers = writers_by_phase(program, self.grid_phases, self.sources)
        self.local_writers = writers_by_phase(program, self.local_phases, self.sources)

    def run(self) -> Uniformity:
        while self.changed:
            self.changed = False
            self._block(self.program.body.block, Level.GRID, None)
        return self.facts

    def _raise(self, value: SSAValue, level: Level, reason: Reason) -> None:
        if level > self.facts.level(value):
            self.facts.levels[value] = level
            self.facts.reasons[value] = reason
            self.changed = True

    def _flow(self, targets: Iterable[SSAValue], *sources: Iterable[SSAValue]) -> None:
        """Each target is at most as uniform as the sources at its position."""
        for target, *origins in zip(targets, *sources, strict=True):
            for origin in origins:
                self._inherit(target, origin, "gets its value from")

    def _inherit(self, target: SSAValue, origin: SSAValue, how: str) -> None:
        level = self.facts.level(origin)
        self._raise(target, level, Reason(f"{how} it", _op_of(target), because=origin))

    def _block(self, block: Block, control: Level, value: SSAValue | None) -> None:
        if control > self.facts.controls.get(block, Level.GRID):
            self.facts.controls[block] = control
            self.changed = True
            if value is not None:
                self.facts.control_values[block] = value
            else:
                self.facts.control_values.pop(block, None)
        for op in block.ops:
            self._op(op, control, value)

    def _nested(
        self,
        region: Region,
        control: Level,
        value: SSAValue | None,
        deciders: Sequence[SSAValue],
    ) -> None:
        """The blocks of a region that is entered depending on `deciders`."""
        for decider in deciders:
            if self.facts.level(decider) > control:
                control, value = self.facts.level(decider), decider
        for block in region.blocks:
            self._block(block, control, value)

    def _op(self, op: Operation, control: Level, value: SSAValue | None) -> None:
        match op:
            case InvocationIdOp() | LocalIdOp() | SubgroupLocalIdOp():
                self._diverge(op, Level.INVOCATION, "differs between invocations")
            case WorkgroupIdOp():
                self._diverge(op, Level.WORKGROUP, "differs between workgroups")
            case LoadOp():
                self._load(op)
            case LetOp() | AssignOp() | GetOp():
                self._cell(op, control, value)
            case scf.IfOp():
                self._if(op, control, value)
            case scf.ForOp():
                self._for(op, control, value)
            case scf.WhileOp():
                self._while(op, control, value)
            case RegionOp():
                self._nested(op.body, control, value, ())
                self._flow(op.outputs, _yielded(op.body))
            case BufferOp() | ParamOp():
                pass
            case _:
                self._other(op)

    def _other(self, op: Operation) -> None:
        if is_pure(op):
            for result in op.results:
                for operand in op.operands:
                    self._inherit(result, operand, "is computed from")
            return
        self._diverge(op, Level.INVOCATION, f"is what '{op.name}' gives each invocation")
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    reason = Reason(f"is passed by '{op.name}'", op)
                    self._raise(argument, Level.INVOCATION, reason)
                self._block(block, Level.INVOCATION, None)

    def _cell(
        self, op: LetOp | AssignOp | GetOp, control: Level, value: SSAValue | None
    ) -> None:
        """A variable is as uniform as everything that is ever assigned to it."""
        match op:
            case LetOp():
                self._inherit(op.cell, op.initial, "starts with")
            case AssignOp():
                self._inherit(op.cell, op.value, "is assigned")
                reason = Reason("is assigned in divergent control", op, because=value)
                self._raise(op.cell, control, reason)
            case GetOp():
                self._inherit(op.value, op.cell, "reads")

    def _diverge(self, op: Operation, level: Level, text: str) -> None:
        for result in op.results:
            self._raise(result, level, Reason(text, op))

    def _load(self, op: LoadOp) -> None:
        for index in op.indices:
            self._inherit(op.value, index, "is loaded at")
        for declaration in self.sources.get(op.buffer, ()):
            name = _name(declaration)
            if _is_workgroup_memory(declaration):
                text = f'is loaded from the workgroup buffer "{name}"'
                self._raise(op.value, Level.WORKGROUP, Reason(text, op))
                writer = self.local_writers.writer(self.local_phases.of[op], declaration)
            else:
                writer = self.grid_writers.writer(self.grid_phases.of[op], declaration)
            if writer is not None:
                text = f'is loaded from "{name}", which its phase also writes'
                self._raise(op.value, Level.INVOCATION, Reason(text, op, also=writer))

    def _if(self, op: scf.IfOp, control: Level, value: SSAValue | None) -> None:
        for region in op.regions:
            self._nested(region, control, value, (op.cond,))
            if region.blocks.first is not None:
                self._flow(op.output, _yielded(region))
        for result in op.output:
            self._inherit(result, op.cond, "is chosen by")

    def _for(self, op: scf.ForOp, control: Level, value: SSAValue | None) -> None:
        bounds = (op.lb, op.ub, op.step)
        induction, *carried = op.body.block.args
        for bound in bounds:
            self._inherit(induction, bound, "is bounded by")
        self._nested(op.body, control, value, bounds)
        self._flow(carried, op.iter_args, _yielded(op.body))
        self._flow(op.res, carried)
        for result in op.res:
            for bound in bounds:
                self._inherit(result, bound, "depends on a number of trips, given by")

    def _while(self, op: scf.WhileOp, control: Level, value: SSAValue | None) -> None:
        before, after = op.before_region, op.after_region
        condition = before.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        decider = condition.condition
        self._nested(before, control, value, (decider,))
        self._nested(after, control, value, (decider,))
        self._flow(before.block.args, op.arguments, _yielded(after))
        self._flow(after.block.args, condition.args)
        self._flow(op.res, condition.args)
        for result in op.res:
            self._inherit(result, decider, "depends on a number of trips, given by")


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


def _is_workgroup_memory(declaration: Declaration) -> bool:
    return isinstance(declaration, BufferOp) and declaration.access.data is Access.WORKGROUP
