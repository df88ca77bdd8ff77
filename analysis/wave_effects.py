"""
What the waves of a megakernel do to its buffers, and so which depends on which.

A wave without `after` comes after every wave above it that writes what it accesses, or
accesses what it writes. Not every such pair is listed: a wave that writes comes after all
that accessed the buffer before it, so whoever comes later needs to come after that one
only. Waves with `after` are where their authors put them, and others that are derived come
after them. An operation that Vyre does not know accesses everything.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import SSAValue
from xdsl.traits import MemoryEffectKind

from vyre.analysis.buffer_sources import buffer_sources, is_workgroup_memory
from vyre.analysis.frontier import WaveBytes
from vyre.analysis.purity import effects_of, is_known
from vyre.analysis.walking import operations_in
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import BufferOp, MegakernelOp, ProgramOp, ScratchOp, WaveOp
from vyre.dialects.vyre.attributes import Access


@dataclass(frozen=True)
class Touched:
    """The buffers of a program that it may read and write, without workgroup memory."""

    read: frozenset[BufferOp]
    written: frozenset[BufferOp]


def touched_buffers(program: ProgramOp) -> Touched:
    """
    What a program does to the buffers of its table.

    Example: `touched_buffers(program).written`
    """
    shared = [
        entry
        for entry in program.table
        if isinstance(entry, BufferOp) and entry.access.data is not Access.WORKGROUP
    ]
    if not all(map(is_known, operations_in(program.body))):
        everything = frozenset(shared)
        return Touched(everything, everything)
    found: dict[MemoryEffectKind, set[BufferOp]] = defaultdict(set)
    sources = buffer_sources(program)
    for op in operations_in(program.body):
        for effect in () if op.regions else effects_of(op) or ():
            if isinstance(effect.value, SSAValue):
                declarations = sources.get(effect.value, ())
                found[effect.kind].update(b for b in shared if b in declarations)
    kinds = (MemoryEffectKind.READ, MemoryEffectKind.WRITE)
    return Touched(*(frozenset(found[kind]) for kind in kinds))


@dataclass
class _Accesses:
    """The waves that a later access to a buffer may have to come after."""

    readers: list[int] = field(default_factory=list[int])
    writers: list[int] = field(default_factory=list[int])


def wave_dependencies(megakernel: MegakernelOp) -> list[tuple[int, int]]:
    """
    Pairs of a wave and one that comes after it, by their places in the megakernel.

    Example: `plan_barriers(len(waves), wave_dependencies(megakernel))`
    """
    waves, programs = list(megakernel.waves), megakernel.programs()
    numbers = {wave.label.data: number for number, wave in enumerate(waves)}
    effects = {program: touched_buffers(program) for program in dict.fromkeys(programs)}
    accesses: defaultdict[str, _Accesses] = defaultdict(_Accesses)
    edges: list[tuple[int, int]] = []
    for number, (wave, program) in enumerate(zip(waves, programs)):
        touched = effects[program]
        read, written = _names(wave, touched.read), _names(wave, touched.written)
        derived = wave.before is None
        before = [numbers[name] for name in wave.before or ()]
        for name in dict.fromkeys((*read, *written)):
            found = accesses[name]
            if derived:
                before += found.writers
            if name in written:
                if derived:
                    before += found.readers
                    found.readers.clear()
                    found.writers.clear()
                found.writers.append(number)
            else:
                found.readers.append(number)
        edges += [(earlier, number) for earlier in dict.fromkeys(before)]
    return edges


def _names(wave: WaveOp, buffers: Iterable[BufferOp]) -> dict[str, None]:
    """The names that buffers of the wave's program have in the megakernel, in order."""
    return dict.fromkeys(sorted(str(wave.argument(buffer)) for buffer in buffers))


def wave_bytes(wave: WaveOp, program: ProgramOp) -> WaveBytes:
    """
    The bytes that a wave needs, as it says or as its buffers have: what it only reads, what
    its workgroups and invocations have of their own, and what it writes.

    Example: `wave_bytes(wave, program).frontier_bytes`
    """
    if wave.bytes is not None:
        return WaveBytes(*wave.bytes.get_values())
    touched = touched_buffers(program)
    groups = 1 if wave.workgroups is None else prod(wave.workgroups)
    own = [entry for entry in program.table if isinstance(entry, BufferOp)]
    scratch = sum(_size(wave, entry) for entry in own if is_workgroup_memory(entry))
    for op in program.body.block.ops:
        if isinstance(op, ScratchOp):
            raise Refusal(
                "the program has scratch, so that its bytes are unknown",
                fix="write `bytes [f, s, o]` at the wave",
                at=wave,
                notes=[Note(op, "declared here")],
            )
    return WaveBytes(
        sum(_size(wave, entry) for entry in touched.read - touched.written),
        scratch * groups,
        sum(_size(wave, entry) for entry in touched.written),
    )


def _size(wave: WaveOp, buffer: BufferOp) -> int:
    size = buffer.static_bytes
    if size is None:
        raise Refusal(
            f'the bytes of "{buffer.entry_name.data}" are known only at dispatch',
            fix="write `bytes [f, s, o]` at the wave, or sizes in the buffer's type",
            at=wave,
            notes=[Note(buffer, "declared here")],
        )
    return size
