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

from vyre.lowering.llvm.counting import counted
from vyre.lowering.llvm.layout import DIFFERS, DONE, INTERVAL, PASSES, Layout, WrittenWords
from vyre.lowering.llvm.phases import clear
from vyre.lowering.llvm.values import INDEX, POINTER

if TYPE_CHECKING:
    from vyre.lowering.llvm.entries import EntryCode

BYTE = ir.IntType(8)
BIT = ir.IntType(1)


class Passes:
    """Emits the passes around the code of one of them."""

    def __init__(self, code: EntryCode, layout: Layout):
        self._code = code
        self._layout = layout

    def emit(self, once: Callable[[], None]) -> None:
        """All passes; `once` emits one."""
        code = self._code
        builder = code.builder
        code.start_clock()
        self._for_each_written(self._clear_result)
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
            self._for_each_written(self._remember)
            code.meet()
        number.add_incoming(builder.add(number, one), builder.block)
        builder.branch(head)
        builder.position_at_end(clearing)
        self._clear_scratch()
        if self._layout.scratch or self._layout.written:
            code.meet()
        builder.branch(working)
        builder.position_at_end(after)

    def _for_each_written(self, act: Callable[[WrittenWords, ir.Value], None]) -> None:
        for entry in self._layout.written:
            name = next(b for b in self._layout.buffers if b.name == entry.name)
            address = self._code.builder.inttoptr(self._code.word(name.word), POINTER)
            act(entry, address)

    def _clear_result(self, entry: WrittenWords, address: ir.Value) -> None:
        self._clear_part(address, self._code.word(entry.word + 1))

    def _clear_scratch(self) -> None:
        code = self._code
        for entry in self._layout.scratch:
            address = code.builder.inttoptr(code.word(entry.word), POINTER)
            self._clear_part(address, code.word(entry.word + 1))

    def _clear_part(self, address: ir.Value, size: ir.Value) -> None:
        code, builder = self._code, self._code.builder
        first, end = code.part_of(size)
        part = builder.gep(address, [first], source_etype=BYTE)
        clear(builder, part, builder.sub(end, first))

    def _report(self, number: ir.Value) -> None:
        code = self._code
        with code.builder.if_then(code.is_first()):
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
        self._for_each_written(self._compare)
        zero = ir.Constant(INDEX, 0)
        word = self._layout.reserve(1)

        def hand_over() -> None:
            builder.store(code.word(DIFFERS), code.context.word(builder, word))
            builder.store(zero, code.context.word(builder, DIFFERS))

        code.meet(hand_over)
        on = builder.append_basic_block("unstable")
        builder.cbranch(builder.icmp_unsigned("!=", code.word(word), zero), on, after)
        builder.position_at_end(on)

    def _remember(self, entry: WrittenWords, address: ir.Value) -> None:
        code, builder = self._code, self._code.builder
        copy = builder.inttoptr(code.word(entry.word + 2), POINTER)
        first, end = code.part_of(code.word(entry.word))
        source = builder.gep(address, [first], source_etype=BYTE)
        target = builder.gep(copy, [first], source_etype=BYTE)
        types = [POINTER, POINTER, INDEX]
        move = builder.module.declare_intrinsic("llvm.memcpy", types)
        size = builder.sub(end, first)
        builder.call(move, [target, source, size, ir.Constant(BIT, 0)])

    def _compare(self, entry: WrittenWords, address: ir.Value) -> None:
        """Note it if any element of the worker's part is another than in the copy."""
        code, builder = self._code, self._code.builder
        copy = builder.inttoptr(code.word(entry.word + 2), POINTER)
        width = ir.Constant(INDEX, entry.float_bytes or 1)
        first, end = code.part_of(builder.udiv(code.word(entry.word), width))
        offset = builder.mul(first, width)
        one, other = (
            builder.gep(base, [offset], source_etype=BYTE) for base in (address, copy)
        )
        count = builder.sub(end, first)
        size = builder.mul(count, width)
        with builder.if_then(_differ(builder, one, other, size)):
            if entry.float_bytes:
                self._compare_floats(one, other, count, entry.float_bytes)
            else:
                self._note()

    def _compare_floats(
        self, one: ir.Value, other: ir.Value, count: ir.Value, width: int
    ) -> None:
        builder, bits = self._code.builder, ir.IntType(8 * width)
        zero = ir.Constant(INDEX, 0)
        with counted(builder, zero, count, "compare") as (index, following):
            here, there = (
                builder.load(builder.gep(base, [index], source_etype=bits), typ=bits)
                for base in (one, other)
            )
            both = builder.and_(_is_nan(builder, here), _is_nan(builder, there))
            same = builder.or_(both, builder.icmp_unsigned("==", here, there))
            differs = builder.append_basic_block("differs")
            builder.cbranch(same, following, differs)
            builder.position_at_end(differs)
            self._note()

    def _note(self) -> None:
        """Something has changed."""
        self._code.context.exchange(self._code.builder, DIFFERS, 1)


def _differ(
    builder: ir.IRBuilder, one: ir.Value, other: ir.Value, size: ir.Value
) -> ir.Value:
    """Whether some bytes are not the same."""
    type = ir.FunctionType(ir.IntType(32), [POINTER, POINTER, INDEX])
    if "memcmp" not in builder.module.globals:
        ir.Function(builder.module, type, "memcmp")
    compare = builder.module.get_global("memcmp")
    found = builder.call(compare, [one, other, size])
    return builder.icmp_unsigned("!=", found, ir.Constant(ir.IntType(32), 0))


def _is_nan(builder: ir.IRBuilder, bits: ir.Value) -> ir.Value:
    """Whether these are the bits of a NaN."""
    type = bits.type
    assert isinstance(type, ir.IntType)
    mantissa = {16: 10, 32: 23, 64: 52}[type.width]
    infinity = ((1 << (type.width - 1 - mantissa)) - 1) << mantissa
    magnitude = builder.and_(bits, ir.Constant(type, (1 << (type.width - 1)) - 1))
    return builder.icmp_unsigned(">", magnitude, ir.Constant(type, infinity))
