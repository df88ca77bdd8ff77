"""
Records of traps: one for each launch that can trap, so that the first launch that did is
known, however late the host looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vyre.diagnostics import Segment
from vyre.lowering.cuda.kernel import CudaKernel
from vyre.runtime.errors import Trapped

RECORDS = 256
"""How many launches can trap before the host has to look."""

RECORD_WORDS = 3
RECORD_BYTES = 8 * RECORD_WORDS
"""A lock, the smallest key of an invocation and its trap, and the value."""

NO_TRAP = 2**64 - 1
TRAP_BITS = 16
"""Of a key, for the number of the trap."""

NEW_RECORDS = np.array([[0, NO_TRAP, 0]] * RECORDS, np.uint64).tobytes()
"""Nobody has trapped."""


@dataclass(frozen=True)
class TrappingLaunch:
    """A launch that may trap, and its place in a schedule."""

    kernel: CudaKernel
    segment: Segment | None


def first_trap(
    records: NDArray[np.uint64], launches: Sequence[TrappingLaunch]
) -> Trapped | None:
    """
    What to raise for records of these launches, in order.

    Example: `first_trap(records.reshape(-1, 3), section.trapping)`
    """
    for record, launch in zip(records, launches, strict=True):
        key = int(record[1])
        if key != NO_TRAP:
            trap = launch.kernel.traps[key & ((1 << TRAP_BITS) - 1)]
            value = None if trap.value is None else int(record[2].astype(np.int64))
            error = Trapped(trap, trap.tag.data, key >> TRAP_BITS, value)
            error.segment = launch.segment
            return error
    return None
