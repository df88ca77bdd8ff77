"""
The schedule's side: the host, launches, and workgroup memory that they save and restore.

Workgroup memory does not outlive a launch. A launch may *restore* it from a slot at its
start, and *save* it in one at its end: loops over all elements with a barrier. A restore
makes the tile's version what the slot holds, and a save makes the slot hold its version.
"""

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any, ClassVar

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from vyre.analysis.purity import PURE_OPS
from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LaunchOp,
    LinearIdOp,
    ProgramOp,
)
from vyre.dialects.vyre.attributes import LinearScope
from vyre.validation.aliasing import check_arguments
from vyre.validation.equality import Effect
from vyre.validation.footprints import Footprints
from vyre.validation.levels import WORKGROUP
from vyre.validation.memory import Shared
from vyre.validation.report import Mismatch
from vyre.validation.scratch import Launch, Places
from vyre.validation.segments import Copy, Segment
from vyre.validation.terms import COUNTER, SLOT, Term


class ScheduleSide(Places):
    """
    The schedule, while it is executed.

    Example: `ScheduleSide(shared, footprints, programs).launch(op, None, frozenset())`
    """

    def __init__(
        self, shared: Shared, footprints: Footprints, programs: Mapping[str, ProgramOp]
    ):
        super().__init__(shared, footprints)
        self.launches = 0
        names = (op.segment.string_value() for op in footprints.having(LaunchOp))
        self.segments = {name: Segment(programs[name]) for name in dict.fromkeys(names)}

    def segment(self, op: LaunchOp) -> Segment:
        """What a launch runs."""
        return self.segments[op.segment.string_value()]

    def acts(self, op: Operation) -> bool:
        """Whether an operation of the host launches something with an effect."""
        if isinstance(op, LaunchOp):
            arguments = op.arguments
            is_slots = [self._is_slot(argument) for argument in arguments]
            return self.segment(op).acts(is_slots.__getitem__)
        inside = (op for region in op.regions for op in operations_in(region))
        return any(self.acts(inner) for inner in inside if isinstance(inner, LaunchOp))

    def _is_slot(self, argument: SSAValue) -> bool:
        roots = self.footprints.roots(argument)
        return any(root in self.env and self.env[root].kind is SLOT for root in roots)

    def kept_by(self, op: Operation) -> Iterable[Term]:
        """The slots that launches inside an operation store to."""
        if self._launch is not None:
            return ()
        found: dict[Term, None] = {}
        for region in op.regions:
            for inner in operations_in(region):
                if isinstance(inner, LaunchOp):
                    for index in self.segment(inner).stores_to():
                        term = self.env.get(inner.arguments[index])
                        if term is not None and term.kind is SLOT:
                            found[term] = None
        return found

    def launch(
        self, op: LaunchOp, phase: Term | None, written: frozenset[Term]
    ) -> list[Effect]:
        """Execute a launch; its effects."""
        segment = self.segment(op)
        check_arguments(self, op, segment)
        self.launches += 1
        for value, argument in zip(segment.table, op.arguments, strict=True):
            self.env[value] = self.env[argument]
        around = self.footprints, self.frame
        self.footprints = segment.footprints
        self._launch = launch = Launch(segment)
        for tile in self.tiles.values():
            if tile not in self.moved:
                self.state[tile] = self.terms.zeros
        for declared in segment.tiles:
            self.env[declared.memref] = self._tile(declared)
        self.begin(phase, written)
        launch.untouched = {tile: self.state[tile] for tile in self.tiles.values()}
        self.run(segment.program.body.block.ops)
        self._finish_saves(launch)
        effects = self.end()
        for slot, tile, _ in launch.saves:
            self.state[slot] = self.state[tile]
        self.footprints, self.frame = around
        self._launch = None
        return effects

    def _tile(self, declared: BufferOp) -> Term:
        """The workgroup memory of the program that a segment declares."""
        tile = self.tiles.get(declared.entry_name.data)
        shape = None if tile is None else self.shared.shapes[tile]
        if tile is None or tile in self.moved or shape != declared.type.get_shape():
            raise Mismatch("the program has no such workgroup memory", declared)
        return tile

    def _finish_saves(self, launch: Launch) -> None:
        for _, tile, version in launch.saves:
            if self.state[tile] is not version:
                raise Mismatch(
                    f"{self.shared.names[tile]} changes after it was saved",
                    launch.segment.program,
                )
        if launch.unfenced or launch.fence is not None:
            raise Mismatch(
                "a barrier and a copy of workgroup memory do not belong together",
                launch.segment.program,
            )

    def quiet_launch(self, op: LaunchOp) -> None:
        """A launch that only fills slots."""
        self.launch(op, None, frozenset())

    # Saved and restored workgroup memory

    def barrier(self, op: BarrierOp) -> None:
        """A barrier, unless it belongs to a save or a restore."""
        launch = self._launch
        if op.is_grid_sync:
            raise Mismatch("the whole grid meets inside a launch", op)
        if launch is not None and not self.frame.chain:
            if launch.unfenced:
                launch.unfenced.clear()
                return
            following = _next_loop(op)
            if following is not None and self._is_save(following):
                launch.fence = following
                return
        super().barrier(op)

    def _is_save(self, op: Operation) -> bool:
        assert self._launch is not None
        copy = self._launch.segment.copies.get(op)
        return copy is not None and copy.is_save and self._is_kept(copy)

    def _is_kept(self, copy: Copy) -> bool:
        return self.env[copy.scratch].kind is SLOT

    def loop_for(self, op: scf.ForOp) -> None:
        """A loop, or a copy of workgroup memory."""
        launch = self._launch
        copy = None if launch is None else launch.segment.copies.get(op)
        if copy is None or not self._is_kept(copy):
            super().loop_for(op)
            return
        assert launch is not None
        tile, slot = self.env[copy.tile], self.env[copy.scratch]
        self._check_copy(op, copy, tile, slot)
        if copy.is_save:
            if launch.fence is not op:
                raise Mismatch("no barrier comes before workgroup memory is saved", op)
            launch.fence = None
            launch.saves.append((slot, tile, self.state[tile]))
            return
        if self.state[tile] is not launch.untouched[tile] or slot in launch.stored:
            raise Mismatch("workgroup memory is restored after it was used", op)
        held = self.state[slot]
        if tile in self.written:
            self.bases[tile] = held
            self.state[tile] = self.terms.node(
                self.state[tile].kind, tile, self.frame.term, held
            )
        else:
            self.state[tile] = held
        launch.unfenced.add(tile)

    def _check_copy(self, op: scf.ForOp, copy: Copy, tile: Term, slot: Term) -> None:
        """All elements are copied, each to its place and by one invocation."""
        terms, shape = self.terms, self.shared.shapes[tile]
        counter = terms.fresh(COUNTER)
        block = op.body.block
        self.env[block.args[0]] = counter
        self.run(inner for inner in block.ops if type(inner) in PURE_OPS)
        within = terms.place(counter, shape)
        in_scratch = (terms.linear[LinearScope.WORKGROUP], *within)
        loaded, stored = self.values(copy.load.indices), self.values(copy.store.indices)
        wanted = (within, in_scratch) if copy.is_save else (in_scratch, within)
        size = prod(self._program_workgroup)
        is_whole = self.values((op.lb, op.ub, op.step)) == [
            terms.linear[LinearScope.LOCAL],
            terms.index(prod(shape)),
            terms.index(size),
        ]
        of_workgroup = self.slots[slot].level == WORKGROUP
        if not (of_workgroup and is_whole and (tuple(loaded), tuple(stored)) == wanted):
            raise Mismatch("not all of the workgroup memory is copied to its place", op)

    @property
    def _program_workgroup(self) -> tuple[int, ...]:
        assert self._launch is not None
        return self._launch.segment.program.workgroup

    HANDLERS: ClassVar[dict[type[Operation], Callable[[Any, Any], None]]] = {
        **Places.HANDLERS,
        BarrierOp: barrier,
        scf.ForOp: loop_for,
        LaunchOp: quiet_launch,
    }


def _next_loop(op: Operation) -> Operation | None:
    following = op.next_op
    while isinstance(following, LinearIdOp | arith.ConstantOp):
        following = following.next_op
    return following
