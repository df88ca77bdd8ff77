"""Programs without returns compute the same as the ones with returns."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from operations import (
    FLOATS,
    WIDTHS,
    edge_floats,
    edge_integers,
    same_floats,
    stored,
)
from predicated import (
    ORDERS,
    Results,
    asks_anyone,
    assert_same,
    before_and_after,
    predicated,
)
from returning_programs import VARIABLES, Writer
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.dialects.vyre import LetOp, ProgramOp
from vyre.dialects.vyre.attributes import FLOAT_REDUCE_KINDS, ReduceKind
from vyre.passes.promote_lets import PromoteLetsPass
from vyre.runtime.config import Order
from vyre.runtime.errors import Trapped


def run(module: ModuleOp, n: int, order: Order) -> Results | int:
    """What the program leaves in its buffers, or the invocation that trapped."""
    program = module.body.block.first_op
    assert isinstance(program, ProgramOp)
    lanes = 3 * program.workgroup[0]
    arguments: dict[str, NDArray[Any]] = {
        "out": np.zeros((lanes, 4), np.int32),
        "end": np.zeros((lanes, 3), np.int32),
        "mail": np.zeros(lanes, np.int32),
        "total": np.zeros(2, np.int32),
        "numbers": np.arange(lanes, dtype=np.int32) * 7,
    }
    exe = vyre.compile(module, engine="reference")
    try:
        return exe(arguments, n=np.int32(n), grid=3, order=order, timeout=20)
    except Trapped as trap:
        return trap.invocation


@pytest.mark.few(8)
@pytest.mark.parametrize("seed", range(70))
def test_same_results(seed: int):
    module = vyre.parse(Writer(seed, traps=False).program())
    before = run(module, seed % 4, "in_order")
    PromoteLetsPass().apply(vyre.context(), module)
    predicated(module)
    for order in ("lockstep", ORDERS[1 + seed % 4]):
        assert_same(run(module, seed % 4, order), before)


@pytest.mark.few(3)
@pytest.mark.parametrize("seed", range(1000, 1015))
def test_variables_of_the_program_stay(seed: int):
    module = vyre.parse(Writer(seed, traps=False).program())
    before = run(module, seed % 4, "in_order")
    predicated(module)
    lets = [op for op in module.walk() if isinstance(op, LetOp)]
    assert len(lets) == len(VARIABLES)
    assert_same(run(module, seed % 4, "lockstep"), before)


@pytest.mark.few(6)
@pytest.mark.parametrize("seed", range(2000, 2020))
def test_same_traps(seed: int):
    module = vyre.parse(Writer(seed, traps=True).program())
    before = run(module, seed % 4, "in_order")
    PromoteLetsPass().apply(vyre.context(), module)
    predicated(module)
    after = run(module, seed % 4, "reversed")
    if isinstance(before, int) and asks_anyone(module):
        assert isinstance(after, int)
    else:
        assert_same(after, before)


REDUCTIONS = [
    *[(type, kind) for type in WIDTHS for kind in ReduceKind],
    *[(type, kind) for type in FLOATS for kind in FLOAT_REDUCE_KINDS],
]


@pytest.mark.covering(1)
@pytest.mark.parametrize(("type", "kind"), REDUCTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_who_has_returned_changes_no_reduction(type: str, kind: ReduceKind, seed: int):
    text = f"""
vyre.program @p [70, 1, 1] {{
  %values = vyre.buffer "values" read_only binding 0 : memref<?x{type}>
  %gone = vyre.buffer "gone" read_only binding 1 : memref<?xi1>
  %out = vyre.buffer "out" read_write binding 2 : memref<?x{type}>
  %i = vyre.invocation_id x
  %leave = vyre.load %gone[%i] : memref<?xi1>
  %v = vyre.load %values[%i] : memref<?x{type}>
  scf.if %leave {{
    vyre.return
  }}
  %r = vyre.subgroup_reduce {kind} %v : {type}
  vyre.store %r, %out[%i] : memref<?x{type}>
}}
"""
    rng = np.random.default_rng(seed)
    if type in FLOATS:
        values = rng.choice(edge_floats(type), 140)
        values[:32] = [-0.0] * 16 + [np.nan] * 16
    else:
        values = stored(
            [int(v) for v in rng.choice(edge_integers(WIDTHS[type]), 140)], type
        )
    gone = rng.random(140) < (0.3, 0.9, 0.97)[seed]
    arguments = {"values": values, "gone": gone, "out": np.zeros_like(values)}
    before, after, _ = before_and_after(text, arguments, grid=2)
    if type in FLOATS:
        same_floats(after["out"], before["out"])
    else:
        np.testing.assert_array_equal(after["out"], before["out"])
