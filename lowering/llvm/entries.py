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

from collections.abc import Callable
from math import prod

from llvmlite import ir
from typing_extensions import override
from xdsl.dialects import scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.buffer_sources import Declaration, buffer_sources
from vyre.analysis.purity import PURE_OPS
from vyre.analysis.walking import operations_of
from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import Access, ScratchScope, byte_width, is_scalar
from vyre.dialects.vyre.host import programs_in
from vyre.lowering.llvm.accesses import AccessCode
from vyre.lowering.llvm.batches import batches, shared_out
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.control import Registers
from vyre.lowering.llvm.dividing import Division
from vyre.lowering.llvm.fixpoints import Passes
from vyre.lowering.llvm.folding import FoldingBuilder
from vyre.lowering.llvm.helpers import Helpers
from vyre.lowering.llvm.hosts import HostCode
from vyre.lowering.llvm.launches import LaunchFunctions, new_frame
from vyre.lowering.llvm.layout import (
    GROUPS,
    MEMORY,
    STRIDE,
    BufferWords,
    LaunchWords,
    Layout,
    ParamWords,
    ScratchWords,
    WrittenWords,
)
from vyre.lowering.llvm.meetings import Meetings, count
from vyre.lowering.llvm.metadata import Parallel
from vyre.lowering.llvm.programs import ProgramFunctions
from vyre.lowering.llvm.types import from_storage, storage_type
from vyre.lowering.llvm.values import INDEX, POINTER, Environment
from vyre.passes.tables import first_code

ENTRY = "vyre.entry"


def emit_entry(module: ir.Module, schedule: vyre.ScheduleOp) -> Layout:
    """
    Add the functions of a schedule to a module; gives the words of its job.

    Example: `emit_entry(module, schedule)`
    """
    word = ir.IntType(64)
    signature = ir.FunctionType(ir.VoidType(), [POINTER, word, word])
    function = ir.Function(module, signature, ENTRY)
    for argument, name in zip(function.args, ("job", "worker", "workers")):
        argument.name = name
    layout = Layout(schedule.sym_name.data)
    functions = ProgramFunctions(module, layout, launched_by(schedule))
    code = EntryCode.begun(function, schedule, layout, functions)
    code.launch_functions = LaunchFunctions(code.helpers, functions)
    Passes(code, layout).emit(code.once)
    builder = code.builder
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
    launches = (op for op in operations_of(schedule) if isinstance(op, vyre.LaunchOp))
    names = dict.fromkeys(op.segment.string_value() for op in launches)
    return [programs[name] for name in names]


class EntryCode(HostCode):
    """Emits what each worker does."""

    schedule: vyre.ScheduleOp
    layout: Layout
    functions: ProgramFunctions
    workers: ir.Value
    meetings: Meetings
    """What they do between launches."""
    division: Division
    """The workgroups of each worker."""
    count: ir.Value
    """All workgroups."""
    frame: ir.Value
    """What all launches need."""
    done: set[Operation]
    """What was read back or launched already, with others."""
    is_pending: bool
    """Whether there may be launches for which nobody has waited."""
    helpers: Helpers
    launch_functions: LaunchFunctions
    _numbers: dict[vyre.LaunchOp, int]
    """The places of launches that do not run with others, as reports count them."""
    _is_quiet: bool
    """Whether no launch can be near."""
    _accesses: Parallel
    _sources: dict[SSAValue, tuple[Declaration, ...]]
    """What memrefs may stand for."""
    _read: set[Declaration]
    """What this worker has read since all met, which others may still be reading."""

    @staticmethod
    def begun(
        function: ir.Function,
        schedule: vyre.ScheduleOp,
        layout: Layout,
        functions: ProgramFunctions,
    ) -> EntryCode:
        """The function with what all passes have in common."""
        builder = FoldingBuilder(function.append_basic_block("entry"))
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
        code.division = Division.of(builder, code.context, workers, code.count)
        code.frame = new_frame(builder, code.context, groups, code.division)
        code.done = set()
        code.is_pending = False
        heads = (op for op in operations_of(schedule) if isinstance(op, vyre.LaunchOp))
        heads = (op for op in heads if op.concurrent is None)
        code._numbers = {op: number for number, op in enumerate(heads)}
        code._is_quiet = False
        code.helpers = Helpers(function.module)
        code.meetings = Meetings(code.helpers, has_traps=functions.has_traps)
        code._accesses = Parallel(function.module)
        code._sources = buffer_sources(schedule)
        code._read = set()
        code._bind_table()
        return code

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
        """
        All workgroups of a program, when all launches before have ended, and when everyone
        has read what it may write. One that does nothing is only counted.
        """
        if op in self.done:
            return
        launches = op.together
        self.done.update(launches)
        word = self.layout.reserve(2)
        number = self._numbers[op]
        self.layout.launches.append(LaunchWords(op.label, number, word))
        programs = tuple(map(self.functions.program, launches))
        if all(first_code(program) is None for program in programs):
            count(self.builder, self.context, ir.Constant(INDEX, word))
            return
        if self.is_pending or any(map(self._overwrites, launches, programs)):
            self.meet()
        registers = [self.values.registers(each.arguments) for each in launches]
        together = batches(zip(programs, registers))
        self.layout.cost = max(self.layout.cost, sum(batch.cost for batch in together))
        passed, places = shared_out(together)
        arguments = [self.frame, ir.Constant(INDEX, word), *passed]
        function = self.launch_functions.of(together, places)
        self.helpers.call(self.builder, function, arguments)
        self.is_pending = True

    def _overwrites(self, launch: vyre.LaunchOp, program: vyre.ProgramOp) -> bool:
        """Whether a launch may write what workers have read since they last met."""
        return bool(self._read) and any(
            isinstance(entry, vyre.BufferOp)
            and entry.access.data.writable
            and not self._read.isdisjoint(self._sources[argument])
            for entry, argument in zip(program.launch_table, launch.arguments, strict=True)
        )

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
        if not op.regions or not isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp):
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
        self._read.update(self._sources[op.buffer])
        AccessCode(self.builder, self.values, self._accesses).load(op)
        return True

    def meet_if_pending(self) -> None:
        """Wait for all launches that may have been made."""
        if self.is_pending:
            self.meet()

    def meet(self, last: Callable[[], None] | None = None) -> None:
        """
        Wait until all workers are here. The last one does something before the others go
        on; if someone has trapped, all leave.
        """
        common = self.builder, self.context, self.workers
        if last is None:
            self.leave_if(self.meetings.meet(*common))
        else:
            self.leave_if(self.meetings.meet_and(*common, last))
        self.is_pending = False
        self._read.clear()

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
    return any(
        isinstance(inner, vyre.LaunchOp | vyre.ReadBackOp) for inner in operations_of(op)
    )


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
