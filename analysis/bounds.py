"""
Which accesses are certainly inside their buffers.

An access is proved if every index is at least 0 and below the size of its dimension, for
every invocation of every dispatch. What is known about numbers at a point (see
`vyre.analysis.facts`) comes from what operations compute, and from control flow: inside an
arm of `scf.if` its condition holds or does not, after a branch in which the invocation
ends the condition did not hold, inside a loop the induction variable is between its bounds,
and after the region of `scf.while` that decides its condition holds.

One walk over each program, in the order of execution. Schedules come first, because their
launches tell about the programs that they run.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from typing_extensions import override
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from vyre.analysis.carried import Carried
from vyre.analysis.conditions import Literal, carried_flags, consequences, yielded
from vyre.analysis.extents import Extents, Setting
from vyre.analysis.facts import Facts, Summary, Term, bits
from vyre.analysis.geometry import Geometry
from vyre.analysis.integer_ops import define_result
from vyre.analysis.launches import Launches, Numbers, arguments
from vyre.analysis.purity import PURE_OPS
from vyre.analysis.ranges import NEGATED, Range, full
from vyre.analysis.walking import operations_in, units_in
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    BufferOp,
    LaunchOp,
    LengthOp,
    LoadOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    ReturnOp,
    ScheduleOp,
    ScratchOp,
    StoreOp,
    TrapOp,
    WorkgroupsOp,
    YieldOp,
)
from vyre.dialects.vyre.host import programs_in

Access: TypeAlias = LoadOp | StoreOp | AtomicOp | AtomicCasOp

_NUMBERS = PURE_OPS - {arith.SelectOp}
"""Operations that only compute from their operands, whatever control has come to."""

_PLAIN = frozenset[type[Operation]](
    (BufferOp, ParamOp, ScratchOp, LengthOp, scf.YieldOp, YieldOp)
)
"""The most frequent of those that nothing special is known about."""


def inbounds_accesses(
    module: ModuleOp | WorkgroupsOp, setting: Setting, launches: Launches
) -> list[Access]:
    """
    The accesses of all programs that never go outside their buffers, in program order.
    Launches are those of the module's schedules.

    Example: `inbounds_accesses(module, Setting(), launches_of(module, Setting()))`
    """
    proved: list[Access] = []
    for program in units_in(module, ProgramOp):
        proved += _Walk(program, setting, launches).run()
    return proved


def number_ranges(
    program: ProgramOp, setting: Setting, *, traps_end: bool = True
) -> dict[SSAValue, Range]:
    """
    What the integers of a program may be, as signed numbers, where they are defined. Unless
    `traps_end`, they are those of invocations that go on after a trap, too.

    Example: `number_ranges(program, Setting())[index]` is `Range(0, 2**40 - 1)` for an id.
    """
    walk = _RangeWalk(program, setting, traps_end)
    walk.run()
    return walk.ranges


def launches_of(module: ModuleOp | WorkgroupsOp, setting: Setting) -> Launches:
    """
    What the schedules of a module tell about the programs that they launch.

    Example: `launches_of(module, Setting(grid=(4, 1, 1))).setting(program)`
    """
    launches = Launches()
    for schedule in units_in(module, ScheduleOp):
        _Walk(schedule, setting, launches).run()
    return launches


class _Walk:
    """One walk over a program or schedule."""

    def __init__(
        self, program: ProgramOp | ScheduleOp, setting: Setting, launches: Launches
    ):
        self._program = program
        self._launches = launches
        self._facts = Facts()
        self._flags = carried_flags(program)
        self._proved: list[Access] = []
        self._programs = _launchable(program)
        self._numbers = {p: Numbers.of(p) for p in self._programs.values()}
        self._geometry = Geometry(self._workgroup(), setting.grid, setting.most_invocations)
        self._geometry.declare(self._facts)
        is_program = isinstance(program, ProgramOp)
        launched = launches.sizes(program) if is_program else {}
        self._extents = Extents(program, self._facts, setting.sizes, launched)
        if isinstance(program, ProgramOp) and launches.knows(program):
            launches.define_params(program, self._facts)
        else:
            self._define_params(setting.params)
        self._carried = Carried(self._facts, self._flags, self._leaf)

    def _define_params(self, ranges: Mapping[str, Range]) -> None:
        for entry in self._program.table:
            if isinstance(entry, ParamOp) and entry.entry_name.data in ranges:
                self._facts.define(entry.value, ranges[entry.entry_name.data])

    def _workgroup(self) -> tuple[int, ...]:
        """All programs that a schedule launches have workgroups of one size."""
        if isinstance(self._program, ProgramOp):
            return self._program.workgroup
        for op in operations_in(self._program.body):
            if isinstance(op, LaunchOp):
                return self._programs[op.segment.string_value()].workgroup
        return (1, 1, 1)

    def run(self) -> list[Access]:
        self._block(self._program.body.block)
        return self._proved

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Operation) -> None:
        if type(op) in _NUMBERS:
            self._result(op)
        elif type(op) in _PLAIN:
            self._other(op)
        else:
            self._by_kind(op)

    def _by_kind(self, op: Operation) -> None:
        match op:
            case LoadOp() | StoreOp() | AtomicOp() | AtomicCasOp():
                self._access(op)
            case scf.IfOp():
                self._if(op)
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case RegionOp():
                self._block(op.body.block)
                for result, value in zip(op.outputs, yielded(op.body), strict=True):
                    if bits(result.type) is not None:
                        self._facts.equate(result, self._facts.term(value))
            case arith.SelectOp():
                self._select(op)
            case LaunchOp():
                program = self._programs[op.segment.string_value()]
                numbers = self._numbers[program]
                given = arguments(op, numbers, self._facts, self._extents)
                self._launches.add(program, given)
            case _:
                self._other(op)

    def _other(self, op: Operation) -> None:
        self._leaf(op)
        self._result(op)
        # Of an operation that is not known here, any region may run, with any arguments.
        for region in op.regions:
            for block in region.blocks:
                with self._facts.scope():
                    for argument in block.args:
                        self._unknown(argument)
                    self._block(block)

    def _result(self, op: Operation) -> None:
        """Define what an operation computes from its operands."""
        if not define_result(op, self._facts):
            for result in op.results:
                self._unknown(result)

    def _leaf(self, op: Operation) -> None:
        """Define what an operation gives that depends on nothing computed before."""
        if isinstance(op, LengthOp):
            size = self._extents.size(op.buffer, op.dim.value.data)
            self._facts.equate(op.length, size)
            return
        number = self._geometry.term(op)
        if number is not None:
            self._facts.equate(op.results[0], number)

    def _unknown(self, value: SSAValue) -> None:
        """Define a value that may be anything, unless something is known already."""
        width = bits(value.type)
        if width is not None and not self._facts.is_defined(value):
            self._facts.define(value, full(width))

    def _access(self, op: Access) -> None:
        if all(self._is_inside(op.buffer, at, i) for at, i in enumerate(op.indices)):
            self._proved.append(op)
        for result in op.results:
            self._unknown(result)

    def _is_inside(self, buffer: SSAValue, dim: int, index: SSAValue) -> bool:
        """Whether an index is at least zero and below the size of its dimension."""
        term = self._facts.term(index)
        if self._facts.range(term).lo < 0:
            return False
        if self._facts.excess(term, self._extents.size(buffer, dim)) < 0:
            return True
        possible = self._extents.possible_sizes(buffer, dim)
        return bool(possible) and all(self._facts.excess(term, s) < 0 for s in possible)

    def _assume(self, condition: SSAValue, *, holds: bool) -> None:
        """Learn all that follows from a condition."""
        found = [
            (op, holds)
            for value, holds in consequences(Literal(condition, holds), self._flags)
            if isinstance(op := value.owner, arith.CmpiOp) and bits(op.lhs.type) is not None
        ]
        # One comparison may need what another one says about its bound: so twice.
        for op, op_holds in found * 2:
            predicate = op.predicate.value.data
            self._facts.compare(
                predicate if op_holds else NEGATED[predicate],
                self._facts.term(op.lhs),
                self._facts.term(op.rhs),
            )

    def _summaries(self, values: Sequence[SSAValue]) -> list[Summary | None]:
        """What is known about numbers that are passed on; None for other values."""
        return [
            None
            if bits(value.type) is None
            else self._facts.summary(self._facts.term(value))
            for value in values
        ]

    def _ranges(self, values: Sequence[SSAValue]) -> list[Range | None]:
        return [summary and summary.range for summary in self._summaries(values)]

    def _assign(
        self, results: Sequence[SSAValue], summaries: Sequence[Summary | None]
    ) -> None:
        for result, summary in zip(results, summaries, strict=True):
            if summary is not None:
                self._facts.assign(result, summary)

    def _select(self, op: arith.SelectOp) -> None:
        if bits(op.result.type) is None:
            return
        found: list[Summary] = []
        for value, holds in ((op.lhs, True), (op.rhs, False)):
            with self._facts.scope():
                self._assume(op.cond, holds=holds)
                found.append(self._facts.summary(self._facts.term(value)))
        self._facts.assign(op.result, self._facts.joined(*found))

    def _if(self, op: scf.IfOp) -> None:
        found: list[list[Summary | None]] = []
        for region, holds in ((op.true_region, True), (op.false_region, False)):
            if region.blocks.first is not None:
                with self._facts.scope():
                    self._assume(op.cond, holds=holds)
                    self._block(region.block)
                    if not self._ends(region):
                        found.append(self._summaries(yielded(region)))
        for region, holds in ((op.true_region, True), (op.false_region, False)):
            if self._ends(region):
                # Whoever goes on from here took the other way.
                self._assume(op.cond, holds=not holds)
        if len(found) == 1:
            self._assign(op.output, found[0])
        elif found:
            self._assign(
                op.output,
                [a and b and self._facts.joined(a, b) for a, b in zip(*found, strict=True)],
            )

    def _ends(self, region: Region) -> bool:
        """Whether an invocation that enters the region never leaves it."""
        return _ends(region)

    def _for(self, op: scf.ForOp) -> None:
        starts = self._ranges(op.iter_args)
        induction, *carried = op.body.block.args
        with self._facts.scope():
            self._enter(induction, *map(self._facts.term, (op.lb, op.ub, op.step)))
            found = self._carried.by_for(op, starts)
            for argument, range in found.items():
                self._facts.define(argument, range)
            self._block(op.body.block)
        for result, argument in zip(op.res, carried, strict=True):
            if argument in found:
                self._facts.define(result, found[argument])

    def _enter(self, induction: SSAValue, start: Term, end: Term, step: Term) -> None:
        """A trip is made only if start < end and step > 0, and counts without overflow."""
        self._facts.limit(start, end, 1)
        self._facts.narrow(step, lo=1)
        first, steps = self._facts.range(start), self._facts.range(step)
        last = max(first.lo, self._facts.range(end).hi - 1)
        if first.lo == first.hi and 1 <= steps.lo == steps.hi:
            last -= (last - first.lo) % steps.lo  # the last one that a step leads to
        self._facts.define(induction, Range(first.lo, last))
        self._facts.limit(Term(induction), end, 1)
        self._facts.limit(start, Term(induction))

    def _while(self, op: scf.WhileOp) -> None:
        starts = self._ranges(op.arguments)
        before, after = op.before_region.block, op.after_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        with self._facts.scope():
            for argument, range in self._carried.by_while(op, starts).items():
                self._facts.define(argument, range)
            self._block(before)
            with self._facts.scope():
                self._assume(condition.condition, holds=True)
                for argument, value in zip(after.args, condition.args, strict=True):
                    if bits(argument.type) is not None:
                        self._facts.equate(argument, self._facts.term(value))
                self._block(after)
            self._assume(condition.condition, holds=False)
            found = self._summaries(condition.args)
        self._assign(op.res, found)


class _RangeWalk(_Walk):
    """A walk that notes the range of each integer on its way."""

    def __init__(self, program: ProgramOp, setting: Setting, traps_end: bool):
        self.ranges: dict[SSAValue, Range] = {}
        self._traps_end = traps_end
        super().__init__(program, setting, Launches())

    @override
    def _ends(self, region: Region) -> bool:
        return super()._ends(region) and (
            self._traps_end
            or not any(isinstance(op, TrapOp) for op in operations_in(region))
        )

    @override
    def _block(self, block: Block) -> None:
        self._note(block.args)
        super()._block(block)

    @override
    def _op(self, op: Operation) -> None:
        super()._op(op)
        self._note(op.results)

    def _note(self, values: Sequence[SSAValue]) -> None:
        for value in values:
            if bits(value.type) is not None:
                self.ranges[value] = self._facts.range_of(value)


def _launchable(program: ProgramOp | ScheduleOp) -> dict[str, ProgramOp]:
    """The programs beside a schedule, by name."""
    if isinstance(program, ProgramOp) or program.parent is None:
        return {}
    return programs_in(program.parent)


def _ends(region: Region) -> bool:
    """Whether an invocation that enters the region never leaves it."""
    block = region.blocks.first
    last = None if block is None else block.last_op
    if isinstance(last, scf.YieldOp | YieldOp):
        last = last.prev_op
    match last:
        case ReturnOp() | TrapOp():
            return True
        case RegionOp():
            return _ends(last.body)
        case scf.IfOp():
            return _ends(last.true_region) and _ends(last.false_region)
        case _:
            return False
