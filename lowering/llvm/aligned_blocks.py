"""
Places along x of which a program takes the low bits, as butterflies and bitonic sorts do.

Before, as a loop over invocations of a row:

```
for x in first .. end:
    low = x & 15
    a[2 * x - low] = ...
```

After:

```
for block in 0, 16, 32, ...:
    for x in max(first, block) .. min(end, block + 16):
        low = x - block
        a[2 * x - low] = ...
```

Why the meaning stays: if the mask is one less than a power of two, the bits above it are
the same in a block of as many places as the power says, and are where the block begins.
What is left is the distance to there.

So elements stand side by side within a block, and LLVM vectorises the loop over it. The
mask is looked at when the code runs: where it is another number, or blocks would be short,
the row is gone through as it was.
"""

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import Along, along_x, is_same_along_x

SHORTEST = 4
"""Places of a block that are worth a loop of their own."""


@dataclass(frozen=True)
class LowBits:
    """`x & mask`, with a mask that is the same in the row, and who computes it."""

    along: Along
    mask: SSAValue
    ops: tuple[arith.AndIOp, ...]


def low_bits(program: vyre.ProgramOp) -> LowBits | None:
    """
    The low bits of x that a program takes; those with the first mask if there are several.

    Example: for `arith.andi %x, %mask` with x the invocation's place
    """
    found: LowBits | None = None
    for op in program.body.walk():
        if isinstance(op, arith.AndIOp):
            each = _low_bits(op)
            if found is None:
                found = each
            elif each is not None and (each.along, each.mask) == (found.along, found.mask):
                found = LowBits(found.along, found.mask, (*found.ops, op))
    return found


def _low_bits(op: arith.AndIOp) -> LowBits | None:
    for place, mask in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        along = along_x(place)
        if along is not None and is_same_along_x(mask):
            return LowBits(along, mask, (op,))
    return None
