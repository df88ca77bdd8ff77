"""
A kernel's parameters, and workgroup memory: `__shared__` arrays that start as zeros.

How they are declared, and what they are in its body.
"""

from collections.abc import Container, Mapping
from math import prod

from typing_extensions import TypeIs
from xdsl.dialects.builtin import DYNAMIC_INDEX, Float16Type

from vyre.analysis.buffer_sources import is_workgroup_memory
from vyre.analysis.workgroup_liveness import read_at_start
from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.lowering.cuda.expressions import Expression, name
from vyre.lowering.cuda.invocations import InvocationCode
from vyre.lowering.cuda.kernel import (
    Argument,
    BufferArgument,
    Extra,
    ScratchArgument,
    ValueArgument,
)
from vyre.lowering.cuda.literals import integer_literal
from vyre.lowering.cuda.pointers import Pointers
from vyre.lowering.cuda.statements import declaration
from vyre.lowering.cuda.types import ULONG, pointer_to, register_type, storage_type
from vyre.lowering.cuda.values import placeholders, size_name

_EXTRAS = {
    Extra.GUARD: "const unsigned char *",
    Extra.TRAP: "unsigned long long *",
    Extra.STOP: "const volatile unsigned int *",
    Extra.GRID: "unsigned int *",
}


class Signature:
    """
    Declares a program's buffers and parameters, in an order that launches know. Sizes of
    buffers that are known are parameters, too, but the text does not depend on them.

    Example: `Signature(program, code, pointers, setting.sizes).arguments`
    """

    def __init__(
        self,
        program: vyre.ProgramOp,
        code: InvocationCode,
        pointers: Pointers,
        sizes: Mapping[str, tuple[int, ...]],
    ):
        self._sizes = sizes
        self._code = code
        self._names = code.statements.names
        self._pointers = pointers
        self._parameters: list[str] = []
        self.arguments: list[Argument] = []
        for entry in program.launch_table:
            if isinstance(entry, vyre.BufferOp):
                self._buffer(entry)
            else:
                self._value(entry)
        for op in program.body.block.ops:
            if isinstance(op, vyre.ScratchOp):
                self._scratch(op)

    def parameters(self, extras: tuple[Extra, ...]) -> list[str]:
        """All parameters, with what the kernel takes beside its program's."""
        return self._parameters + [f"{_EXTRAS[extra]}{extra.value}" for extra in extras]

    def _buffer(self, buffer: vyre.BufferOp) -> None:
        pointer = self._pointer(buffer, buffer.entry_name.data)
        shape = buffer.type.get_shape()
        dynamic = tuple(dim for dim, size in enumerate(shape) if size == DYNAMIC_INDEX)
        sizes: list[Expression] = []
        for dim in dynamic:
            found = self._names.new(size_name(pointer.text, dim, len(shape)))
            self._parameters.append(f"const {declaration(ULONG, found)}")
            sizes.append(self._size(buffer, dim, found))
        self._code.values.bind([buffer.memref], [pointer, *sizes])
        self.arguments.append(
            BufferArgument(buffer.entry_name.data, buffer.type.element_type, dynamic)
        )

    def _size(self, buffer: vyre.BufferOp, dim: int, parameter: str) -> Expression:
        known = self._sizes.get(buffer.entry_name.data)
        return integer_literal(known[dim], ULONG) if known else name(parameter, ULONG)

    def _pointer(self, buffer: vyre.BufferOp | vyre.ScratchOp, hint: str) -> Expression:
        element = storage_type(buffer.memref.type.element_type)
        restrict = "__restrict__ " if self._pointers.is_restrict(buffer) else ""
        found = self._names.new(hint, "buffer")
        type = pointer_to(element, const=self._pointers.is_const(buffer))
        self._parameters.append(f"{type.name}{restrict}{found}")
        return name(found, type)

    def _scratch(self, scratch: vyre.ScratchOp) -> None:
        pointer = self._pointer(scratch, scratch.memref.name_hint or "scratch")
        scope = scratch.scope.data
        sizes: list[Expression] = []
        if scope is not ScratchScope.SINGLE:
            is_per_group = scope is ScratchScope.PER_WORKGROUP
            sizes.append(self._code.ids.count(per_workgroup=is_per_group))
        self._code.values.bind([scratch.memref], [pointer, *sizes])
        self.arguments.append(ScratchArgument(scope, scratch.memref.type))

    def _value(self, param: vyre.ParamOp) -> None:
        type = param.value.type
        is_half = isinstance(type, Float16Type)
        hint = param.entry_name.data
        found = self._names.new(f"{hint}_bits" if is_half else hint)
        # An `i1` is passed as a byte that is 0 or 1, as a `bool` is.
        passed = storage_type(type) if is_half else register_type(type)
        self._parameters.append(f"const {declaration(passed, found)}")
        if param.value in self._code.needs.values:
            value = self._code.from_storage(name(found, passed), type)
            self._code.values.bind([param.value], [value])
        self.arguments.append(ValueArgument(param.entry_name.data, type))

    def define_values(self, program: vyre.ProgramOp) -> None:
        """Give parameters a name of their own that are not computed with as they are."""
        for param in program.table:
            if isinstance(param, vyre.ParamOp) and param.value in self._code.needs.values:
                self._code.define([param.value], [self._code.values.scalar(param.value)])


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
