"""Whether native code computes the bytes of the reference engine."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from awkward_values import columns
from llvm_kernels import compiled, operations
from numpy.typing import NDArray
from xdsl.ir import Operation

from vyre.interpreter.semantics import SEMANTICS

Array = NDArray[Any]


def check(machine: str, bodies: Sequence[str]) -> None:
    """Run each operation on awkward operands and compare."""
    kernels = compiled(machine, *bodies)
    for body, op, kernel in zip(bodies, operations(*bodies), kernels):
        operands = columns(*(str(x.type) for x in op.operands))
        count = len(operands[0]) if operands else 3
        for found, wanted in zip(kernel(operands, count), expected(op)):
            assert_same(body, found, wanted, operands)


@cache
def expected(op: Operation) -> tuple[Array, ...]:
    """What the reference engine computes from `columns`."""
    return reference(op, columns(*(str(x.type) for x in op.operands)))


def reference(op: Operation, operands: Sequence[Array]) -> tuple[Array, ...]:
    """What the reference engine computes from these operands."""
    with np.errstate(all="ignore"):
        results = SEMANTICS[op.__class__](op, *operands)
    return results if isinstance(results, tuple) else (results,)


def assert_same(body: str, found: Array, wanted: Array, operands: Sequence[Array]) -> None:
    """Equal bytes; any NaN equals any NaN."""
    assert found.dtype == wanted.dtype, body
    bits = f"u{found.dtype.itemsize}"
    wanted = np.broadcast_to(wanted, found.shape).copy()
    same = found.view(bits) == wanted.view(bits)
    if found.dtype.kind == "f":
        same |= np.isnan(found) & np.isnan(wanted)
    if not same.all():
        first = int(np.argmin(same))
        given = [x[first].tobytes()[::-1].hex() for x in operands]
        raise AssertionError(
            f"{body}: {np.sum(~same)} of {len(same)} differ, first for {given}: "
            f"{found[first]!r} and not {wanted[first]!r}"
        )
