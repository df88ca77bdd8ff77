"""
The LLVM function of a program: its arguments, and where a program's buffers are in them.

A buffer that no other one of the table can share storage with is `noalias`: there is no
barrier in the function, so nobody else writes to it meanwhile but by atomics, or in
elements that this function does not touch.
"""

from collections.abc import Sequence

from llvmlite import ir
from xdsl.dialects.builtin import DYNAMIC_INDEX

from vyre.analysis.buffer_sources import shared_storage
from vyre.dialects import vyre
from vyre.lowering.llvm.names import plain
from vyre.lowering.llvm.parts import PHASE
from vyre.lowering.llvm.values import INDEX, POINTER, Environment, register_types


def declare_phase(
    module: ir.Module,
    program: vyre.ProgramOp,
    *,
    inlined: bool = False,
) -> tuple[ir.Function, Environment]:
    """
    Add a function for a program to a module, without code yet; gives it, and where the
    program's buffers and parameters are in its arguments.
    """
    table = list(program.launch_table)
    types = [type for e in table for type in register_types([e.results[0].type])]
    context = [POINTER, INDEX, POINTER, *[INDEX] * 5]
    signature = ir.FunctionType(ir.VoidType(), [*context, *types])
    name = module.get_unique_name(plain(f"{PHASE}{program.sym_name.data}"))
    function = ir.Function(module, signature, name)
    function.linkage = "internal"
    function.attributes.add("alwaysinline" if inlined else "noinline")
    names = "job", "worker", "memory", "groups.x", "groups.y", "groups.z", "first", "end"
    for argument, name in zip(function.args, names):
        argument.name = name
    values = Environment()
    first = len(context)
    for entry in table:
        first = _bind_entry(values, entry, function, first, table)
    return function, values


def _bind_entry(
    values: Environment,
    entry: vyre.BufferOp | vyre.ParamOp,
    function: ir.Function,
    first: int,
    table: Sequence[vyre.BufferOp | vyre.ParamOp],
) -> int:
    """Let an entry of the table be in the arguments from `first` on; gives the next one."""
    value = entry.results[0]
    registers: list[ir.Value] = []
    for number in range(len(register_types([value.type]))):
        argument = function.args[first + number]
        name = plain(entry.entry_name.data)
        argument.name = f"{name}.{number - 1}" if number else name
        registers.append(argument)
    if isinstance(entry, vyre.BufferOp):
        shape = entry.type.get_shape()
        for axis, size in enumerate(shape):
            if size != DYNAMIC_INDEX:
                registers[1 + axis] = ir.Constant(INDEX, size)
        if not _may_overlap(entry, table):
            function.args[first].add_attribute("noalias")
        count = 1 + len(shape)
    else:
        count = len(registers)
    values.bind([value], registers)
    return first + count


def _may_overlap(
    buffer: vyre.BufferOp, table: Sequence[vyre.BufferOp | vyre.ParamOp]
) -> bool:
    mine = shared_storage(buffer)
    others = (entry for entry in table if isinstance(entry, vyre.BufferOp))
    return any(other is not buffer and mine & shared_storage(other) for other in others)
