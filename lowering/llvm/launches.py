"""
Launches: what each worker does for the workgroups of one program, or of several that run
together.

```llvm
define internal void @"launch.p.0"(ptr %frame, i64 %word, ...)
```

It reports the launch in a word of the job and the next, and then runs the worker's part of
the workgroups. The arguments of all programs follow. It may return early when all shall
stop, which everybody sees in the next meeting.

What is the same for all launches is in a *frame* on the worker's stack, which is filled
once: the job, the worker's number and memory, the numbers of workgroups, the number of
workers, and how the workgroups are divided.
"""

from collections.abc import Hashable, Sequence
from math import prod

from llvmlite import ir

from vyre.lowering.llvm.batches import Batch
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.costs import LONGEST_PIECE, is_uneven
from vyre.lowering.llvm.dividing import Division, Run
from vyre.lowering.llvm.helpers import Helpers
from vyre.lowering.llvm.meetings import is_first, report
from vyre.lowering.llvm.names import plain
from vyre.lowering.llvm.programs import ProgramFunctions
from vyre.lowering.llvm.values import INDEX, POINTER

SHORT = 1 << 17
"""Operations of a worker's part, as one would guess, up to which it is not worth it to help
others: small conjugate gradients lose two microseconds by it."""

NEAR = 1 << 13
"""Invocations that run one program after the other, while what they read is near."""

_FRAME_WORDS = 9


def new_frame(
    builder: ir.IRBuilder, context: Context, groups: Sequence[ir.Value], division: Division
) -> ir.Value:
    """What all launches of a worker need, on its stack."""
    frame = builder.alloca(INDEX, _FRAME_WORDS, "frame")
    job, memory = (builder.ptrtoint(each, INDEX) for each in (context.job, context.memory))
    shares = [division.workers, division.share, division.rest]
    for number, value in enumerate([job, context.worker, memory, *groups, *shares]):
        builder.store(value, _place(builder, frame, number))
    return frame


def _place(builder: ir.IRBuilder, frame: ir.Value, number: int) -> ir.Value:
    return builder.gep(frame, [ir.Constant(INDEX, number)], source_etype=INDEX)


class LaunchFunctions:
    """
    The functions of launches, each emitted when it is first needed.

    Example: `LaunchFunctions(helpers, functions).of([batch], [range(len(batch.passed))])`
    """

    def __init__(self, helpers: Helpers, functions: ProgramFunctions):
        self._helpers = helpers
        self._functions = functions
        self._found: dict[Hashable, ir.Function] = {}

    def of(self, together: Sequence[Batch], places: Sequence[Sequence[int]]) -> ir.Function:
        """The function that runs programs together, each with registers in some places."""
        key = str(places), *(batch.key for batch in together)
        if key not in self._found:
            self._found[key] = self._emitted(together, places)
        return self._found[key]

    def _emitted(
        self, together: Sequence[Batch], places: Sequence[Sequence[int]]
    ) -> ir.Function:
        types = {
            place: register.type
            for batch, own in zip(together, places, strict=True)
            for register, place in zip(batch.passed, own, strict=True)
        }
        function, builder = self._helpers.new(
            plain(f"launch.{together[0].program.sym_name.data}"),
            ir.VoidType(),
            [POINTER, INDEX, *types.values()],
            ("frame", "word"),
        )
        frame, word, *passed = function.args
        code = _LaunchCode(builder, frame)
        code.over = function.append_basic_block("over")
        report(builder, code.context, word)
        for batch, own in zip(together, places, strict=True):
            self._add(code, batch, [passed[place] for place in own])
        code.run(together)
        builder.branch(code.over)
        builder.position_at_end(code.over)
        builder.ret_void()
        return function

    def _add(self, code: "_LaunchCode", batch: Batch, passed: Sequence[ir.Value]) -> None:
        call = code.calls_of(self._functions.of(batch.program), batch, passed)
        if batch.is_once:
            code.run_once(call)
        else:
            code.runs.append(call)


class _LaunchCode:
    """Emits what a worker does for a launch."""

    over: ir.Block

    def __init__(self, builder: ir.IRBuilder, frame: ir.Value):
        self.builder = builder
        words = [
            builder.load(_place(builder, frame, number), typ=INDEX)
            for number in range(_FRAME_WORDS)
        ]
        job, memory = (builder.inttoptr(words[number], POINTER) for number in (0, 2))
        worker, groups, shares = words[1], words[3:6], words[6:]
        self.context = Context(job, worker, memory)
        self._common = [job, worker, memory, *groups]
        self._division = Division(builder, self.context, *shares)
        self.runs: list[Run] = []
        """The programs whose workgroups are divided."""

    def calls_of(
        self, function: ir.Function, batch: Batch, passed: Sequence[ir.Value]
    ) -> Run:
        """Calls of a program's function."""
        return lambda first, end: batch.emit(
            self.builder,
            passed,
            lambda registers: self.builder.call(
                function, [*self._common, first, end, *registers]
            ),
        )

    def run_once(self, run: Run) -> None:
        """One workgroup is enough: all would do the same."""
        with self.builder.if_then(is_first(self.builder, self.context)):
            run(ir.Constant(INDEX, 0), ir.Constant(INDEX, 1))

    def run(self, together: Sequence[Batch]) -> None:
        """The worker's part of all programs whose workgroups are divided."""
        if not self.runs:
            return
        size = prod(together[0].program.workgroup)
        cost = max(1, sum(batch.cost for batch in together) * size)
        longest = LONGEST_PIECE // cost
        if any(is_uneven(batch.program) for batch in together):
            most = ir.Constant(INDEX, max(1, longest))
            self._division.run_uneven(self._run_all, SHORT // cost, most, self._poll)
            return
        if len(self.runs) > 1 or any(batch.count > 1 for batch in together):
            longest = min(longest, NEAR // size)
        pieces = ir.Constant(INDEX, max(1, longest))
        self._division.run_whole(self._run_all, pieces, self._poll)

    def _run_all(self, first: ir.Value, end: ir.Value) -> None:
        for run in self.runs:
            run(first, end)

    def _poll(self) -> None:
        on = self.builder.append_basic_block("on")
        self.builder.cbranch(self.context.is_over(self.builder), self.over, on)
        self.builder.position_at_end(on)
