"""
The walk over a program and its schedule, side by side.

The program is divided at its grid barriers, and where control flow with a grid barrier
begins and ends. A piece with effects has to be done by one launch, with equal effects in
the same order; control flow with effects inside has to be the same control flow of the
host. Everything else leaves no trace but values, which are compared where they are used.
"""

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from vyre.dialects.refusal import Note
from vyre.dialects.vyre import BarrierOp, LaunchOp, ProgramOp, RegionOp, ScheduleOp, YieldOp
from vyre.validation.control import Side
from vyre.validation.equality import Different, EffectsDiffer, Equality, Loop
from vyre.validation.footprints import (
    COLLECTIVES,
    Footprints,
    is_grid_cut,
    is_memref,
    terminator,
)
from vyre.validation.host import Host
from vyre.validation.interface import Tables, check_interface, check_promises
from vyre.validation.launches import ScheduleSide
from vyre.validation.levels import GRID, Levels
from vyre.validation.memory import Shared
from vyre.validation.overwriting import Overwriting
from vyre.validation.report import Mismatch, of_effects, of_terms
from vyre.validation.terms import BUFFER, CELL, FRAME, HEAD, JOIN, SLOT, TILE, Term, Terms

Piece = Operation | list[Operation]
"""Control flow with a grid barrier inside, or operations without."""


