"""Programs before and after `vyre-predicate-returns`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import vyre
from vyre.dialects.vyre import ReturnOp
from vyre.locations import is_unknown
from vyre.passes.predicate_returns import PredicateReturnsPass
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.runtime.config import Order

ORDERS: tuple[Order, ...] = ("lockstep", "mirrored", "in_order", "reversed", "random")
Results = dict[str, NDArray[Any]]


def predicated(module: ModuleOp) -> None:
    """Apply the pass, and check what it leaves behind."""
    PredicateReturnsPass().apply(vyre.context(), module)
    verify_ops(module)
    verify_programs(module)
    assert not [op for op in module.walk() if isinstance(op, ReturnOp)]
    assert not [op.name for op in module.walk() if is_unknown(op.location)]


def assert_same(found: Results | int, wanted: Results | int) -> None:
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name, array in wanted.items():
            np.testing.assert_array_equal(found[name], array, name)
    else:
        assert found == wanted


def asks_anyone(module: ModuleOp) -> bool:
    """Whether barriers were added to find out if anyone is alive."""
    names = (result.name_hint for op in module.walk() for result in op.results)
    return any(name == "any_alive" for name in names)


def before_and_after(
    text: str, arguments: dict[str, Any], grid: int, order: Order = "lockstep"
) -> tuple[Results, Results, ModuleOp]:
    module = vyre.parse(text)
    before = vyre.compile(module, engine="reference")(
        arguments, grid=grid, order="in_order", timeout=20
    )
    predicated(module)
    after = vyre.compile(module, engine="reference")(
        arguments, grid=grid, order=order, timeout=20
    )
    return before, after, module
