"""
Does a program with fewer grid barriers do what the program with all of them does?

Both are the same but for barriers. Whatever a lost barrier kept apart may now happen in any
order, so it must not matter in which: nothing that comes to its place without passing
another barrier may be in conflict with anything that goes on from there. A grid barrier
also holds together a workgroup; where another barrier of the workgroup is left in its
place, only memory of the grid is asked about.

That everybody still comes to the barriers that are left is what `vyre-verify-program` says
of the result.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import MemoryEffectKind

from vyre.analysis.purity import PURE_OPS, effects_of, is_known
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    AsyncLoadOp,
    AsyncStoreOp,
    AsyncWaitOp,
    BarrierOp,
    BufferOp,
    ProgramOp,
    RegionOp,
    ScratchOp,
    TrapOp,
)
from vyre.dialects.vyre.attributes import Access
from vyre.dialects.vyre.sync import AsyncCopyOp
from vyre.validation.aliasing import storage_of
from vyre.validation.footprints import COLLECTIVES, Footprints, is_memref
from vyre.validation.report import REQUEST, InvalidSplit


def validate_barriers(program: ProgramOp, fewer: ProgramOp) -> None:
    """
    Prove that a program, which verifies, does what one with more grid barriers does, or
    raise `InvalidSplit`.

    Example: `validate_barriers(program, fewer)`
    """
    if not _stripped(program).is_structurally_equivalent(_stripped(fewer)):
        raise InvalidSplit(fewer, "not only barriers are missing", REQUEST)
    lost = {place: barrier for barrier, place in _lost(program, fewer)}
    effects = _Effects(fewer)
    for is_grid in (True, False):
        _Flow(fewer, lost, effects, is_grid).check()


def _stripped(program: ProgramOp) -> ProgramOp:
    """A copy without barriers."""
    copy = program.clone()
    for op in list(operations_in(copy.body)):
        if isinstance(op, BarrierOp):
            Rewriter.erase_op(op)
    return copy


def _runs(program: ProgramOp) -> Iterator[tuple[list[BarrierOp], Operation | None]]:
    """Operations that are no barriers, with the barriers before them."""
    todo = [program.body.block]
    while todo:
        barriers: list[BarrierOp] = []
        for op in todo.pop().ops:
            if isinstance(op, BarrierOp):
                barriers.append(op)
                continue
            yield barriers, op
            barriers = []
            todo += (block for region in op.regions for block in region.blocks)
        yield barriers, None


def _lost(program: ProgramOp, fewer: ProgramOp) -> Iterator[tuple[BarrierOp, Operation]]:
    """The grid barriers with none in their place, and what comes after that."""
    for (barriers, _), (left, op) in zip(_runs(program), _runs(fewer), strict=True):
        kept = [barrier for barrier in left if barrier.is_grid_sync]
        others = len(left) - len(kept)
        wanted = sum(not barrier.is_grid_sync for barrier in barriers)
        if others < wanted or len(left) > len(barriers):
            raise InvalidSplit(op or fewer, "a barrier of the workgroup is lost", REQUEST)
        if len(barriers) > wanted and not kept and op is not None:
            yield next(b for b in barriers if b.is_grid_sync), op


@dataclass(slots=True)
class _Set:
    """What is done somewhere, with one bit for each buffer."""

    reads: int = 0
    writes: int = 0
    traps: int = 0
    works: int = 0
    """Anything that must not happen after a trap, such as not to end."""

    def add(self, other: "_Set", within: int = -1) -> bool:
        """Add another set; whether that is more."""
        before = self.reads, self.writes, self.traps, self.works
        self.reads |= other.reads & within
        self.writes |= other.writes & within
        self.traps |= other.traps
        self.works |= other.works
        return before != (self.reads, self.writes, self.traps, self.works)

    def conflicts(self, later: "_Set") -> bool:
        """Whether it matters that all of this comes before all that is later."""
        both = self.writes & (later.reads | later.writes) | self.reads & later.writes
        return bool(both | self.traps & later.works)


class _Effects:
    """What operations do to buffers that may be the same."""

    def __init__(self, program: ProgramOp):
        self._footprints = code = Footprints(program)
        self._bits: dict[SSAValue, int] = {}
        self.tiles = 0
        entries: list[BufferOp | ScratchOp] = code.having(BufferOp) + code.having(ScratchOp)
        numbers: dict[int, int] = {}
        for bit, entry in enumerate(entries):
            mask = 1 << bit
            self._bits[entry.results[0]] = mask
            if isinstance(entry, BufferOp):
                for number in storage_of(entry):
                    numbers[number] = numbers.get(number, 0) | mask
                if entry.access.data is Access.WORKGROUP:
                    self.tiles |= mask
        for entry in code.having(BufferOp):
            for number in storage_of(entry):
                self._bits[entry.memref] |= numbers[number]
        copies = (*code.having(AsyncLoadOp), *code.having(AsyncStoreOp))
        self._copies = _Set()
        for copy in copies:
            self._copies.add(self._accesses(copy))

    def begun(self, op: Operation) -> _Set:
        """What begins with an operation itself."""
        return _Set() if isinstance(op, AsyncWaitOp) else self._own(op)

    def ended(self, op: Operation) -> _Set:
        """What ends with an operation itself; copies do when they are waited for."""
        if isinstance(op, AsyncCopyOp):
            return _Set()
        if not isinstance(op, AsyncWaitOp):
            return self._own(op)
        found = _Set()
        for token in op.tokens:
            copy = token.owner
            is_direct = isinstance(copy, AsyncCopyOp)
            found.add(self._accesses(copy) if is_direct else self._copies)
        return found

    def _own(self, op: Operation) -> _Set:
        if not is_known(op):
            return _Set(-1, -1, 1, 1)
        if isinstance(op, TrapOp):
            return _Set(traps=1, works=1)
        if op.regions:
            return _Set(works=int(isinstance(op, scf.ForOp | scf.WhileOp)))
        return self._accesses(op)

    def _accesses(self, op: Operation) -> _Set:
        touched = {MemoryEffectKind.READ: 0, MemoryEffectKind.WRITE: 0}
        for effect in effects_of(op) or ():
            value = effect.value
            if not isinstance(value, SSAValue) or not is_memref(value):
                continue
            for root in self._footprints.roots(value) if effect.kind in touched else ():
                touched[effect.kind] |= self._bits.get(root, -1)
        reads, writes = touched.values()
        return _Set(reads, writes, works=int(bool(reads | writes)))


class _Flow:
    """
    What has come to each piece of code without a barrier in between, and what goes on from
    there, as the grid sees it or a workgroup does.
    """

    def __init__(
        self,
        program: ProgramOp,
        lost: Mapping[Operation, BarrierOp],
        effects: _Effects,
        is_grid: bool,
    ):
        self._lost = lost
        self._effects = effects
        self._is_grid = is_grid
        self._within = ~effects.tiles if is_grid else effects.tiles
        self._ended: list[_Set] = []
        self._begun: list[_Set] = []
        self._ways: list[tuple[int, int]] = []
        self._places: list[tuple[BarrierOp, int, int]] = []
        self._block(program.body.block, self._piece())

    def check(self) -> None:
        """Refuse a lost barrier that kept something apart."""
        _spread(self._ended, self._ways)
        _spread(self._begun, [(end, start) for start, end in self._ways])
        for barrier, before, after in self._places:
            if self._ended[before].conflicts(self._begun[after]):
                raise InvalidSplit(barrier, "this barrier is needed", REQUEST)

    def _piece(self, *before: int) -> int:
        self._ended.append(_Set())
        self._begun.append(_Set())
        new = len(self._ended) - 1
        self._ways += ((each, new) for each in before)
        return new

    def _block(self, block: Block, here: int) -> int:
        """Follow the code of a block; where it ends."""
        was_cut = False
        for op in block.ops:
            if isinstance(op, BarrierOp):
                if op.is_grid_sync or not self._is_grid:
                    here, was_cut = self._piece(), True
                continue
            if op in self._lost and not was_cut:
                after = self._piece(here)
                self._places.append((self._lost[op], here, after))
                here = after
            if type(op) not in PURE_OPS:
                here = self._follow(op, here)
            was_cut = False
        return here

    def _follow(self, op: Operation, here: int) -> int:
        if isinstance(op, COLLECTIVES):
            here = self._piece()
        self._note(op, here)
        match op:
            case scf.WhileOp():
                start = self._piece(here)
                self._note(op, start)
                tested = self._block(op.before_region.block, start)
                trip = self._piece(tested)
                self._note(op, trip)
                self._ways.append((self._block(op.after_region.block, trip), start))
                return self._piece(tested)
            case scf.ForOp():
                head = self._piece(here)
                trip = self._piece(head)
                self._note(op, trip)
                self._ways.append((self._block(op.body.block, trip), head))
                return self._piece(head)
            case RegionOp():
                return self._block(op.body.block, here)
            case scf.IfOp() | scf.IndexSwitchOp():
                ends = [self._arm(region, here) for region in op.regions]
                return self._piece(*ends)
            case _ if op.regions:
                hub = self._piece(here)
                for region in op.regions:
                    self._ways.append((self._arm(region, hub), hub))
                return hub
            case _:
                return self._piece() if isinstance(op, COLLECTIVES) else here

    def _arm(self, region: Region, here: int) -> int:
        for block in region.blocks:
            here = self._block(block, self._piece(here))
        return here

    def _note(self, op: Operation, here: int) -> None:
        self._ended[here].add(self._effects.ended(op), self._within)
        self._begun[here].add(self._effects.begun(op), self._within)


def _spread(sets: Sequence[_Set], ways: Iterable[tuple[int, int]]) -> None:
    """Pass on what is in sets along all ways."""
    following: list[list[int]] = [[] for _ in sets]
    for start, end in ways:
        following[start].append(end)
    todo = deque(range(len(sets)))
    while todo:
        start = todo.popleft()
        for end in following[start]:
            if sets[end].add(sets[start]):
                todo.append(end)
