"""Ways to get the grid barrier wrong, made from its own steps."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from barrier_rewriting import changed, every_step, replaced
from barrier_state import Setup

from vyre.lowering.cuda.grid_protocol import (
    NO_TRAP,
    AtomicAdd,
    Fence,
    GoOnIfEven,
    If,
    IfLeader,
    Leave,
    Let,
    Plus,
    Set,
    Spin,
    Step,
    Steps,
    Store,
    SyncThreads,
    Word,
    grid_barrier_steps,
)

IGNORANT = "goes on without knowing all that was done"
SPITEFUL = "goes on in spite of a trap"
UNREASONABLE = "leaves without a reason"
HANGING = "waits forever"

_STEPS = grid_barrier_steps(has_traps=True)
_ALL = tuple(every_step(_STEPS))
_START = next(step for step in _ALL if step == Let("now", 1, step.why, is_const=False))
_BEFORE = next(step for step in _ALL if step == Let("before", Word.GENERATION, step.why))
_FENCES = tuple(step for step in _ALL if isinstance(step, Fence))
_RESET = next(step for step in _ALL if step == Store(Word.ARRIVED, 0, step.why))
_RELEASE = next(step for step in _ALL if step == Store(Word.GENERATION, "now", step.why))
_GO_ON = next(step for step in _ALL if step == Set("now", Plus("before", 2), step.why))
_ON_TRAP = next(step for step in _ALL if isinstance(step, If) and step.left is Word.TRAPPED)


@dataclass(frozen=True)
class Fault:
    """A wrong protocol, and what the search finds in some setup."""

    name: str
    setup: Setup
    broken: str


def faults() -> Iterator[Fault]:
    """
    All of them.

    Example: `for fault in faults(): assert explore(fault.setup).broken == fault.broken`
    """
    yield from _missing_orders()
    yield from _wrong_counts()
    yield from _wrong_generations()
    yield from _wrong_decisions()
    yield from _deaf_ones()


def _setup(steps: Steps) -> Setup:
    return Setup(steps, blocks=2, block_threads=2, rounds=2)


def _missing_orders() -> Iterator[Fault]:
    for place, step in enumerate(_ALL):
        if isinstance(step, (Fence, SyncThreads)):
            setup = _setup(replaced(_STEPS, {step: ()}))
            yield Fault(f"no {type(step).__name__} at {place}", setup, IGNORANT)
    untold = replace(_setup(_STEPS), end_meets=False)
    yield Fault("block is not told", untold, UNREASONABLE)
    steps = replaced(_STEPS, {_START: (Let("now", 0),)})
    hasty = replace(untold, steps=steps, counts_generations=False)
    yield Fault("block does not wait", hasty, IGNORANT)


def _wrong_counts() -> Iterator[Fault]:
    late = replaced(_STEPS, {_RESET: (), _RELEASE: (_RELEASE, _RESET)})
    yield Fault("reset after the release", _setup(late), HANGING)
    loose = replaced(_STEPS, {_RESET: (), _FENCES[1]: (_FENCES[1], _RESET)})
    yield Fault("reset not ordered before the release", _setup(loose), HANGING)
    yield Fault("no reset", _setup(replaced(_STEPS, {_RESET: ()})), HANGING)


def _wrong_generations() -> Iterator[Fault]:
    same = replaced(_STEPS, {_GO_ON: (Set("now", 2),)})
    same = replace(_setup(same), counts_generations=False)
    yield Fault("always the same generation", same, HANGING)

    def read_late(step: Step) -> Steps:
        if isinstance(step, If) and step.otherwise:
            then, otherwise = (_BEFORE, *step.then), (_BEFORE, *step.otherwise)
            return (replace(step, then=then, otherwise=otherwise),)
        return () if step == _BEFORE else (step,)

    late = changed(_STEPS, read_late)
    yield Fault("generation read after arrival", _setup(late), HANGING)
    fixed = replace(_setup(_fixed_count()), counts_generations=False)
    yield Fault("release at a fixed count", fixed, IGNORANT)
    zero = replace(_setup(_until_zero()), counts_generations=False)
    yield Fault("release by the reset", zero, HANGING)


def _fixed_count() -> Steps:
    """Two blocks wait until two have arrived, also if that was long ago."""
    wait = Spin((Set("now", Word.ARRIVED), If("now", "!=", 1, (Leave(),))))
    arrival = Let("place", AtomicAdd(Word.ARRIVED, 1))
    leader = IfLeader((_FENCES[0], arrival, wait, _FENCES[2], Set("now", 2)))
    return (_START, SyncThreads(""), leader, GoOnIfEven("now", ""))


def _until_zero() -> Steps:
    """All wait until the last has set the count back to zero."""
    wait = Spin((Set("now", Word.ARRIVED), If("now", "==", 0, (Leave(),))))
    meeting = If(
        AtomicAdd(Word.ARRIVED, 1),
        "==",
        Plus("blocks", -1),
        then=(_FENCES[1], _RESET),
        otherwise=(wait, _FENCES[2]),
    )
    leader = IfLeader((_FENCES[0], meeting, Set("now", 2)))
    return (_START, SyncThreads(""), leader, GoOnIfEven("now", ""))


def _wrong_decisions() -> Iterator[Fault]:
    def decide_alone(step: Step) -> Steps:
        if isinstance(step, IfLeader):
            return (replace(step, then=(*step.then, _ON_TRAP)),)
        return () if step == _ON_TRAP else (step,)

    alone = replace(
        _setup(changed(_STEPS, decide_alone)), trap=(0, 1), counts_generations=False
    )
    yield Fault("each block decides", alone, UNREASONABLE)
    leave = (Set("now", Plus("before", 3)),)
    early = replaced(
        _STEPS,
        {
            _FENCES[1]: (Let("trap", Word.TRAPPED), _FENCES[1]),
            _ON_TRAP: (If("trap", "!=", NO_TRAP, leave),),
        },
    )
    early = replace(_setup(early), trap=(1, 0))
    yield Fault("traps are looked at too early", early, SPITEFUL)
    blind = replace(_setup(replaced(_STEPS, {_ON_TRAP: ()})), trap=(0, 0))
    yield Fault("traps are not looked at", blind, SPITEFUL)


def _deaf_ones() -> Iterator[Fault]:
    def never_stop(step: Step) -> Steps:
        return () if isinstance(step, If) and step.left is Word.STOP else (step,)

    deaf = replace(_stopping(changed(_STEPS, never_stop)), block_threads=1)
    yield Fault("nobody hears the host", deaf, HANGING)
    missed = replace(_setup(_STEPS), missing=(0, 1))
    yield Fault("no watchdog where a block is missing", missed, HANGING)
    silent = changed(grid_barrier_steps(has_traps=True, watchdog=1), _tell_nobody)
    alone = replace(_setup(silent), lingering=(0, 1))
    yield Fault("a watchdog that leaves others in their loops", alone, HANGING)
    lost = _stopping(replaced(_STEPS, {_START: (Let("now", 0),)}))
    lost = replace(lost, counts_generations=False)
    yield Fault("a block without leader goes on", lost, IGNORANT)


def _tell_nobody(step: Step) -> Steps:
    return () if isinstance(step, Store) and step.word is Word.STOP else (step,)


def _stopping(steps: Steps) -> Setup:
    return replace(_setup(steps), host_stops=True, threads_look=True)
