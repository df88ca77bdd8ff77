"""
Subgroups, which are warps: lanes are numbered by linear local ids, x fastest.

Subgroup operations stand in workgroup-uniform control, so all lanes come to them that are
there and have not ended. If the program says that all 32 always are, lanes exchange values
in pairs. Otherwise each takes what it needs from some lane that has it: after the step with
distance d, every lane that is there holds what the tree has at its number modulo d.
"""

from xdsl.dialects.builtin import AnyFloat, Float16Type
from xdsl.ir import Attribute

from vyre.dialects import vyre
from vyre.dialects.vyre.attributes import ReduceKind
from vyre.lowering.cuda.accesses import AccessCode
from vyre.lowering.cuda.expressions import Expression, call
from vyre.lowering.cuda.ids import Ids
from vyre.lowering.cuda.scalar_code import converted
from vyre.lowering.cuda.types import BOOL, UINT, integer_type, width

_OF_BITS = {
    ReduceKind.ADD: ReduceKind.XOR,
    ReduceKind.MUL: ReduceKind.AND,
    ReduceKind.MIN: ReduceKind.OR,
    ReduceKind.MAX: ReduceKind.AND,
    ReduceKind.UMIN: ReduceKind.AND,
    ReduceKind.UMAX: ReduceKind.OR,
}
"""What reductions of single bits are; as a signed number, a bit that is set is -1."""

_SIGNED = (ReduceKind.MIN, ReduceKind.MAX)


class SubgroupCode(AccessCode):
    """Writes subgroup operations."""

    ids: Ids
    has_full_subgroups: bool
    """Whether all lanes are always there."""

    def ballot(self, op: vyre.SubgroupBallotOp) -> None:
        """A bit for each lane."""
        predicate = self.values.scalar(op.predicate)
        text = f"__ballot_sync(0xffffffffu, {predicate.text})"
        self.define([op.mask], [Expression(text, UINT, reads=predicate.reads)])

    def shuffle(self, op: vyre.SubgroupShuffleOp) -> None:
        """The value of another lane."""
        value, lane = self.values.scalars((op.value, op.lane))
        wide = _wide(op.value.type, value, signed=False)
        name = "vyre_shuffle" if self.has_full_subgroups else "vyre_shuffle_present"
        found = call(self.scalars.library.use(name, wide.type), [wide, lane], wide.type)
        self.define([op.shuffled], [converted(found, value.type)])

    def reduce(self, op: vyre.SubgroupReduceOp) -> None:
        """The values of all lanes combined, along a fixed tree."""
        value, kind = self.values.scalar(op.value), op.kind.data
        type = op.value.type
        if value.type == BOOL:
            kind = _OF_BITS.get(kind, kind)
        wide = _wide(type, value, signed=kind in _SIGNED)
        prefix, operands = "vyre_reduce", [wide]
        if not self.has_full_subgroups:
            prefix = "vyre_reduce_present"
            operands.append(self.ids.lane())
        name = f"{prefix}_{_suffix(kind, type)}"
        found = call(self.scalars.library.use(name, wide.type), operands, wide.type)
        self.define([op.reduced], [converted(found, value.type)])


def _suffix(kind: ReduceKind, type: Attribute) -> str:
    """How a reduction is called."""
    name = kind.value.removeprefix("u")
    if not isinstance(type, AnyFloat):
        return name
    if kind in _SIGNED:
        return f"f{name}"
    return f"half_{name}" if isinstance(type, Float16Type) else name


def _wide(type: Attribute, value: Expression, *, signed: bool) -> Expression:
    """A value in a type that lanes can exchange."""
    if isinstance(type, AnyFloat):
        return value
    bits = width(type)
    own = converted(value, integer_type(bits, signed=signed))
    return converted(own, integer_type(max(32, bits), signed=signed))
