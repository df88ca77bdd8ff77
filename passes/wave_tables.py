"""
One table for the programs of all waves.

What has the same name in the megakernel is one entry. It allows what any of the programs
needs; the first wave that declares a buffer says whether it starts as zeros.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue

from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import BufferOp, ParamOp, ProgramOp, WaveOp
from vyre.dialects.vyre.attributes import Access, MemoryKind

AttributeT = TypeVar("AttributeT", bound=Attribute)


class FusedTable:
    """
    The entries of the fused program, in the order in which waves declare them.

    Example: `FusedTable(waves, programs).values["reached"]`
    """

    def __init__(self, waves: Sequence[WaveOp], programs: Sequence[ProgramOp]):
        declared: defaultdict[str, list[BufferOp | ParamOp]] = defaultdict(list)
        by_name: dict[str, WaveOp] = {}
        for wave, program in zip(waves, programs, strict=True):
            for entry in program.table:
                name = wave.argument(entry)
                if isinstance(name, str):
                    declared[name].append(entry)
                    by_name[name] = wave
        self.entries: list[BufferOp | ParamOp] = []
        for name, found in declared.items():
            buffers = [entry for entry in found if isinstance(entry, BufferOp)]
            entry = (
                _merged(name, buffers, by_name[name])
                if buffers
                else ParamOp(name, found[0].results[0].type)
            )
            entry.location = found[0].location
            self.entries.append(entry)
        self._bind()
        self.values: dict[str, SSAValue] = {
            entry.entry_name.data: entry.results[0] for entry in self.entries
        }

    def _bind(self) -> None:
        buffers = [entry for entry in self.entries if isinstance(entry, BufferOp)]
        shared = [b for b in buffers if b.access.data is not Access.WORKGROUP]
        for binding, buffer in enumerate(shared):
            buffer.binding = IntegerAttr(binding, i64)


def _merged(name: str, buffers: Sequence[BufferOp], wave: WaveOp) -> BufferOp:
    """One buffer for all that have the name."""
    first = buffers[0]
    for buffer in buffers:
        if buffer.may_alias is not None:
            raise Refusal(
                f'"{buffer.entry_name.data}" may be the same as another buffer',
                fix="leave out `may_alias`; waves share buffers by name",
                at=wave,
                notes=[Note(buffer, "declared here")],
            )
    merged = BufferOp(name, _widest(buffers), first.type)
    merged.output = first.output
    merged.live_out = UnitAttr() if any(b.live_out is not None for b in buffers) else None
    written = [buffer for buffer in buffers if buffer.access.data.writable]
    merged.output_range = _the_same(
        [b.output_range for b in written], f'what is given back of "{name}"', buffers, wave
    )
    is_kept = [UnitAttr() if _is_persistent(b) else None for b in buffers]
    _the_same(is_kept, f'whether "{name}" is persistent', buffers, wave)
    kinds = {buffer.kind for buffer in buffers}
    merged.kind = kinds.pop() if len(kinds) == 1 else None
    merged.align = _largest(buffer.align for buffer in buffers)
    for hint in ("coalesce", "cache"):
        said = {buffer.properties.get(hint) for buffer in buffers}
        if len(said) == 1 and (value := said.pop()) is not None:
            merged.properties[hint] = value
    return merged


def _is_persistent(buffer: BufferOp) -> bool:
    return buffer.memory_kind is MemoryKind.PERSISTENT


def _widest(buffers: Sequence[BufferOp]) -> Access:
    """The access that allows what all of them do."""
    accesses = {buffer.access.data for buffer in buffers}
    if len(accesses) == 1:
        return accesses.pop()
    if not any(access.writable for access in accesses):
        return Access.READ_ONLY
    return Access.READ_WRITE


def _the_same(
    said: Sequence[AttributeT | None],
    what: str,
    buffers: Sequence[BufferOp],
    wave: WaveOp,
) -> AttributeT | None:
    """What all declarations say alike."""
    if len(set(said)) > 1:
        raise Refusal(
            f"waves say differently {what}",
            fix="declare the buffer alike in all programs, or rename it with `with`",
            at=wave,
            notes=[Note(buffer, "declared here") for buffer in dict.fromkeys(buffers)],
        )
    return said[0] if said else None


def _largest(
    said: Iterable[IntegerAttr | None],
) -> IntegerAttr | None:
    known = [alignment for alignment in said if alignment is not None]
    return max(known, key=lambda alignment: alignment.value.data, default=None)
