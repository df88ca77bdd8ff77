"""What C++ each `arith` and `math` operation becomes: one table."""

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from vyre.lowering.cuda.conversions import CONVERSIONS
from vyre.lowering.cuda.expressions import Expression
from vyre.lowering.cuda.floats import FLOATS
from vyre.lowering.cuda.functions import FUNCTIONS
from vyre.lowering.cuda.integers import INTEGERS
from vyre.lowering.cuda.scalar_code import Emitter, ScalarCode

EMITTERS: Mapping[type[Operation], Emitter] = {
    **INTEGERS,
    **FLOATS,
    **FUNCTIONS,
    **CONVERSIONS,
}
"""Every pure operation of `arith` and `math`, with the meaning of `docs/semantics.md`."""


def emit_scalar(
    code: ScalarCode, op: Operation, operands: Sequence[Expression]
) -> list[Expression]:
    """
    The results of an operation of `EMITTERS`.

    Example: `[total] = emit_scalar(code, addi, [a, b])`
    """
    results = EMITTERS[type(op)](code, op, *operands)
    return list(results) if isinstance(results, tuple) else [results]
