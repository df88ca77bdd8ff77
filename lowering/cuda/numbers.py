"""What is known about the integers of a program: enough to leave conversions out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from vyre.analysis.facts import bits
from vyre.analysis.ranges import Range, full


@dataclass(frozen=True)
class Numbers:
    """
    The range of each integer, as a signed number.

    Example: `Numbers().range(value)` is all that its type can hold.
    """

    ranges: Mapping[SSAValue, Range] = field(default_factory=dict[SSAValue, Range])

    def range(self, value: SSAValue) -> Range:
        """The numbers that a value may be."""
        found = self.ranges.get(value)
        if found is not None:
            return found
        width = bits(value.type)
        assert width is not None
        return full(width)

    def is_natural(self, value: SSAValue) -> bool:
        """Whether a value is never negative."""
        return self.range(value).lo >= 0

    def is_short(self, value: SSAValue) -> bool:
        """Whether a value fits an `unsigned int`."""
        range = self.range(value)
        return range.lo >= 0 and range.hi < 2**32
