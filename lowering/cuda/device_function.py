"""The form in which Vyre's own device functions are written down."""

from dataclasses import dataclass
from textwrap import dedent

from vyre.lowering.cuda.types import CType


@dataclass(frozen=True)
class DeviceFunction:
    """
    A device function. If there is one for each of several types, TYPE stands for the type
    in its text, UNSIGNED for the unsigned type of the same size, and NAME for its name,
    which ends in SUFFIX.
    """

    signed: str
    """For signed types, and for floats."""
    unsigned: str = ""
    """For unsigned types, if that is another text."""
    calls: tuple[str, ...] = ()
    """Functions that it calls."""
    is_generic: bool = True
    """Whether there is one for each of several types."""

    def text(self, type: CType) -> str:
        """Its text for a type."""
        chosen = self.signed if type.is_signed or not self.unsigned else self.unsigned
        return dedent(chosen).lstrip()
