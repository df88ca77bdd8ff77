"""
Vyre's own device functions: what takes more than an expression.

Only those that a kernel calls stand in its text, before it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from vyre.lowering.cuda.device_functions import FUNCTIONS
from vyre.lowering.cuda.expressions import Expression, call
from vyre.lowering.cuda.types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    UINT,
    ULONG,
    UNSIGNED,
    CType,
)

_SUFFIX = {INT: "i32", UINT: "u32", LONG: "i64", ULONG: "u64", FLOAT: "f32", DOUBLE: "f64"}
_ORDER = {name: position for position, name in enumerate(FUNCTIONS)}


@dataclass
class Library:
    """
    The functions that a kernel calls.

    Example: `Library().call("vyre_div", [a, b], INT).text` is `vyre_div_i32(a, b)`.
    """

    _used: set[tuple[str, CType]] = field(default_factory=set[tuple[str, CType]])

    def call(self, name: str, operands: list[Expression], type: CType) -> Expression:
        """A call of a function, for operands and with a result of a type."""
        return call(self.use(name, type), operands, type)

    def use(self, name: str, type: CType = INT) -> str:
        """What a function is called; from now on it is in the text."""
        function = FUNCTIONS[name]
        type = type if function.is_generic else INT
        for other in function.calls:
            self.use(other, type)
        self._used.add((name, type))
        return self._full_name(name, type)

    def texts(self) -> Iterator[str]:
        """The functions, each after those that it calls."""
        for name, type in sorted(self._used, key=lambda use: (_ORDER[use[0]], use[1].name)):
            unsigned = type.name if type.is_float else UNSIGNED[type.bits].name
            text = FUNCTIONS[name].text(type)
            text = text.replace("NAME", self._full_name(name, type))
            text = text.replace("SUFFIX", _SUFFIX[type])
            yield text.replace("UNSIGNED", unsigned).replace("TYPE", type.name)

    def _full_name(self, name: str, type: CType) -> str:
        return f"{name}_{_SUFFIX[type]}" if FUNCTIONS[name].is_generic else name
