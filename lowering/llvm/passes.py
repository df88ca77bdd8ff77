"""
Passes over a program: one, or several until nothing changes, without leaving native code.

Before the first pass, results that shall start as zeros do so; before every pass, scratch
does. A pass is compared with the one before it in every element of all buffers that the
program may write, if it is one to be compared: any NaN is like any other. Each worker
clears, copies and compares its own part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from llvmlite import ir

from vyre.lowering.llvm.buffer_parts import BufferParts
from vyre.lowering.llvm.layout import DIFFERS, DONE, INTERVAL, PASSES, Layout
from vyre.lowering.llvm.meetings import is_first, start_clock
from vyre.lowering.llvm.values import INDEX

if TYPE_CHECKING:
    from vyre.lowering.llvm.entries import EntryCode


class Passes:
    """Emits the passes around the code of one of them."""

    def __init__(self, code: EntryCode, layout: Layout):
        self._code = code
        self._layout = layout
        self._parts = BufferParts(code.builder, code.helpers, code.context, code.workers)
        self._addresses = {buffer.name: buffer.word for buffer in layout.buffers}

    def emit(self, once: Callable[[], None]) -> None:
        """All passes; `once` emits one."""
        code = self._code
        builder = code.builder
        start_clock(builder, code.context)
        self._clear_results()
        one = ir.Constant(INDEX, 1)
        head, after = (builder.append_basic_block(name) for name in ("pass", "passed"))
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
        self._report(number)
        self._stop_if_done(number, after)
        with builder.if_then(self._is_compared(number, 0)):
            self._stop_if_stable(after)
        with builder.if_then(self._is_compared(number, 1)):
            self._remember()
            code.meet()
        number.add_incoming(builder.add(number, one), builder.block)
        builder.branch(head)
        builder.position_at_end(clearing)
        self._clear_scratch()
        if self._layout.scratch or self._layout.written:
            code.meet()
        builder.branch(working)
        builder.position_at_end(after)

    def _clear_results(self) -> None:
        for entry in self._layout.written:
            self._parts.clear(self._addresses[entry.name], entry.word + 1)

    def _clear_scratch(self) -> None:
        for entry in self._layout.scratch:
            self._parts.clear(entry.word, entry.word + 1)

    def _remember(self) -> None:
        for entry in self._layout.written:
            address, size, copy = self._addresses[entry.name], entry.word, entry.word + 2
            self._parts.remember(address, size, copy)

    def _compare(self) -> None:
        for entry in self._layout.written:
            address, size, copy = self._addresses[entry.name], entry.word, entry.word + 2
            self._parts.compare(address, size, copy, entry.float_bytes)

    def _report(self, number: ir.Value) -> None:
        code = self._code
        with code.builder.if_then(is_first(code.builder, code.context)):
            code.builder.store(number, code.context.word(code.builder, DONE))

    def _stop_if_done(self, number: ir.Value, after: ir.Block) -> None:
        builder = self._code.builder
        on = builder.append_basic_block("more")
        passes = self._code.word(PASSES)
        builder.cbranch(builder.icmp_unsigned("<", number, passes), on, after)
        builder.position_at_end(on)

    def _is_compared(self, number: ir.Value, ahead: int) -> ir.Value:
        """Whether this pass, or one ahead, is compared with the one before it."""
        code, builder = self._code, self._code.builder
        zero, one = ir.Constant(INDEX, 0), ir.Constant(INDEX, 1)
        interval = code.word(INTERVAL)
        is_ever = builder.icmp_unsigned("!=", interval, zero)
        pass_number = builder.add(number, ir.Constant(INDEX, ahead))
        rest = builder.urem(pass_number, builder.select(is_ever, interval, one))
        is_its_turn = builder.icmp_unsigned("==", rest, zero)
        has_one_before = builder.icmp_unsigned(">", pass_number, one)
        is_not_last = builder.icmp_unsigned("<", pass_number, code.word(PASSES))
        found = builder.and_(is_ever, builder.and_(is_its_turn, has_one_before))
        return builder.and_(found, is_not_last)

    def _stop_if_stable(self, after: ir.Block) -> None:
        code, builder = self._code, self._code.builder
        self._compare()
        zero = ir.Constant(INDEX, 0)
        word = self._layout.reserve(1)

        def hand_over() -> None:
            builder.store(code.word(DIFFERS), code.context.word(builder, word))
            builder.store(zero, code.context.word(builder, DIFFERS))

        code.meet(hand_over)
        on = builder.append_basic_block("unstable")
        builder.cbranch(builder.icmp_unsigned("!=", code.word(word), zero), on, after)
        builder.position_at_end(on)