class Lockstep:
    """
    Example: `Lockstep(program, schedule, segments).run()`
    """

    def __init__(
        self, program: ProgramOp, schedule: ScheduleOp, segments: dict[str, ProgramOp]
    ):
        terms = Terms()
        overwriting = Overwriting(terms, program.workgroup)
        self.shared = Shared(terms, Equality(Levels()), overwriting)
        self.equality = self.shared.equality
        code = Footprints(program)
        self.program = Side(self.shared, code)
        self.schedule = ScheduleSide(self.shared, Footprints(schedule), segments)
        check_interface(program, schedule, self.schedule.segments.values())
        check_promises(code, self.schedule.segments.values())
        self._blocks = program.body.block, schedule.body.block
        Tables(self.shared, self.program, self.schedule).bind(program, schedule)
        self._constructs = _constructs(code, program)
        self.effects = 0

    def run(self) -> None:
        """Walk over both from start to end."""
        self._block(*self._blocks)

    # Blocks

    def _block(self, program: Block, schedule: Block) -> None:
        host = Host(self.schedule, schedule)
        self._sync()
        for piece in self._pieces(program):
            if isinstance(piece, list):
                self._plain(piece, host)
            elif self.program.footprints.of(piece).acts:
                self._construct(piece, host)
            else:
                self.program.begin(None, frozenset())
                self.program.run([piece])
        rest = host.next_action()
        if rest is not None:
            raise Mismatch("the schedule does more than the program", rest)

    def _sync(self) -> None:
        """Both sides have come to the same place."""
        self.shared.synced = self.shared.terms.now

    def _pieces(self, block: Block) -> Iterator[Piece]:
        """The pieces of a block, in order."""
        run: list[Operation] = []
        for op in self._flat(block):
            if is_grid_cut(op) or op in self._constructs:
                if run:
                    yield run
                run = []
                if op in self._constructs:
                    yield op
                elif isinstance(op, COLLECTIVES):
                    yield [op]
            else:
                run.append(op)
        if run:
            yield run

    def _flat(self, block: Block) -> Iterator[Operation]:
        """The operations of a block, with those of regions that have barriers inside."""
        for op in block.ops:
            if isinstance(op, RegionOp) and op in self._constructs:
                yield from self._flat(op.body.block)
            else:
                yield op

    def _plain(self, ops: list[Operation], host: Host) -> None:
        """A piece of the program, and the launch that does the same if it does anything."""
        side = self.program
        footprint = side.footprints.over(ops)
        if not footprint.acts:
            side.begin(None, frozenset())
            side.run(ops)
            return
        written = side.memory(footprint.written)
        if footprint.is_unknown:
            written = frozenset(_memory_in(side.state))
        phase = self.shared.terms.fresh(FRAME)
        side.begin(phase, written)
        side.run(ops)
        effects = side.end()
        op = host.next_action()
        if not isinstance(op, LaunchOp):
            cause = "no launch does this" if op is None else "a launch has to come first"
            raise Mismatch(cause, effects[0].op, [] if op is None else [Note(op, "here")])
        found = self.schedule.launch(op, phase, written)
        self.effects += len(effects)
        # Copies that the program waits for later are waited for by the launch.
        while len(found) > len(effects) and found[-1].op.name == "vyre.async_wait":
            found.pop()
        try:
            self.equality.same_effects(effects, found)
        except EffectsDiffer as error:
            raise of_effects(error, self.shared.names) from None
        self._sync()

    # Control flow of the host

    def _construct(self, op: Operation, host: Host) -> None:
        twin = host.next_action()
        if twin is None or type(twin) is not type(op):
            at = [] if twin is None else [Note(twin, "the schedule goes on here")]
            raise Mismatch("the schedule has no such control flow here", op, at)
        match op, twin:
            case scf.IfOp(), scf.IfOp():
                self._if(op, twin)
            case scf.ForOp(), scf.ForOp():
                self._for(op, twin)
            case scf.WhileOp(), scf.WhileOp():
                self._while(op, twin)
            case _:
                raise Mismatch("the validator does not know this control flow", op)
        self._sync()

    def _require(self, one: SSAValue, other: SSAValue, what: str, at: Operation) -> None:
        terms = self.program.env[one], self.schedule.env[other]
        try:
            self.equality.require(*terms, what)
        except Different as error:
            raise of_terms(error, what, at, self.shared.names) from None

    def _if(self, op: scf.IfOp, twin: scf.IfOp) -> None:
        self._require(op.cond, twin.cond, "the condition", op)
        frame = self.shared.terms.fresh(FRAME)
        sides = (self.program, self.schedule)
        ends: list[list[dict[Term, Term]]] = [[], []]
        before = [side.state for side in sides]
        for one, other in zip(op.regions, twin.regions, strict=True):
            for side, state in zip(sides, before):
                side.state = dict(state)
            if one.blocks and other.blocks:
                self._block(one.block, other.block)
            elif one.blocks or other.blocks:
                self._half(one.blocks.first, other.blocks.first)
            for side, found in zip(sides, ends):
                found.append(side.state)
        conditions = self.program.env[op.cond], self.schedule.env[twin.cond]
        for side, state, found, both, condition in zip(
            sides, before, ends, (op, twin), conditions
        ):
            side.state = state
            self._join(side, condition, frame, found)
            self._choose(side, both, condition)

    def _half(self, program: Block | None, schedule: Block | None) -> None:
        """An arm that only one side has: nothing may be done in it."""
        self._block(program or Block(), schedule or Block())

    def _choose(self, side: Side, op: Operation, condition: Term) -> None:
        arms = [terminator(region.block).operands for region in op.regions if region.blocks]
        for index, result in enumerate(op.results):
            given = [side.env[arm[index]] for arm in arms]
            side.env[result] = side.terms.choice(condition, *given)

    def _join(
        self, side: Side, condition: Term, frame: Term, ends: Sequence[dict[Term, Term]]
    ) -> None:
        """What is known after a branch."""
        for key, before in list(side.state.items()):
            after = [end[key] for end in ends]
            if all(each is before for each in after):
                continue
            if key.kind in (SLOT, TILE, CELL):
                side.state[key] = side.terms.choice(condition, *after)
            else:
                side.state[key] = side.terms.node(JOIN, key, frame)

    def _enter(
        self,
        side: Side,
        op: Operation,
        carried: Iterator[tuple[SSAValue, SSAValue]],
        frame: Term,
        written: frozenset[Term],
    ) -> Loop:
        """Go to the head of a loop of the host."""
        kept = [*side.kept_by(op)]
        is_schedule = side is self.schedule
        for memory in written:
            if memory.kind is not TILE:
                side.state[memory] = side.terms.node(HEAD, memory, frame)
            elif not is_schedule or memory in self.schedule.moved:
                kept.append(memory)
        return side.enter(op, carried, kept, frame)

    def _heads(
        self,
        op: Operation,
        twin: Operation,
        carried: Sequence[tuple[Sequence[SSAValue], Sequence[SSAValue]]],
    ) -> tuple[Loop, Loop]:
        written = self.program.memory(self.program.footprints.of(op).written)
        if self.program.footprints.of(op).is_unknown:
            written = frozenset(_memory_in(self.program.state))
        floor = self.shared.terms.now
        frame = self.shared.terms.fresh(FRAME)
        self.equality.levels.known[frame] = GRID
        loops = [
            self._enter(side, one, zip(*pairs, strict=True), frame, written)
            for side, one, pairs in zip((self.program, self.schedule), (op, twin), carried)
        ]
        for loop in loops:
            loop.floor = floor
        self.equality.marry(loops[0], loops[1])
        return loops[0], loops[1]

    def _back(
        self,
        loops: tuple[Loop, Loop],
        symbols: Sequence[Sequence[SSAValue]],
        values: Sequence[Sequence[SSAValue]],
        at: Operation,
    ) -> None:
        """What goes back, with what is kept; and what had to wait for that."""
        for side, loop, carried, given in zip(
            (self.program, self.schedule), loops, symbols, values
        ):
            heads = list(loop.starts)[: len(carried)]
            for symbol, value in zip(heads, given, strict=True):
                loop.backs[symbol] = side.env[value]
            for key, symbol in loop.kept.items():
                loop.backs[symbol] = side.state[key]
        try:
            self.equality.finish(*loops)
        except Different as error:
            raise of_terms(error, "what a loop carries", at, self.shared.names) from None
        except EffectsDiffer as error:
            raise of_effects(error, self.shared.names) from None

    def _for(self, op: scf.ForOp, twin: scf.ForOp) -> None:
        for one, other in zip((op.lb, op.ub, op.step), (twin.lb, twin.ub, twin.step)):
            self._require(one, other, "a bound", op)
        both = op, twin
        blocks = [loop.body.block for loop in both]
        carried = [(b.args[1:], o.iter_args) for b, o in zip(blocks, both)]
        loops = self._heads(op, twin, carried)
        counter = self.schedule.count(loops[1])
        states: list[dict[Term, Term]] = []
        for side, block in zip((self.program, self.schedule), blocks):
            side.env[block.args[0]] = counter
            states.append(dict(side.state))
        self._block(*blocks)
        symbols = [block.args[1:] for block in blocks]
        self._back(loops, symbols, [terminator(b).operands for b in blocks], op)
        sides = (self.program, self.schedule)
        for side, state, loop, arguments in zip(sides, states, both, symbols):
            side.state = state
            for result, argument in zip(loop.res, arguments, strict=True):
                side.env[result] = side.env[argument]

    def _while(self, op: scf.WhileOp, twin: scf.WhileOp) -> None:
        both = op, twin
        before = [loop.before_region.block for loop in both]
        after = [loop.after_region.block for loop in both]
        carried = [(b.args, o.arguments) for b, o in zip(before, both)]
        loops = self._heads(op, twin, carried)
        self._block(*before)
        decided = [terminator(block).operands for block in before]
        self._require(decided[0][0], decided[1][0], "the condition", op)
        sides = (self.program, self.schedule)
        states: list[dict[Term, Term]] = []
        for side, block, passed in zip(sides, after, decided):
            states.append(dict(side.state))
            for argument, value in zip(block.args, passed[1:], strict=True):
                side.env[argument] = side.env[value]
        self._block(*after)
        symbols = [block.args for block in before]
        self._back(loops, symbols, [terminator(b).operands for b in after], op)
        for side, state, loop, passed in zip(sides, states, both, decided):
            side.state = state
            for result, value in zip(loop.res, passed[1:], strict=True):
                side.env[result] = side.env[value]


