"""
Symbolic execution of branches and loops.

Both arms of a branch are executed from the same state; what it gives is a choice. The body
of a loop is executed once, for all trips: what it carries is a symbol at its head.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from xdsl.dialects import scf
from xdsl.ir import Operation, Region, SSAValue

from vyre.validation.equality import Effect, Loop
from vyre.validation.execution import Execution
from vyre.validation.footprints import Footprints, is_memref, terminator
from vyre.validation.memory import Frame, Shared
from vyre.validation.terms import (
    CELL,
    COUNTER,
    FRAME,
    HEAD,
    SLOT,
    SYMBOL,
    TILE,
    Term,
)


class Side(Execution):
    """The program, or the schedule with its segments, while it is executed."""

    def __init__(self, shared: Shared, footprints: Footprints):
        super().__init__(shared, footprints)
        self._around: list[tuple[Frame, dict[Term, Term], frozenset[Term]]] = []

    def branch(self, op: scf.IfOp) -> None:
        """Execute both arms."""
        self.choose(op, self.env[op.cond], op.regions)

    def choose(self, op: Operation, condition: Term, regions: Sequence[Region]) -> None:
        """Execute each arm from the same state; what it gives is a choice."""
        state, bases, frame = self.state, self.bases, self.frame
        arms: list[list[Effect]] = []
        results: list[list[Term]] = []
        ends: list[tuple[dict[Term, Term], dict[Term, Term]]] = []
        for which, region in enumerate(regions):
            kind = self.terms.kind("arm", (frame.count, which))
            arm = self.terms.node(kind, frame.term)
            self.frame = Frame(arm, (*frame.chain, condition))
            self.state, self.bases = dict(state), dict(bases)
            if region.blocks:
                self.run(region.block.ops)
                results.append(self.values(terminator(region.block).operands))
            arms.append(self.frame.effects)
            ends.append((self.state, self.bases))
        self.state, self.bases, self.frame = state, bases, frame
        for index, result in enumerate(op.results):
            given = [values[index] for values in results]
            self.env[result] = self.terms.choice(condition, *given)
        changed = self.join(condition, ends)
        if any(arms):
            shapes = self.shared.shapes
            for tile in self.shared.overwriting.by_lanes(condition, arms[0], shapes):
                self.overwrite(tile)
            self.record(Effect(op, condition, tuple(arms)), changed)

    def join(
        self,
        condition: Term,
        ends: Sequence[tuple[dict[Term, Term], dict[Term, Term]]],
    ) -> list[Term]:
        """Go on from the state after a branch; the memory that an arm has changed."""
        changed: list[Term] = []
        for key, before in self.state.items():
            after = [state[key] for state, _ in ends]
            if all(each is before for each in after):
                continue
            if key.kind is SLOT or key.kind is CELL:
                self.state[key] = self.terms.choice(condition, *after)
                continue
            changed.append(key)
            if key.kind is TILE:
                bases = [each.get(key, self.terms.nothing) for _, each in ends]
                self.bases[key] = self.terms.choice(condition, *bases)
        return changed

    # Loops

    def enter(
        self,
        op: Operation,
        carried: Iterable[tuple[SSAValue, SSAValue]],
        kept: Iterable[Term] = (),
        frame: Term | None = None,
    ) -> Loop:
        """Go to the head of a loop, where symbols stand for what it carries."""
        floor = self.floor()
        loop = Loop(op, self.terms.fresh(FRAME) if frame is None else frame, floor)
        self.equality.loop_of.setdefault(loop.frame, loop)
        for value, start in carried:
            self.env[value] = symbol = self.symbol(loop, self.env[start])
            if is_memref(value):
                roots = self.footprints.roots(value)
                found = {m: None for root in roots for m in self._behind(root)}
                self.shared.sources[symbol] = tuple(found)
        for key in kept:
            self.state[key] = loop.kept[key] = self.symbol(loop, self.state[key])
        return loop

    def _behind(self, root: SSAValue) -> tuple[Term, ...]:
        return self.shared.sources.get(self.env[root], ())

    def floor(self) -> int:
        """How old terms are that a loop which begins here cannot change."""
        return self.terms.now

    def symbol(self, loop: Loop, start: Term) -> Term:
        """A symbol for what a loop carries."""
        symbol = self.terms.fresh(SYMBOL)
        loop.starts[symbol] = start
        self.equality.loop_of[symbol] = loop
        return symbol

    def kept_by(self, op: Operation) -> Iterable[Term]:
        """The variables from outside that a loop assigns."""
        assigned = self.footprints.of(op).assigned
        return [self.env[cell] for cell in assigned if cell in self.env]

    def loop_for(self, op: scf.ForOp) -> None:
        """Execute the body of an `scf.for` once, for all trips."""
        control = self.values((op.lb, op.ub, op.step))
        block = op.body.block
        loop = self._head(op, zip(block.args[1:], op.iter_args, strict=True))
        loop.control = tuple(control)
        self.env[block.args[0]] = self.count(loop)
        symbols = self.values(block.args[1:])
        self.run(block.ops)
        for symbol, value in zip(symbols, self.values(terminator(block).operands)):
            loop.backs[symbol] = value
        self._tail(loop, {})
        for result, symbol in zip(op.res, symbols, strict=True):
            self.env[result] = symbol

    def count(self, loop: Loop) -> Term:
        """The induction variable of a loop."""
        loop.counter = counter = self.terms.fresh(COUNTER)
        self.equality.loop_of[counter] = loop
        return counter

    def loop_while(self, op: scf.WhileOp) -> None:
        """Execute both blocks of an `scf.while` once, for all trips."""
        before, after = op.before_region.block, op.after_region.block
        loop = self._head(op, zip(before.args, op.arguments, strict=True))
        symbols = self.values(before.args)
        self.run(before.ops)
        condition, *passed = self.values(terminator(before).operands)
        loop.control = (condition,)
        at_exit = {slot: self.state[slot] for slot in loop.kept}
        tested, self.frame.effects = self.frame.effects, []
        for argument, value in zip(after.args, passed, strict=True):
            self.env[argument] = value
        self.run(after.ops)
        for symbol, value in zip(symbols, self.values(terminator(after).operands)):
            loop.backs[symbol] = value
        self._tail(loop, at_exit, tested)
        for result, value in zip(op.res, passed, strict=True):
            self.env[result] = value

    def _head(self, op: Operation, carried: Iterable[tuple[SSAValue, SSAValue]]) -> Loop:
        changed = self.changes(op)
        loop = self.enter(op, carried, self.kept_by(op))
        self._around.append((self.frame, self.bases, changed))
        self.bases = dict(self.bases)
        self.frame = Frame(loop.frame, (*self.frame.chain, loop.frame))
        for memory in changed:
            self.state[memory] = self.version(HEAD, memory)
        return loop

    def _tail(self, loop: Loop, at_exit: dict[Term, Term], *before: list[Effect]) -> None:
        loop.bodies = (*before, self.frame.effects)
        for key, symbol in loop.kept.items():
            loop.backs[symbol] = self.state[key]
            self.state[key] = at_exit.get(key, symbol)
        self.frame, self.bases, changed = self._around.pop()
        self.equality.finish(loop)
        if any(loop.bodies):
            for tile in self.shared.overwriting.by_loop(loop, self.shared.shapes):
                self.overwrite(tile)
            self.record(Effect(loop.op, None, loop=loop), changed)

    HANDLERS: ClassVar[dict[type[Operation], Callable[[Any, Any], None]]] = {
        **Execution.HANDLERS,
        scf.IfOp: branch,
        scf.ForOp: loop_for,
        scf.WhileOp: loop_while,
    }
