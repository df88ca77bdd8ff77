"""Collectives, schedules, orders and barriers."""

import numpy as np
import pytest
from small_programs import STORE, run

import vyre
from vyre.dialects.vyre import ProgramOp
from vyre.interpreter.engine import Dispatch
from vyre.runtime.config import Order
from vyre.runtime.errors import (
    DivergentBarrier,
    UnsupportedFeature,
)

pytestmark = pytest.mark.core


def test_collectives_of_one_rank():
    exe = vyre.compile(
        """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<2xi32>
  %x = vyre.invocation_id x
  %v = arith.index_cast %x : index to i32
  vyre.store %v, %a[%x] : memref<4xi32>
  vyre.all_reduce add %a : memref<4xi32>
  vyre.all_gather %a, %b : memref<4xi32>, memref<2xi32>
  vyre.broadcast %b root 0 : memref<2xi32>
}
""",
        engine="reference",
    )
    result = exe(a=np.zeros(4, np.int32), b=np.zeros(2, np.int32))
    assert (list(result["a"]), list(result["b"])) == ([0, 1, 2, 3], [0, 1])


def test_other_ranks_are_refused():
    exe = vyre.compile(
        """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<4xi32>
  vyre.broadcast %a root 1 : memref<4xi32>
}
""",
        engine="reference",
    )
    with pytest.raises(UnsupportedFeature, match="there is no rank 1"):
        exe(a=np.zeros(4, np.int32), grid=1)


SCHEDULE = """
vyre.program @p.0 [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %mine = vyre.buffer "mine" write_only binding 1 : memref<?xi32>
  %go = vyre.buffer "go" write_only binding 2 : memref<1xi1>
  %limit = vyre.param "limit" : i32
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %x = vyre.invocation_id x
  %v = vyre.load %a[%x] : memref<?xi32>
  %w = arith.addi %v, %one : i32
  vyre.store %w, %a[%x] : memref<?xi32>
  vyre.store %w, %mine[%x] : memref<?xi32>
  %more = arith.cmpi slt, %w, %limit : i32
  vyre.store %more, %go[%c0] : memref<1xi1>
}
vyre.program @p.1 [4, 1, 1] {
  %mine = vyre.buffer "mine" read_only binding 0 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 1 : memref<?xi32>
  %x = vyre.invocation_id x
  %v = vyre.load %mine[%x] : memref<?xi32>
  vyre.store %v, %out[%x] : memref<?xi32>
}
vyre.schedule @p {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %out = vyre.buffer "out" write_only binding 1 : memref<?xi32>
  %limit = vyre.param "limit" : i32
  %mine = vyre.scratch per_invocation : memref<?xi32>
  %go = vyre.scratch single : memref<1xi1>
  vyre.launch @p.0(%a, %mine, %go, %limit)
  scf.while () : () -> () {
    %c = vyre.read_back %go[0] : memref<1xi1>
    scf.condition(%c)
  } do {
    vyre.launch @p.0(%a, %mine, %go, %limit)
    scf.yield
  }
  vyre.launch @p.1(%mine, %out)
}
"""


def test_schedules_run():
    zeros = np.zeros(8, np.int32)
    result = vyre.compile(SCHEDULE, engine="reference")(a=zeros, out=zeros.copy(), limit=5)
    np.testing.assert_array_equal(result["out"], np.full(8, 5))
    np.testing.assert_array_equal(result["a"], np.full(8, 5))


def test_orders_show_a_hidden_dependence():
    """Not valid: it reads what others write in the same phase."""
    body = f"""
  %left = arith.subi %x, %c1 : index
  %theirs = vyre.load %out[%left] : memref<?xi32>
  %v = arith.addi %theirs, %one : i32
  {STORE}
"""
    one_by_one = [
        run(body, workgroup="[1, 1, 1]", grid=8, order=o) for o in ("in_order", "reversed")
    ]
    assert not np.array_equal(one_by_one[0], one_by_one[1])


def test_divergent_barriers_are_caught_while_running():
    """The verifier refuses these; the engine does not rely on it."""
    module = vyre.parse("""
vyre.program @p [4, 1, 1] {
  %x = vyre.invocation_id x
  %c2 = arith.constant 2 : index
  %some = arith.cmpi ult, %x, %c2 : index
  scf.if %some {
  }
  vyre.barrier grid_sync
}
""")
    program = next(op for op in module.walk() if isinstance(op, ProgramOp))
    barrier = program.body.block.last_op
    assert barrier is not None
    branch = barrier.prev_op
    assert branch is not None
    barrier.detach()
    end = branch.regions[0].block.last_op
    assert end is not None
    branch.regions[0].block.insert_op_before(barrier, end)
    cases: list[tuple[Order, int]] = [("lockstep", 1), ("in_order", 2), ("lockstep", 2)]
    for order, groups in cases:
        with pytest.raises(DivergentBarrier, match="does not come to this barrier"):
            Dispatch((groups, 1, 1), order=order).run(program, {})
