"""
What each worker does with its part of a whole buffer between passes: it clears it, keeps a
copy of it, or compares it with the copy.

```llvm
define internal void @"clear"(ptr %job, i64 %worker, i64 %workers, i64 %address, i64 %size)
```

`address`, `size` and `copy` are numbers of words of the job. These are functions, so that
there is little code for each buffer. The C library does the work but for floats, so that
LLVM has nothing to optimise there.
"""

from collections.abc import Callable

from llvmlite import ir

from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.counting import counted
from vyre.lowering.llvm.dividing import Division
from vyre.lowering.llvm.helpers import Helpers, leave_as_written
from vyre.lowering.llvm.layout import DIFFERS
from vyre.lowering.llvm.values import INDEX, POINTER
from vyre.lowering.llvm.workgroup_memory import clear

BYTE = ir.IntType(8)
BIT = ir.IntType(1)
_ZERO = ir.Constant(INDEX, 0)


class BufferParts:
    """
    Emits calls for a worker's part of buffers.

    Example: `BufferParts(builder, helpers, context, workers).clear(address, size)`
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        helpers: Helpers,
        context: Context,
        workers: ir.Value,
    ):
        self._builder = builder
        self._helpers = helpers
        self._common = [context.job, context.worker, workers]
        self._functions: dict[str, ir.Function] = {}

    def clear(self, address: int, size: int) -> None:
        """Fill it with zeros."""
        leave_as_written(self._call("clear", lambda part: part.clear(), address, size))

    def remember(self, address: int, size: int, copy: int) -> None:
        """Copy it."""
        words = address, size, copy
        leave_as_written(self._call("remember", lambda part: part.remember(), *words))

    def compare(self, address: int, size: int, copy: int, float_bytes: int) -> None:
        """Note it if any element is another than in the copy; see `WrittenWords`."""

        def act(part: _Part) -> None:
            part.compare(float_bytes)

        function = self._call(f"compare.{float_bytes}", act, address, size, copy)
        if not float_bytes:
            leave_as_written(function)

    def _call(self, name: str, act: "Callable[[_Part], None]", *words: int) -> ir.Function:
        """Call a function, which is emitted when it is first needed."""
        if name not in self._functions:
            self._functions[name] = self._emitted(name, act, len(words))
        numbers = [ir.Constant(INDEX, word) for word in words]
        self._builder.call(self._functions[name], [*self._common, *numbers])
        return self._functions[name]

    def _emitted(
        self, name: str, act: "Callable[[_Part], None]", words: int
    ) -> ir.Function:
        function, builder = self._helpers.new(
            name,
            ir.VoidType(),
            [POINTER, INDEX, INDEX, *[INDEX] * words],
            ["job", "worker", "workers", "address", "size", "copy"],
        )
        function.attributes.add("noinline")
        act(_Part(builder, function))
        builder.ret_void()
        return function


class _Part:
    """Emits what a function does with a worker's part of a buffer."""

    def __init__(self, builder: ir.IRBuilder, function: ir.Function):
        job, worker, self._workers, address, size, *copy = function.args
        self._builder = builder
        self._context = Context(job, worker, job)
        self._address = builder.inttoptr(self._word(address), POINTER)
        self._size = self._word(size)
        self._copy = [builder.inttoptr(self._word(word), POINTER) for word in copy]

    def _word(self, number: ir.Value) -> ir.Value:
        builder = self._builder
        place = builder.gep(self._context.job, [number], source_etype=INDEX)
        return builder.load(place, typ=INDEX)

    def _part_of(self, count: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The worker's part of so many things: the first, and how many."""
        division = Division.of(self._builder, self._context, self._workers, count)
        return division.first, self._builder.sub(division.end, division.first)

    def _at(self, base: ir.Value, offset: ir.Value) -> ir.Value:
        return self._builder.gep(base, [offset], source_etype=BYTE)

    def clear(self) -> None:
        builder = self._builder
        with builder.if_then(builder.icmp_unsigned("!=", self._size, _ZERO)):
            first, size = self._part_of(self._size)
            clear(builder, self._at(self._address, first), size)

    def remember(self) -> None:
        builder, (copy,) = self._builder, self._copy
        first, size = self._part_of(self._size)
        move = builder.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, INDEX])
        source, target = self._at(self._address, first), self._at(copy, first)
        builder.call(move, [target, source, size, ir.Constant(BIT, 0)])

    def compare(self, float_bytes: int) -> None:
        builder, (copy,) = self._builder, self._copy
        width = ir.Constant(INDEX, float_bytes or 1)
        first, count = self._part_of(builder.udiv(self._size, width))
        offset, size = builder.mul(first, width), builder.mul(count, width)
        one, other = self._at(self._address, offset), self._at(copy, offset)
        with builder.if_then(_differ(builder, one, other, size)):
            if float_bytes:
                self._compare_floats(one, other, count, float_bytes)
            else:
                self._note()

    def _compare_floats(
        self, one: ir.Value, other: ir.Value, count: ir.Value, width: int
    ) -> None:
        builder, bits = self._builder, ir.IntType(8 * width)
        with counted(builder, _ZERO, count, "compare") as (index, following):
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
            builder.ret_void()

    def _note(self) -> None:
        """Something has changed."""
        self._context.exchange(self._builder, DIFFERS, 1)


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
