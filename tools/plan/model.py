"""
The plan of a program: what is launched, in which order, and what it does with each buffer.

A plan is what people want to know of a `vyre.schedule` before it runs. It is a table: a
column for each launch, a row for each buffer and each piece of scratch, and what the launch
does with it where they meet. Loops and branches of the host are groups of columns. A
program that is not split has one column. `plan_table` and `plan_drawing` show a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.buffer_sources import Declaration, buffer_sources, is_workgroup_memory
from vyre.dialects.vyre import (
    BufferOp,
    LaunchOp,
    MegakernelOp,
    ProgramOp,
    ReadBackOp,
    ScheduleOp,
    ScratchOp,
)
from vyre.dialects.vyre.host import programs_in
from vyre.locations import place_of
from vyre.passes.expand_switches import expanded
from vyre.tools.plan.parts import (
    SCOPES,
    Access,
    Column,
    Group,
    GroupKind,
    InTurn,
    Node,
    ReadBack,
    Row,
    Step,
    groups_in,
    steps_in,
)
from vyre.tools.plan.segment_facts import SegmentFacts


@dataclass(frozen=True)
class Plan:
    """
    What is launched, and what it does with each buffer. `body` is the order of the host:
    launches and read-backs, in groups for its loops and branches.

    Example:

    ```python
    plan = Plan.of(vyre.compile("scan.mlir", mode="split").program)
    [column.label for column in plan.columns]
    [str(access) for access in plan.columns[0].accesses]  # ["r", ".", "w", "w"]
    ```
    """

    name: str
    rows: tuple[Row, ...]
    body: tuple[Node, ...]

    @staticmethod
    def of(program: ProgramOp | ScheduleOp) -> Plan:
        """The plan of a schedule, or of a program in one launch."""
        return _Reader(program).plan()

    @property
    def steps(self) -> list[Step]:
        """Launches and read-backs in order."""
        return list(steps_in(self.body))

    @property
    def columns(self) -> list[Column]:
        """Launches in order."""
        return [step for step in self.steps if isinstance(step, Column)]

    @property
    def read_backs(self) -> list[ReadBack]:
        """What the host reads, in order."""
        return [step for step in self.steps if isinstance(step, ReadBack)]

    @property
    def groups(self) -> list[Group]:
        """Loops and branches, outer ones first."""
        return list(groups_in(self.body))

    @property
    def summary(self) -> str:
        """
        The plan in a line.

        Example: `"7 launches; scratch: 24 B per invocation"`
        """
        columns = self.columns
        text = _count(len(columns), "launch", "launches")
        barriers = sum(column.barriers for column in columns)
        if barriers:
            text += f" with {_count(barriers, 'grid barrier', 'grid barriers')} inside"
        sizes = [
            f"{size} B {words}"
            for scope, words in reversed(SCOPES.items())
            if (size := sum(row.bytes for row in self.rows if row.scope is scope))
        ]
        return f"{text}; scratch: {', '.join(sizes)}" if sizes else text


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def plans_in(module: ModuleOp) -> list[Plan]:
    """
    The plans of a module: of its schedules, and of programs that neither these launch nor
    megakernels run.

    Example: `[plan.name for plan in plans_in(vyre.parse("scan.mlir"))]` is `["scan"]`.
    """
    module = expanded(module)
    found = [op for op in module.walk() if isinstance(op, ProgramOp | ScheduleOp)]
    parts: set[ProgramOp | ScheduleOp] = set()
    for op in module.walk():
        if isinstance(op, ScheduleOp):
            parts.update(program for _, program in _launches(op))
        elif isinstance(op, MegakernelOp):
            parts.update(op.programs())
    return [Plan.of(op) for op in found if op not in parts]


def _launches(schedule: ScheduleOp) -> Iterator[tuple[LaunchOp, ProgramOp]]:
    assert schedule.parent is not None
    programs = programs_in(schedule.parent)
    for op in schedule.body.walk():
        if isinstance(op, LaunchOp):
            yield op, programs[op.segment.string_value()]


class _Reader:
    """Makes the plan of a program or schedule."""

    def __init__(self, program: ProgramOp | ScheduleOp):
        self.program = program
        ops = list(program.body.block.ops)
        buffers = [op for op in ops if isinstance(op, BufferOp)]
        declarations: list[Declaration] = [
            *(op for op in buffers if not is_workgroup_memory(op)),
            *(op for op in ops if isinstance(op, ScratchOp)),
        ]
        self.rows = tuple(Row.of(op, n) for n, op in enumerate(declarations))
        self.row_of = {op: row for row, op in enumerate(declarations)}
        self.step = 0
        self.index = 0

    def plan(self) -> Plan:
        program = self.program
        if isinstance(program, ProgramOp):
            body: tuple[Node, ...] = (self._whole(program),)
        else:
            self.sources = buffer_sources(program)
            self.segments = dict(_launches(program))
            self.facts = {
                segment: SegmentFacts.of(segment) for segment in self.segments.values()
            }
            body = self._nodes(program.body.block)
        return Plan(program.sym_name.data, self.rows, body)

    def _whole(self, program: ProgramOp) -> Column:
        facts = SegmentFacts.of(program)
        accesses = [Access()] * len(self.rows)
        for declaration, row in self.row_of.items():
            accesses[row] = facts.accesses.get(declaration, Access())
        return self._column(program, facts, accesses, ())

    def _column(
        self,
        segment: ProgramOp,
        facts: SegmentFacts,
        accesses: Sequence[Access],
        in_turn: Sequence[InTurn],
    ) -> Column:
        column = Column(
            self.step,
            self.index,
            segment.sym_name.data,
            facts.label,
            facts.place,
            tuple(accesses),
            tuple(in_turn),
            facts.barriers,
        )
        self.step += 1
        self.index += 1
        return column

    def _nodes(self, block: Block) -> tuple[Node, ...]:
        return tuple(node for op in block.ops for node in self._node(op))

    def _node(self, op: Operation) -> Iterator[Node]:
        match op:
            case LaunchOp():
                yield self._launch(op)
            case ReadBackOp():
                yield self._read_back(op)
            case scf.ForOp():
                yield from _group(GroupKind.FOR, _for_label(op), self._nodes(op.body.block))
            case scf.WhileOp():
                yield from self._while(op)
            case scf.IfOp():
                yield from self._if(op)
            case _:
                for region in op.regions:
                    for block in region.blocks:
                        yield from self._nodes(block)

    def _while(self, op: scf.WhileOp) -> Iterator[Node]:
        condition = op.before_region.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        test = self._nodes(op.before_region.block)
        body = self._nodes(op.after_region.block)
        if test:
            body = (
                *_group(GroupKind.TEST, "test", test),
                *_group(GroupKind.DO, "do", body),
            )
        yield from _group(GroupKind.WHILE, f"while {_text(condition.condition)}", body)

    def _if(self, op: scf.IfOp) -> Iterator[Node]:
        chosen = _text(op.cond)
        taken = self._nodes(op.true_region.block)
        yield from _group(GroupKind.IF, f"if {chosen}", taken)
        for block in op.false_region.blocks:
            other = self._nodes(block)
            if taken:
                yield from _group(GroupKind.ELSE, "else", other)
            else:
                yield from _group(GroupKind.IF, f"if not {chosen}", other)

    def _launch(self, op: LaunchOp) -> Column:
        segment = self.segments[op]
        facts = self.facts[segment]
        accesses = [Access()] * len(self.rows)
        in_turn: list[InTurn] = []
        for argument, entry in zip(op.arguments, segment.launch_table, strict=True):
            if not isinstance(entry, BufferOp):
                continue
            access = facts.accesses.get(entry, Access())
            rows = self._rows_of(argument)
            if len(rows) > 1 and access:
                in_turn.append(InTurn(argument.name_hint or "", rows, access))
                access = access.taken_in_turn()
            for row in rows:
                accesses[row] |= access
        return self._column(segment, facts, accesses, in_turn)

    def _rows_of(self, memref: SSAValue) -> tuple[int, ...]:
        sources: Sequence[Declaration] = self.sources.get(memref, ())
        if isinstance(memref.owner, BufferOp | ScratchOp):
            sources = (memref.owner,)
        return tuple(self.row_of[source] for source in sources)

    def _read_back(self, op: ReadBackOp) -> ReadBack:
        rows = self._rows_of(op.source)
        access = Access(reads=True, in_turn=len(rows) > 1)
        accesses = [access if row in rows else Access() for row in range(len(self.rows))]
        position = ", ".join(map(str, op.position.get_values()))
        names = " or ".join(self.rows[row].name for row in rows)
        element = f"{names}[{position}]"
        name = op.value.name_hint or ""
        step = self.step
        self.step += 1
        return ReadBack(step, name, element, place_of(op), tuple(accesses))


def _group(kind: GroupKind, label: str, body: tuple[Node, ...]) -> Iterator[Group]:
    """The group, unless there is nothing in it."""
    if body:
        yield Group(kind, label, body)


def _for_label(op: scf.ForOp) -> str:
    label = f"for {_text(op.body.block.args[0])} in {_text(op.lb)} to {_text(op.ub)}"
    step = _text(op.step)
    return label if step == "1" else f"{label} step {step}"


def _text(value: SSAValue) -> str:
    """A value as people would write it in a sentence."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        number = owner.value.value.data
        return str(number) if value.type != i1 else str(bool(number)).lower()
    if value.name_hint:
        return f"%{value.name_hint}"
    return "_"
