"""The memory of the barrier's model does what is known of relaxed accesses with fences."""

from dataclasses import dataclass
from functools import cache

from weak_memory import (
    Memory,
    Mind,
    Outcome,
    additions,
    fenced,
    initial_memory,
    loads,
    moved,
    stores,
    taught,
)

X, Y = 0, 1
FENCE = "fence"
MEET = "meet"


@dataclass(frozen=True)
class Store:
    word: int
    value: int = 1


@dataclass(frozen=True)
class Load:
    word: int


@dataclass(frozen=True)
class Add:
    word: int
    amount: int = 1


Step = Store | Load | Add | str
Threads = tuple[tuple[Step, ...], ...]
Reads = tuple[tuple[int, ...], ...]


def outcomes(*threads: tuple[Step, ...]) -> set[Reads]:
    """What threads may read, each its values in order, if both words are zero at first."""
    memory = initial_memory((0, 0), len(threads))
    nothing = memory[0][0].carried
    minds = (Mind(nothing, nothing, nothing),) * len(threads)
    return _outcomes(threads, memory, minds, ((),) * len(threads))


@cache
def _outcomes(
    threads: Threads, memory: Memory, minds: tuple[Mind, ...], reads: Reads
) -> set[Reads]:
    found: set[Reads] = set() if any(threads) else {reads}
    if meeting := [n for n, steps in enumerate(threads) if steps[:1] == (MEET,)]:
        rest = tuple(
            steps[1:] if n in meeting else steps for n, steps in enumerate(threads)
        )
        if len(meeting) == 2:
            met = list(minds)
            for n in meeting:
                for other in meeting:
                    met[n] = taught(met[n], minds[other].known)
            found |= _outcomes(rest, memory, tuple(met), reads)
    for n, steps in enumerate(threads):
        if not steps or steps[0] == MEET:
            continue
        rest = (*threads[:n], steps[1:], *threads[n + 1 :])
        for outcome in _accesses(memory, minds[n], steps[0]):
            known = [_moved(mind, outcome) for mind in minds]
            known[n] = outcome.mind
            more = (outcome.value,) if isinstance(steps[0], (Load, Add)) else ()
            seen = (*reads[:n], (*reads[n], *more), *reads[n + 1 :])
            found |= _outcomes(rest, outcome.memory, tuple(known), seen)
    return found


def _accesses(memory: Memory, mind: Mind, step: Step) -> list[Outcome]:
    match step:
        case Store(word, value):
            return list(stores(memory, mind, word, value))
        case Load(word):
            return list(loads(memory, mind, word))
        case Add(word, amount):
            return list(additions(memory, mind, word, amount))
        case _:
            return [Outcome(0, fenced(mind), memory, None)]


def _moved(mind: Mind, outcome: Outcome) -> Mind:
    if not outcome.moved:
        return mind
    return Mind(*(moved(view, *outcome.moved) for view in mind))


def test_message_needs_a_fence_on_both_sides():
    """Who reads a flag knows what was stored before it only if both fence."""
    late = ((), (1, 0))
    for before in ((), (FENCE,)):
        for after in ((), (FENCE,)):
            writer = (Store(X), *before, Store(Y))
            found = outcomes(writer, (Load(Y), *after, Load(X)))
            assert (late in found) == (not before or not after)


def test_stores_are_delayed():
    """Two threads that store and then look at each other's word may both see nothing."""
    assert ((0,), (0,)) in outcomes((Store(X), Load(Y)), (Store(Y), Load(X)))


def test_loads_of_a_word_do_not_go_back():
    """Who has seen a store does not see what was there before."""
    found = outcomes((Store(X, 1), Store(X, 2)), (Load(X), Load(X)))
    assert {reads for _, reads in found} == {(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)}


def test_all_agree_on_the_order_of_stores_to_a_word():
    """Two readers do not see two stores in different orders."""
    reader = (Load(X), Load(X))
    found = outcomes((Store(X, 1),), (Store(X, 2),), reader, reader)
    assert ((), (), (1, 2), (1, 2)) in found
    assert ((), (), (2, 1), (2, 1)) in found
    assert ((), (), (1, 2), (2, 1)) not in found


def test_readers_may_disagree_about_different_words():
    """Even with fences, stores to two words reach two readers in different orders."""
    found = outcomes(
        (Store(X),), (Store(Y),), (Load(X), FENCE, Load(Y)), (Load(Y), FENCE, Load(X))
    )
    assert ((), (), (1, 0), (1, 0)) in found


def test_atomics_are_not_torn():
    """No two read the same value, whatever the delays."""
    found = outcomes((Add(X),), (Add(X),), (Add(X),))
    assert found == {((a,), (b,), (c,)) for a, b, c in _permutations()}


def _permutations() -> list[tuple[int, int, int]]:
    return [
        (a, b, c) for a in range(3) for b in range(3) for c in range(3) if a != b != c != a
    ]


def test_store_may_come_before_an_atomic_that_was_earlier():
    """A delayed store is lost to what others add, or they to it."""
    found = outcomes((Store(X, 5),), (Add(X), Load(X)))
    assert {reads for _, reads in found} == {(0, 1), (0, 5), (5, 6)}


def test_atomics_pass_on_what_came_before():
    """Who reads the result of a second addition knows what came before the first."""
    late = ((), (1,), (2, 0))
    found = outcomes((Store(X), FENCE, Add(Y)), (Add(Y),), (Load(Y), FENCE, Load(X)))
    assert late not in {((), b, c) for _, b, c in found if b == (1,)}
    loose = outcomes((Store(X), Add(Y)), (Add(Y),), (Load(Y), FENCE, Load(X)))
    assert late in {((), b, c) for _, b, c in loose if b == (1,)}


def test_fences_order_what_was_learned():
    """What a thread has seen comes before what it stores behind a fence."""
    first, last = (Store(X),), (Load(Y), FENCE, Load(X))
    assert ((), (1,), (1, 0)) not in outcomes(first, (Load(X), FENCE, Store(Y)), last)
    assert ((), (1,), (1, 0)) in outcomes(first, (Load(X), Store(Y)), last)


def test_blocks_share_what_their_threads_know():
    """After a meeting, a fence of one thread orders what another one did before."""
    writer, reader = (Store(X), MEET), (Load(Y), FENCE, Load(X))
    assert ((), (), (1, 0)) not in outcomes(writer, (MEET, FENCE, Store(Y)), reader)
    assert ((), (), (1, 0)) in outcomes(writer, (MEET, Store(Y)), reader)
    assert ((), (), (1, 0)) in outcomes(writer, (FENCE, MEET, Store(Y)), reader)
