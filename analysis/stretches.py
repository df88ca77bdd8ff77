"""
Stretches: pieces of code without a barrier inside, and how control passes between them.

Phases (see `vyre.analysis.phases`) say which code may run at the same time as which. Here
it matters what comes *before* a barrier and what *after* it, so the ways have a direction:
from a stretch to those that may follow without a barrier in between. They lead into and out
of the arms of an `if`, past an arm that is not there, into, around and past loops. Barriers
join two stretches and are listed apart, so that a caller can decide which of them are
crossed; a collective has no way in or out, for the grid meets before and after it.

The end of an invocation is no end of a way: others go on from there, and meet at the next
barrier without it.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region

from vyre.analysis.phases import COLLECTIVES
from vyre.dialects.vyre import BarrierOp, ProgramOp, RegionOp


class Crossing(NamedTuple):
    """A barrier, and the stretches that it separates."""

    barrier: BarrierOp
    before: int
    after: int


@dataclass
class Stretches:
    """The stretches of a program, numbered from 0."""

    count: int = 1
    of: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """The stretch in which an operation stands; for one with regions, where it begins."""
    ways: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """From which stretch control passes to which."""
    crossings: list[Crossing] = field(default_factory=list[Crossing])
    """All barriers, in program order."""


def stretches(program: ProgramOp) -> Stretches:
    """
    Divide a program into stretches.

    Example: a program with one barrier, and no branches or loops, has the stretches 0 and
    1, no ways, and one crossing from 0 to 1.
    """
    division = _Division()
    division.block(program.body.block, 0)
    return division.found


class _Division:
    def __init__(self) -> None:
        self.found = Stretches()

    def block(self, block: Block, current: int) -> int:
        """Divide a block that begins in stretch `current`; returns where it ends."""
        for op in block.ops:
            if isinstance(op, COLLECTIVES):
                current = self._new()
            self.found.of[op] = current
            current = self._after(op, current)
        return current

    def _after(self, op: Operation, current: int) -> int:
        match op:
            case BarrierOp():
                following = self._new()
                self.found.crossings.append(Crossing(op, current, following))
                return following
            case RegionOp():
                return self.block(op.body.block, current)
            case scf.IfOp():
                ends = [self._region(region, current)[1] for region in op.regions]
                return self._new(*ends)
            case scf.ForOp():
                begin, end = self._region(op.body, current)
                self._way(end, begin)
                return self._new(current, end)
            case scf.WhileOp():
                begin, tested = self._region(op.before_region, current)
                _, end = self._region(op.after_region, tested)
                self._way(end, begin)
                return self._new(tested)
            case _:
                if isinstance(op, COLLECTIVES):
                    return self._new()
                return self._unknown(op, current) if op.regions else current

    def _unknown(self, op: Operation, current: int) -> int:
        """Any region of an operation that we do not know may run any number of times."""
        hub = self._new(current)
        for region in op.regions:
            for block in region.blocks:
                self._way(self.block(block, self._new(hub)), hub)
        return self._new(hub)

    def _region(self, region: Region, current: int) -> tuple[int, int]:
        """Where a region begins and ends; one that is empty is passed by."""
        if region.blocks.first is None:
            return current, current
        begin = self._new(current)
        return begin, self.block(region.block, begin)

    def _new(self, *origins: int) -> int:
        """A stretch that follows the given ones."""
        number = self.found.count
        self.found.count += 1
        for origin in origins:
            self._way(origin, number)
        return number

    def _way(self, origin: int, target: int) -> None:
        self.found.ways.append((origin, target))
