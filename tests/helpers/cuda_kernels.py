"""Kernels that are compiled for the host and run there, one at a time."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from awkward_values import columns
from cuda_devices import host_device
from llvm_kernels import operations
from numpy.typing import NDArray
from same_bytes import assert_same, reference
from xdsl.ir import SSAValue

import vyre
from vyre.analysis.extents import Setting
from vyre.dialects.vyre import ParamOp, ProgramOp
from vyre.lowering.cuda.kernel import BufferArgument, CudaKernel
from vyre.lowering.cuda.options import NVRTC_OPTIONS
from vyre.lowering.cuda.programs import ANY, USUAL, cuda_kernel, prepared
from vyre.runtime.cuda.arguments import PackedArguments
from vyre.runtime.scalars import dtype_of
from vyre.testing.host_cuda import HostCudaDevice

Array = NDArray[Any]


def program_in(text: str) -> ProgramOp:
    """The first program of a text."""
    return next(op for op in vyre.parse(text).walk() if isinstance(op, ProgramOp))


def kernel_of(
    program: ProgramOp, setting: Setting = ANY, *, is_guarded: bool = False
) -> CudaKernel:
    """
    The kernel of a program that no schedule launches.

    Example: `print(kernel_of(program_in(text)).source)`
    """
    found = prepared([program], setting)[program.sym_name.data]
    return cuda_kernel(found, is_guarded=is_guarded, setting=setting)


def run_kernel(
    kernel: CudaKernel,
    values: Mapping[str, Array],
    grid: tuple[int, int, int],
    device: HostCudaDevice,
) -> dict[str, Array]:
    """
    What buffers hold after a launch of a kernel that takes nothing else.

    Example: `run_kernel(kernel_of(program), {"x": x}, (1, 1, 1), host_device())["x"]`
    """
    assert not kernel.extras
    stream = device.new_stream()
    arguments: list[np.generic] = []
    places: dict[str, int] = {}
    for argument in kernel.arguments:
        assert isinstance(argument, BufferArgument)
        array = values[argument.name]
        address = device.allocate(max(1, array.nbytes), stream)
        device.upload(address, array.reshape(-1).view(np.uint8), stream)
        places[argument.name] = address
        arguments += [np.uint64(address)]
        arguments += [np.int64(array.shape[dim]) for dim in argument.dynamic]
    function = device.compile(kernel.source, kernel.name, NVRTC_OPTIONS)
    device.launch(function, grid, kernel.workgroup, PackedArguments(arguments), stream)
    results = {name: values[name].copy() for name in places}
    for name, result in results.items():
        device.download(places[name], result.reshape(-1).view(np.uint8), stream)
    return results


def check_operations(bodies: Sequence[str], remark: str = "") -> None:
    """
    Compute texts such as `%r = arith.addi %i32_a, %i32_b : i32` on awkward operands, all in
    one kernel, and compare with the reference engine. A remark makes it another kernel.
    """
    operands = awkward_operands(bodies)
    results = computed(bodies, operands, remark)
    ops = operations(*bodies)
    for body, op, given, found in zip(bodies, ops, operands, results):
        for one, other in zip(found, reference(op, given), strict=True):
            assert_same(body, one, other, given)


def awkward_operands(bodies: Sequence[str]) -> list[tuple[Array, ...]]:
    """Operands for each of the texts."""
    types = [[str(x.type) for x in op.operands] for op in operations(*bodies)]
    return [columns(*each) for each in types]


def computed(
    bodies: Sequence[str], operands: Sequence[Sequence[Array]], remark: str = ""
) -> list[tuple[Array, ...]]:
    """
    The results of operations on these operands. Texts have operands a, b and c of each
    type; `%r` is the result.
    """
    program, values = operations_program(bodies, operands)
    longest = max(len(value) for value in values.values())
    kernel = kernel_of(program, USUAL)
    kernel = replace(kernel, source=f"{kernel.source}// {remark}\n")
    found = run_kernel(kernel, values, (-(-longest // 64), 1, 1), host_device())
    return [
        tuple(found[f"r{number}_{at}"] for at in range(len(op.results)))
        for number, op in enumerate(operations(*bodies))
    ]


def operations_program(
    bodies: Sequence[str], operands: Sequence[Sequence[Array]]
) -> tuple[ProgramOp, dict[str, Array]]:
    """A program with buffers of its own for each text, and what they hold."""
    declarations, lines = "", "%i = vyre.invocation_id x\n"
    values: dict[str, Array] = {}
    for number, (body, op) in enumerate(zip(bodies, operations(*bodies))):
        names = [_parameter(value) for value in op.operands]
        for name, column in zip(names, operands[number]):
            own, type = f"{name}_{number}", name[:-2]
            if own not in values:
                declarations += _buffer(own, type, "read_only", len(values))
                lines += f"%{own} = vyre.load %{own}_buffer[%i] : memref<?x{type}>\n"
                values[own] = column
        lines += re.sub(r"%(\w+_[abc]|r)\b", rf"%\g<1>_{number}", body) + "\n"
        count = len(operands[number][0]) if operands[number] else 3
        for at, result in enumerate(op.results):
            own = f"r{number}_{at}"
            declarations += _buffer(own, str(result.type), "write_only", len(values))
            value = f"%r_{number}#{at}" if len(op.results) > 1 else f"%r_{number}"
            lines += f"vyre.store {value}, %{own}_buffer[%i] : memref<?x{result.type}>\n"
            values[own] = np.zeros(count, dtype_of(result.type))
    return program_in(f"vyre.program @p [64, 1, 1] {{\n{declarations}{lines}}}"), values


def _parameter(value: SSAValue) -> str:
    assert isinstance(value.owner, ParamOp)
    return value.owner.entry_name.data


def _buffer(name: str, type: str, access: str, binding: int) -> str:
    clauses = f"{access} binding {binding} : memref<?x{type}>"
    return f'%{name}_buffer = vyre.buffer "{name}" {clauses}\n'
