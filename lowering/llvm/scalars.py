"""What LLVM IR each `arith` and `math` operation becomes: one table."""

from collections.abc import Mapping, Sequence

from llvmlite import ir
from xdsl.ir import Operation

from vyre.lowering.llvm.conversions import CONVERSIONS
from vyre.lowering.llvm.emitter import Emitter
from vyre.lowering.llvm.floats import FLOATS
from vyre.lowering.llvm.functions import FUNCTIONS
from vyre.lowering.llvm.integers import INTEGERS

EMITTERS: Mapping[type[Operation], Emitter] = {
    **INTEGERS,
    **FLOATS,
    **FUNCTIONS,
    **CONVERSIONS,
}
"""Every pure operation of `arith` and `math`, with the meaning of `docs/semantics.md`."""


def emit_scalar(
    builder: ir.IRBuilder, op: Operation, operands: Sequence[ir.Value]
) -> list[ir.Value]:
    """
    Emit an operation of `EMITTERS` on values in registers; gives its results. It stays in
    the builder's block.

    Example: `[total] = emit_scalar(builder, addi, [a, b])`
    """
    results = EMITTERS[type(op)](builder, op, *operands)
    return list(results) if isinstance(results, tuple) else [results]
