"""What the tables of emitters have in common."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from llvmlite import ir
from xdsl.ir import Operation

Emitter: TypeAlias = Callable[..., ir.Value | tuple[ir.Value, ...]]
"""Takes the builder, the operation and its operands; gives a result, or several."""


def by(emit: Callable[..., ir.Value | tuple[ir.Value, ...]]) -> Emitter:
    """
    An emitter that does not look at the operation, only at its operands.

    Example: `by(ir.IRBuilder.add)` for `arith.addi`.
    """

    def emitter(builder: ir.IRBuilder, op: Operation, *operands: ir.Value):
        return emit(builder, *operands)

    return emitter


def call_intrinsic(
    builder: ir.IRBuilder,
    name: str,
    result: ir.Type,
    operands: Sequence[ir.Value],
    overloads: Sequence[ir.Type] = (),
) -> ir.Value:
    """
    A call of an intrinsic that is overloaded by its result, or by the types given.

    Example: `call_intrinsic(builder, "llvm.sqrt", x.type, [x])`
    """
    signature = ir.FunctionType(result, [operand.type for operand in operands])
    function = builder.module.declare_intrinsic(name, overloads or [result], signature)
    return builder.call(function, operands)
