"""Native loops that apply one operation to arrays, on this machine and on lesser ones."""

import ctypes
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding, ir
from numpy.typing import NDArray
from xdsl.ir import Attribute, Operation, SSAValue

import vyre
from vyre.dialects.vyre import ParamOp
from vyre.lowering.llvm.scalars import emit_scalar
from vyre.lowering.llvm.types import from_storage, storage_type, to_storage
from vyre.runtime.scalars import dtype_of

Array = NDArray[Any]

_TYPES = ("i1", "i8", "i16", "i32", "i64", "index", "f16", "f32", "f64")
_LONG = ir.IntType(64)


class Machine(NamedTuple):
    """What code is generated for."""

    cpu: str
    features: str
    vectorised: bool = True


def _machines() -> dict[str, Machine]:
    features = binding.get_host_cpu_features()
    cpu, flags = binding.get_host_cpu_name(), features.flatten()
    machines = {
        "host": Machine(cpu, flags),
        "host-scalar": Machine(cpu, flags, vectorised=False),
    }
    if binding.get_process_triple().startswith("x86_64"):
        # SSE2 and nothing more: no FMA, no F16C, no rounding instructions.
        machines["x86-64"] = Machine("x86-64", "")
        if features.get("avx2") and features.get("bmi2"):
            machines["x86-64-v3"] = Machine("x86-64-v3", "")
    return machines


MACHINES = _machines()


@cache
def chains(*bodies: str) -> tuple[tuple[Operation, ...], ...]:
    """
    The operations of texts such as `%r = arith.addi %i32_a, %i32_b : i32`, one to a line.
    There are operands a, b and c of each type; `%r` is the result, and `%m` what is
    computed on the way.
    """
    params = "".join(
        f'%{type}_{name} = vyre.param "{type}_{name}" : {type}\n'
        for type in _TYPES
        for name in "abc"
    )
    lines = [re.sub(r"%([rm])\b", rf"%\g<1>{i}", body) for i, body in enumerate(bodies)]
    text = "\n".join(["vyre.program @p [1, 1, 1] {", params, *lines, "}"])
    program = vyre.parse(text).body.block.first_op
    assert program is not None
    ops = [op for op in program.regions[0].block.ops if not isinstance(op, ParamOp)]
    counts = [len(body.splitlines()) for body in bodies]
    return tuple(tuple(ops.pop(0) for _ in range(count)) for count in counts)


def operations(*bodies: str) -> tuple[Operation, ...]:
    """The operation of each text that is a single line."""
    return tuple(op for [op] in chains(*bodies))


class Kernel:
    """A compiled loop over arrays that all have the same length."""

    def __init__(self, address: int, ops: Sequence[Operation]):
        self.results = [dtype_of(result.type) for result in ops[-1].results]
        pointers = [ctypes.c_void_p] * (len(_inputs(ops)) + len(self.results))
        self.run = ctypes.CFUNCTYPE(None, *pointers, ctypes.c_int64)(address)

    def __call__(self, operands: Sequence[Array], count: int) -> tuple[Array, ...]:
        results = tuple(np.zeros(count, dtype) for dtype in self.results)
        arrays = [np.ascontiguousarray(x) for x in operands]
        self.run(*(x.ctypes.data for x in (*arrays, *results)), count)
        return results


@cache
def compiled(machine: str, *bodies: str) -> tuple[Kernel, ...]:
    """A kernel for each text, all in one module."""
    parsed, code = optimised(machine, *bodies)
    engine = binding.create_mcjit_compiler(parsed, code)
    engine.finalize_object()
    _ENGINES.append(engine)
    return tuple(
        Kernel(engine.get_function_address(f"kernel{index}"), ops)
        for index, ops in enumerate(chains(*bodies))
    )


_ENGINES: list[binding.ExecutionEngine] = []
"""Engines own the code, so they live as long as the tests."""


def optimised(
    machine: str, *bodies: str
) -> tuple[binding.ModuleRef, binding.TargetMachine]:
    """Kernels for each text after the optimiser, and the machine they are for."""
    module = ir.Module("kernels")
    for index, ops in enumerate(chains(*bodies)):
        _emit_loop(module, f"kernel{index}", ops)
    return _optimised(str(module), MACHINES[machine])


def _optimised(
    text: str, machine: Machine
) -> tuple[binding.ModuleRef, binding.TargetMachine]:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    code = target.create_target_machine(
        cpu=machine.cpu, features=machine.features, opt=3, jit=True
    )
    parsed = binding.parse_assembly(text)
    parsed.triple = target.triple
    parsed.data_layout = str(code.target_data)
    parsed.verify()
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = machine.vectorised
    options.slp_vectorization = machine.vectorised
    builder = binding.create_pass_builder(code, options)
    builder.getModulePassManager().run(parsed, builder)
    return parsed, code


def _inputs(ops: Sequence[Operation]) -> list[SSAValue]:
    """The parameters that operations compute from."""
    used = dict.fromkeys(operand for op in ops for operand in op.operands)
    return [value for value in used if isinstance(value.owner, ParamOp)]


def _emit_loop(module: ir.Module, name: str, ops: Sequence[Operation]) -> None:
    """`for (i = 0; i != n; i++) results[i] = ops(inputs[i])`, for a positive n."""
    inputs, outputs = _inputs(ops), ops[-1].results
    signature = [*(ir.PointerType() for _ in (*inputs, *outputs)), _LONG]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), signature), name)
    entry, body, end = map(function.append_basic_block, ("entry", "body", "end"))
    for argument in function.args[:-1]:
        argument.add_attribute("noalias")
    ir.IRBuilder(entry).branch(body)

    builder = ir.IRBuilder(body)
    i = builder.phi(_LONG)
    arrays = iter(function.args)

    def place(type: Attribute) -> ir.Value:
        return builder.gep(next(arrays), [i], source_etype=storage_type(type))

    values: dict[SSAValue, ir.Value] = {}
    for value in inputs:
        stored = builder.load(place(value.type), typ=storage_type(value.type))
        values[value] = from_storage(builder, stored, value.type)
    for op in ops:
        results = emit_scalar(builder, op, [values[x] for x in op.operands])
        values.update(zip(op.results, results, strict=True))
    for value in outputs:
        stored = to_storage(builder, values[value], value.type)
        builder.store(stored, place(value.type))

    # Operations are free of branches, so that loops over them vectorise.
    assert builder.block is body
    following = builder.add(i, ir.Constant(_LONG, 1))
    i.add_incoming(ir.Constant(_LONG, 0), entry)
    i.add_incoming(following, body)
    more = builder.icmp_unsigned("!=", following, function.args[-1])
    builder.cbranch(more, body, end)
    ir.IRBuilder(end).ret_void()
