"""
Which tiles a workgroup writes between the same barriers, or which buffers the grid does.

An interval is code that is connected by ways without a barrier. One walk numbers the code
between barriers; numbers are joined where control passes from one piece to another.
"""

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.purity import PURE_OPS
from vyre.dialects.vyre import BarrierOp, LoadOp, ProgramOp
from vyre.validation.footprints import Footprints


class Intervals:
    """
    Example: `Intervals(program, footprints).is_changing(load)`
    """

    def __init__(
        self, program: ProgramOp, footprints: Footprints, *, of_grid: bool = False
    ):
        self._footprints = footprints
        self._of_grid = of_grid
        self._parents = [0]
        self._of: dict[Operation, int] = {}
        self._writes: list[tuple[int, frozenset[SSAValue]]] = []
        self._unknown: set[int] = set()
        self._block(program.body.block, 0)
        self._written: dict[int, set[SSAValue]] = {}
        for number, roots in self._writes:
            self._written.setdefault(self._find(number), set()).update(roots)
        self._unknown = {self._find(number) for number in self._unknown}

    def is_changing(self, op: LoadOp) -> bool:
        """Whether what is loaded may be written between the same barriers."""
        number = self._find(self._of[op])
        roots = self._footprints.roots(op.buffer)
        written = self._written.get(number, ())
        return number in self._unknown or any(root in written for root in roots)

    def _find(self, number: int) -> int:
        while self._parents[number] != number:
            number = self._parents[number]
        return number

    def _join(self, *numbers: int) -> int:
        first, *others = map(self._find, numbers)
        for other in others:
            self._parents[self._find(other)] = first
        return first

    def _block(self, block: Block, number: int) -> int:
        """Number the code of a block; the number at its end."""
        for op in block.ops:
            if type(op) not in PURE_OPS:
                number = self._op(op, number)
        return number

    def _op(self, op: Operation, number: int) -> int:
        match op:
            case BarrierOp() if op.is_grid_sync or not self._of_grid:
                self._parents.append(len(self._parents))
                return len(self._parents) - 1
            case scf.WhileOp():
                tested = self._block(op.before_region.block, number)
                self._join(number, self._block(op.after_region.block, tested))
                return tested
            case scf.ForOp():
                return self._join(number, self._block(op.body.block, number))
            case _ if op.regions:
                ends = [self._block(b, number) for r in op.regions for b in r.blocks]
                if len(ends) < len(op.regions):
                    ends.append(number)
                return self._join(*ends)
            case LoadOp():
                self._of[op] = number
            case _:
                footprint = self._footprints.of(op)
                self._writes.append((number, footprint.written))
                if footprint.is_unknown:
                    self._unknown.add(number)
        return number
