"""
A program without barriers as an LLVM function that runs a range of its workgroups.

```llvm
define void @p(ptr %words, i64 %first, i64 %end)
```

Workgroups are numbered with x fastest; `%words` points to 64-bit words: the numbers of
workgroups along x, y and z, the address of a word that is not zero when the function shall
stop, the address of the trap record, the address of memory for one workgroup, and then for
each buffer its address and sizes, for each parameter its bits. The loops over invocations
are around the program's code, innermost over x, where LLVM can vectorise them.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from math import prod

from llvmlite import ir
from xdsl.dialects.builtin import DYNAMIC_INDEX

from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import Access, byte_width, is_scalar
from vyre.lowering.llvm.counting import counted
from vyre.lowering.llvm.invocations import Exits, InvocationCode, Position
from vyre.lowering.llvm.types import from_storage, storage_type
from vyre.lowering.llvm.values import INDEX, POINTER, Environment

GROUPS, STOP, TRAP, MEMORY, TABLE = 0, 3, 4, 5, 6
"""Where things are among the words of a launch."""

ALIGNMENT = 64
"""Of workgroup buffers, in bytes."""


def emit_kernel(module: ir.Module, program: vyre.ProgramOp) -> ir.Function:
    """
    Add the function of a program to a module.

    Example: `emit_kernel(ir.Module(), program).name`
    """
    signature = ir.FunctionType(ir.VoidType(), [POINTER, INDEX, INDEX])
    function = ir.Function(module, signature, program.sym_name.data)
    for argument, name in zip(function.args, ("words", "first", "end")):
        argument.name = name
    _Kernel(function, program).emit()
    return function


class _Kernel:
    """Writes the loops around the code of an invocation."""

    def __init__(self, function: ir.Function, program: vyre.ProgramOp):
        self._program = program
        self._words, self._first, self._end = function.args
        self._builder = ir.IRBuilder(function.append_basic_block("entry"))
        self._values = Environment()

    def emit(self) -> None:
        builder = self._builder
        groups = [self._word(GROUPS + axis) for axis in range(3)]
        stop = builder.inttoptr(self._word(STOP), POINTER, "stop")
        traps = builder.inttoptr(self._word(TRAP), POINTER, "traps")
        memory = builder.inttoptr(self._word(MEMORY), POINTER, "memory")
        self._bind_table()
        sizes = [ir.Constant(INDEX, size) for size in self._program.workgroup]
        with counted(builder, self._first, self._end, "group") as (group, _):
            ids = _coordinates(builder, group, groups)
            self._clear_workgroup_memory(memory)
            with _nest(builder, sizes) as (local_ids, following):
                position = Position(groups, sizes, group, ids, local_ids)
                exits = Exits(following, stop, traps)
                code = InvocationCode(builder, self._values, position, exits)
                if code.block(self._program.body.block) is not None:
                    builder.branch(following)
        builder.ret_void()

    def _word(self, index: int) -> ir.Value:
        offset = ir.Constant(INDEX, index)
        address = self._builder.gep(self._words, [offset], source_etype=INDEX)
        return self._builder.load(address, typ=INDEX)

    def _bind_table(self) -> None:
        word = TABLE
        for entry in self._program.launch_table:
            if isinstance(entry, vyre.BufferOp):
                name = entry.entry_name.data
                address = self._builder.inttoptr(self._word(word), POINTER, name)
                sizes = [
                    self._word(word + 1 + axis)
                    if size == DYNAMIC_INDEX
                    else ir.Constant(INDEX, size)
                    for axis, size in enumerate(entry.type.get_shape())
                ]
                self._values.bind([entry.memref], [address, *sizes])
                word += 1 + len(sizes)
            else:
                self._values.bind([entry.value], [self._parameter(entry, word)])
                word += 1

    def _parameter(self, entry: vyre.ParamOp, word: int) -> ir.Value:
        builder, type = self._builder, entry.value.type
        address = builder.gep(self._words, [ir.Constant(INDEX, word)], source_etype=INDEX)
        stored = builder.load(address, typ=storage_type(type))
        return from_storage(builder, stored, type)

    def _clear_workgroup_memory(self, memory: ir.Value) -> None:
        """Zeros at the start of each workgroup, in memory of the caller."""
        offsets, size = workgroup_layout(self._program)
        builder = self._builder
        if size:
            zero, never = ir.Constant(ir.IntType(8), 0), ir.Constant(ir.IntType(1), 0)
            types = [POINTER, INDEX]
            clear = builder.module.declare_intrinsic("llvm.memset", types)
            builder.call(clear, [memory, zero, ir.Constant(INDEX, size), never])
        for entry, offset in offsets.items():
            place = ir.Constant(INDEX, offset)
            address = builder.gep(memory, [place], source_etype=ir.IntType(8))
            sizes = [ir.Constant(INDEX, size) for size in entry.type.get_shape()]
            self._values.bind([entry.memref], [address, *sizes])


def workgroup_layout(program: vyre.ProgramOp) -> tuple[dict[vyre.BufferOp, int], int]:
    """
    Where each workgroup buffer is in the memory of a workgroup, and how large that is.

    Example: `memory = bytearray(workgroup_layout(program)[1])`
    """
    offsets: dict[vyre.BufferOp, int] = {}
    end = 0
    for entry in program.table:
        if isinstance(entry, vyre.BufferOp) and entry.access.data is Access.WORKGROUP:
            offsets[entry] = end
            element = entry.type.element_type
            assert is_scalar(element)
            size = prod(entry.type.get_shape()) * byte_width(element)
            end += -(-size // ALIGNMENT) * ALIGNMENT
    return offsets, end


@contextmanager
def _nest(
    builder: ir.IRBuilder, sizes: Sequence[ir.Value]
) -> Generator[tuple[list[ir.Value], ir.Block]]:
    """Loops over z, y and x, x innermost; gives the ids, and the next trip of x."""
    zero = ir.Constant(INDEX, 0)
    with (
        counted(builder, zero, sizes[2], "z") as (z, _),
        counted(builder, zero, sizes[1], "y") as (y, _),
        counted(builder, zero, sizes[0], "x") as (x, following),
    ):
        yield [x, y, z], following


def _coordinates(
    builder: ir.IRBuilder, number: ir.Value, extents: Sequence[ir.Value]
) -> list[ir.Value]:
    """Where number `number` is, x fastest."""
    x = builder.urem(number, extents[0])
    rows = builder.udiv(number, extents[0])
    return [x, builder.urem(rows, extents[1]), builder.udiv(rows, extents[1])]
