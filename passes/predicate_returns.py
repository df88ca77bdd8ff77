"""
`vyre-predicate-returns`: no invocation ends early; the ones that would run along idly.

Before:

```mlir
scf.if %outside {
  vyre.return
}
%v = vyre.load %a[%i] inbounds : memref<?xi32>
vyre.barrier grid_sync
vyre.store %v, %b[%i] : memref<?xi32>
```

After:

```mlir
%alive = arith.select %outside, %false, %true : i1
%v = vyre.load %a[%i] : memref<?xi32>
vyre.barrier grid_sync
scf.if %alive {
  vyre.store %v, %b[%i] : memref<?xi32>
}
```

Code that no return can precede stays as it is. After a possible return,

| what | becomes |
|---|---|
| stores, atomics, traps | guarded by `alive`, neighbours together |
| loops and branches without results and barriers | the same |
| asynchronous copies | copies of no elements unless `alive`; tokens go on |
| loads | lose `inbounds`: who runs along may be anywhere |
| subgroup operations | get a neutral value unless `alive` |
| other loops | make no more trips unless `alive` or `any_alive`, see below |
| barriers, pure operations, other branches and regions | stay |
| collectives, unless all have trapped who returned | are refused |
| operations that Vyre does not know | are refused |

`alive` is a variable that a return clears. It is promoted like any other, so loops carry it
and branches yield it.

A loop ends for an invocation that is not alive: an `scf.while` tests `alive` with its
condition, an `scf.for` gets no trips, and one with a return inside becomes a `while`. But a
loop that keeps invocations in step (it holds a barrier, or gives a value that decides about
one; see `vyre.analysis.meetings`) must not depend on an `alive` that is less uniform than
the step it keeps. Then an `scf.for` stays, and an `scf.while` goes on while its condition
holds and anyone is alive (see `vyre.passes.any_alive`).

Why the meaning stays.

- An invocation that is alive does what it did. Every guard is true for it. Loops make the
  same trips for it: where `alive` or `any_alive` is asked in addition, both are true.
- One that has returned has no effects. The table covers every operation that writes, ends a
  dispatch or is seen by other invocations; any that is not listed is refused. What it loads
  and computes reaches nobody: memory, subgroups and other invocations get nothing of it. So
  it does not matter that it may load outside a buffer, or what others write at that time.
- Barriers did not wait for it, and now it comes. It goes by the same way as the others:
  branches and loops around a barrier are decided by values that are equal in all who meet
  there, and those who run along compute them from the same operands in the same phases. So
  nobody waits in vain, and no value becomes less uniform that decides about a meeting.
  `verify_barriers` checks the outcome.
- It ends when the others do. A `while` that it runs alone ends at the next test of its
  condition. One that keeps step ends when the condition of the others does, or when nobody
  is alive. A `for` has an end anyway.

A trap ends its invocation by itself, so it does not clear `alive`. Where `any_alive` adds
grid barriers, a dispatch with a trap may stop at one of these, so of several traps in one
phase another one may be reported. If an invocation returned before a collective, other
ranks would wait for it; if it has trapped, which `vyre-return-at-traps` shows, the dispatch
ends on its rank in any case.

`vyre-predicate-returns{waiting=true}` leaves programs without grid barriers as they are.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from vyre.analysis.meetings import meetings
from vyre.analysis.phases import COLLECTIVES
from vyre.analysis.purity import is_known, is_pure
from vyre.analysis.spine import needs_cut
from vyre.analysis.uniformity import Level
from vyre.analysis.walking import operations_in, operations_of, units_in
from vyre.diagnostics import invalid
from vyre.dialects.refusal import Note, Refusal
from vyre.dialects.vyre import (
    AssignOp,
    AsyncWaitOp,
    AtomicCasOp,
    AtomicOp,
    BarrierOp,
    BufferOp,
    GetOp,
    LetOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    ReturnOp,
    ScratchOp,
    StoreOp,
    TokenType,
    TrapOp,
)
from vyre.passes.any_alive import AnyAlive
from vyre.passes.contributions import contribute_nothing
from vyre.passes.expand_switches import expand_switches
from vyre.passes.for_as_while import for_as_while
from vyre.passes.guarded_run import GuardedRun
from vyre.passes.placing import constant, put_before
from vyre.passes.promote_lets import assigned_inside, promote
from vyre.passes.returns import drop_last_returns, returned_inside
from vyre.passes.rules.barriers import verify_barriers
from vyre.passes.same_grids import same_grids

_EFFECTS = (StoreOp, AtomicOp, AtomicCasOp, TrapOp)
_IDLE = (
    BarrierOp,
    AsyncWaitOp,
    BufferOp,
    ParamOp,
    ScratchOp,
    LetOp,
    GetOp,
    AssignOp,
    scf.YieldOp,
    scf.ConditionOp,
)
"""What may be executed by all: nobody else notices, or nothing is lost by waiting."""


@dataclass(frozen=True)
class _Left:
    """Who may have returned at a point."""

    level: Level
    """How uniform that is: the worst level of the control around the returns."""

    is_alive: bool
    """Whether somebody may have returned without a trap."""


Returned: TypeAlias = _Left | None
"""None if no return can come before the point."""


@dataclass(frozen=True)
class PredicateReturnsPass(ModulePass):
    """Replaces `vyre.return` by guards around what comes after it."""

    name = "vyre-predicate-returns"

    waiting: bool = False
    """Only of programs whose workgroups wait for each other."""

    @same_grids
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_switches(op)
        for program in units_in(op, ProgramOp):
            if self.waiting and not needs_cut(program):
                continue
            try:
                predicate_returns(program)
            except Refusal as refusal:
                raise invalid(program, refusal) from None


def predicate_returns(program: ProgramOp) -> None:
    """
    Replace the returns of a program; nothing happens if it has none.

    Example: `predicate_returns(program)`
    """
    drop_last_returns(program.body.block)
    returns = [op for op in operations_in(program.body) if type(op) is ReturnOp]
    if not returns:
        return
    levels = returned_inside(program, returns)
    alive = {each for op in returns if not _follows_trap(op) for each in _with_holders(op)}
    returned = {op: _Left(level, op in alive) for op, level in levels.items()}
    _Predication(program, returned).run()
    try:
        verify_barriers(program)
    except Refusal as refusal:
        raise _explained(refusal, program, returns[0]) from None


def _explained(refusal: Refusal, program: ProgramOp, first: ReturnOp) -> Refusal:
    """Why barriers were in uniform control before, and are not any more."""
    note = Note(first, "invocations that return here run along, without effects")
    # A variable counts as divergent everywhere if it is assigned after a divergent return.
    has_variables = any(isinstance(op, LetOp) for op in operations_in(program.body))
    fix = "run vyre-promote-lets first" if has_variables else refusal.fix
    return Refusal(refusal.cause, fix=fix, at=refusal.at, notes=[*refusal.notes, note])


class _Predication:
    """One walk over a program, in execution order."""

    def __init__(self, program: ProgramOp, returned: Mapping[Operation, _Left]):
        self._program = program
        self._returned = returned
        self._meetings = meetings(program)
        self._assigned = assigned_inside(program)
        start = next(op for op in program.body.block.ops if op in self._returned)
        yes = put_before(start, constant(1, i1), "true")
        self._no = put_before(start, constant(0, i1), "false")
        self._let = put_before(start, LetOp("alive", yes))
        self._alive = self._let.cell
        self._any_alive = AnyAlive(program, self._alive)

    def run(self) -> None:
        self._block(self._program.body.block, None)
        promote(self._program, [self._let, *self._any_alive.rounds])

    def _block(self, block: Block, returned: Returned) -> Returned:
        """Rewrite a block; who has returned at its end."""
        run = GuardedRun(self._alive)
        for op in list(block.ops):
            if returned is not None and self._is_guarded(op):
                _require_known(op)
                run.add(op)
            elif is_pure(op):
                run.pass_by(op)
            else:
                run.close()
                returned = self._op(op, returned)
        run.close()
        return returned

    def _is_guarded(self, op: Operation) -> bool:
        """Whether only those who are alive execute the operation, with all it holds."""
        if isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp):
            return (
                not op.results
                and not any(isinstance(value.type, TokenType) for value in op.operands)
                and op not in self._returned
                and op not in self._assigned
                and op not in self._meetings.inside
            )
        return isinstance(op, _EFFECTS)

    def _op(self, op: Operation, returned: Returned) -> Returned:
        match op:
            case ReturnOp():
                assign = AssignOp(self._no, self._alive)
                assign.location = op.location
                Rewriter.replace_op(op, assign)
                return _worse(returned, self._returned[op])
            case scf.IfOp():
                return self._if(op, returned)
            case RegionOp():
                return self._block(op.body.block, returned)
            case scf.ForOp():
                return self._for(op, returned)
            case scf.WhileOp():
                return self._while(op, returned)
            case _:
                if returned is not None and not contribute_nothing(op, self._alive):
                    _require_idle(op, returned)
                return returned

    def _if(self, op: scf.IfOp, returned: Returned) -> Returned:
        arms = [region.block for region in op.regions if region.blocks]
        at_end = _worse(returned, *[self._block(arm, returned) for arm in arms])
        if op in self._returned and not op.results:
            self._choose(op)
        return at_end

    def _choose(self, op: scf.IfOp) -> None:
        """Replace a branch that only returns by a pure choice, which others understand."""
        returning = [self._only_returns(region) for region in op.regions]
        if None in returning:
            return
        old = put_before(op, GetOp(self._alive)).value
        left, right = (self._no.result if returns else old for returns in returning)
        new = put_before(op, arith.SelectOp(op.cond, left, right), "alive")
        put_before(op, AssignOp(new, self._alive))
        Rewriter.erase_op(op)

    def _only_returns(self, region: Region) -> bool | None:
        """Whether an arm returns, or does nothing; None if it does anything else."""
        first = None if region.blocks.first is None else region.block.first_op
        if first is None or isinstance(first, scf.YieldOp):
            return False
        clears = isinstance(first, AssignOp) and first.cell is self._alive
        return True if clears and isinstance(first.next_op, scf.YieldOp) else None

    def _for(self, op: scf.ForOp, returned: Returned) -> Returned:
        at_end = _worse(returned, self._returned.get(op))
        step = self._step(op)
        if op in self._returned and at_end is not None and at_end.level <= step:
            loop = for_as_while(op)
            self._block(loop.after_region.block, None)
            self._leave_unless_alive(loop)
            return at_end
        at_start = at_end
        if returned is not None and returned.level <= step:
            alive = put_before(op, GetOp(self._alive)).value
            end = arith.SelectOp(alive, op.ub, op.lb)
            op.operands[1] = put_before(op, end, op.ub.name_hint).result
            at_start = self._returned.get(op)
        self._block(op.body.block, at_start)
        return at_end

    def _while(self, op: scf.WhileOp, returned: Returned) -> Returned:
        at_end = _worse(returned, self._returned.get(op))
        step = self._step(op)
        alone = at_end is None or at_end.level <= step
        self._block(op.before_region.block, at_end)
        self._block(op.after_region.block, None if alone else at_end)
        if at_end is None:
            return None
        if alone:
            self._leave_unless_alive(op)
        elif op in self._returned:
            _leave_unless(op, self._any_alive.every_trip(op, step))
        else:
            _leave_unless(op, self._any_alive.once(op, step))
        return at_end

    def _leave_unless_alive(self, loop: scf.WhileOp) -> None:
        condition = loop.before_region.block.last_op
        assert condition is not None
        _leave_unless(loop, put_before(condition, GetOp(self._alive)).value)

    def _step(self, loop: scf.ForOp | scf.WhileOp) -> Level:
        """Across what invocations have to make the same trips."""
        leaving = [*loop.results, *self._assigned.get(loop, ())]
        return self._meetings.needed(loop, leaving)


def _leave_unless(loop: scf.WhileOp, value: SSAValue) -> None:
    """Let the loop go on only if the value, known at its test, is true too."""
    condition = loop.before_region.block.last_op
    assert isinstance(condition, scf.ConditionOp)
    goes_on = condition.condition
    both = arith.AndIOp(goes_on, value)
    condition.operands[0] = put_before(condition, both, goes_on.name_hint).result


def _with_holders(op: Operation) -> Iterator[Operation]:
    holder: Operation | None = op
    while holder is not None:
        yield holder
        holder = holder.parent_op()


def _follows_trap(op: ReturnOp) -> bool:
    """Whether `vyre-return-at-traps` has put the return there: nobody comes to it."""
    before = op.prev_op
    return isinstance(before, RegionOp) and any(
        isinstance(inner, TrapOp) for inner in before.body.block.ops
    )


def _worse(*points: Returned) -> Returned:
    found = [point for point in points if point is not None]
    if not found:
        return None
    return _Left(
        max(point.level for point in found), any(point.is_alive for point in found)
    )


def _require_idle(op: Operation, returned: _Left) -> None:
    """That it does not matter if invocations execute the operation that have returned."""
    if isinstance(op, COLLECTIVES) and returned.is_alive:
        raise Refusal(
            "invocations may have returned before this collective, for which other ranks "
            "would wait",
            fix="return after the collective, or guard stores instead of returning",
            at=op,
        )
    if not isinstance(op, (*_IDLE, *COLLECTIVES)):
        _refuse_unknown(op)


def _require_known(op: Operation) -> None:
    for inner in operations_of(op):
        if not is_known(inner):
            _refuse_unknown(inner)


def _refuse_unknown(op: Operation) -> None:
    raise Refusal(
        "invocations may have returned before this operation, and nothing is known about "
        "what it does",
        fix="lower it to arith, math, scf and vyre operations first",
        at=op,
    )
