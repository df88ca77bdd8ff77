"""
Workgroup memory of many waves, in turn.

A wave is alone with its workgroup memory, so that of each wave is a buffer of its own. But
GPUs have little of it. If all together are more than every GPU has, waves use the same
buffers one after the other: the first of a type in one wave is also the first of that type
in another. Whoever comes later clears what was left there.
"""

from collections import Counter
from collections.abc import Sequence

from xdsl.ir import Attribute

from vyre.analysis.buffer_sources import is_workgroup_memory
from vyre.dialects.vyre import BufferOp, ProgramOp, WaveOp

MOST_BYTES = 16 * 1024
"""Workgroup memory that every GPU has."""


def tile_names(waves: Sequence[WaveOp], programs: Sequence[ProgramOp]) -> dict[str, str]:
    """
    For the name of each wave's workgroup memory that of the buffer which is used for it.

    Example: `{"a.tile": "a.tile", "b.tile": "a.tile"}`
    """
    found: list[tuple[str, Attribute, int]] = []
    total = 0
    for wave, program in zip(waves, programs, strict=True):
        count: Counter[Attribute] = Counter()
        for entry in program.table:
            if isinstance(entry, BufferOp) and is_workgroup_memory(entry):
                found.append((str(wave.argument(entry)), entry.type, count[entry.type]))
                count[entry.type] += 1
                total += entry.static_bytes or 0
    if total <= MOST_BYTES:
        return {name: name for name, _, _ in found}
    first: dict[tuple[Attribute, int], str] = {}
    return {name: first.setdefault((type, place), name) for name, type, place in found}
