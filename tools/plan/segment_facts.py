"""What a launched program does with its buffers, and what people would call it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects

from vyre.analysis.buffer_sources import Declaration, named_buffers
from vyre.analysis.purity import is_known
from vyre.dialects.vyre import (
    AtomicCasOp,
    AtomicOp,
    BarrierOp,
    BufferOp,
    ProgramOp,
    RegionOp,
    ScratchOp,
)
from vyre.locations import Place, place_of
from vyre.tools.plan.parts import Access


@dataclass(frozen=True)
class SegmentFacts:
    """
    What the operations of a program do: `accesses` by declaration, the names of its
    regions, the place of its first region or access, and its grid barriers.

    Example: `SegmentFacts.of(program).label` is `"count, sum up"`.
    """

    accesses: dict[Declaration, Access]
    label: str
    place: Place | None
    barriers: int

    @staticmethod
    def of(program: ProgramOp) -> SegmentFacts:
        ops = list(program.body.walk())
        regions = [op for op in ops if isinstance(op, RegionOp)]
        touching = [op for op in ops if _touched_memrefs(op)]
        barriers = [op for op in ops if isinstance(op, BarrierOp) and op.is_grid_sync]
        return SegmentFacts(
            _accesses(program),
            ", ".join(dict.fromkeys(_region_names(program.body.block))),
            place_of((*regions, *touching, program)[0]),
            len(barriers),
        )


def _accesses(program: ProgramOp) -> dict[Declaration, Access]:
    names = named_buffers(program)
    accesses: dict[Declaration, Access] = {}
    for op in program.body.walk():
        if not is_known(op):
            everything = (
                o for o in program.body.walk() if isinstance(o, BufferOp | ScratchOp)
            )
            return dict.fromkeys(everything, Access(reads=True, writes=True))
        for memref, access in _touched_memrefs(op):
            for declaration in names.get(memref, ()):
                accesses[declaration] = accesses.get(declaration, Access()) | access
    return accesses


def _touched_memrefs(op: Operation) -> list[tuple[SSAValue, Access]]:
    if op.regions:
        return []
    kinds = {
        MemoryEffectKind.READ: Access(reads=True),
        MemoryEffectKind.WRITE: Access(writes=True),
    }
    if isinstance(op, AtomicOp | AtomicCasOp):
        return [(op.buffer, Access(updates=True))]
    return [
        (effect.value, kinds[effect.kind])
        for effect in get_effects(op) or ()
        if isinstance(effect.value, SSAValue) and effect.kind in kinds
    ]


def _region_names(block: Block) -> Iterator[str]:
    """The names of the outermost regions that have one."""
    for op in block.ops:
        if isinstance(op, RegionOp):
            name = op.generator or op.source
            if name is not None:
                yield name.data
                continue
        for region in op.regions:
            for inner in region.blocks:
                yield from _region_names(inner)
