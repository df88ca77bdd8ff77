"""Collectives, which a program with one rank executes for itself: copies, or nothing."""

from llvmlite import ir
from xdsl.ir import Operation

from vyre.dialects import vyre
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre.buffers import memref_type
from vyre.lowering.llvm.counting import counted, smaller
from vyre.lowering.llvm.phase_arguments import declare_phase
from vyre.lowering.llvm.types import (
    BIT,
    from_storage,
    register_type,
    storage_type,
    to_storage,
)
from vyre.lowering.llvm.values import INDEX, Environment, Place


def emit_collective(
    module: ir.Module, program: vyre.ProgramOp, op: Operation
) -> ir.Function:
    """
    Add the function of a program that is one collective. Who has the first workgroup does
    it all.

    Example: `emit_collective(module, program, gather)`
    """
    function, values = declare_phase(module, program)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    first = function.args[6]
    with builder.if_then(builder.icmp_unsigned("==", first, ir.Constant(INDEX, 0))):
        match op:
            case vyre.AllGatherOp() | vyre.ReduceScatterOp():
                _copy(builder, values, op)
            case vyre.BroadcastOp() if op.root.value.data != 0:
                raise Refusal(
                    f"there is no rank {op.root.value.data}: the program runs on one rank",
                    fix="use root 0",
                    at=op,
                )
            case _:
                pass
    builder.ret_void()
    return function


def _copy(
    builder: ir.IRBuilder,
    values: Environment,
    op: vyre.AllGatherOp | vyre.ReduceScatterOp,
) -> None:
    """As many elements as both buffers have."""
    source, target = values.place(op.source), values.place(op.destination)
    count = smaller(builder, _elements(builder, source), _elements(builder, target))
    element = memref_type(op.source).element_type
    type = storage_type(element)
    with counted(builder, ir.Constant(INDEX, 0), count, "gather") as (index, _):
        here, there = (
            builder.gep(place.address, [index], source_etype=type)
            for place in (source, target)
        )
        stored = builder.load(here, typ=type)
        if register_type(element) == BIT:  # Any byte but 0 is stored as 1.
            stored = to_storage(builder, from_storage(builder, stored, element), element)
        builder.store(stored, there)


def _elements(builder: ir.IRBuilder, place: Place) -> ir.Value:
    count: ir.Value = ir.Constant(INDEX, 1)
    for size in place.sizes:
        count = builder.mul(count, size)
    return count
