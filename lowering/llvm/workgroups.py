"""
A program whose invocations wait for each other within their workgroups: for each workgroup,
one worker runs a little schedule, and launches of that are loops over the invocations.

Values that cross a barrier of the workgroup are in scratch, as values that cross a grid
barrier are; here it lies beside the workgroup's own memory (`workgroup_places.py`).
Invocations that trap are marked there, because others go on until the next grid barrier.
"""

from dataclasses import dataclass
from math import prod

from llvmlite import ir
from typing_extensions import override
from xdsl.dialects import scf
from xdsl.ir import Operation

from vyre.dialects import vyre
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.control import Registers
from vyre.lowering.llvm.folding import FoldingBuilder
from vyre.lowering.llvm.grids import each_workgroup
from vyre.lowering.llvm.hosts import HostCode
from vyre.lowering.llvm.invocations import Three
from vyre.lowering.llvm.local_memory import LocalPlaces, is_worth_inlining
from vyre.lowering.llvm.phase_arguments import declare_phase
from vyre.lowering.llvm.spending import Spending
from vyre.lowering.llvm.trips import Trips
from vyre.lowering.llvm.values import INDEX, Environment
from vyre.lowering.llvm.workgroup_phases import WorkgroupPhases
from vyre.lowering.llvm.workgroup_places import Needs, Places, WorkerPlaces
from vyre.lowering.loops import LONGEST, short_trips, unseen_trips, weight


def emit_workgroups(
    module: ir.Module,
    program: vyre.ProgramOp,
    plan: vyre.WorkgroupsOp,
    functions: WorkgroupPhases,
) -> tuple[ir.Function, int]:
    """
    Add the function of a program to a module; gives it, and how much memory a workgroup
    needs.

    Example: `emit_workgroups(module, program, plan, WorkgroupPhases(module, []))`
    """
    needs = Needs.of(plan, program)
    is_local = is_worth_inlining(plan.schedule, needs)
    segments = {
        name: _Segment(
            functions.of(segment, needs.ended, inlined=is_local), _trips(segment)
        )
        for name, segment in plan.segments.items()
    }
    function, passed = declare_phase(module, program)
    builder = FoldingBuilder(function.append_basic_block("entry"))
    over = function.append_basic_block("over")
    job, worker, memory, *groups, first, end = function.args[:8]
    context = Context(job, worker, memory)
    places = LocalPlaces(builder, needs) if is_local else WorkerPlaces(context, needs)
    spending = Spending(builder, LONGEST >> 2)
    with each_workgroup(builder, first, end, groups) as row:
        places.clear(builder)
        values = Environment()
        _bind_table(values, program, plan, passed, [*row.ids, *groups])
        code = _WorkgroupCode(builder, values, context, places, spending, over)
        code.begin(segments, groups, row.group)
        code.poll_if_due()
        for buffer in plan.memory(program):
            code.bind_memory(buffer)
        code.block(plan.schedule.body.block)
    builder.branch(over)
    builder.position_at_end(over)
    builder.ret_void()
    return function, 0 if is_local else needs.size


def _bind_table(
    values: Environment,
    program: vyre.ProgramOp,
    plan: vyre.WorkgroupsOp,
    passed: Environment,
    numbers: Three,
) -> None:
    """Let the entries of the plan's table be what the function was passed, and ids."""
    for entry, own in zip(plan.passed(program), program.launch_table, strict=True):
        values.bind([entry.results[0]], passed.registers([own.results[0]]))
    for entry, number in zip(plan.ids, numbers, strict=True):
        values.bind([entry.value], [number])


@dataclass(frozen=True)
class _Segment:
    """The function of a segment, and how many trips a launch of it counts as."""

    function: ir.Function
    trips: int


def _trips(segment: vyre.ProgramOp) -> int:
    """
    Trips of little cost of all invocations of a workgroup together. Of loops that may be
    long it is what they may have made since they last looked whether to stop.
    """
    of_each = weight(segment) + short_trips(segment)
    return prod(segment.workgroup) * of_each + unseen_trips(segment)


class _WorkgroupCode(HostCode):
    """
    Emits the schedule of a workgroup. Its loops look whether to stop when they and what
    they launch have made many trips.
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        values: Environment,
        context: Context,
        places: Places,
        spending: Spending,
        over: ir.Block,
    ):
        one = ir.Constant(INDEX, 1)
        sizes = [ir.Constant(INDEX, size) for size in places.needs.workgroup]
        super().__init__(builder, values, context, [one, one, one], sizes, over)
        self._places = places
        self._spending = spending

    @override
    def poll_every(self, trips: int, number: ir.Value) -> None:
        # Branches of a trip may launch nothing.
        self._spending.add(self.builder, ir.Constant(INDEX, 1))
        self.poll_if_due()

    @override
    def made_trips(self, op: Operation, trips: ir.Value) -> None:
        # Those of loops that look by themselves count twice, which does no harm.
        self._spending.add(self.builder, trips)
        self.poll_if_due()

    @override
    def loop(self, op: scf.ForOp, trips: Trips, carried: Registers) -> Registers:
        # A few trips may take long by what they launch.
        return self.trips(op, trips, carried, is_bounded=False)

    def poll_if_due(self) -> None:
        """Look whether to stop if there were many trips since the last look."""
        with self._spending.when_due(self.builder):
            self.poll()

    def begin(self, segments: dict[str, _Segment], groups: Three, group: ir.Value) -> None:
        """Say which segments there are, and which workgroup of the grid it is."""
        self._segments = segments
        end = self.builder.add(group, ir.Constant(INDEX, 1))
        context = self.context
        self._common = [context.job, context.worker, context.memory, *groups, group, end]

    def bind_memory(self, declaration: vyre.BufferOp | vyre.ScratchOp) -> None:
        """Let a buffer be where it is in the memory of a workgroup."""
        address = self._places.address(self.builder, declaration)
        shape = self._places.needs.shape(declaration)
        sizes = [ir.Constant(INDEX, size) for size in shape]
        self.values.bind([declaration.memref], [address, *sizes])

    @override
    def launch(self, op: vyre.LaunchOp) -> None:
        registers = self.values.registers(op.arguments)
        segment = self._segments[op.segment.string_value()]
        self.builder.call(segment.function, [*self._common, *registers])
        self._spending.add(self.builder, ir.Constant(INDEX, segment.trips))

    @override
    def scratch(self, op: vyre.ScratchOp) -> None:
        self.bind_memory(op)

    @override
    def read_back(self, op: vyre.ReadBackOp) -> None:
        self.values.bind([op.value], [self.in_register(op, self.element(op))])
