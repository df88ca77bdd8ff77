"""
What callers and engines see of a schedule, against the program: its table, the size of
workgroups, and the grid that is inferred.
"""

from collections.abc import Iterable

from xdsl.ir import Attribute, Operation, SSAValue

from vyre.analysis.grid_lengths import grid_lengths
from vyre.dialects.refusal import Note
from vyre.dialects.vyre import (
    BufferOp,
    LoadOp,
    ParamOp,
    ProgramOp,
    ScheduleOp,
    ScratchOp,
)
from vyre.dialects.vyre.attributes import Access, ScratchScope
from vyre.dialects.vyre.buffers import memref_type
from vyre.validation.aliasing import storage_of
from vyre.validation.control import Side
from vyre.validation.footprints import Footprints
from vyre.validation.launches import ScheduleSide
from vyre.validation.memory import Shared
from vyre.validation.report import Mismatch
from vyre.validation.segments import Segment
from vyre.validation.terms import BUFFER, INITIAL, PARAM, TILE, Term


def check_interface(
    program: ProgramOp, schedule: ScheduleOp, segments: Iterable[Segment]
) -> None:
    """The table, the size of workgroups, and what decides about the grid."""
    wanted = [entry for entry in program.table if not _is_tile(entry)]
    found = list(schedule.table)
    for one, other in zip(wanted, found):
        if described(one) != described(other):
            raise Mismatch(
                f'the table has "{other.entry_name.data}" where the program has '
                f'"{one.entry_name.data}", or declares it otherwise',
                other,
                [Note(one, "in the program")],
            )
    if len(wanted) != len(found):
        raise Mismatch("the table is not the program's", schedule)
    for segment in segments:
        launched = segment.program
        if launched.workgroup != program.workgroup:
            raise Mismatch("workgroups have another size than in the program", launched)
    if grid_lengths(schedule) != grid_lengths(program):
        raise Mismatch("another grid is inferred than for the program", schedule)


def check_promises(program: Footprints, segments: Iterable[Segment]) -> None:
    """Nothing promises that it stays inside its buffer if the program promises nothing."""
    if any(op.inbounds is not None for op in program.having(LoadOp)):
        return
    for segment in segments:
        for op in segment.footprints.having(LoadOp):
            if op.inbounds is not None:
                raise Mismatch("the program does not promise that this stays inside", op)


def _is_tile(entry: BufferOp | ParamOp) -> bool:
    return isinstance(entry, BufferOp) and entry.access.data is Access.WORKGROUP


def described(entry: Operation) -> tuple[object, ...]:
    """What an entry of a table, or scratch, is declared as."""
    properties: dict[str, Attribute] = entry.properties
    return type(entry), dict(properties), entry.results[0].type


class Leaves:
    """Makes terms for what two sides declare."""

    def __init__(self, shared: Shared, sides: tuple[Side, Side]):
        self._shared = shared
        self._sides = sides

    def leaf_of(self, entry: Operation) -> Term:
        """A leaf for an entry of a table, or for scratch of the program."""
        kind, name = BUFFER, "scratch of the program"
        if isinstance(entry, BufferOp | ParamOp):
            name = entry.entry_name.data
            if isinstance(entry, BufferOp):
                kind, name = TILE if _is_tile(entry) else BUFFER, f'"{name}"'
            else:
                kind = PARAM
        leaf = self._shared.terms.fresh(kind)
        self._shared.names[leaf] = name
        return leaf

    def declare(self, buffers: list[tuple[Term, BufferOp]]) -> None:
        """What buffers hold at the start, and which of them may be one."""
        terms = self._shared.terms
        for leaf, entry in buffers:
            storage = storage_of(entry)
            shared = [other for other, op in buffers if storage_of(op) & storage]
            self._shared.sources[leaf] = tuple(shared) if storage else (leaf,)
            version = terms.node(INITIAL, leaf)
            if leaf.kind is TILE:
                version = terms.zeros
                self._shared.shapes[leaf] = entry.type.get_shape()
            for side in self._sides:
                side.state[leaf] = version

    def declare_scratch(self, leaf: Term) -> None:
        """What scratch of the program holds at the start."""
        self._shared.sources[leaf] = (leaf,)
        for side in self._sides:
            side.state[leaf] = self._shared.terms.node(INITIAL, leaf)


class Tables(Leaves):
    """Binds what both sides declare to terms."""

    def __init__(self, shared: Shared, program: Side, schedule: ScheduleSide):
        super().__init__(shared, (program, schedule))
        self._program = program
        self._schedule = schedule

    def bind(self, program: ProgramOp, schedule: ScheduleOp) -> None:
        """One leaf for each entry, and for workgroup memory and scratch that match."""
        entries = {entry.entry_name.data: entry for entry in schedule.table}
        tiles: dict[SSAValue, BufferOp] = {}
        buffers: list[tuple[Term, BufferOp]] = []
        for entry in program.table:
            name = entry.entry_name.data
            leaf = self.leaf_of(entry)
            if isinstance(entry, BufferOp):
                buffers.append((leaf, entry))
            self._program.env[entry.results[0]] = leaf
            if isinstance(entry, BufferOp) and _is_tile(entry):
                tiles[entry.memref] = entry
                self._schedule.tiles[name] = leaf
            else:
                self._schedule.env[entries[name].results[0]] = leaf
        self.declare(buffers)
        self._scratch(list(tiles))

    def _scratch(self, tiles: list[SSAValue]) -> None:
        rest = self._schedule.footprints.having(ScratchOp)
        carried = self._schedule.footprints.handed_on
        moved = [op for op in rest if op.memref in carried]
        rest = [op for op in rest if op not in moved]
        self._match_moved(tiles, moved)
        for op in self._program.footprints.having(ScratchOp):
            leaf = self.leaf_of(op)
            self._program.env[op.memref] = leaf
            self.declare_scratch(leaf)
            alike = [o for o in rest if described(o) == described(op)]
            hint = op.memref.name_hint
            named = [o for o in alike if o.memref.name_hint == hint]
            for same in (named or alike)[:1]:
                self._schedule.env[same.memref] = leaf
                rest.remove(same)
        for number, op in enumerate(rest):
            name = f"%{op.memref.name_hint or f'scratch_{number}'}"
            self._schedule.declare_slot(op.memref, op.scope.data, name)

    def _match_moved(self, tiles: list[SSAValue], moved: list[ScratchOp]) -> None:
        """Workgroup memory that loops carry is scratch of workgroups in the schedule."""
        carried = self._program.footprints.handed_on
        free = [tile for tile in tiles if tile in carried]
        for op in moved:
            type_ = memref_type(op.memref)
            for tile in free:
                other = memref_type(tile)
                is_alike = (
                    op.scope.data is ScratchScope.PER_WORKGROUP
                    and type_.get_shape()[1:] == other.get_shape()
                    and type_.element_type == other.element_type
                )
                if is_alike:
                    leaf = self._program.env[tile]
                    self._schedule.env[op.memref] = leaf
                    self._schedule.moved.add(leaf)
                    free.remove(tile)
                    break
            else:
                raise Mismatch("a loop carries scratch that the program does not have", op)
