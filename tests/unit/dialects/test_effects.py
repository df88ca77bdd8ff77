"""xDSL's own transforms leave alone what they must, because effects are declared."""

import pytest
from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition
from xdsl.traits import MemoryEffect, MemoryEffectKind, get_effects
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination,
)

import vyre
from vyre.analysis.purity import is_known, is_pure
from vyre.dialects.vyre import (
    AsyncLoadOp,
    AtomicOp,
    LetOp,
    LoadOp,
    StoreOp,
    Vyre,
)

pytestmark = pytest.mark.core

PROGRAM = """\
vyre.program @p [64, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %unused = vyre.buffer "unused" read_only binding 1 : memref<?xi32>
  %n = vyre.param "n" : index
  %tile = vyre.buffer "tile" workgroup : memref<64xi32>
  %i = vyre.invocation_id x
  %again = vyre.invocation_id x
  %c = vyre.local_id x
  %x = vyre.load %a[%i] : memref<?xi32>
  vyre.barrier grid_sync
  %y = vyre.load %a[%i] : memref<?xi32>
  %dead = vyre.load %a[%i] : memref<?xi32>
  %old = vyre.atomic add %x, %a[%i] : memref<?xi32>
  %v = vyre.let "v" = %y : i32
  %t = vyre.async_load %a[%i], %tile[%i], %i : memref<?xi32>, memref<64xi32>
  vyre.async_wait %t
  %z = vyre.load %tile[%again] : memref<64xi32>
  vyre.store %z, %a[%i] : memref<?xi32>
  %b = arith.cmpi eq, %x, %y : i32
  %m1 = vyre.subgroup_ballot %b
  scf.if %b {
    vyre.return
  }
  %m2 = vyre.subgroup_ballot %b
  %both = arith.addi %m1, %m2 : i32
  vyre.store %both, %a[%i] : memref<?xi32>
}
"""


def optimised() -> list[Operation]:
    module, ctx = vyre.parse(PROGRAM), vyre.context()
    CanonicalizePass().apply(ctx, module)
    CommonSubexpressionElimination().apply(ctx, module)
    CanonicalizePass().apply(ctx, module)
    module.verify()
    return list(module.walk())


def count(ops: list[Operation], name: str) -> int:
    return sum(op.name == name for op in ops)


def test_the_interface_stays():
    ops = optimised()
    assert count(ops, "vyre.buffer") == 3
    assert count(ops, "vyre.param") == 1


def test_barriers_and_effects_stay():
    ops = optimised()
    for name in ("barrier", "atomic", "async_load", "async_wait", "return"):
        assert count(ops, f"vyre.{name}") == 1
    assert count(ops, "vyre.store") == 2


def test_loads_are_not_merged_across_a_barrier():
    loads = [op for op in optimised() if isinstance(op, LoadOp)]
    # %x before the barrier, %y after it, %z from the tile; %dead is gone.
    assert len(loads) == 3


def test_ballots_are_not_merged_across_a_return():
    assert count(optimised(), "vyre.subgroup_ballot") == 2


def test_ids_are_merged_and_unused_variables_removed():
    ops = optimised()
    assert count(ops, "vyre.invocation_id") == 1
    assert count(ops, "vyre.local_id") == 0
    assert count(ops, "vyre.let") == 0


def buffers_touched(op: Operation, kind: MemoryEffectKind) -> set[str | None]:
    effects = get_effects(op)
    assert effects is not None
    return {
        effect.value.name_hint
        for effect in effects
        if effect.kind is kind and isinstance(effect.value, SSAValue)
    }


def test_effects_name_their_buffers():
    touched = {
        type(op): (
            buffers_touched(op, MemoryEffectKind.READ),
            buffers_touched(op, MemoryEffectKind.WRITE),
        )
        for op in vyre.parse(PROGRAM).walk()
        if isinstance(op, StoreOp | AtomicOp | AsyncLoadOp | LetOp)
    }
    assert touched == {
        StoreOp: (set(), {"a"}),
        AtomicOp: ({"a"}, {"a"}),
        AsyncLoadOp: ({"a"}, {"tile"}),
        LetOp: (set(), set()),
    }


def test_every_operation_but_units_declares_effects():
    silent = {
        op.name
        for op in Vyre.operations
        if not any(isinstance(trait, MemoryEffect) for trait in op.traits)
    }
    units = {"vyre.program", "vyre.schedule", "vyre.workgroups", "vyre.megakernel"}
    assert silent == units


@irdl_op_definition
class SilentOp(IRDLOperation):
    """An operation of ours that does not say what it does."""

    name = "vyre.silent"


def test_what_is_known():
    """Those of Vyre that list their effects, and the tables; not what xDSL believes."""
    ops = {op.name: op for op in vyre.parse(PROGRAM).walk()}
    assert is_known(ops["vyre.store"])
    assert not is_pure(ops["vyre.store"])
    assert is_pure(ops["vyre.invocation_id"])
    foreign = memref.LoadOp.get(ops["vyre.buffer"].results[0], [])
    assert get_effects(foreign)
    assert not is_known(foreign)
    assert not is_known(SilentOp())
    assert not is_pure(SilentOp())
