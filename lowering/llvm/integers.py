"""Integer arithmetic: wrapping, total, the same for every width including one bit."""

from collections.abc import Callable

from llvmlite import ir
from xdsl.dialects import arith, math
from xdsl.ir import Operation

from vyre.lowering.llvm import division
from vyre.lowering.llvm.emitter import Emitter, by
from vyre.lowering.llvm.powers import power

_RELATIONS = ("==", "!=", "<", "<=", ">", ">=")


def _width(value: ir.Value) -> int:
    assert isinstance(value.type, ir.IntType)
    return value.type.width


def _chosen(relation: str, signed: bool) -> Emitter:
    """The operand that stands in a relation to the other."""

    def emit(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> ir.Value:
        compare = builder.icmp_signed if signed else builder.icmp_unsigned
        return builder.select(compare(relation, a, b), a, b)

    return by(emit)


def _shift(
    shift: Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value],
) -> Emitter:
    """A shift by the amount modulo the width, which is a power of two."""

    def emit(builder: ir.IRBuilder, x: ir.Value, amount: ir.Value) -> ir.Value:
        if _width(x) == 1:
            return x
        within = builder.and_(amount, ir.Constant(amount.type, _width(x) - 1))
        return shift(builder, x, within)

    return by(emit)


def _compare(builder: ir.IRBuilder, op: arith.CmpiOp, a: ir.Value, b: ir.Value) -> ir.Value:
    predicate = op.predicate.value.data
    if predicate < 6:
        return builder.icmp_signed(_RELATIONS[predicate], a, b)
    return builder.icmp_unsigned(_RELATIONS[predicate - 4], a, b)


def _add_extended(
    builder: ir.IRBuilder, a: ir.Value, b: ir.Value
) -> tuple[ir.Value, ir.Value]:
    """The sum and whether it wrapped, which makes it smaller."""
    total = builder.add(a, b)
    return total, builder.icmp_unsigned("<", total, a)


def _multiply_extended(extend: Callable[..., ir.Value]) -> Emitter:
    """The low and the high half of the exact product."""

    def emit(builder: ir.IRBuilder, a: ir.Value, b: ir.Value) -> tuple[ir.Value, ir.Value]:
        width = _width(a)
        if width == 1:
            # 1 * 1 and -1 * -1 are both 01.
            return builder.and_(a, b), ir.Constant(a.type, 0)
        wide = ir.IntType(2 * width)
        product = builder.mul(extend(builder, a, wide), extend(builder, b, wide))
        high = builder.lshr(product, ir.Constant(wide, width))
        return builder.mul(a, b), builder.trunc(high, a.type)

    return by(emit)


def _magnitude(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    negative = builder.icmp_signed("<", x, ir.Constant(x.type, 0))
    return builder.select(negative, builder.neg(x), x)


def _zeros(count: Callable[..., ir.Value]) -> Emitter:
    """Zeros at one end; of 0, all bits are, so that it is no special case."""

    def emit(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
        if _width(x) == 1:
            return builder.not_(x)
        return count(builder, x, ir.Constant(ir.IntType(1), 0))

    return by(emit)


def _ones(builder: ir.IRBuilder, x: ir.Value) -> ir.Value:
    return x if _width(x) == 1 else builder.ctpop(x)


INTEGERS: dict[type[Operation], Emitter] = {
    arith.AddiOp: by(ir.IRBuilder.add),
    arith.SubiOp: by(ir.IRBuilder.sub),
    arith.MuliOp: by(ir.IRBuilder.mul),
    arith.DivSIOp: by(division.divide_signed),
    arith.DivUIOp: by(division.divide_unsigned),
    arith.FloorDivSIOp: by(division.divide_floor),
    arith.CeilDivSIOp: by(division.divide_ceiling_signed),
    arith.CeilDivUIOp: by(division.divide_ceiling_unsigned),
    arith.RemSIOp: by(division.remainder_signed),
    arith.RemUIOp: by(division.remainder_unsigned),
    arith.MinSIOp: _chosen("<", signed=True),
    arith.MaxSIOp: _chosen(">", signed=True),
    arith.MinUIOp: _chosen("<", signed=False),
    arith.MaxUIOp: _chosen(">", signed=False),
    arith.AndIOp: by(ir.IRBuilder.and_),
    arith.OrIOp: by(ir.IRBuilder.or_),
    arith.XOrIOp: by(ir.IRBuilder.xor),
    arith.ShLIOp: _shift(ir.IRBuilder.shl),
    arith.ShRUIOp: _shift(ir.IRBuilder.lshr),
    arith.ShRSIOp: _shift(ir.IRBuilder.ashr),
    arith.CmpiOp: _compare,
    arith.AddUIExtendedOp: by(_add_extended),
    arith.MulSIExtendedOp: _multiply_extended(ir.IRBuilder.sext),
    arith.MulUIExtendedOp: _multiply_extended(ir.IRBuilder.zext),
    math.AbsIOp: by(_magnitude),
    math.CountLeadingZerosOp: _zeros(ir.IRBuilder.ctlz),
    math.CountTrailingZerosOp: _zeros(ir.IRBuilder.cttz),
    math.CtPopOp: by(_ones),
    math.IPowIOp: by(power),
}
"""Operations on integers, by what LLVM IR they become."""
