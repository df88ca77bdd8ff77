"""
`vyre-split-grid-sync`: a program becomes launches of smaller programs.

Before:

```mlir
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %n = vyre.param "n" : index
  ...
  scf.for %k = %zero to %n step %one {
    vyre.store %x, %a[%k] : memref<?xf32>
    vyre.barrier grid_sync
    ...
  }
}
```

After:

```mlir
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %n = vyre.param "n" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %k = %zero to %n step %one {
    vyre.launch @p.0(%a, %k)
    vyre.launch @p.1(%a)
  }
}
vyre.program @p.0 [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %k = vyre.param "k" : index
  ...
  vyre.store %x, %a[%k] : memref<?xf32>
}
vyre.program @p.1 [64, 1, 1] { ... }
```

Why the meaning stays. The schedule takes the way through the spine (see
`vyre.analysis.spine`) that every invocation of the program takes: its conditions and bounds
are grid-uniform, and the host has them. On that way it launches the program's runs in
order. All invocations of a launch end before the next one starts, so the end of a launch
orders memory as a grid barrier does; where two runs follow each other without a barrier,
there is one more, where all invocations come. Every invocation of a launch has the ids and
sizes that it has in the program, because all launches have the same grid. What a run uses
from elsewhere the host passes: buffers and scratch in place, and values that are the same
in all invocations. Programs in which something else crosses, or workgroup memory survives
from run to run, are refused; `vyre-propagate-lets` takes care of these.

A run without effects is not launched.

The schedule has the attributes of the program, and each segment those that are about code:
all but `sym_visibility` and its like, which belong to the name.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from vyre.analysis.buffer_sources import buffer_sources, is_workgroup_memory
from vyre.analysis.host_values import (
    HostValues,
    Way,
)
from vyre.analysis.positions import Position, Role
from vyre.analysis.recomputation import Writers
from vyre.analysis.spine import TABLE_OPS, Holder, Run, Spine, needs_cut
from vyre.analysis.uniformity import uniformity
from vyre.analysis.walking import operations_in, units_in
from vyre.analysis.workgroup_liveness import (
    lasting_workgroup_buffers,
    surviving_workgroup_memory,
)
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import (
    BufferOp,
    LaunchOp,
    LoadOp,
    ProgramOp,
    ReadBackOp,
    ScheduleOp,
)
from vyre.passes.dead_code import remove_dead_code
from vyre.passes.expand_switches import expand_switches
from vyre.passes.same_grids import same_grids
from vyre.passes.segments import Segment, Sources, Table


@dataclass(frozen=True)
class SplitGridSyncPass(ModulePass):
    """Cuts programs at their grid barriers into a schedule and segments."""

    name = "vyre-split-grid-sync"

    @same_grids
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        launches = _launches(units_in(op, ScheduleOp))
        for program in units_in(op, ProgramOp):
            if needs_cut(program):
                name = program.sym_name.data
                try:
                    _refuse_launched(program, launches.get((program.parent, name)))
                    _Split(program).run()
                except Refusal as refusal:
                    raise invalid(program, refusal) from None


def _launches(schedules: list[ScheduleOp]) -> dict[tuple[Block | None, str], LaunchOp]:
    """A launch of each program that has one, by where the program stands and its name."""
    return {
        (schedule.parent, launch.segment.string_value()): launch
        for schedule in schedules
        for launch in operations_in(schedule.body)
        if isinstance(launch, LaunchOp)
    }


def _refuse_launched(program: ProgramOp, launch: LaunchOp | None) -> None:
    if launch is not None:
        raise Refusal(
            "a schedule launches this program, so no schedule can take its place",
            fix="launch the parts between its grid barriers as programs of their own",
            at=program,
            notes=[Note(launch, "launched here")],
        )


class _Split:
    def __init__(self, program: ProgramOp):
        self.program = program
        self.spine = Spine.of(program)
        sources = buffer_sources(program)
        self.host = HostValues(self.spine, Writers(self.spine, sources))
        self._refuse_surviving_workgroup_memory(sources)
        self._need_what_runs_use()
        self.table = Table(program, sources)
        self.segments: list[Segment] = []
        self.values: dict[SSAValue, SSAValue] = {}
        """What the host has for values of the program."""

    def run(self) -> None:
        block = Block()
        build = Builder(InsertPoint.at_end(block))
        for op in self.program.body.block.ops:
            if isinstance(op, TABLE_OPS) and not _is_of_workgroups(op):
                self.values[op.results[0]] = build.insert(op.clone()).results[0]
        self._block(self.program.body.block, build)
        # What is left of the program would keep values of the segments in use.
        self.program.body.drop_all_references()
        programs = self._finish_segments()
        remove_dead_code(block)
        schedule = ScheduleOp(self.program.sym_name.data, Region(block))
        schedule.location = self.program.location
        schedule.attributes.update(self.program.attributes)
        Rewriter.insert_op([schedule, *programs], InsertPoint.before(self.program))
        Rewriter.erase_op(self.program, safe_erase=False)

    def _finish_segments(self) -> list[ProgramOp]:
        programs: list[ProgramOp] = []
        names = self._free_names()
        for segment in self.segments:
            if segment.has_effect():
                programs.append(segment.finish(next(names), self.program, self.table))
        return programs

    def _free_names(self) -> Iterator[str]:
        """Names for segments: the program's with a number, unless they are taken."""
        assert self.program.parent is not None
        others = (op.get_attr_or_prop("sym_name") for op in self.program.parent.ops)
        taken = {other.data for other in others if isinstance(other, StringAttr)}
        names = (f"{self.program.sym_name.data}.{number}" for number in count())
        return (name for name in names if name not in taken)

    # What cannot be split

    def _need_what_runs_use(self) -> None:
        """Have the host have whatever crosses; refuse what it cannot have."""
        for run in self.spine.runs:
            for _, _, operand in self.spine.outer_operands(run):
                if not self.host.has(operand):
                    self.host.need(operand)
        for value, way in self.host.ways.items():
            if way is Way.FETCHES:
                raise Refusal(
                    "this value is used across a cut, and the host cannot compute it",
                    fix="run vyre-propagate-lets first",
                    at=value,
                    notes=[Note(use.operation, "used here") for use in value.uses][:1],
                )

    def _refuse_surviving_workgroup_memory(self, sources: Sources) -> None:
        if not lasting_workgroup_buffers(self.spine, sources):
            return
        facts = uniformity(self.program)
        survival = surviving_workgroup_memory(self.spine, sources, facts)
        for buffers, run in zip(survival.restores, self.spine.runs):
            for buffer in buffers:
                raise Refusal(
                    f'workgroup buffer "{buffer.entry_name.data}" is used across a cut',
                    fix="run vyre-propagate-lets first",
                    at=buffer,
                    notes=[Note(run.ops[0], "what an earlier phase wrote is read here")],
                )

    # The host's code

    def _value(self, value: SSAValue) -> SSAValue:
        """What the host has for a value."""
        return self.values[self.host.source(value)]

    def _block(self, block: Block, build: Builder) -> None:
        for run in self.spine.blocks[block]:
            if run.ops:
                launch = build.insert(LaunchOp("", []))
                launch.location = run.ops[0].location
                segment = Segment(run, launch)
                self._compute(run, build)
                segment.fill(self.spine, self.table, self.host.source, self._value)
                self.segments.append(segment)
            holder = run.end
            if holder is not None and self.spine.before.get(holder) is run:
                self._holder(holder, build)

    def _compute(self, run: Run, build: Builder) -> None:
        """What the host computes or reads itself of what a run computes."""
        for op in run.unconditional():
            ways = {self.host.ways.get(result) for result in op.results}
            if Way.READS in ways:
                assert isinstance(op, LoadOp)
                position = self.host.literal_position(op)
                assert position is not None
                new = build.insert(ReadBackOp(self._value(op.buffer), position))
            elif Way.COMPUTES in ways:
                new = build.insert(
                    type(op).create(
                        operands=[self._value(operand) for operand in op.operands],
                        result_types=op.result_types,
                        properties=op.properties,
                        attributes=op.attributes,
                    )
                )
            else:
                continue
            new.location = op.location
            for old, result in zip(op.results, new.results):
                result.name_hint = old.name_hint
                self.values[old] = result

    def _holder(self, op: Operation, build: Builder) -> None:
        match op:
            case scf.ForOp():
                self._for(op, build)
            case scf.WhileOp():
                self._while(op, build)
            case scf.IfOp():
                self._if(op, build)
            case _:
                return  # A terminator: whoever builds the block adds it.

    def _positions(self, holder: Holder, passed: bool = False) -> list[Position]:
        """The positions of a holder that are the host's."""
        return [
            position
            for position in self.host.positions_of[holder]
            if position in self.host.positions and (position.role is Role.PASSED) == passed
        ]

    def _enter(self, block: Block, positions: list[Position], which: int) -> None:
        """Give a block an argument for each position, which values of it then are."""
        for position in positions:
            argument = block.insert_arg(position.type, len(block.args))
            self._name(argument, position.values[which])

    def _name(self, new: SSAValue, old: SSAValue) -> None:
        new.name_hint = old.name_hint
        self.values[old] = new

    def _inputs(self, positions: list[Position], which: int) -> list[SSAValue]:
        return [self._value(position.inputs[which]) for position in positions]

    def _for(self, op: scf.ForOp, build: Builder) -> None:
        positions = self._positions(op)
        body = Block(arg_types=[op.lb.type])
        self._name(body.args[0], op.body.block.args[0])
        self._enter(body, positions, 0)
        bounds = [self._value(bound) for bound in (op.lb, op.ub, op.step)]
        starts = self._inputs(positions, 0)
        self._block(op.body.block, Builder(InsertPoint.at_end(body)))
        body.add_op(scf.YieldOp(*self._inputs(positions, 1)))
        loop = scf.ForOp(bounds[0], bounds[1], bounds[2], starts, body)
        self._insert(loop, op, build)
        for position, result in zip(positions, loop.res, strict=True):
            self._name(result, position.values[1])

    def _while(self, op: scf.WhileOp, build: Builder) -> None:
        carried, passed = self._positions(op), self._positions(op, passed=True)
        before, after = Block(), Block()
        self._enter(before, carried, 0)
        starts = self._inputs(carried, 0)
        condition = op.before_region.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        self._block(op.before_region.block, Builder(InsertPoint.at_end(before)))
        go_on = self._value(condition.condition)
        before.add_op(scf.ConditionOp(go_on, *self._inputs(passed, 0)))
        self._enter(after, passed, 0)
        self._block(op.after_region.block, Builder(InsertPoint.at_end(after)))
        after.add_op(scf.YieldOp(*self._inputs(carried, 1)))
        types = [position.type for position in passed]
        loop = scf.WhileOp(starts, types, [before], [after])
        self._insert(loop, op, build)
        for position, result in zip(passed, loop.res, strict=True):
            self._name(result, position.values[1])

    def _if(self, op: scf.IfOp, build: Builder) -> None:
        positions = self._positions(op)
        arms: list[Region] = []
        for which, region in enumerate(op.regions):
            if not region.blocks:
                arms.append(Region())
                continue
            arm = Block()
            self._block(region.block, Builder(InsertPoint.at_end(arm)))
            arm.add_op(scf.YieldOp(*self._inputs(positions, which)))
            arms.append(Region(arm))
        types = [position.type for position in positions]
        branch = scf.IfOp(self._value(op.cond), types, arms[0], arms[1])
        self._insert(branch, op, build)
        for position, result in zip(positions, branch.output, strict=True):
            self._name(result, position.values[0])

    def _insert(self, new: Operation, old: Operation, build: Builder) -> None:
        new.location = old.location
        build.insert(new)


def _is_of_workgroups(op: Operation) -> bool:
    return isinstance(op, BufferOp) and is_workgroup_memory(op)
