"""What is known of the programs that a schedule launches."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from vyre.analysis.purity import PURE_OPS
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    BufferOp,
    LinearIdOp,
    LoadOp,
    ProgramOp,
    StoreOp,
    TokenType,
)
from vyre.dialects.vyre.attributes import Access
from vyre.validation.footprints import Footprints
from vyre.validation.intervals import Intervals
from vyre.validation.report import Mismatch


class Segment:
    """What is known of a program that launches run."""

    def __init__(self, program: ProgramOp):
        self.program = program
        self.table = [entry.results[0] for entry in program.launch_table]
        self.tiles = [e for e in program.table if isinstance(e, BufferOp) and _is_tile(e)]
        self.footprints = Footprints(program)
        tiles: set[SSAValue] = {tile.memref for tile in self.tiles}
        self.copies: dict[Operation, Copy] = {
            op: copy
            for op in program.body.block.ops
            if isinstance(op, scf.ForOp) and (copy := _as_copy(op, tiles)) is not None
        }
        others = (op for op in program.body.block.ops if op not in self.copies)
        self.footprint = self.footprints.over(others)
        if self.footprints.having(AsyncLoadOp, AsyncStoreOp):
            for op in operations_in(program.body):
                _refuse_lost_token(op)

    @cached_property
    def intervals(self) -> Intervals:
        """The code between barriers of its workgroups."""
        return Intervals(self.program, self.footprints)

    def stores_to(self) -> Iterable[int]:
        """The numbers of the arguments that it writes."""
        written = set(self.footprint.written)
        written |= {copy.scratch for copy in self.copies.values() if copy.is_save}
        return [index for index, value in enumerate(self.table) if value in written]

    def acts(self, is_slot: Callable[[int], bool]) -> bool:
        """Whether it has effects other than on slots."""
        footprint, written = self.footprint, set(self.footprint.written)
        for index, value in enumerate(self.table):
            if is_slot(index):
                written.discard(value)
            else:
                written |= {c.tile for c in self.copies.values() if c.scratch is value}
        return bool(written) or footprint.traps or footprint.is_unknown


@dataclass(eq=False, slots=True)
class Copy:
    """A loop that looks as if it saved or restored a tile."""

    load: LoadOp
    store: StoreOp
    scratch: SSAValue
    tile: SSAValue
    is_save: bool


def _is_tile(entry: BufferOp) -> bool:
    return entry.access.data is Access.WORKGROUP


def _as_copy(op: scf.ForOp, tiles: set[SSAValue]) -> Copy | None:
    """The load and the store of a loop that does little else."""
    if op.iter_args or not isinstance(op.lb.owner, LinearIdOp):
        return None
    others = [inner for inner in op.body.block.ops if type(inner) not in PURE_OPS]
    match others:
        case [LoadOp() as load, StoreOp() as store, scf.YieldOp()]:
            pass
        case _:
            return None
    if store.value is not load.value or (load.buffer in tiles) == (store.buffer in tiles):
        return None
    is_save = load.buffer in tiles
    ends = (store.buffer, load.buffer) if is_save else (load.buffer, store.buffer)
    return Copy(load, store, *ends, is_save)


def _refuse_lost_token(op: Operation) -> None:
    """A copy that nobody waits for would be in flight at the end of the launch."""
    values = [*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)]
    for value in values:
        if isinstance(value.type, TokenType) and value.first_use is None:
            raise Mismatch("nobody waits for this copy", op)
