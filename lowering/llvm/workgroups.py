"""
A program whose invocations wait for each other within their workgroups: for each workgroup,
one worker runs a little schedule, and launches of that are loops over the invocations.

Values that cross a barrier of the workgroup are in scratch, as values that cross a grid
barrier are; here it lies in the worker's memory, beside the workgroup's own. Invocations
that trap are marked there, because others go on until the next grid barrier.
"""

from math import prod

from llvmlite import ir
from typing_extensions import override

from vyre.analysis.walking import operations_of
from vyre.analysis.workgroup_liveness import read_at_start
from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.folding import FoldingBuilder
from vyre.lowering.llvm.grids import each_workgroup
from vyre.lowering.llvm.hosts import HostCode
from vyre.lowering.llvm.invocations import Three
from vyre.lowering.llvm.phase_arguments import declare_phase
from vyre.lowering.llvm.values import INDEX, Environment
from vyre.lowering.llvm.workgroup_memory import clear, room_for
from vyre.lowering.llvm.workgroup_phases import WorkgroupPhases
from vyre.passes.workgroup_plan import WorkgroupPlan


def emit_workgroups(
    module: ir.Module,
    program: vyre.ProgramOp,
    plan: WorkgroupPlan,
    functions: WorkgroupPhases,
) -> tuple[ir.Function, int]:
    """
    Add the function of a program to a module; gives it, and how much memory a workgroup
    needs.

    Example: `emit_workgroups(module, program, plan, WorkgroupPhases(module, []))`
    """
    offsets, size = _memory(plan, program)
    zeros = _zeros(plan, program, offsets)
    ended = None
    if any(isinstance(op, vyre.TrapOp) for op in operations_of(plan.module)):
        ended = size
        size += prod(program.workgroup)
        zeros.append((ended, size))
    phases = {name: functions.of(segment, ended) for name, segment in plan.segments.items()}
    function, passed = declare_phase(module, program)
    builder = FoldingBuilder(function.append_basic_block("entry"))
    over = function.append_basic_block("over")
    job, worker, memory, *groups, first, end = function.args[:8]
    context = Context(job, worker, memory)
    with each_workgroup(builder, first, end, groups) as row:
        group = row.group
        for begin, end_of_part in zeros:
            part = context.workgroup_memory(builder, begin)
            clear(builder, part, end_of_part - begin)
        values = Environment()
        _bind_table(values, program, plan, passed, [*row.ids, *groups])
        code = _WorkgroupCode(builder, values, context, program, over)
        code.begin(phases, offsets, groups, group)
        for buffer in plan.memory:
            code.bind_memory(buffer)
        code.block(plan.schedule.body.block)
    builder.branch(over)
    builder.position_at_end(over)
    builder.ret_void()
    return function, size


def _memory(
    plan: WorkgroupPlan, program: vyre.ProgramOp
) -> tuple[dict[vyre.BufferOp | vyre.ScratchOp, int], int]:
    """Where buffers and scratch are in the memory of a workgroup, and its size."""
    offsets: dict[vyre.BufferOp | vyre.ScratchOp, int] = {}
    end = 0
    scratch = [op for op in operations_of(plan.schedule) if isinstance(op, vyre.ScratchOp)]
    for declaration in (*plan.memory, *scratch):
        offsets[declaration] = end
        end += room_for(declaration.memref, _shape(declaration, program))
    return offsets, end


def _zeros(
    plan: WorkgroupPlan,
    program: vyre.ProgramOp,
    offsets: dict[vyre.BufferOp | vyre.ScratchOp, int],
) -> list[tuple[int, int]]:
    """
    Which parts of the memory must be zeros at the start, from where to where. The others
    are written before they are read: buffers that the program fills first, and what is kept
    for each invocation, which is values that come before their uses.
    """
    own = {op.entry_name.data: op for op in program.table if isinstance(op, vyre.BufferOp)}
    read = read_at_start(program)
    parts: list[tuple[int, int]] = []
    for declaration, offset in offsets.items():
        if isinstance(declaration, vyre.BufferOp):
            origin = own.get(declaration.entry_name.data)
            is_filled = origin is not None and origin not in read
        else:
            is_filled = declaration.scope.data is ScratchScope.PER_INVOCATION
        if not is_filled:
            end = offset + room_for(declaration.memref, _shape(declaration, program))
            begin = parts.pop()[0] if parts and parts[-1][1] == offset else offset
            parts.append((begin, end))
    return parts


def _shape(
    declaration: vyre.BufferOp | vyre.ScratchOp, program: vyre.ProgramOp
) -> list[int]:
    x, y, z = program.workgroup
    shape = list(declaration.memref.type.get_shape())
    if isinstance(declaration, vyre.ScratchOp):
        match declaration.scope.data:
            case ScratchScope.PER_INVOCATION:
                shape[0] = x * y * z
            case ScratchScope.PER_WORKGROUP:
                shape[0] = 1
            case ScratchScope.SINGLE:
                pass
    return shape


def _bind_table(
    values: Environment,
    program: vyre.ProgramOp,
    plan: WorkgroupPlan,
    passed: Environment,
    numbers: Three,
) -> None:
    """Let the entries of the plan's table be what the function was passed, and ids."""
    for entry, own in zip(plan.passed, program.launch_table, strict=True):
        values.bind([entry.results[0]], passed.registers([own.results[0]]))
    for entry, number in zip(plan.ids, numbers, strict=True):
        values.bind([entry.value], [number])


class _WorkgroupCode(HostCode):
    """Emits the schedule of a workgroup."""

    def __init__(
        self,
        builder: ir.IRBuilder,
        values: Environment,
        context: Context,
        program: vyre.ProgramOp,
        over: ir.Block,
    ):
        one = ir.Constant(INDEX, 1)
        sizes = [ir.Constant(INDEX, size) for size in program.workgroup]
        super().__init__(builder, values, context, [one, one, one], sizes, over)
        self._program = program

    def begin(
        self,
        phases: dict[str, ir.Function],
        offsets: dict[vyre.BufferOp | vyre.ScratchOp, int],
        groups: Three,
        group: ir.Value,
    ) -> None:
        """Say which functions there are, and which workgroup of the grid it is."""
        self._phases = phases
        self._offsets = offsets
        end = self.builder.add(group, ir.Constant(INDEX, 1))
        context = self.context
        self._common = [context.job, context.worker, context.memory, *groups, group, end]

    def bind_memory(self, declaration: vyre.BufferOp | vyre.ScratchOp) -> None:
        """Let a buffer be in the worker's memory."""
        offset = self._offsets[declaration]
        address = self.context.workgroup_memory(self.builder, offset)
        shape = _shape(declaration, self._program)
        sizes = [ir.Constant(INDEX, size) for size in shape]
        self.values.bind([declaration.memref], [address, *sizes])

    @override
    def launch(self, op: vyre.LaunchOp) -> None:
        registers = self.values.registers(op.arguments)
        function = self._phases[op.segment.string_value()]
        self.builder.call(function, [*self._common, *registers])

    @override
    def scratch(self, op: vyre.ScratchOp) -> None:
        self.bind_memory(op)

    @override
    def read_back(self, op: vyre.ReadBackOp) -> None:
        self.values.bind([op.value], [self.in_register(op, self.element(op))])
