"""
Is a program without returns what the program with returns means?

Both are executed as a whole, with branches as conditions of the effects in them, so that it
does not matter where a guard stands. `vyre.validation.alive` compares their effects. That
everybody comes to every barrier is what `vyre-verify-program` says of the result. That
everybody leaves every loop follows from what decides about it: either it asks who is alive,
or it asks through a word of memory whether anyone is (see `vyre.validation.words`).
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import zip_longest
from typing import Any, ClassVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue

from vyre.analysis.grid_lengths import grid_lengths
from vyre.analysis.purity import is_pure
from vyre.collector import paused_collector
from vyre.dialects.vyre import (
    BarrierOp,
    BufferOp,
    LoadOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    ReturnOp,
    ScratchOp,
    StoreOp,
    TokenType,
)
from vyre.validation.alive import Guarded, Lives, UnderAlive
from vyre.validation.control import Side
from vyre.validation.equality import Effect, EffectsDiffer, Loop
from vyre.validation.execution import SUBGROUP_OPS
from vyre.validation.footprints import COLLECTIVES, Footprints, terminator
from vyre.validation.interface import Leaves, described
from vyre.validation.intervals import Intervals
from vyre.validation.levels import GRID, WORKGROUP, Levels
from vyre.validation.memory import Shared
from vyre.validation.overwriting import Overwriting
from vyre.validation.report import REQUEST, InvalidSplit, Mismatch, of_effects
from vyre.validation.terms import ANYONE, BUFFER, CELL, FRAME, ITE, TILE, Term, Terms
from vyre.validation.words import Words, keeps_step

ALIVE = Term(CELL, (), 0)
"""The variable that a return clears."""


def validate_returns(
    program: ProgramOp, predicated: ProgramOp, *, infers_grid: bool = True
) -> None:
    """
    Prove that a program without returns, which verifies, does what another one does, or
    raise `InvalidSplit`. They infer one grid, unless somebody else says what that is.

    Example: `validate_returns(program, predicated)`
    """
    try:
        if infers_grid and grid_lengths(program) != grid_lengths(predicated):
            raise Mismatch("another grid is inferred than for the program")
        with paused_collector():
            _compare(program, predicated)
    except Mismatch as mismatch:
        at = predicated if mismatch.at is None else mismatch.at
        cause = mismatch.cause.replace("the schedule", "the program without returns")
        raise InvalidSplit(at, cause, REQUEST, mismatch.notes) from None


def _compare(program: ProgramOp, predicated: ProgramOp) -> None:
    terms = Terms()
    equality = UnderAlive(Levels())
    shared = Shared(terms, equality, Overwriting(terms, program.workgroup))
    sides = Returning(shared, program), Predicated(shared, predicated, program)
    _bind(shared, *sides)
    phase = shared.terms.fresh(FRAME)
    shared.synced = terms.now
    found = [side.whole(phase) for side in sides]
    try:
        equality.same_effects(*found)
    except EffectsDiffer as error:
        raise of_effects(error, shared.names) from None


class _Whole(Side):
    """A program that is executed as a whole."""

    def __init__(self, shared: Shared, program: ProgramOp):
        super().__init__(shared, Footprints(program))
        self.program = program
        self.path: tuple[tuple[Term, bool], ...] = ()
        self.place: int | None = None
        """Where a guard is that has been passed, in the path."""
        self._outside: list[tuple[tuple[tuple[Term, bool], ...], int | None]] = []

    def whole(self, phase: Term) -> list[Effect]:
        """Execute all of it; its effects."""
        self.begin(phase, frozenset(m for m in self.state if m.kind in (BUFFER, TILE)))
        self.run(self.program.body.block.ops)
        return self.frame.effects

    def floor(self) -> int:
        """Each side is executed without the other, so only what came first is older."""
        return self.shared.synced

    def overwrite(self, tile: Term) -> None:
        """All memory outlives every barrier here."""

    def changes(self, op: Operation) -> frozenset[Term]:
        """Both sides have the same control flow, so it does not matter what it changes."""
        return self.written

    def alive_before(self, effect: Effect) -> Term | None:
        """Who comes to an effect; None is everybody."""
        return None

    def note(self, effect: Effect) -> None:
        """Add to the effects, with what decides about it."""
        place = len(self.path) if self.place is None else self.place
        guarded = Guarded(
            effect.op,
            effect.term,
            effect.arms,
            effect.loop,
            self.path,
            self.alive_before(effect),
            place,
        )
        self.frame.effects.append(guarded)

    def record(self, effect: Effect, changed: Iterable[Term]) -> None:
        """Note an effect, after which memory has other versions."""
        self.note(effect)
        self.frame.count += 1
        kind = self.terms.kind("at", self.frame.count)
        for memory in changed:
            self.state[memory] = self.version(kind, memory)

    def load(self, op: LoadOp) -> None:
        """A load, of which is noted what it promises."""
        super().load(op)
        self.note(Effect(op, self.env[op.value]))

    def barrier(self, op: BarrierOp) -> None:
        """Barriers of all kinds are effects."""
        self.record(Effect(op, self.terms.node(self.terms.kind_of(op))), self.written)

    def subgroup(self, op: Operation) -> None:
        """Everybody in a subgroup takes part, so this is an effect."""
        term = self.terms.node(self.terms.kind_of(op), *self.values(op.operands))
        self.env[op.results[0]] = self.terms.node(term.kind, self.moment())
        self.record(Effect(op, term), ())

    def branch(self, op: scf.IfOp) -> None:
        """Execute both arms, one after the other; their effects have one more condition."""
        condition, around, place = self.env[op.cond], self.path, self.place
        self.place = self._place_inside(op)
        cells = list(self.kept_by(op))
        before = [self.state[cell] for cell in cells]
        results: list[list[Term]] = []
        ends: list[list[Term]] = []
        for holds, region in zip((True, False), op.regions):
            self.state.update(zip(cells, before))
            self.path = (*around, (condition, holds))
            if region.blocks:
                self.run(region.block.ops)
                results.append(self.values(terminator(region.block).operands))
            ends.append([self.state[cell] for cell in cells])
        self.path, self.place = around, place
        for result, *given in zip(op.results, *results):
            self.env[result] = self.terms.choice(condition, *given)
        for cell, *given in zip(cells, *ends):
            self.state[cell] = self.terms.choice(condition, *given)

    def _place_inside(self, op: Operation) -> int | None:
        return self.place

    def _head(self, op: Operation, carried: Iterable[tuple[SSAValue, SSAValue]]) -> Loop:
        loop = super()._head(op, carried)
        self._outside.append((self.path, self.place))
        self.path, self.place = (), self._place_inside(op)
        return loop

    def _tail(self, loop: Loop, at_exit: dict[Term, Term], *before: list[Effect]) -> None:
        """Every loop is an effect, because everybody has to leave it."""
        loop.bodies = (*before, self.frame.effects)
        for key, symbol in loop.kept.items():
            loop.backs[symbol] = self.state[key]
            self.state[key] = at_exit.get(key, symbol)
        loop.is_complete = True
        self.frame, self.bases, changed = self._around.pop()
        self.path, self.place = self._outside.pop()
        self.record(Effect(loop.op, None, loop=loop), changed)

    HANDLERS: ClassVar[dict[type[Operation], Callable[[Any, Any], None]]] = {
        **Side.HANDLERS,
        scf.IfOp: branch,
        LoadOp: load,
        BarrierOp: barrier,
        **dict.fromkeys(SUBGROUP_OPS, subgroup),
    }


class Returning(_Whole):
    """The program with returns."""

    def __init__(self, shared: Shared, program: ProgramOp):
        super().__init__(shared, program)
        self._everybody = self.terms.constant(IntegerAttr(1, i1))
        self._nobody = self.terms.constant(IntegerAttr(0, i1))
        self.state[ALIVE] = self._everybody
        last = set(_last_returns(program.body.block))
        returns = [op for op in self.footprints.having(ReturnOp) if op not in last]
        self._returning = set(_around(returns))
        assert isinstance(shared.equality, UnderAlive)
        self._lives = shared.equality.lives
        kinds = (BarrierOp, *COLLECTIVES, *SUBGROUP_OPS, scf.ForOp, scf.WhileOp)
        meetings = filter(keeps_step, self.footprints.having(*kinds))
        self._meeting = set(_around(meetings))

    @property
    def alive(self) -> Term | None:
        """Who is alive; None is everybody."""
        alive = self.state[ALIVE]
        return None if alive is self._everybody else alive

    def alive_before(self, effect: Effect) -> Term | None:
        """Who comes to an effect, which is known of a loop since it began."""
        return self.alive if effect.loop is None else self._lives[effect.loop].entry

    def kept_by(self, op: Operation) -> Iterable[Term]:
        """Also who is alive, if there is a return inside."""
        yield from super().kept_by(op)
        if op in self._returning:
            yield ALIVE

    def end_invocation(self, op: ReturnOp) -> None:
        """Nobody who comes here is alive afterwards."""
        if op in self._returning:
            self.state[ALIVE] = self._nobody

    def _place_inside(self, op: Operation) -> int | None:
        """Guards are expected around whole branches and loops where that is possible."""
        if self.place is not None or self.alive is None:
            return self.place
        is_free = not op.results and op not in self._returning and op not in self._meeting
        tokens = any(isinstance(value.type, TokenType) for value in op.operands)
        if is_free and not tokens and not list(self.kept_by(op)):
            return len(self.path)
        return None

    def _head(self, op: Operation, carried: Iterable[tuple[SSAValue, SSAValue]]) -> Loop:
        alive = self.alive
        loop = super()._head(op, carried)
        lives = Lives(alive, symbol=loop.kept.get(ALIVE))
        self._lives[loop] = lives
        if isinstance(op, scf.ForOp):
            self._is_left(loop, op, lives)
        return loop

    def _is_left(self, loop: Loop, op: scf.ForOp, lives: Lives) -> None:
        """An `scf.for` with a return may become an `scf.while`; what that would carry."""
        if lives.symbol is None:
            return
        lower, upper, step = self.values((op.lb, op.ub, op.step))
        type_: Any = op.lb.type
        zero = arith.ConstantOp(IntegerAttr(0, type_))
        bit = arith.ConstantOp(IntegerAttr(0, i1))

        def made(op: Operation, *operands: Term) -> Term:
            return self.terms.node(self.terms.kind_of(op), *operands)

        some = made(arith.CmpiOp(zero, zero, "slt"), lower, upper)
        forward = made(arith.CmpiOp(zero, zero, "sgt"), step, made(zero))
        loop.counter = counter = self.symbol(loop, lower)
        more = self.symbol(loop, made(arith.AndIOp(bit, bit), some, forward))
        loop.backs[counter] = made(arith.AddiOp(zero, zero), counter, step)
        left = made(arith.SubiOp(zero, zero), upper, counter)
        loop.backs[more] = made(arith.CmpiOp(zero, zero, "ugt"), left, step)
        lives.tested = lives.symbol

    def count(self, loop: Loop) -> Term:
        """The induction variable, which counts trips as any other value could."""
        return loop.counter or super().count(loop)

    def _tail(self, loop: Loop, at_exit: dict[Term, Term], *before: list[Effect]) -> None:
        lives = self._lives[loop]
        end = self.state[ALIVE]
        lives.end = None if end is self._everybody else end
        if isinstance(loop.op, scf.WhileOp) and self.place is None:
            tested = at_exit.get(ALIVE, self.state[ALIVE])
            lives.tested = None if tested is self._everybody else tested
        super()._tail(loop, at_exit, *before)

    HANDLERS: ClassVar[dict[type[Operation], Callable[[Any, Any], None]]] = {
        **_Whole.HANDLERS,
        scf.IfOp: _Whole.branch,
        ReturnOp: end_invocation,
    }


class Predicated(_Whole):
    """The program without returns."""

    def __init__(self, shared: Shared, program: ProgramOp, original: ProgramOp):
        super().__init__(shared, program)
        self.words = Words(program, original)
        self._answers: dict[SSAValue, Term] = {}

    def branch(self, op: scf.IfOp) -> None:
        """A branch, or an answer of everybody who is alive."""
        answer = self.words.answers.get(op)
        if answer is None:
            super().branch(op)
            return
        self.run(inner for inner in op.true_region.block.ops if is_pure(inner))
        both = self.env[op.cond], self.env[answer.value]
        nobody = self.terms.fresh(ANYONE)
        assert isinstance(self.equality, UnderAlive)
        self.equality.asking[nobody] = self.words.loops[answer.buffer]
        self._answers[answer.buffer] = term = self.terms.node(ITE, *both, nobody)
        is_grid = isinstance(answer.buffer.owner, ScratchOp)
        self.equality.levels.known[term] = GRID if is_grid else WORKGROUP

    def load(self, op: LoadOp) -> None:
        """A load, or the question whether anyone is alive."""
        if op.buffer in self.words.memrefs:
            self.env[op.value] = self._answers[op.buffer]
            return
        super().load(op)
        if self.words.needs_levels:
            self._note_changing(op)

    def _note_changing(self, op: LoadOp) -> None:
        """Whether others may write what is loaded, in the same phase."""
        levels, sources = self.equality.levels, self.shared.sources[self.env[op.buffer]]
        is_tile = all(memory.kind is TILE for memory in sources)
        if self._intervals[not is_tile].is_changing(op):
            levels.changing.add(self.env[op.value])
        else:
            levels.known.update(dict.fromkeys((self.state[m] for m in sources), GRID))

    @cached_property
    def _intervals(self) -> tuple[Intervals, Intervals]:
        both = (Intervals(self.program, self.footprints, of_grid=g) for g in (False, True))
        one, other = both
        return one, other

    def store(self, op: StoreOp) -> None:
        """A store, unless it resets a word."""
        if op.buffer not in self.words.memrefs:
            super().store(op)

    def barrier(self, op: BarrierOp) -> None:
        """A barrier that is not there for words."""
        if op not in self.words.barriers:
            super().barrier(op)

    HANDLERS: ClassVar[dict[type[Operation], Callable[[Any, Any], None]]] = {
        **_Whole.HANDLERS,
        scf.IfOp: branch,
        LoadOp: load,
        StoreOp: store,
        BarrierOp: barrier,
    }


def _bind(shared: Shared, original: Returning, program: Predicated) -> None:
    """One leaf for what both declare."""
    one, other = original.program, program.program
    if one.workgroup != other.workgroup:
        raise Mismatch("workgroups have another size than in the program", other)
    entries = {entry.entry_name.data: entry for entry in other.table}
    pairs: list[tuple[Operation, Operation | None]] = [
        (entry, entries.pop(entry.entry_name.data, None)) for entry in one.table
    ]
    if any(isinstance(entry, ParamOp) for entry in entries.values()):
        raise Mismatch("the program does not have this parameter", other)
    pairs += zip_longest(
        original.footprints.having(ScratchOp),
        program.footprints.having(ScratchOp)[: len(original.footprints.having(ScratchOp))],
    )
    tables = Leaves(shared, (original, program))
    buffers: list[tuple[Term, BufferOp]] = []
    for entry, twin in pairs:
        if twin is None or described(entry) != described(twin):
            raise Mismatch("the table is not the program's", twin or other)
        leaf = tables.leaf_of(entry)
        original.env[entry.results[0]] = program.env[twin.results[0]] = leaf
        if isinstance(entry, BufferOp):
            buffers.append((leaf, entry))
        elif isinstance(entry, ScratchOp):
            tables.declare_scratch(leaf)
    tables.declare(buffers)


def _last_returns(block: Block) -> Iterator[Operation]:
    """The returns after which nothing is left to do."""
    op = block.last_op
    while op is not None and (is_pure(op) or isinstance(op, scf.YieldOp | ReturnOp)):
        if isinstance(op, ReturnOp):
            yield op
        op = op.prev_op
    if isinstance(op, scf.IfOp | RegionOp):
        for region in op.regions:
            if region.blocks:
                yield from _last_returns(region.block)


def _around(ops: Iterable[Operation]) -> Iterator[Operation]:
    """Operations and all that hold them."""
    for op in ops:
        around: Operation | None = op
        while around is not None and not isinstance(around, ProgramOp):
            yield around
            around = around.parent_op()
