"""
Accesses along a row, whose bounds are compared once for the row and not in each invocation.

Before, as a loop over invocations of a row:

```
for x in first .. end:
    if x + 1 < size:  ... = a[x + 1]
```

After, with the numbers for which it is inside computed ahead:

```
for x in first .. begin:     as before
for x in begin .. limit:     ... = a[x + 1]
for x in limit .. end:       as before
```

An index that is a times x plus something that is the same along the row goes up by a from
one invocation to the next. So it is inside its buffer for numbers that follow each other,
and for these nothing is compared. An index that also has low bits of x in it, as that of a
butterfly, goes up, too, if what it loses where they begin anew is not more than it gained
(see `Growth.never_falls`). If it is inside for the first and the last invocation of the
row, it is so in between.

Nothing wraps: there are at most 2^40 invocations, growth is at most 2^16, and buffers are
much smaller than 2^63 bytes.
"""

from collections.abc import Collection, Container
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from vyre.analysis.integer_ops import literal_of
from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import along_x, is_same_along_x

Access = vyre.LoadOp | vyre.StoreOp

MOST_GROWTH = 2**16


@dataclass(frozen=True)
class Growth:
    """
    How a number changes along a row: it is `by_x` times x, plus `by_low_bits` times the low
    bits of x, plus something that is the same in the row.
    """

    by_x: int
    by_low_bits: int = 0

    def plus(self, other: "Growth", times: int = 1) -> "Growth":
        """That of the sum of both, the other one taken so many times."""
        return Growth(
            self.by_x + times * other.by_x, self.by_low_bits + times * other.by_low_bits
        )

    def never_falls(self) -> bool:
        """
        Whether it is at least as large for each invocation as for the one before. Low bits
        go up by one, or down to zero, where a negative multiple of them goes up.
        """
        is_small = max(self.by_x, -self.by_low_bits) <= MOST_GROWTH
        return is_small and self.by_low_bits <= 0 <= self.by_x + self.by_low_bits


STEADY = Growth(0)


@dataclass(frozen=True)
class RowAccesses:
    """
    The accesses of a program that may be outside, and are not so if their indices are
    inside for certain invocations of a row; and how each index grows.
    """

    ops: tuple[Access, ...]
    growth: dict[SSAValue, Growth]

    def need_low_bits(self) -> bool:
        """Whether some indices grow only if it is really low bits that they have."""
        return any(growth.by_low_bits for growth in self.growth.values())


def row_accesses(
    program: vyre.ProgramOp,
    steady: Container[SSAValue],
    low_bits: Collection[Operation] = (),
) -> RowAccesses:
    """
    The accesses of which it can be said for which invocations of a row they are inside.
    `steady` are values that are known to be the same along rows, and `low_bits` give low
    bits of x.

    Example: `vyre.load %a[%x]` without `inbounds`
    """
    found: list[Access] = []
    growth: dict[SSAValue, Growth] = {}
    growing = Growing(steady, low_bits)
    for op in program.body.walk():
        if isinstance(op, scf.ForOp | scf.WhileOp):
            # Such rows are not vectorised, and comparisons cost little there.
            return RowAccesses((), {})
        if isinstance(op, vyre.LoadOp | vyre.StoreOp) and op.inbounds is None:
            is_declared = isinstance(op.buffer.owner, vyre.BufferOp)
            is_plain = isinstance(op, vyre.StoreOp) or op.value not in steady
            each = [growing.upwards(index) for index in op.indices]
            if is_declared and is_plain and None not in each:
                found.append(op)
                growth |= {index: grows for index, grows in zip(op.indices, each) if grows}
    return RowAccesses(tuple(found), growth)


_JOINED = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp)
"""Operations whose results grow as their operands do."""


class Growing:
    """
    How the values of a program grow along rows.

    Example: `Growing((), ()).upwards(id.id)` is `Growth(1)` for `vyre.invocation_id x`.
    """

    def __init__(self, steady: Container[SSAValue], low_bits: Collection[Operation]):
        self._steady = steady
        self._low_bits = low_bits
        self._known: dict[SSAValue, Growth | None] = {}

    def upwards(self, value: SSAValue) -> Growth | None:
        """How a value grows, if that is known and it never falls."""
        found = self._of(value)
        return found if found is not None and found.never_falls() else None

    def _of(self, value: SSAValue) -> Growth | None:
        pending = [value]
        while pending:
            each = pending[-1]
            owner = each.owner
            ahead: list[SSAValue] = []
            if each not in self._known and isinstance(owner, _JOINED):
                ahead += [value for value in owner.operands if value not in self._known]
            if ahead:
                pending += ahead
                continue
            pending.pop()
            if each not in self._known:
                self._known[each] = self._found(each)
        return self._known[value]

    def _found(self, value: SSAValue) -> Growth | None:
        if along_x(value) is not None:
            return Growth(1)
        match value.owner:
            case arith.AndIOp() if value.owner in self._low_bits:
                return Growth(0, 1)
            case arith.AddiOp(lhs=lhs, rhs=rhs):
                return self._sum(lhs, rhs, 1)
            case arith.SubiOp(lhs=lhs, rhs=rhs):
                return self._sum(lhs, rhs, -1)
            case arith.MuliOp(lhs=lhs, rhs=rhs):
                times, other = literal_of(rhs), lhs
                if times is None:
                    times, other = literal_of(lhs), rhs
            case arith.ShLIOp(lhs=other, rhs=rhs):
                places = literal_of(rhs)
                times = None if places is None or not 0 <= places <= 16 else 1 << places
            case _:
                times, other = None, value
        if times is not None:
            found = self._of(other)
            return None if found is None else STEADY.plus(found, times)
        return STEADY if is_same_along_x(value, self._steady) else None

    def _sum(self, one: SSAValue, other: SSAValue, times: int) -> Growth | None:
        first, second = self._of(one), self._of(other)
        return None if first is None or second is None else first.plus(second, times)
