"""Workgroup memory: `__shared__` arrays that start as zeros."""

from collections.abc import Container
from math import prod

from typing_extensions import TypeIs

from vyre.analysis.buffer_sources import is_workgroup_memory
from vyre.analysis.workgroup_liveness import read_at_start
from vyre.dialects import vyre
from vyre.lowering.cuda.expressions import name
from vyre.lowering.cuda.invocations import InvocationCode
from vyre.lowering.cuda.types import pointer_to, storage_type
from vyre.lowering.cuda.values import placeholders


def declare_shared_memory(program: vyre.ProgramOp, code: InvocationCode) -> int:
    """
    Declare the workgroup buffers of a program; gives how many bytes they are. All
    invocations of the workgroup together fill those with zeros of which these may be read;
    where invocations trap, which do not store any more, all of them.

    Example: `__shared__ float tile[256];`
    """
    bytes = 0
    arrays: list[tuple[str, int]] = []
    buffers = [entry for entry in program.table if _is_workgroup_buffer(entry)]
    zeros = _read_as_zeros(program) if buffers else ()
    for buffer in buffers:
        code.values.bind([buffer.memref], placeholders(buffer.type))
        if buffer.memref in code.needs.values:
            element = storage_type(buffer.type.element_type)
            found = code.statements.names.new(buffer.entry_name.data)
            count = prod(buffer.type.get_shape())
            code.writer.line(f"__shared__ {element.name} {found}[{count}];")
            code.values.bind([buffer.memref], [name(found, pointer_to(element))])
            bytes += count * element.bits // 8
            if buffer in zeros:
                arrays.append((found, count))
    threads = prod(program.workgroup)
    local = code.ids.linear_local().text
    for array, count in arrays:
        _clear(code, array, count, threads, local)
    if arrays:
        code.writer.line("__syncthreads();")
        code.writer.space()
    return bytes


def _is_workgroup_buffer(entry: vyre.BufferOp | vyre.ParamOp) -> TypeIs[vyre.BufferOp]:
    return isinstance(entry, vyre.BufferOp) and is_workgroup_memory(entry)


def _read_as_zeros(program: vyre.ProgramOp) -> Container[vyre.BufferOp]:
    """The buffers of which the first zeros may be read."""
    if any(isinstance(op, vyre.TrapOp) for op in program.body.walk()):
        return [entry for entry in program.table if _is_workgroup_buffer(entry)]
    return read_at_start(program)


def _clear(code: InvocationCode, array: str, count: int, threads: int, local: str) -> None:
    if count > threads:
        k = code.statements.names.new("k")
        head = f"for (unsigned int {k} = {local}; {k} < {count}; {k} += {threads})"
        code.writer.line(f"{head} {array}[{k}] = 0;")
    else:
        start = f"if ({local} < {count}) " if count < threads else ""
        code.writer.line(f"{start}{array}[{local}] = 0;")
