"""Narrowed tables change nothing that a caller sees."""

import numpy as np

import vyre
from vyre.dialects.vyre import LaunchOp
from vyre.passes.rewrite_access import RewriteAccessPass

PARTIAL_WRITES = """
vyre.program @p.0 [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %s = vyre.buffer "s" read_write binding 2 : memref<?xi32>
  %tile = vyre.buffer "tile" workgroup : memref<4xi32>
  %i = vyre.invocation_id x
  %v = vyre.load %a[%i] : memref<?xi32>
  vyre.store %v, %s[%i] : memref<?xi32>
}
vyre.program @p.1 [4, 1, 1] {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %s = vyre.buffer "s" read_write binding 2 : memref<?xi32>
  %k = vyre.param "k" : index
  %i = vyre.invocation_id x
  %v = vyre.load %s[%i] : memref<?xi32>
  %at = arith.muli %i, %k : index
  vyre.store %v, %b[%at] : memref<?xi32>
}
vyre.schedule @p {
  %a = vyre.buffer "a" read_only binding 0 : memref<?xi32>
  %b = vyre.buffer "b" read_write binding 1 : memref<?xi32>
  %s = vyre.scratch per_invocation : memref<?xi32>
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  vyre.launch @p.0(%a, %b, %s)
  vyre.launch @p.1(%a, %b, %s, %two)
  vyre.launch @p.1(%a, %b, %s, %three)
}
"""


def test_partial_writes_and_the_inferred_grid_stay():
    module = vyre.parse(PARTIAL_WRITES)
    a, b = np.arange(21, dtype=np.int32), np.arange(100, 109, dtype=np.int32)
    before = vyre.compile(module, engine="reference")(a=a, b=b)["b"]
    assert before[1] == 101

    RewriteAccessPass().apply(vyre.context(), module)
    launches = [op for op in module.walk() if isinstance(op, LaunchOp)]
    assert [len(launch.arguments) for launch in launches] == [2, 3, 3]
    exe = vyre.compile(module, engine="reference")
    np.testing.assert_array_equal(exe(a=a, b=b)["b"], before)
    # The unused workgroup buffer made the larger input count.
    plan = exe.plan(exe.bindings.check({"a": a, "b": b}), exe.config)
    assert plan.geometry.groups == (6, 1, 1)
