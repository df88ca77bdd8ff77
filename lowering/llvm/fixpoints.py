"""
Passes over a program: one, or several until nothing changes, without leaving native code.

Before the first pass, results that shall start as zeros do so; before every pass, scratch
does. A pass is compared with the one before it in every element of all buffers that the
program may write, if it is one to be compared: any NaN is like any other. Each worker
clears, copies and compares its own part.

What is done when a pass has ended is a function that LLVM does not optimise: it is called
once in a pass, and most programs have one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from llvmlite import ir

from vyre.lowering.llvm.buffer_parts import BufferParts
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.helpers import leave_as_written
from vyre.lowering.llvm.layout import DIFFERS, DONE, INTERVAL, PASSES, Layout
from vyre.lowering.llvm.meetings import is_first, start_clock
from vyre.lowering.llvm.values import INDEX, POINTER

if TYPE_CHECKING:
    from vyre.lowering.llvm.entries import EntryCode


class Passes:
    """Emits the passes around the code of one of them."""

    def __init__(self, code: EntryCode, layout: Layout):
        self._code = code
        self._layout = layout
        self._addresses = {buffer.name: buffer.word for buffer in layout.buffers}

    def emit(self, once: Callable[[], None]) -> None:
        """All passes, after which all leave; `once` emits one."""
        code = self._code
        builder = code.builder
        parts = BufferParts(builder, code.helpers, code.context, code.workers)
        start_clock(builder, code.context)
        for entry in self._layout.written:
            parts.clear(self._addresses[entry.name], entry.word + 1)
        one = ir.Constant(INDEX, 1)
        head = builder.append_basic_block("pass")
        before = builder.block
        builder.branch(head)
        builder.position_at_end(head)
        number = builder.phi(INDEX, "number")
        number.add_incoming(one, before)
        # Scratch is reserved while a pass is emitted, and cleared before it.
        clearing = builder.append_basic_block("clear")
        builder.branch(clearing)
        working = builder.append_basic_block("work")
        builder.position_at_end(working)
        once()
        arguments = [code.context.job, code.context.worker, code.workers, number]
        code.leave_if(builder.call(self._end_of_pass(), arguments))
        number.add_incoming(builder.add(number, one), builder.block)
        builder.branch(head)
        builder.position_at_end(clearing)
        for entry in self._layout.scratch:
            parts.clear(entry.word, entry.word + 1)
        if self._layout.scratch or self._layout.written:
            code.meet()
        builder.branch(working)

    def _end_of_pass(self) -> ir.Function:
        """A function that says whether the pass with a number was the last one."""
        function, builder = self._code.helpers.new(
            "passed",
            ir.IntType(1),
            [POINTER, INDEX, INDEX, INDEX],
            ["job", "worker", "workers", "number"],
        )
        leave_as_written(function)
        PassEnd(self._code, self._layout, function, builder).emit()
        return function


class PassEnd:
    """Emits what workers do when a pass has ended, as a function."""

    def __init__(
        self,
        code: EntryCode,
        layout: Layout,
        function: ir.Function,
        builder: ir.IRBuilder,
    ):
        job, worker, self._workers, self._number = function.args
        self._builder = builder
        self._context = Context(job, worker, job)
        self._meetings = code.meetings
        self._layout = layout
        self._addresses = {buffer.name: buffer.word for buffer in layout.buffers}
        self._parts = BufferParts(builder, code.helpers, self._context, self._workers)

    def emit(self) -> None:
        """The function, which returns whether all leave."""
        builder, context = self._builder, self._context
        with builder.if_then(is_first(builder, context)):
            builder.store(self._number, context.word(builder, DONE))
        passes = context.load(builder, PASSES)
        self._return_if(builder.icmp_unsigned(">=", self._number, passes))
        with builder.if_then(self._is_compared(0)):
            self._return_if_stable()
        with builder.if_then(self._is_compared(1)):
            self._remember()
            common = builder, context, self._workers
            self._return_if(self._meetings.meet(*common))
        builder.ret(ir.Constant(ir.IntType(1), 0))

    def _return_if(self, is_over: ir.Value) -> None:
        with self._builder.if_then(is_over):
            self._builder.ret(ir.Constant(ir.IntType(1), 1))

    def _remember(self) -> None:
        for entry in self._layout.written:
            address, size, copy = self._addresses[entry.name], entry.word, entry.word + 2
            self._parts.remember(address, size, copy)

    def _compare(self) -> None:
        for entry in self._layout.written:
            address, size, copy = self._addresses[entry.name], entry.word, entry.word + 2
            self._parts.compare(address, size, copy, entry.float_bytes)

    def _is_compared(self, ahead: int) -> ir.Value:
        """Whether this pass, or one ahead, is compared with the one before it."""
        builder, context = self._builder, self._context
        zero, one = ir.Constant(INDEX, 0), ir.Constant(INDEX, 1)
        interval = context.load(builder, INTERVAL)
        is_ever = builder.icmp_unsigned("!=", interval, zero)
        pass_number = builder.add(self._number, ir.Constant(INDEX, ahead))
        rest = builder.urem(pass_number, builder.select(is_ever, interval, one))
        is_its_turn = builder.icmp_unsigned("==", rest, zero)
        has_one_before = builder.icmp_unsigned(">", pass_number, one)
        passes = context.load(builder, PASSES)
        is_not_last = builder.icmp_unsigned("<", pass_number, passes)
        found = builder.and_(is_ever, builder.and_(is_its_turn, has_one_before))
        return builder.and_(found, is_not_last)

    def _return_if_stable(self) -> None:
        builder, context = self._builder, self._context
        self._compare()
        zero = ir.Constant(INDEX, 0)
        word = self._layout.reserve(1)

        def hand_over() -> None:
            differs = context.load(builder, DIFFERS)
            builder.store(differs, context.word(builder, word))
            builder.store(zero, context.word(builder, DIFFERS))

        common = builder, context, self._workers
        self._return_if(self._meetings.meet_and(*common, hand_over))
        differs = context.load(builder, word)
        self._return_if(builder.icmp_unsigned("==", differs, zero))
