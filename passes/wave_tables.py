"""
One table for the programs of all waves.

What has the same name in the megakernel is one entry. It allows what any of the programs
needs. Among the waves that declare a buffer, the one that runs first says whether it starts
as zeros, as outputs and what is only written do.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypeVar

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue

from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import BufferOp, ParamOp, ProgramOp, WaveOp
from vyre.dialects.vyre.attributes import Access, MemoryKind
from vyre.passes.wave_tiles import tile_names

AttributeT = TypeVar("AttributeT", bound=Attribute)
Entry: TypeAlias = BufferOp | ParamOp


class FusedTable:
    """
    The entries of the fused program, in the order in which waves declare them.

    Example: `FusedTable(waves, programs).argument(wave, entry)`
    """

    def __init__(self, waves: Sequence[WaveOp], programs: Sequence[ProgramOp]):
        self._tiles = tile_names(waves, programs)
        declared: defaultdict[str, list[tuple[WaveOp, Entry]]] = defaultdict(list)
        for wave, program in zip(waves, programs, strict=True):
            for entry in program.table:
                name = self._name(wave, entry)
                if isinstance(name, str):
                    declared[name].append((wave, entry))
        self.entries: list[Entry] = []
        for name, found in declared.items():
            buffers = [(wave, e) for wave, e in found if isinstance(e, BufferOp)]
            _, first = found[0]
            entry = (
                _merged(name, buffers) if buffers else ParamOp(name, first.results[0].type)
            )
            entry.location = first.location
            self.entries.append(entry)
        self._bind()
        self._values: dict[str, SSAValue] = {
            entry.entry_name.data: entry.results[0] for entry in self.entries
        }

    def argument(self, wave: WaveOp, entry: Entry) -> SSAValue | Attribute:
        """What an entry of a wave's program is: a value of this table, or a literal."""
        name = self._name(wave, entry)
        return self._values[name] if isinstance(name, str) else name

    def _name(self, wave: WaveOp, entry: Entry) -> str | Attribute:
        name = wave.argument(entry)
        return self._tiles.get(name, name) if isinstance(name, str) else name

    def _bind(self) -> None:
        buffers = [entry for entry in self.entries if isinstance(entry, BufferOp)]
        shared = [b for b in buffers if b.access.data is not Access.WORKGROUP]
        for binding, buffer in enumerate(shared):
            buffer.binding = IntegerAttr(binding, i64)


def _merged(name: str, declared: Sequence[tuple[WaveOp, BufferOp]]) -> BufferOp:
    """One buffer for all that have the name."""
    buffers = [buffer for _, buffer in declared]
    wave, _ = declared[-1]
    for buffer in buffers:
        if buffer.may_alias is not None:
            raise Refusal(
                f'"{buffer.entry_name.data}" may be the same as another buffer',
                fix="leave out `may_alias`; waves share buffers by name",
                at=wave,
                notes=[Note(buffer, "declared here")],
            )
    merged = BufferOp(name, _widest(buffers), buffers[0].type)
    merged.output = _output(declared, merged.access.data)
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


def _output(declared: Sequence[tuple[WaveOp, BufferOp]], access: Access) -> UnitAttr | None:
    """Whether it is an output; one that was only written at first starts as zeros, too."""
    _, first = min(declared, key=lambda pair: _group(pair[0]))
    only_written = Access.WRITE_ONLY
    if first.access.data is only_written and access is not only_written:
        return UnitAttr()
    return first.output


def _group(wave: WaveOp) -> int:
    assert wave.group is not None
    return wave.group.value.data


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