def _memory_in(state: Iterable[Term]) -> Iterable[Term]:
    return (key for key in state if key.kind is BUFFER or key.kind is TILE)


def _constructs(code: Footprints, program: ProgramOp) -> set[Operation]:
    """
    The operations with a grid barrier inside; and loops that give buffers to others, since
    only the host can hand these from launch to launch.
    """
    found: set[Operation] = set()
    for op in (*code.having(*COLLECTIVES), *code.having(BarrierOp)):
        if is_grid_cut(op):
            _add(op.parent_op(), program, found)
    loops = code.having(scf.ForOp, scf.WhileOp)
    givers = [op for op in loops if any(map(is_memref, op.results))]
    while True:
        new = [op for op in givers if op not in found and _gives(op, found)]
        if not new:
            return found
        for op in new:
            _add(op, program, found)


def _add(op: Operation | None, program: ProgramOp, found: set[Operation]) -> None:
    while op is not None and op is not program and op not in found:
        found.add(op)
        op = op.parent_op()


def _gives(op: Operation, constructs: set[Operation]) -> bool:
    """Whether a cut comes between a loop and a use of a buffer that it gives."""
    todo = [result for result in op.results if is_memref(result)]
    while todo:
        value = todo.pop()
        origin = value.owner
        assert isinstance(origin, Operation)
        for use in value.uses:
            if _is_unused(use.operation, use.index):
                continue
            if _is_cut_off(origin, use.operation, constructs):
                return True
            parent = use.operation.parent_op()
            if use.operation.name == "vyre.yield" and parent is not None:
                todo.append(parent.results[use.index])
    return False


def _is_unused(user: Operation, index: int) -> bool:
    """Whether a region hands out what nobody takes."""
    region = user.parent_op() if isinstance(user, YieldOp) else None
    return region is not None and region.results[index].first_use is None


def _is_cut_off(origin: Operation, user: Operation, constructs: set[Operation]) -> bool:
    """Whether control comes from one operation to the other through a cut."""
    inside: Operation | None = user
    while inside is not None and inside.parent is not origin.parent:
        if inside in constructs:
            return True
        inside = inside.parent_op()
    between = origin.next_op
    while between is not None and between is not inside:
        if is_grid_cut(between) or between in constructs:
            return True
        between = between.next_op
    return inside is None or inside in constructs
