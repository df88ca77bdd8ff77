"""The operations of the host, from one launch with an effect to the next."""

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from vyre.analysis.purity import EXACT_MATH, PURE_OPS
from vyre.dialects.vyre import LaunchOp
from vyre.validation.launches import ScheduleSide
from vyre.validation.report import Mismatch

_INEXACT = {op for op in PURE_OPS if op.dialect_name() == "math"} - EXACT_MATH
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
