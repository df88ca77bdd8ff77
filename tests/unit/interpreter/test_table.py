"""The table of semantics as a whole."""

from typing import Any

import numpy as np
import pytest
from operations import (
    FLOATS,
    WIDTHS,
    float_pairs,
    pairs,
    stored,
)
from xdsl.ir import Operation

import vyre
from vyre.analysis.purity import PURE_OPS
from vyre.interpreter.semantics import SEMANTICS


def operation(body: str, types: list[str]) -> Operation:
    """The operation of a line of text whose operands are %a, %b, ..."""
    params = "".join(f'%{n} = vyre.param "{n}" : {t}\n' for n, t in zip("abc", types))
    module = vyre.parse(f"vyre.program @p [1, 1, 1] {{\n{params}{body}\n}}")
    program = module.body.block.first_op
    assert program is not None
    found = program.regions[0].block.last_op
    assert found is not None
    return found


@pytest.mark.parametrize("type", [*WIDTHS, *FLOATS])
def test_values_that_all_invocations_share_compute_the_same(type: str):
    """Uniform values are scalars inside the engine, divergent ones are arrays."""
    if type in FLOATS:
        names = ["addf", "mulf", "divf", "minimumf", "maxnumf", "cmpf ult,"]
        left, right = float_pairs(type)
    else:
        names = ["addi", "muli", "divsi", "remui", "shli", "shrsi", "maxui", "cmpi slt,"]
        left, right = (stored(values, type) for values in pairs(type))
    bodies = [f"%r = arith.{name} %a, %b : {type}" for name in names]
    if type in FLOATS:
        bodies.append(f"%r = math.fma %a, %b, %a : {type}")
    with np.errstate(all="ignore"):
        for body in bodies:
            op = operation(body, [type, type])
            given = (left, right, left)[: len(op.operands)]
            arrays: Any = SEMANTICS[op.__class__](op, *given)
            for position in range(0, len(left), 7):
                scalars: Any = SEMANTICS[op.__class__](op, *(x[position] for x in given))
                assert np.ndim(scalars) == 0
                np.testing.assert_array_equal(scalars, arrays[position], err_msg=body)


def test_the_table_covers_every_pure_operation():
    assert set(SEMANTICS) == PURE_OPS
