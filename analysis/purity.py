"""
Which operations of other dialects compute a value and do nothing else.

xDSL's traits have holes (`arith.remui` and `arith.extsi` have no effect trait at all), so
Vyre goes by this table. With Vyre's total semantics none of these operations can fail, so
they may also be executed where the program would not have. An operation of another dialect
that is not in the table counts as touching everything.
"""

from collections.abc import Set as AbstractSet
from functools import cache

from xdsl.dialects import arith, math, scf
from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffect, get_effects

PURE_OPS: frozenset[type[Operation]] = frozenset(
    (
        # Integers
        arith.ConstantOp,
        arith.AddiOp,
        arith.AddUIExtendedOp,
        arith.SubiOp,
        arith.MuliOp,
        arith.MulUIExtendedOp,
        arith.MulSIExtendedOp,
        arith.DivUIOp,
        arith.DivSIOp,
        arith.FloorDivSIOp,
        arith.CeilDivSIOp,
        arith.CeilDivUIOp,
        arith.RemUIOp,
        arith.RemSIOp,
        arith.MinSIOp,
        arith.MaxSIOp,
        arith.MinUIOp,
        arith.MaxUIOp,
        arith.AndIOp,
        arith.OrIOp,
        arith.XOrIOp,
        arith.ShLIOp,
        arith.ShRUIOp,
        arith.ShRSIOp,
        arith.CmpiOp,
        math.AbsIOp,
        math.CountLeadingZerosOp,
        math.CountTrailingZerosOp,
        math.CtPopOp,
        math.IPowIOp,
        # Floats
        arith.AddfOp,
        arith.SubfOp,
        arith.MulfOp,
        arith.DivfOp,
        arith.NegfOp,
        arith.CmpfOp,
        arith.MinimumfOp,
        arith.MaximumfOp,
        arith.MinnumfOp,
        arith.MaxnumfOp,
        math.AbsFOp,
        math.AcosOp,
        math.AcoshOp,
        math.AsinOp,
        math.AsinhOp,
        math.AtanOp,
        math.Atan2Op,
        math.AtanhOp,
        math.CbrtOp,
        math.CeilOp,
        math.CopySignOp,
        math.CosOp,
        math.CoshOp,
        math.ErfOp,
        math.ExpOp,
        math.Exp2Op,
        math.ExpM1Op,
        math.FPowIOp,
        math.FloorOp,
        math.FmaOp,
        math.LogOp,
        math.Log10Op,
        math.Log1pOp,
        math.Log2Op,
        math.PowFOp,
        math.RoundOp,
        math.RoundEvenOp,
        math.RsqrtOp,
        math.SinOp,
        math.SinhOp,
        math.SqrtOp,
        math.TanOp,
        math.TanhOp,
        math.TruncOp,
        # Conversions and choice
        arith.SelectOp,
        arith.BitcastOp,
        arith.IndexCastOp,
        arith.FPToSIOp,
        arith.FPToUIOp,
        arith.SIToFPOp,
        arith.UIToFPOp,
        arith.ExtFOp,
        arith.TruncFOp,
        arith.TruncIOp,
        arith.ExtSIOp,
        arith.ExtUIOp,
    )
)

EXACT_MATH = frozenset(
    (
        math.AbsFOp,
        math.AbsIOp,
        math.CeilOp,
        math.CopySignOp,
        math.CountLeadingZerosOp,
        math.CountTrailingZerosOp,
        math.CtPopOp,
        math.FloorOp,
        math.FmaOp,
        math.IPowIOp,
        math.RoundOp,
        math.RoundEvenOp,
        math.SqrtOp,
        math.TruncOp,
    )
)
"""Functions of `math` that give the same bits wherever they are computed."""

CONTROL_OPS: frozenset[type[Operation]] = frozenset(
    (
        scf.IfOp,
        scf.IndexSwitchOp,
        scf.ForOp,
        scf.WhileOp,
        scf.YieldOp,
        scf.ConditionOp,
    )
)
"""Structured control flow: no effects but those of the operations inside."""


def is_pure(op: Operation) -> bool:
    """Whether the operation only computes its results from its operands."""
    if type(op) in PURE_OPS:
        return True
    return not op.regions and _is_ours(type(op)) and effects_of(op) == frozenset()


def is_known(op: Operation) -> bool:
    """Whether Vyre knows what the operation does; otherwise it touches everything."""
    return type(op) in PURE_OPS or type(op) in CONTROL_OPS or _is_ours(type(op))


def effects_of(op: Operation) -> AbstractSet[EffectInstance] | None:
    """
    What an operation does to memory, or None if that is unknown. It is xDSL's
    `get_effects`, which looks for the traits of a type again for every operation.

    Example: `any(e.kind is MemoryEffectKind.WRITE for e in effects_of(store) or ())`
    """
    traits = _effect_traits(type(op))
    return traits[0].get_effects(op) if len(traits) == 1 else get_effects(op)


@cache
def _effect_traits(kind: type[Operation]) -> tuple[MemoryEffect, ...]:
    return tuple(kind.get_traits_of_type(MemoryEffect))


@cache
def _is_ours(kind: type[Operation]) -> bool:
    return kind.dialect_name() == "vyre" and bool(_effect_traits(kind))
