"""What workers do between launches: they meet, and one of them reports."""

from collections.abc import Callable

from llvmlite import ir

from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.helpers import Helpers
from vyre.lowering.llvm.job import MEET, RELEASE, STATUS_TRAPPED
from vyre.lowering.llvm.layout import LATEST, MARK, OTHER, TIMED, TRAPPED
from vyre.lowering.llvm.values import INDEX, POINTER

_ZERO, _ONE = ir.Constant(INDEX, 0), ir.Constant(INDEX, 1)


class Meetings:
    """
    Emits the meetings of a program's workers.

    Example: `Meetings(helpers, has_traps=False).meet(builder, context, workers)`
    """

    def __init__(self, helpers: Helpers, *, has_traps: bool):
        self._helpers = helpers
        self._has_traps = has_traps
        self._meeting: ir.Function | None = None

    def meet(self, builder: ir.IRBuilder, context: Context, workers: ir.Value) -> ir.Value:
        """Wait until all workers are here; whether they shall leave."""
        if self._meeting is None:
            self._meeting, inside = self._helpers.new(
                "meeting",
                ir.IntType(1),
                [POINTER, INDEX, INDEX],
                ["job", "worker", "workers"],
            )
            job, worker, number = self._meeting.args
            inside.ret(self.meet_and(inside, Context(job, worker, job), number))
        arguments = [context.job, context.worker, workers]
        return self._helpers.call(builder, self._meeting, arguments)

    def meet_and(
        self,
        builder: ir.IRBuilder,
        context: Context,
        workers: ir.Value,
        last: Callable[[], None] = lambda: None,
    ) -> ir.Value:
        """
        Wait until all workers are here; whether they shall leave. The last one does
        something before the others go on; if someone has trapped, all leave.
        """
        arguments = [context.job, context.worker, workers]
        is_last = context.call(builder, MEET, arguments, INDEX)
        with builder.if_then(builder.icmp_unsigned("!=", is_last, _ZERO)):
            last()
            _measure(builder, context)
            if self._has_traps:
                trapped = context.load(builder, TRAPPED)
                is_trapped = builder.icmp_unsigned("!=", trapped, _ZERO)
                with builder.if_then(is_trapped):
                    context.stop(builder, STATUS_TRAPPED)
            context.call(builder, RELEASE, [context.job], ir.VoidType())
        return context.is_stopped(builder)


def start_clock(builder: ir.IRBuilder, context: Context) -> None:
    """Let one worker note the time."""
    with builder.if_then(is_first(builder, context)):
        builder.store(_now(builder), context.word(builder, MARK))
        nothing = ir.Constant(INDEX, 8 * OTHER)
        builder.store(nothing, context.word(builder, LATEST))


def report(builder: ir.IRBuilder, context: Context, word: ir.Value) -> None:
    """
    Let one worker count a launch in a word of the job. In the next one will be the time
    that it takes.
    """
    count(builder, context, word)
    with builder.if_then(is_first(builder, context)):
        latest = builder.mul(builder.add(word, _ONE), ir.Constant(INDEX, 8))
        builder.store(latest, context.word(builder, LATEST))


def count(builder: ir.IRBuilder, context: Context, word: ir.Value) -> None:
    """Let one worker count a launch that does nothing: the latest is still another one."""
    with builder.if_then(is_first(builder, context)):
        address = builder.gep(context.job, [word], source_etype=INDEX)
        builder.store(builder.add(builder.load(address, typ=INDEX), _ONE), address)


def is_first(builder: ir.IRBuilder, context: Context) -> ir.Value:
    """Whether this is the first worker."""
    return builder.icmp_unsigned("<", context.worker, _ONE)


def _measure(builder: ir.IRBuilder, context: Context) -> None:
    """Add the time since the last launch ended to the latest one."""
    is_timed = builder.icmp_unsigned("!=", context.load(builder, TIMED), _ZERO)
    with builder.if_then(is_timed):
        now = _now(builder)
        mark = context.word(builder, MARK)
        offset = context.load(builder, LATEST)
        ticks = builder.gep(context.job, [offset], source_etype=ir.IntType(8))
        since = builder.sub(now, builder.load(mark, typ=INDEX))
        builder.store(builder.add(builder.load(ticks, typ=INDEX), since), ticks)
        builder.store(now, mark)


def _now(builder: ir.IRBuilder) -> ir.Value:
    signature = ir.FunctionType(INDEX, [])
    clock = builder.module.declare_intrinsic("llvm.readcyclecounter", (), signature)
    return builder.call(clock, [])
