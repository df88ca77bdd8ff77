"""The operations of the host, from one launch with an effect to the next."""

from xdsl.dialects import math, scf
from xdsl.ir import Block, Operation

from vyre.analysis.purity import PURE_OPS
from vyre.dialects.vyre import LaunchOp
from vyre.validation.launches import ScheduleSide
from vyre.validation.report import Mismatch

_INEXACT = frozenset(
    op_type for op_type in PURE_OPS if op_type.dialect_name() == "math"
) - {
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
}
"""Functions of `math` whose last places may differ between the host and a device."""


class Host:
    """The operations of a block of the schedule, from one with an effect to the next."""

    def __init__(self, side: ScheduleSide, block: Block):
        self._side = side
        self._ops = iter(block.ops)

    def next_action(self) -> Operation | None:
        """Execute what has no effect; the next operation with one, if there is one."""
        for op in self._ops:
            if isinstance(op, LaunchOp | scf.IfOp | scf.ForOp | scf.WhileOp):
                if self._side.acts(op):
                    return op
            elif type(op) in _INEXACT:
                raise Mismatch("the host may compute this otherwise than a device", op)
            self._side.run([op])
        return None
