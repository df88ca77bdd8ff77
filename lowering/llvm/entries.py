"""
A whole program as one LLVM function that all workers run together.

```llvm
define void @entry(ptr %job, i64 %worker, i64 %workers)
```

Every worker goes through the same control flow and takes its part of the workgroups of
each launch. Between launches all meet. What is read back from buffers is read by the last
one who comes to the meeting, while nobody can write, and handed to the others in the job:
so all take the same turns.

How they divide workgroups is described in `dividing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from llvmlite import ir
from typing_extensions import override
from xdsl.dialects import scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat
from xdsl.ir import Block, Operation

from vyre.analysis.purity import PURE_OPS
from vyre.analysis.uniformity import Level
from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import Access, ScratchScope, byte_width, is_scalar
from vyre.dialects.vyre.host import programs_in
from vyre.lowering.llvm.accesses import AccessCode
from vyre.lowering.llvm.clipping import effect_level
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.control import Registers
from vyre.lowering.llvm.costs import is_uneven, operations
from vyre.lowering.llvm.dividing import Division, Run
from vyre.lowering.llvm.hosts import HostCode
from vyre.lowering.llvm.job import MEET, RELEASE, STATUS_TRAPPED
from vyre.lowering.llvm.layout import (
    GROUPS,
    LATEST,
    MARK,
    MEMORY,
    OTHER,
    STRIDE,
    TIMED,
    TRAPPED,
    BufferWords,
    LaunchWords,
    Layout,
    ParamWords,
    ScratchWords,
    WrittenWords,
)
from vyre.lowering.llvm.metadata import Parallel
from vyre.lowering.llvm.passes import Passes
from vyre.lowering.llvm.programs import ProgramFunctions
from vyre.lowering.llvm.types import from_storage, storage_type
from vyre.lowering.llvm.values import INDEX, POINTER, Environment
from vyre.passes.workgroup_plan import WorkgroupPlan

ENTRY = "vyre.entry"

LONGEST_PIECE = 1 << 24
"""Operations between two looks at whether to stop, in launches without long loops."""


def emit_entry(
    module: ir.Module,
    schedule: vyre.ScheduleOp,
    plans: Mapping[vyre.ProgramOp, WorkgroupPlan],
    once: Mapping[vyre.ProgramOp, vyre.ProgramOp | None],
) -> Layout:
    """
    Add the functions of a schedule to a module; gives the words of its job. `once` has for
    programs what is done once for each of their launches.

    Example: `layout = emit_entry(module, schedule, {}, {})`
    """
    word = ir.IntType(64)
    signature = ir.FunctionType(ir.VoidType(), [POINTER, word, word])
    function = ir.Function(module, signature, ENTRY)
    for argument, name in zip(function.args, ("job", "worker", "workers")):
        argument.name = name
    layout = Layout(schedule.sym_name.data)
    functions = ProgramFunctions(module, layout, launched_by(schedule), plans)
    code = EntryCode.begun(function, schedule, layout, functions)
    code.done_once = once
    Passes(code, layout).emit(code.once)
    builder = code.builder
    builder.branch(code.over)
    builder.position_at_end(code.over)
    if functions.has_uneven:
        code.division.leave()
    builder.ret_void()
    return layout


def launched_by(schedule: vyre.ScheduleOp) -> list[vyre.ProgramOp]:
    """
    The programs that a schedule launches.

    Example: `launched_by(schedule)[0].workgroup`
    """
    assert schedule.parent is not None
    programs = programs_in(schedule.parent)
    launches = (op for op in schedule.walk() if isinstance(op, vyre.LaunchOp))
    names = dict.fromkeys(op.segment.string_value() for op in launches)
    return [programs[name] for name in names]


class EntryCode(HostCode):
    """Emits what each worker does."""

    schedule: vyre.ScheduleOp
    layout: Layout
    functions: ProgramFunctions
    workers: ir.Value
    division: Division
    """The workgroups of each worker."""
    count: ir.Value
    """All workgroups."""
    done: set[Operation]
    """What was read back already, with others."""
    is_pending: bool
    """Whether there may be launches for which nobody has waited."""
    done_once: Mapping[vyre.ProgramOp, vyre.ProgramOp | None]
    """What is done once for each launch of a program."""
    _is_quiet: bool
    """Whether no launch can be near."""
    _accesses: Parallel

    @staticmethod
    def begun(
        function: ir.Function,
        schedule: vyre.ScheduleOp,
        layout: Layout,
        functions: ProgramFunctions,
    ) -> EntryCode:
        """The function with what all passes have in common."""
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        job, worker, workers = function.args
        words = Context(job, worker, job)
        groups = [words.load(builder, GROUPS + axis) for axis in range(3)]
        base = words.load(builder, MEMORY)
        offset = builder.mul(worker, words.load(builder, STRIDE))
        memory = builder.inttoptr(builder.add(base, offset), POINTER, "memory")
        x, y, z = next((p.workgroup for p in launched_by(schedule)), (1, 1, 1))
        layout.size = x, y, z
        sizes = [ir.Constant(INDEX, size) for size in layout.size]
        over = function.append_basic_block("over")
        code = EntryCode(
            builder, Environment(), Context(job, worker, memory), groups, sizes, over
        )
        code.schedule, code.layout, code.functions = schedule, layout, functions
        code.workers = workers
        code.count = builder.mul(builder.mul(groups[0], groups[1]), groups[2])
        code.division = Division(builder, code.context, workers, code.count)
        code.done = set()
        code.is_pending = False
        code._is_quiet = False
        code._accesses = Parallel(function.module)
        code._bind_table()
        return code

    def part_of(self, count: ir.Value) -> tuple[ir.Value, ir.Value]:
        """This worker's even part of so many things: the first, and the end."""
        division = Division(self.builder, self.context, self.workers, count)
        return division.first, division.end

    def _bind_table(self) -> None:
        for entry in self.schedule.table:
            if isinstance(entry, vyre.BufferOp):
                self._bind_buffer(entry)
            else:
                self._bind_parameter(entry)

    def _bind_buffer(self, entry: vyre.BufferOp) -> None:
        name, shape = entry.entry_name.data, entry.type.get_shape()
        word = self.layout.reserve(1 + len(shape))
        self.layout.buffers.append(BufferWords(name, word, len(shape)))
        address = self.builder.inttoptr(self.word(word), POINTER, "buffer")
        sizes = [
            self.word(word + 1 + axis)
            if size == DYNAMIC_INDEX
            else ir.Constant(INDEX, size)
            for axis, size in enumerate(shape)
        ]
        self.values.bind([entry.memref], [address, *sizes])
        if entry.access.data is not Access.READ_ONLY:
            element = entry.type.element_type
            assert is_scalar(element)
            width = byte_width(element) if isinstance(element, AnyFloat) else 0
            words = self.layout.reserve(3)
            self.layout.written.append(WrittenWords(name, words, width))

    def _bind_parameter(self, entry: vyre.ParamOp) -> None:
        word = self.layout.reserve(1)
        self.layout.params.append(ParamWords(entry.entry_name.data, word))
        address = self.context.word(self.builder, word)
        type = entry.value.type
        stored = self.builder.load(address, typ=storage_type(type))
        self.values.bind([entry.value], [from_storage(self.builder, stored, type)])

    def is_first(self) -> ir.Value:
        """Whether this is the first worker."""
        one = ir.Constant(INDEX, 1)
        return self.builder.icmp_unsigned("<", self.context.worker, one)

    def word(self, index: int) -> ir.Value:
        """A word of the job."""
        return self.context.load(self.builder, index)

    def once(self) -> None:
        """One pass over the program, until all launches have ended."""
        self.block(self.schedule.body.block)
        self.meet()

    # Launches

    @override
    def launch(self, op: vyre.LaunchOp) -> None:
        """All workgroups of a program, when all launches before have ended."""
        assert self.schedule.parent is not None
        program = programs_in(self.schedule.parent)[op.segment.string_value()]
        self.meet_if_pending()
        word = self.layout.reserve(2)
        self._count(word)
        self.layout.launches.append(LaunchWords(program.sym_name.data, word))
        self.layout.cost = max(self.layout.cost, operations(program))
        once = self.done_once.get(program)
        if once is not None:
            self._run_once(self._call_of(once, op))
        run = self._call_of(program, op)
        if effect_level(program) is Level.GRID:
            self._run_once(run)
        elif is_uneven(program):
            self.division.run_pieces(run, self.poll)
        else:
            group_cost = max(1, operations(program) * prod(self.layout.size))
            self.division.run_whole(run, max(1, LONGEST_PIECE // group_cost), self.poll)
        self.is_pending = True

    def _call_of(self, program: vyre.ProgramOp, op: vyre.LaunchOp) -> Run:
        registers = self.values.registers(op.arguments)
        function = self.functions.of(program)
        common = [self.context.job, self.context.worker, self.context.memory, *self.groups]
        return lambda first, end: self.builder.call(
            function, [*common, first, end, *registers]
        )

    def _run_once(self, run: Run) -> None:
        """One workgroup is enough: all would do the same."""
        with self.builder.if_then(self.is_first()):
            run(ir.Constant(INDEX, 0), ir.Constant(INDEX, 1))

    def _count(self, word: int) -> None:
        """Let one worker report a launch."""
        builder, context = self.builder, self.context
        one = ir.Constant(INDEX, 1)
        with builder.if_then(self.is_first()):
            address = context.word(builder, word)
            builder.store(builder.add(builder.load(address, typ=INDEX), one), address)
            latest = ir.Constant(INDEX, 8 * (word + 1))
            builder.store(latest, context.word(builder, LATEST))

    def start_clock(self) -> None:
        """Let one worker note the time."""
        with self.builder.if_then(self.is_first()):
            self.builder.store(self._now(), self.context.word(self.builder, MARK))
            nothing = ir.Constant(INDEX, 8 * OTHER)
            self.builder.store(nothing, self.context.word(self.builder, LATEST))

    def _now(self) -> ir.Value:
        signature = ir.FunctionType(INDEX, [])
        module = self.builder.module
        clock = module.declare_intrinsic("llvm.readcyclecounter", (), signature)
        return self.builder.call(clock, [])

    def _measure(self) -> None:
        """Add the time since the last launch ended to the latest one."""
        builder, context = self.builder, self.context
        zero = ir.Constant(INDEX, 0)
        with builder.if_then(builder.icmp_unsigned("!=", self.word(TIMED), zero)):
            now = self._now()
            mark = context.word(builder, MARK)
            offset = self.word(LATEST)
            ticks = builder.gep(context.job, [offset], source_etype=ir.IntType(8))
            since = builder.sub(now, builder.load(mark, typ=INDEX))
            builder.store(builder.add(builder.load(ticks, typ=INDEX), since), ticks)
            builder.store(now, mark)

    @override
    def block(self, block: Block) -> Registers | None:
        """
        Launches may have come before each block, but for one: the second of a `while` is
        entered from its first only.
        """
        around = block.parent_op()
        is_second = isinstance(around, scf.WhileOp) and block is around.after_region.block
        if not self._is_quiet and not is_second:
            self.is_pending = True
        return super().block(block)

    @override
    def operation(self, op: Operation) -> bool:
        if not isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp):
            return super().operation(op)
        if _launches(op):
            goes_on = super().operation(op)
            self.is_pending = True
            return goes_on
        # Nothing in it is waited for but what it loads.
        self.meet_if_pending()
        was_quiet, self._is_quiet = self._is_quiet, True
        goes_on = super().operation(op)
        self._is_quiet = was_quiet
        return goes_on

    @override
    def effect(self, op: Operation) -> bool:
        if not isinstance(op, vyre.LoadOp):
            return super().effect(op)
        self.meet_if_pending()
        AccessCode(self.builder, self.values, self._accesses).load(op)
        return True

    def meet_if_pending(self) -> None:
        """Wait for all launches that may have been made."""
        if self.is_pending:
            self.meet()

    def meet(self, last: Callable[[], None] = lambda: None) -> None:
        """
        Wait until all workers are here. The last one does something before the others go
        on; if someone has trapped, all leave.
        """
        builder, context = self.builder, self.context
        arguments = [context.job, context.worker, self.workers]
        is_last = context.call(builder, MEET, arguments, INDEX)
        zero = ir.Constant(INDEX, 0)
        with builder.if_then(builder.icmp_unsigned("!=", is_last, zero)):
            last()
            self._measure()
            if self.functions.has_traps:
                trapped = self.word(TRAPPED)
                is_trapped = builder.icmp_unsigned("!=", trapped, zero)
                with builder.if_then(is_trapped):
                    context.stop(builder, STATUS_TRAPPED)
            context.call(builder, RELEASE, [context.job], ir.VoidType())
        self.leave_if(context.is_stopped(builder))
        self.is_pending = False

    # Scratch and what is read back

    @override
    def scratch(self, op: vyre.ScratchOp) -> None:
        type = op.memref.type
        shape = list(type.get_shape())
        word = self.layout.reserve(2)
        element = type.element_type
        assert is_scalar(element)
        entry = ScratchWords(op.scope.data.value, word, shape, byte_width(element))
        self.layout.scratch.append(entry)
        sizes: list[ir.Value] = [ir.Constant(INDEX, size) for size in shape]
        match op.scope.data:
            case ScratchScope.PER_INVOCATION:
                sizes[0] = self._invocations()
            case ScratchScope.PER_WORKGROUP:
                sizes[0] = self.count
            case ScratchScope.SINGLE:
                pass
        address = self.builder.inttoptr(self.word(word), POINTER, "scratch")
        self.values.bind([op.memref], [address, *sizes])

    def _invocations(self) -> ir.Value:
        size = ir.Constant(INDEX, prod(self.layout.size))
        return self.builder.mul(self.count, size)

    @override
    def read_back(self, op: vyre.ReadBackOp) -> None:
        if op in self.done:
            return
        ops = _read_together(op)
        words = [self.layout.reserve(1) for _ in ops]

        def hand_over() -> None:
            for each, word in zip(ops, words):
                address = self.context.word(self.builder, word)
                self.builder.store(self.element(each), address)

        self.meet(hand_over)
        for each, word in zip(ops, words):
            address = self.context.word(self.builder, word)
            stored = self.builder.load(address, typ=storage_type(each.value.type))
            self.values.bind([each.value], [self.in_register(each, stored)])
        self.done.update(ops)


def _launches(op: Operation) -> bool:
    """Whether something is launched or read back inside."""
    return any(isinstance(inner, vyre.LaunchOp | vyre.ReadBackOp) for inner in op.walk())


def _read_together(op: vyre.ReadBackOp) -> list[vyre.ReadBackOp]:
    """The operation, and those after it that read before anything can change."""
    found: list[vyre.ReadBackOp] = []
    following: Operation | None = op
    while following is not None:
        if isinstance(following, vyre.ReadBackOp):
            found.append(following)
        elif type(following) not in PURE_OPS:
            break
        following = following.next_op
    return found
